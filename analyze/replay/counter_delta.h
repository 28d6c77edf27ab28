/*                                           analyze/replay/counter_delta.h
 * An instance in two neighbouring samples, and what one counter of it went
 * through between them.
 */
#ifndef PL_ANALYZE_REPLAY_COUNTER_DELTA_H
#define PL_ANALYZE_REPLAY_COUNTER_DELTA_H

#include "analyze/replay/row_values.h"
#include "format/base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the older reading is to be found, for one instance. */
struct pl_counter_delta {
    const struct pl_sampled_object *now, *was;
    const struct pl_sampled_instance *newer, *older;
    const struct pl_counter_plan *plan, *older_plan;
    bool born; /* between the two: some counters of 'newer' were 0 in 'was' */
};

/*
 * True if 'newer', which the older sample lacks, is known to have been born
 * after it; false if that is not known.
 */
bool pl_counter_delta_is_born(const struct pl_row_values *p,
                              const struct pl_counter_delta *pair);

/* True if the pair has an older value of the counter, be it 0 at birth. */
static inline bool
pl_counter_delta_has_older(const struct pl_counter_delta *pair,
                           const struct pl_planned_counter *c)
{
    return pair->older || (pair->born && c->starts_at_zero);
}

/* The step of one counter of one pair; step->cell says if it is good. */
void pl_counter_delta_step(const struct pl_row_values *p,
                           struct pl_sample_view *samples,
                           const struct pl_counter_delta *pair,
                           const struct pl_planned_counter *c,
                           struct pl_step *step);

/* ---- quickly ------------------------------------------------------------------- */

/*
 * Nearly all steps of nearly all rows are mere subtractions, which need no
 * more than the bytes of both counter blocks.  Whatever is odd, about the
 * object, the instance or the counter, is left to pl_counter_delta_step.
 */
struct pl_quick_object {
    bool usable; /* else the rest is zero */
    struct pl_quick_clock {
        int64_t clock, freq;   /* as in a step */
        double ticks, seconds; /* the same */
    } clocks[4];               /* by enum pl_clock */
};

/* A clock that has gone on by 'clock' ticks of 'freq' a second. */
static inline struct pl_quick_clock pl_quick_clock_of(int64_t clock,
                                                      int64_t freq)
{
    return (struct pl_quick_clock){ clock, freq, (double)clock,
                                    (double)clock / (double)freq };
}

/* Find out whether that will do for the objects of 'pair'. */
void pl_counter_delta_look(const struct pl_row_values *p,
                           struct pl_sample_view *samples,
                           const struct pl_counter_delta *pair,
                           struct pl_quick_object *quick);

static inline uint64_t pl_quick_load(const uint8_t *p, unsigned size)
{
    return size == 8 ? pl_get_le64(p) : pl_get_le32(p);
}

static inline bool
pl_counter_delta_has_flags(const struct pl_counter_plan *plan,
                           const struct pl_sampled_instance *i)
{
    return plan->has_flags &&
           pl_quick_load(i->view.block + plan->flags.offset, plan->flags.size);
}

/*
 * True if the instance has all that quick steps look at: 'quick_len' is what
 * the plan's quick counters and its flags take.
 */
static inline bool
pl_counter_delta_is_quick(const struct pl_quick_object *quick,
                          const struct pl_counter_delta *pair)
{
    const struct pl_counter_plan *plan = pair->plan;

    return quick->usable && pair->older &&
           pair->newer->view.block_len >= plan->quick_len &&
           pair->older->view.block_len >= plan->quick_len &&
           !pl_counter_delta_has_flags(plan, pair->newer) &&
           !pl_counter_delta_has_flags(plan, pair->older);
}

/* The counter blocks of a pair for which that is true. */
struct pl_counter_delta_bytes {
    const uint8_t *now, *was;
};

static inline struct pl_counter_delta_bytes
pl_counter_delta_bytes_of(const struct pl_counter_delta *pair)
{
    return (struct pl_counter_delta_bytes){ pair->newer->view.block,
                                            pair->older->view.block };
}

/*
 * What a subtraction gives; false: it takes more.  The numbers are handed out
 * one by one, as together in memory they would have to be waited for.
 */
static inline bool pl_quick_step(const struct pl_quick *q,
                                 struct pl_counter_delta_bytes pair,
                                 uint64_t *n, uint64_t *base)
{
    uint64_t n0, base0;

    if (q->way == PL_WAY_GENERAL)
        return false;
    *n = pl_quick_load(pair.now + q->offset, q->size);
    n0 = pl_quick_load(pair.was + q->offset, q->size) & q->older;
    if (*n < n0)
        return false;
    *n -= n0;
    *base = 0;
    if (!q->base_size)
        return true;
    *base = pl_quick_load(pair.now + q->base_offset, q->base_size);
    base0 = pl_quick_load(pair.was + q->base_offset, q->base_size);
    if (*base < base0)
        return false;
    *base -= base0;
    return true;
}

/* The value of such a step; 'c' is the counter that 'q' is of. */
static inline void
pl_quick_value(const struct pl_quick *q, const struct pl_planned_counter *c,
               const struct pl_quick_clock *clock, uint64_t n, uint64_t base,
               const struct pl_calc_options *calc, struct pl_value *v)
{
    struct pl_step step;
    double number;

    v->cell = PL_CELL_GOOD;
    v->kind = PL_VALUE_DOUBLE;
    switch ((enum pl_shape)q->shape) {
    case PL_SHAPE_COUNT:
        v->kind = PL_VALUE_INTEGER;
        v->integer = n;
        break;
    case PL_SHAPE_PER_SECOND:
        v->number = (double)n / clock->seconds;
        break;
    case PL_SHAPE_PERCENT:
        number = 100 * ((double)n / clock->ticks);
        v->number = calc->cap100 && number > 100 ? 100 : number;
        break;
    case PL_SHAPE_OTHER:
        step = (struct pl_step){ n, base, clock->clock, clock->freq,
                                 PL_CELL_GOOD };
        *v = pl_formula_value(c->formula, &step, calc);
        break;
    }
}

/* The whole step; false: likewise. */
bool pl_counter_delta_quick_step(const struct pl_quick_object *quick,
                                 const struct pl_quick *q,
                                 const struct pl_counter_delta *pair,
                                 struct pl_step *step);

#endif
