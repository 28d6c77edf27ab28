/*                                                  logger/windows/intake.h
 * Objects of Windows' answers on their way into a sample: those that are
 * chosen, each once, untouched but for counters that nobody named.
 */
#ifndef PL_WINDOWS_INTAKE_H
#define PL_WINDOWS_INTAKE_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/winperf.h"
#include "logger/windows/counter_filter.h"
#include "logger/windows/titles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero but for the first two is an empty sample. */
struct pl_intake {
    const struct pl_counter_filter *choice;
    struct pl_labels *labels;
    uint32_t *objects; /* title indexes in the sample being made */
    size_t num_objects, cap_objects;
    bool *kept; /* counters of the object being taken */
    size_t cap_kept;
    uint64_t instances; /* in the sample */
    bool titles_taken;  /* Windows has our indexes for something else */
};

/* A new sample. */
void pl_intake_begin(struct pl_intake *t);
void pl_intake_release(struct pl_intake *t);

/* An answer. */
struct pl_intake_from {
    const struct pl_buf *block;
    bool by_paths; /* take what is chosen only; else everything */
    bool ours;     /* it has our own title indexes, and parents of any kind */
};

/*
 * Append the objects of an answer that are wanted and not there yet, and learn
 * what they are called.  PL_OK or PL_NOMEM; an answer that does not add up is
 * taken as far as it does, and *misfit says where it ends (reason NULL:
 * nowhere).
 */
enum pl_status pl_intake_take(struct pl_intake *t,
                              const struct pl_intake_from *from,
                              struct pl_buf *out, struct pl_misfit *misfit);

/* True if an object with that name, in any language, is in the sample. */
bool pl_intake_has(const struct pl_intake *t, struct pl_text name);

/* False: of another byte order or revision, which do not go with ours. */
bool pl_intake_is_usual(const struct pl_block *block);

#endif
