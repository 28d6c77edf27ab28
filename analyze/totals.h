/*                                                           analyze/totals.h
 * _Total of an object that brings none: what its members went through, added
 * up counter by counter while the members are looked at.
 */
#ifndef PL_ANALYZE_TOTALS_H
#define PL_ANALYZE_TOTALS_H

#include "analyze/pair.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums for a derived _Total. */
struct pl_total {
    struct pl_step step;
    enum pl_cell why; /* of the first member that was not good */
    uint32_t good, bad;
    bool partial;   /* a member could not be read */
    bool too_large; /* for 64 bits */
};

/* A counter that one is derived of. */
struct pl_counted {
    struct pl_quick quick; /* PL_WAY_GENERAL if there is no clock for it */
    uint32_t k;            /* in the plan */
    uint32_t busy; /* the next that adds something of an idle instance */
};

/* What one row wants of an object's instances beyond their own series. */
struct pl_wanted_totals {
    struct pl_group *group; /* NULL: nothing */
    size_t num;             /* of p->counted */
    uint32_t busy;          /* the first of those that does not rest */
    uint32_t idle; /* instances that did nothing, not yet in what rests */
};

/*
 * What is wanted of 'o' in this row, and in p->counted the counters for it.
 * PL_NOMEM.
 */
enum pl_status pl_totals_begin(struct pl_pairing *p, struct pl_samples *samples,
                               const struct pl_sampled_object *o,
                               const struct pl_quick_object *quick,
                               struct pl_wanted_totals *totals);

/* Add a good step, or any, to the total of its counter. */
static inline void pl_total_add_good(struct pl_total *t, uint64_t n,
                                     uint64_t base)
{
    t->good++;
    t->step.n += n;
    t->step.base += base;
    t->too_large |= t->step.n < n || t->step.base < base;
}
void pl_total_add(struct pl_total *t, const struct pl_step *step);

/* Add all of an instance that has no series of its own. */
void pl_totals_count(struct pl_pairing *p, struct pl_samples *samples,
                     const struct pl_quick_object *quick,
                     const struct pl_pair *pair,
                     struct pl_wanted_totals *totals);

/* The cells of _Total.  'paired': the object is in both samples.  PL_NOMEM. */
enum pl_status pl_totals_cells(struct pl_pairing *p,
                               const struct pl_object_plan *plan,
                               const struct pl_wanted_totals *totals,
                               bool paired);

#endif
