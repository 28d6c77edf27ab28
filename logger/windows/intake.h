/*                                                  logger/windows/intake.h
 * Filters the objects of Windows' results into a sample: the selected objects,
 * each once, unchanged except that counters that no path names are removed.
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

/* Begin a sample. */
void pl_intake_begin(struct pl_intake *t);
void pl_intake_release(struct pl_intake *t);

/* The result of a query. */
struct pl_intake_from {
    const struct pl_buf *block;
    bool by_paths; /* take what is chosen only; else everything */
    bool ours;     /* it has our own title indexes, and parents of any kind */
};

/*
 * Append the wanted objects of a result that are not yet in the sample, and
 * look up their titles.  PL_OK or PL_NOMEM; an invalid result is used up to the
 * first error, which *misfit describes (reason NULL: none).
 */
enum pl_status pl_intake_take(struct pl_intake *t,
                              const struct pl_intake_from *from,
                              struct pl_buf *out, struct pl_misfit *misfit);

/* True if an object with that name, in any language, is in the sample. */
bool pl_intake_has(const struct pl_intake *t, struct pl_text name);

/* False: of another byte order or revision, which cannot be merged. */
bool pl_intake_is_usual(const struct pl_block *block);

#endif
