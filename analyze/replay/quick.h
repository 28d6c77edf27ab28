/*                                                   analyze/replay/quick.h
 * The fast path from two samples to values.  pl_counter_delta_step and
 * pl_step_make are the calculation; this path makes nearly all cells of nearly
 * all rows, with the same results, by subtractions on the bytes of two counter
 * blocks.
 *
 * It is taken for a counter if all of this holds, otherwise the general path
 * is:
 *
 * - its type (pl_quick_prepare): a number of 4 or 8 bytes that is shown as it
 *   is, or a difference over nothing, a clock or a base that is there; and its
 *   _Total, if any, is made of such numbers, not of values;
 * - its object (pl_quick_look): both samples have it with the same definitions
 *   and follow each other without gap or clock step, the blocks are
 *   little-endian, frequencies are equal and clocks went forward;
 * - its instance (pl_quick_takes): it is in both samples, the counter blocks
 *   are as long as the definitions say, no flag is set;
 * - its numbers (pl_quick_step): neither counter nor base fell.
 */
#ifndef PL_ANALYZE_REPLAY_QUICK_H
#define PL_ANALYZE_REPLAY_QUICK_H

#include "analyze/replay/counter_delta.h"
#include "format/base/cursor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- a counter ----------------------------------------------------------- */

enum pl_quick_way {
    PL_QUICK_NOT,   /* not by this path: pl_counter_delta_step takes it */
    PL_QUICK_NOW,   /* n is the newer value */
    PL_QUICK_DELTA, /* n and base are differences, 'clock' is how far it went */
};

/* What the fast path needs of a counter, close together in memory. */
struct pl_quick {
    /* mask of the older value: 0 if nothing is subtracted */
    uint64_t older_mask;
    uint32_t offset, base_offset;
    uint32_t slot;
    uint8_t size, base_size; /* base_size 0: it has no base */
    uint8_t way;             /* enum pl_quick_way */
    uint8_t clock;           /* enum pl_clock */
    uint8_t shape;           /* enum pl_shape */
};

/* How a formula's steps are made by this path. */
enum pl_quick_way pl_quick_way_of(const struct pl_formula *f, bool has_base);

/* Make p->quick of p->counters.  PL_NOMEM. */
enum pl_status pl_quick_prepare(struct pl_counter_plan *p);

/* ---- an object ----------------------------------------------------------- */

struct pl_quick_object {
    bool usable; /* else the rest is zero */
    struct pl_quick_clock {
        int64_t clock, freq;   /* as in pl_step */
        double ticks, seconds; /* the same as floating point */
    } clocks[4];               /* by enum pl_clock */
};

/* A clock that advanced by 'clock' ticks, 'freq' of them a second. */
static inline struct pl_quick_clock pl_quick_clock_of(int64_t clock,
                                                      int64_t freq)
{
    return (struct pl_quick_clock){ clock, freq, (double)clock,
                                    (double)clock / (double)freq };
}

/* Decide whether the fast path may be taken for the objects of 'pair'. */
void pl_quick_look(const struct pl_row_values *p,
                   struct pl_sample_view *samples,
                   const struct pl_counter_delta *pair,
                   struct pl_quick_object *quick);

/* ---- an instance, its numbers -------------------------------------------- */

static inline bool pl_quick_has_flags(const struct pl_counter_plan *plan,
                                      const struct pl_sampled_instance *i)
{
    return plan->has_flags &&
           pl_quick_load(i->view.block + plan->flags.offset, plan->flags.size);
}

/*
 * True if the instance has all that quick steps read: 'quick_len' is what the
 * plan's quick counters and its flags take.
 */
static inline bool pl_quick_takes(const struct pl_quick_object *quick,
                                  const struct pl_counter_delta *pair)
{
    const struct pl_counter_plan *plan = pair->plan;

    return quick->usable && pair->older &&
           pair->newer->view.block_len >= plan->quick_len &&
           pair->older->view.block_len >= plan->quick_len &&
           !pl_quick_has_flags(plan, pair->newer) &&
           !pl_quick_has_flags(plan, pair->older);
}

/* The counter blocks of a pair for which pl_quick_takes is true. */
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
 * True if nothing that the fast path reads of the instance has changed.  Most
 * instances are idle.
 */
static inline bool pl_quick_is_idle(const struct pl_counter_plan *plan,
                                    struct pl_counter_delta_bytes pair)
{
    return !memcmp(pair.now, pair.was, plan->quick_len);
}

/* Is the counter's value 0 if its instance is idle? */
static inline bool pl_quick_rests_at_zero(const struct pl_quick *q)
{
    return q->older_mask && q->shape != PL_SHAPE_OTHER;
}

/*
 * Read one counter of a pair; false: the general path is needed.  The numbers
 * are returned one by one, as writing them to memory together would stall.
 */
static inline bool pl_quick_step(const struct pl_quick *q,
                                 struct pl_counter_delta_bytes pair,
                                 uint64_t *n, uint64_t *base)
{
    uint64_t n0, base0;

    if (q->way == PL_QUICK_NOT)
        return false;
    *n = pl_quick_load(pair.now + q->offset, q->size);
    n0 = pl_quick_load(pair.was + q->offset, q->size) & q->older_mask;
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

/* The value of a step of pl_quick_step; 'f' is the formula of the counter. */
static inline void
pl_quick_value(const struct pl_quick *q, const struct pl_formula *f,
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
        *v = pl_formula_value(f, &step, calc);
        break;
    }
}

/* The complete step; false: the general path is needed. */
bool pl_quick_step_of(const struct pl_quick_object *quick,
                      const struct pl_quick *q,
                      const struct pl_counter_delta *pair,
                      struct pl_step *step);

#endif
