/*                                             analyze/blocks/clock_steps.h
 * The course of a machine's clocks through blocks that it made itself: where
 * PerfTime runs backwards or changes its frequency it was started anew, and
 * where wall clock and PerfTime disagree the wall clock was set.
 */
#ifndef PL_ANALYZE_BLOCKS_CLOCK_STEPS_H
#define PL_ANALYZE_BLOCKS_CLOCK_STEPS_H

#include "format/block/winperf.h"

#include <stdbool.h>
#include <stdint.h>

/* The sample before; all zero: there is none. */
struct pl_clock_steps {
    bool begun;
    int64_t utc_ns, boot_ns;
    int64_t perf_time, perf_freq;
};

/* True if 'b' comes from another start of the machine, or is the first. */
bool pl_clock_steps_is_new(const struct pl_clock_steps *c,
                           const struct pl_block *b);

/* True if the clock was set since, as far as PerfTime can tell. */
bool pl_clock_steps_is_step(const struct pl_clock_steps *c, int64_t utc_ns,
                            int64_t boot_ns);

void pl_clock_steps_go_on(struct pl_clock_steps *c, const struct pl_block *b,
                          int64_t utc_ns, int64_t boot_ns);

#endif
