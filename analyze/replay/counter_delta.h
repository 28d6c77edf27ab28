/*                                           analyze/replay/counter_delta.h
 * An instance in two neighbouring samples, and the step of one of its counters
 * between them.
 */
#ifndef PL_ANALYZE_REPLAY_COUNTER_DELTA_H
#define PL_ANALYZE_REPLAY_COUNTER_DELTA_H

#include "analyze/replay/row_values.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the older reading is found, for one instance. */
struct pl_counter_delta {
    const struct pl_sampled_object *now, *was;
    const struct pl_sampled_instance *newer, *older;
    const struct pl_counter_plan *plan, *older_plan;
    /* after the older sample: some counters of 'newer' were 0 in 'was' */
    bool born;
};

/*
 * True if 'newer', which the older sample lacks, is known to have been born
 * after it; false if that is not known.
 */
bool pl_counter_delta_is_born(const struct pl_row_values *p,
                              const struct pl_counter_delta *pair);

/*
 * True if the pair has an older value of the counter, which may be 0 at birth.
 */
static inline bool
pl_counter_delta_has_older(const struct pl_counter_delta *pair,
                           const struct pl_planned_counter *c)
{
    return pair->older || (pair->born && c->starts_at_zero);
}

/*
 * Blocks composed of single counters hold the clock that most of the counters
 * had; an object with another clock carries it itself, whatever its counters'
 * types are.
 */
static inline bool
pl_counter_delta_has_own_clock(const struct pl_row_values *p,
                               const struct pl_sampled_object *o)
{
    return p->made_up && o->view.perf_freq;
}

/* The step of one counter of one pair; step->cell says whether it is good. */
void pl_counter_delta_step(const struct pl_row_values *p,
                           struct pl_sample_view *samples,
                           const struct pl_counter_delta *pair,
                           const struct pl_planned_counter *c,
                           struct pl_step *step);

#endif
