/* The list of objects, in the order of the block. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
#define OBJECT(name) &pl_object_##name,

const struct pl_object_def *const pl_objects[] = { PL_OBJECTS(OBJECT) };
/* clang-format on */

const size_t pl_num_objects = sizeof pl_objects / sizeof *pl_objects;

uint32_t pl_help_index(const struct pl_object_def *o, uint32_t counter_index)
{
    if (o->shared_help && counter_index < PL_OWN_TITLES)
        return o->shared_help + counter_index / 2;
    return counter_index + 1;
}
