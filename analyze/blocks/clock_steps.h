/*                                             analyze/blocks/clock_steps.h
 * Detects reboots and wall-clock steps in imported blocks: where PerfTime runs
 * backwards or changes its frequency the machine was rebooted, and where wall
 * clock and PerfTime disagree the wall clock was set.
 */
#ifndef PL_ANALYZE_BLOCKS_CLOCK_STEPS_H
#define PL_ANALYZE_BLOCKS_CLOCK_STEPS_H

#include "format/block/winperf.h"

#include <stdbool.h>
#include <stdint.h>

/* The previous sample; all zero: there is none. */
struct pl_clock_steps {
    bool begun;
    int64_t utc_ns, boot_ns;
    int64_t perf_time, perf_freq;
};

/* True if 'b' comes from another boot of the machine, or is the first. */
bool pl_clock_steps_is_new(const struct pl_clock_steps *c,
                           const struct pl_block *b);

/*
 * True if the wall clock was set since the previous sample, by comparison with
 * PerfTime.
 */
bool pl_clock_steps_is_step(const struct pl_clock_steps *c, int64_t utc_ns,
                            int64_t boot_ns);

void pl_clock_steps_go_on(struct pl_clock_steps *c, const struct pl_block *b,
                          int64_t utc_ns, int64_t boot_ns);

#endif
