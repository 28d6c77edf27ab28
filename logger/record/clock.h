/*                                                    logger/record/clock.h
 * When to take the next sample: at multiples of the interval since 1970, so
 * that machines sample together, from absolute deadlines, so that they do not
 * drift.  Arithmetic only: the caller reads the clocks and sleeps, so that
 * tests can produce every clock step, suspension and delay.
 */
#ifndef PL_LOGGER_RECORD_CLOCK_H
#define PL_LOGGER_RECORD_CLOCK_H

#include "logger/sampler.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_ticks {
    int64_t interval_ns;
    int64_t due_utc;   /* the deadline waited for */
    int64_t offset_ns; /* CLOCK_REALTIME - CLOCK_BOOTTIME when last looked */
    int64_t slept_ns;  /* CLOCK_BOOTTIME - CLOCK_MONOTONIC then */
    int64_t last_boot; /* when the last sample was taken */
    bool at_once;      /* the first sample does not wait for a multiple */
    int64_t step_ns;   /* clock steps since the last sample */
};

/* A sample that is due now, and what happened since the previous one. */
struct pl_wake {
    int64_t deadline_utc;
    uint64_t late_ns; /* time since its deadline */
    uint32_t missed;  /* deadlines before it without a sample */
    int64_t first_missed_utc, last_missed_utc;
    bool suspended;  /* they were missed because of a suspension */
    int64_t step_ns; /* step of the wall clock; 0: none */
};

/*
 * Begin: the first deadline is the next multiple, or now if the interval is
 * longer than 10 s.
 */
void pl_ticks_start(struct pl_ticks *t, uint64_t interval_ns,
                    const struct pl_tick *now);

/* When to wake up, on CLOCK_BOOTTIME. */
int64_t pl_ticks_wake_at(const struct pl_ticks *t);

/*
 * Called on waking.  False: it is too early (a signal, or the clock was set
 * back): sleep again.  True: take a sample; *out is filled and the next
 * deadline set.
 */
bool pl_ticks_due(struct pl_ticks *t, const struct pl_tick *now,
                  struct pl_wake *out);

#endif
