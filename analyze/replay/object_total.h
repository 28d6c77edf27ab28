/*                                            analyze/replay/object_total.h
 * _Total of an object whose block has none: the steps of its members, or their
 * values where steps do not add up, added up counter by counter as the members
 * are read.
 */
#ifndef PL_ANALYZE_REPLAY_OBJECT_TOTAL_H
#define PL_ANALYZE_REPLAY_OBJECT_TOTAL_H

#include "analyze/replay/quick.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one counter of a derived _Total is calculated from. */
struct pl_object_total {
    struct pl_quick quick;
    uint32_t k; /* in the plan */
    /* in this row */
    struct pl_step step;
    enum pl_cell why; /* reason of the first member without a good step */
    uint32_t good, bad;
    /* members of the fast path that were added to 'step' instead */
    uint32_t slow;
    bool partial;   /* a member could not be read */
    bool too_large; /* for 64 bits */
    /* the counter's, if its values are added up instead of steps; else NULL */
    const struct pl_formula *values_of;
    double values;
};

/* What an instance adds to a total. */
enum pl_total_kind {
    PL_TOTAL_WORDS,  /* the difference of words of 8 bytes, */
    PL_TOTAL_LEVELS, /* a word of 8 bytes, */
    PL_TOTAL_SMALL,  /* or of 4, */
    PL_TOTAL_OTHERS, /* something else: only these have to be looked up */
    PL_NUM_TOTAL_KINDS
};

/*
 * The state of one object, at one place in the sample, that rows need beyond
 * its own series; kept while it stays the same object.
 */
struct pl_object_totals {
    uint64_t plan;          /* serial of the plan this was made from; 0: none */
    struct pl_group *group; /* the group named _Total */
    /* one for each wanted counter that has a total */
    struct pl_object_total *totals;
    size_t num, cap;
    /* the same by kind, the offset in the counter block beside each */
    struct pl_total_at {
        uint32_t offset, total;
    } * by_kind[PL_NUM_TOTAL_KINDS];
    size_t num_of[PL_NUM_TOTAL_KINDS], cap_of[PL_NUM_TOTAL_KINDS];
    /* in this row */
    uint32_t quick; /* instances that the fast path added to all quick totals */
};

/* All zero is a valid initial state. */
void pl_object_totals_release(struct pl_object_totals *t);

/* Begin a row of 'o'.  PL_NOMEM. */
enum pl_status pl_object_totals_begin(struct pl_object_totals *t,
                                      struct pl_sample_view *samples,
                                      const struct pl_sampled_object *o,
                                      const struct pl_quick_object *quick);

/*
 * Add the step of a member, by the fast path (a number without a base, or one
 * with a base), or by the general one.
 */
static inline void pl_object_total_add_number(struct pl_object_total *t,
                                              uint64_t n)
{
    t->step.n += n;
    t->too_large |= t->step.n < n;
}
static inline void pl_object_total_add_quick(struct pl_object_total *t,
                                             uint64_t n, uint64_t base)
{
    t->step.n += n;
    t->step.base += base;
    t->too_large |= t->step.n < n || t->step.base < base;
}
void pl_object_total_add_step(struct pl_object_total *t,
                              const struct pl_step *step);
void pl_object_total_add_value(struct pl_object_total *t,
                               const struct pl_step *step,
                               const struct pl_calc_options *calc);
static inline void pl_object_total_add(struct pl_object_total *t,
                                       const struct pl_step *step,
                                       const struct pl_calc_options *calc)
{
    if (t->values_of)
        pl_object_total_add_value(t, step, calc);
    else
        pl_object_total_add_step(t, step);
}

/*
 * Add all counters of an instance, by the fast path where it may be taken.  The
 * second is for callers that know that pl_quick_takes the pair, and whether the
 * instance is idle.
 */
void pl_object_totals_count(struct pl_object_totals *t, struct pl_row_values *p,
                            struct pl_sample_view *samples,
                            const struct pl_quick_object *quick,
                            const struct pl_counter_delta *pair);
void pl_object_totals_count_quick(struct pl_object_totals *t,
                                  struct pl_row_values *p,
                                  struct pl_sample_view *samples,
                                  const struct pl_counter_delta *pair,
                                  bool idle);

/*
 * Append the cells of _Total.  'paired': the object is in both samples.
 * PL_NOMEM.
 */
enum pl_status pl_object_totals_cells(struct pl_object_totals *t,
                                      struct pl_row_values *p,
                                      const struct pl_counter_plan *plan,
                                      const struct pl_quick_object *quick,
                                      bool paired);

#endif
