/*                                            analyze/replay/object_total.h
 * _Total of an object that brings none: what its members went through, added
 * up counter by counter while the members are looked at.
 */
#ifndef PL_ANALYZE_REPLAY_OBJECT_TOTAL_H
#define PL_ANALYZE_REPLAY_OBJECT_TOTAL_H

#include "analyze/replay/quick.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one counter of a derived _Total is made of. */
struct pl_object_total {
    struct pl_quick quick;
    uint32_t k;         /* in the plan */
    uint32_t next_busy; /* the next that adds something of an idle instance */
    /* in this row */
    struct pl_step step;
    enum pl_cell why; /* of the first member that was not good */
    uint32_t good, bad;
    uint32_t slow;  /* quick members that are among the former instead */
    bool partial;   /* a member could not be read */
    bool too_large; /* for 64 bits */
};

/*
 * What rows want of the object at one place of the samples beyond its own
 * series, kept for as long as it is the same object.
 */
struct pl_object_totals {
    uint64_t plan;          /* serial of the one this was made by; 0: of none */
    struct pl_group *group; /* called _Total */
    struct pl_object_total *totals; /* of the counters that are wanted */
    size_t num;
    uint32_t first_busy; /* the first that does not rest */
    /* in this row */
    uint32_t quick; /* instances looked at quickly, good for all quick totals */
};

/* Begin a row of 'o'.  PL_NOMEM. */
enum pl_status pl_object_totals_begin(struct pl_object_totals *t,
                                      struct pl_sample_view *samples,
                                      const struct pl_sampled_object *o,
                                      const struct pl_quick_object *quick);

/* Add what a quick member went through, or any. */
static inline void pl_object_total_add_quick(struct pl_object_total *t,
                                             uint64_t n, uint64_t base)
{
    t->step.n += n;
    t->step.base += base;
    t->too_large |= t->step.n < n || t->step.base < base;
}
void pl_object_total_add(struct pl_object_total *t, const struct pl_step *step);

/* Add all of an instance that has no series of its own. */
void pl_object_totals_count(struct pl_object_totals *t, struct pl_row_values *p,
                            struct pl_sample_view *samples,
                            const struct pl_quick_object *quick,
                            const struct pl_counter_delta *pair);

/* The cells of _Total.  'paired': the object is in both samples.  PL_NOMEM. */
enum pl_status pl_object_totals_cells(struct pl_object_totals *t,
                                      struct pl_row_values *p,
                                      const struct pl_counter_plan *plan,
                                      const struct pl_quick_object *quick,
                                      bool paired);

#endif
