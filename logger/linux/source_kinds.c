/* The kinds of all sources, from every folder that reads one. */
#include "logger/linux/source_kinds.h"

/* clang-format off */
#define DECLARE(id, name, ...) extern const struct pl_source_kind pl_##name##_kind;
#define KIND(id, name, ...) [PL_##id] = &pl_##name##_kind,

PL_SOURCES(DECLARE)

const struct pl_source_kind *const pl_source_kinds[PL_NUM_SOURCES] = {
    PL_SOURCES(KIND)
};
/* clang-format on */
