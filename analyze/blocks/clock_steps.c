/* Detects reboots and wall-clock steps. */
#include "analyze/blocks/clock_steps.h"

#include "format/time/time_text.h"

/*
 * Clocks of a machine differ by drift and slewing; a larger difference is a
 * step.
 */
#define STEP_LEAST PL_NS_PER_SEC
#define STEP_SHARE 1000

bool pl_clock_steps_is_new(const struct pl_clock_steps *c,
                           const struct pl_block *b)
{
    return !c->begun || b->perf_freq != c->perf_freq ||
           b->perf_time < c->perf_time;
}

bool pl_clock_steps_is_step(const struct pl_clock_steps *c, int64_t utc_ns,
                            int64_t boot_ns)
{
    int64_t wall = (int64_t)((uint64_t)utc_ns - (uint64_t)c->utc_ns), most;

    if (!c->boot_ns || !boot_ns)
        return wall < 0;
    most = STEP_LEAST + (boot_ns - c->boot_ns) / STEP_SHARE;
    wall = (int64_t)((uint64_t)wall - (uint64_t)(boot_ns - c->boot_ns));
    return wall > most || wall < -most;
}

void pl_clock_steps_go_on(struct pl_clock_steps *c, const struct pl_block *b,
                          int64_t utc_ns, int64_t boot_ns)
{
    *c = (struct pl_clock_steps){ true, utc_ns, boot_ns, b->perf_time,
                                  b->perf_freq };
}
