/* Deadlines, and how clock steps and suspensions move them. */
#include "logger/record/clock.h"

#include "format/time/time_text.h"

enum { AT_ONCE_OVER_S = 10 };
/* A wake-up this short before a deadline counts as on time. */
#define SLACK_MOST PL_NS_PER_MS
/* Slewing shifts the clock by far less than this in one interval. */
#define STEP_LEAST (10 * PL_NS_PER_MS)

static int64_t floor_multiple(int64_t t, int64_t interval)
{
    int64_t rest = t % interval;

    return t - (rest < 0 ? rest + interval : rest);
}

void pl_ticks_start(struct pl_ticks *t, uint64_t interval_ns,
                    const struct pl_tick *now)
{
    *t = (struct pl_ticks){ .interval_ns = (int64_t)interval_ns,
                            .offset_ns = now->utc_ns - now->boot_ns,
                            .slept_ns = now->boot_ns - now->monotonic_ns,
                            .last_boot = now->boot_ns };
    t->at_once = t->interval_ns > AT_ONCE_OVER_S * PL_NS_PER_SEC;
    t->due_utc = floor_multiple(now->utc_ns, t->interval_ns) + t->interval_ns;
}

int64_t pl_ticks_wake_at(const struct pl_ticks *t)
{
    return t->at_once ? t->last_boot : t->due_utc - t->offset_ns;
}

/*
 * Follow the wall clock.  A small change is slewing and keeps the deadline; a
 * step sets a new one: the first multiple, by the new clock, at least half an
 * interval after the last sample.
 */
static void follow_clock(struct pl_ticks *t, const struct pl_tick *now)
{
    int64_t offset = now->utc_ns - now->boot_ns;
    int64_t step = offset - t->offset_ns;
    int64_t most = t->interval_ns / 10 + STEP_LEAST;

    t->offset_ns = offset;
    if (step >= -most && step <= most)
        return;
    t->step_ns += step;
    if (t->at_once)
        return;
    t->due_utc = floor_multiple(t->last_boot + offset + t->interval_ns / 2 +
                                    t->interval_ns - 1,
                                t->interval_ns);
}

bool pl_ticks_due(struct pl_ticks *t, const struct pl_tick *now,
                  struct pl_wake *out)
{
    int64_t slept = now->boot_ns - now->monotonic_ns;
    int64_t slack = t->interval_ns / 10, newest;

    follow_clock(t, now);
    if (now->utc_ns < t->due_utc && !t->at_once)
        return false;
    /* The same slack that places rows on the time axis. */
    newest =
        floor_multiple(now->utc_ns + (slack < SLACK_MOST ? slack : SLACK_MOST),
                       t->interval_ns);
    *out = (struct pl_wake){ .deadline_utc = newest, .step_ns = t->step_ns };
    if (t->at_once) {
        out->deadline_utc = now->utc_ns;
        t->at_once = false;
    } else if (newest > t->due_utc) {
        out->missed = (uint32_t)((newest - t->due_utc) / t->interval_ns);
        out->first_missed_utc = t->due_utc;
        out->last_missed_utc = newest - t->interval_ns;
        out->suspended = slept - t->slept_ns > t->interval_ns / 2;
    }
    if (now->utc_ns > out->deadline_utc)
        out->late_ns = (uint64_t)(now->utc_ns - out->deadline_utc);
    t->due_utc = newest + t->interval_ns;
    t->last_boot = now->boot_ns;
    t->slept_ns = slept;
    t->step_ns = 0;
    return true;
}
