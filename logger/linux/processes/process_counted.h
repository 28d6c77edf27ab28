/*                                 logger/linux/processes/process_counted.h
 * Ended processes whose final values are still to come and which have no row to
 * show them in: what was counted of each so far.  The difference is added to
 * the sum of its name once the final values are known.
 *
 * A fixed table.  Of more processes than it has room for, the oldest are
 * forgotten: what they did after their first report, mostly freeing their
 * memory, is then in no row.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_COUNTED_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_COUNTED_H

#include "logger/linux/processes/process.h"

enum { PL_COUNTED_SETS = 1024, PL_COUNTED_WAYS = 8 };

struct pl_counted {
    uint64_t tick; /* sample in which it was counted; 0: none */
    uint64_t values[PL_NUM_PROCESS_FIELDS];
};

/* All zero at first; 3.3 MB, of which only what was used is occupied. */
struct pl_process_counted {
    /* Of each entry; 0: none.  Apart from the rest, as mostly none is found. */
    uint32_t pids[PL_COUNTED_SETS][PL_COUNTED_WAYS];
    /* Its place in 'entries' plus 1; 0: it has none yet.  They are given in turn, as
     * ten share a page, which takes microseconds where it is touched first. */
    uint16_t at[PL_COUNTED_SETS][PL_COUNTED_WAYS];
    size_t num_used;
    struct pl_counted entries[PL_COUNTED_SETS * PL_COUNTED_WAYS];
};

/* Remember the values, a row's, as counted in sample 'tick'. */
void pl_process_counted_put(struct pl_process_counted *c, uint64_t tick,
                            const uint64_t values[PL_NUM_PROCESS_FIELDS]);

/* Forget what was counted in sample 'tick', which is lost. */
void pl_process_counted_undo(struct pl_process_counted *c, uint64_t tick);

/*
 * What was counted, in samples before 'tick', of the process with the number
 * and start time of 'values'; NULL: nothing.  It is not forgotten by that, as a
 * sample may be read twice.
 */
const uint64_t *
pl_process_counted_find(const struct pl_process_counted *c, uint64_t tick,
                        const uint64_t values[PL_NUM_PROCESS_FIELDS]);

#endif
