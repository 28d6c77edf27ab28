/* The counter calculator: from readings to a step, from a step to a value. */
#include "analyze/calc/calc.h"

#include "format/block/winperf.h"

#include <math.h>

const char *pl_cell_name(enum pl_cell c)
{
    static const char *const names[PL_NUM_CELLS] = {
        [PL_CELL_GOOD] = "",
        [PL_CELL_DAMAGED] = "damaged",
        [PL_CELL_GAP] = "gap",
        [PL_CELL_FIRST] = "first",
        [PL_CELL_ABSENT] = "absent",
        [PL_CELL_UNREADABLE] = "unreadable",
        [PL_CELL_SOURCE_ERROR] = "source_error",
        [PL_CELL_CLOCK_STEP] = "clock_step",
        [PL_CELL_UNSUPPORTED] = "unsupported",
        [PL_CELL_NO_BASE] = "no_base",
        [PL_CELL_NO_TIMEBASE] = "no_timebase",
        [PL_CELL_NEGATIVE] = "negative",
        [PL_CELL_NEGATIVE_DENOMINATOR] = "negative_denominator",
        [PL_CELL_ZERO_TIME] = "zero_time",
        [PL_CELL_ZERO_BASE] = "zero_base",
        [PL_CELL_WRAPPED] = "wrapped",
        [PL_CELL_CLAMPED] = "clamped",
        [PL_CELL_PARTIAL] = "partial",
    };

    return names[c];
}

/* ---- from readings to a step --------------------------------------------- */

static int64_t clock_of(const struct pl_formula *f, const struct pl_reading *r)
{
    switch (f->clock) {
    case PL_CLOCK_TICK:
        return r->perf_time;
    case PL_CLOCK_100NS:
        return r->time_100ns;
    case PL_CLOCK_OBJECT:
        return r->object_time;
    case PL_CLOCK_NONE:
        break;
    }
    return 0;
}

static int64_t freq_of(const struct pl_formula *f, const struct pl_reading *r)
{
    switch (f->clock) {
    case PL_CLOCK_TICK:
        return r->perf_freq;
    case PL_CLOCK_100NS:
        return PL_FREQ_100NS;
    case PL_CLOCK_OBJECT:
        return r->object_freq;
    case PL_CLOCK_NONE:
        break;
    }
    return 0;
}

static bool is_multi(const struct pl_formula *f)
{
    return f->traits & PL_FORMULA_MULTI;
}

static bool is_inverse(const struct pl_formula *f)
{
    return f->traits & PL_FORMULA_INVERSE;
}

static bool as_pdh(const struct pl_formula *f,
                   const struct pl_calc_options *options)
{
    return options->pdh_multi && is_multi(f) && f->clock == PL_CLOCK_TICK;
}

/* PRECISION timers have a clock of their own: their base. */
static bool uses_clock(const struct pl_formula *f, const struct pl_reading *r)
{
    return f->clock != PL_CLOCK_NONE &&
           !(f->divisor == PL_BY_OWN_CLOCK && r->has_base);
}

/* An object without a frequency has no clock, not even for ratios. */
static bool uses_freq(const struct pl_formula *f, const struct pl_reading *r,
                      const struct pl_calc_options *options)
{
    return uses_clock(f, r) &&
           (f->clock == PL_CLOCK_OBJECT || f->needs_freq || as_pdh(f, options));
}

/* 1992 had no base for MULTI timers; OBJECT timers fall back on a clock. */
static bool can_lack_base(const struct pl_formula *f)
{
    if (f->divisor == PL_BY_COMPONENTS)
        return !is_inverse(f);
    return f->divisor == PL_BY_OWN_CLOCK && f->clock == PL_CLOCK_OBJECT;
}

/*
 * A different frequency means another machine, a different size another
 * counter; such readings are not subtracted.
 */
static bool are_comparable(const struct pl_formula *f,
                           const struct pl_reading *older,
                           const struct pl_reading *newer)
{
    if (older->perf_freq != newer->perf_freq || older->size != newer->size)
        return false;
    if (f->clock == PL_CLOCK_OBJECT && uses_clock(f, newer) &&
        older->object_freq != newer->object_freq)
        return false;
    if (!f->needs_base || (!older->has_base && !newer->has_base))
        return true;
    return older->has_base && newer->has_base &&
           older->base_size == newer->base_size;
}

/*
 * newer - older of a count, which only falls if it restarted or, in 4 bytes and
 * if the option says so, wrapped.  False if it fell.
 */
static bool take_delta(uint64_t older, uint64_t newer, uint32_t size,
                       const struct pl_calc_options *options,
                       struct pl_step *step, uint64_t *delta)
{
    *delta = newer - older;
    if (newer >= older)
        return true;
    if (!options->unwrap32 || size != 4)
        return false;
    *delta &= UINT32_MAX;
    step->cell = PL_CELL_WRAPPED;
    return true;
}

static enum pl_cell take_clock(const struct pl_formula *f,
                               const struct pl_reading *older,
                               const struct pl_reading *newer,
                               struct pl_step *step)
{
    const int64_t from = clock_of(f, older);
    const int64_t to = clock_of(f, newer);
    const uint64_t delta = (uint64_t)to - (uint64_t)from;

    if (to < from || delta > INT64_MAX)
        return PL_CELL_NEGATIVE_DENOMINATOR;
    if (!delta)
        return PL_CELL_ZERO_TIME;
    step->clock = (int64_t)delta;
    return step->cell;
}

static enum pl_cell take_base_delta(const struct pl_reading *older,
                                    const struct pl_reading *newer,
                                    const struct pl_calc_options *options,
                                    struct pl_step *step)
{
    if (!take_delta(older->base, newer->base, newer->base_size, options, step,
                    &step->base))
        return PL_CELL_NEGATIVE_DENOMINATOR;
    return step->cell;
}

/* The number of components, signed; one if it is not known. */
static enum pl_cell take_multi_base(const struct pl_reading *newer,
                                    struct pl_step *step)
{
    int64_t m = newer->base_size == 4 ? (int32_t)(uint32_t)newer->base
                                      : (int64_t)newer->base;

    if (!newer->has_base)
        m = 1;
    if (m <= 0)
        return PL_CELL_NEGATIVE_DENOMINATOR;
    step->base = (uint64_t)m;
    return step->cell;
}

/* A start of 0 is unset, one in the future comes from another clock. */
static void take_elapsed(const struct pl_formula *f,
                         const struct pl_reading *newer, struct pl_step *step)
{
    const int64_t now = clock_of(f, newer);

    if (newer->value && now > 0 && newer->value < (uint64_t)now)
        step->clock = now - (int64_t)newer->value;
}

static enum pl_cell take_precision(const struct pl_formula *f,
                                   const struct pl_reading *older,
                                   const struct pl_reading *newer,
                                   const struct pl_calc_options *options,
                                   struct pl_step *step)
{
    enum pl_cell cell;

    if (newer->has_base) {
        cell = take_base_delta(older, newer, options, step);
        return step->base ? cell : PL_CELL_ZERO_TIME;
    }
    cell = take_clock(f, older, newer, step);
    step->base = (uint64_t)step->clock;
    return cell;
}

static enum pl_cell take_denominator(const struct pl_formula *f,
                                     const struct pl_reading *older,
                                     const struct pl_reading *newer,
                                     const struct pl_calc_options *options,
                                     struct pl_step *step)
{
    enum pl_cell cell;

    switch ((enum pl_divisor)f->divisor) {
    case PL_BY_COMPONENTS:
        cell = take_multi_base(newer, step);
        return pl_cell_has_value(cell) ? take_clock(f, older, newer, step)
                                       : cell;
    case PL_BY_CLOCK:
        return take_clock(f, older, newer, step);
    case PL_BY_OWN_CLOCK:
        return take_precision(f, older, newer, options, step);
    case PL_BY_BASE:
        return take_base_delta(older, newer, options, step);
    case PL_BY_BASE_NOW:
        step->base = newer->base;
        return step->base ? step->cell : PL_CELL_ZERO_BASE;
    case PL_BY_START:
        take_elapsed(f, newer, step);
        break;
    case PL_BY_NOTHING:
        break;
    }
    return step->cell;
}

/* Why the step cannot be calculated, whatever the numbers are. */
static enum pl_cell check_inputs(const struct pl_formula *f,
                                 const struct pl_reading *newer,
                                 const struct pl_calc_options *options,
                                 const struct pl_step *step)
{
    if (f->reads == PL_READS_DOUBLE && !isfinite(f->eval(step)))
        return PL_CELL_UNSUPPORTED;
    if (f->needs_base && newer->has_base && newer->base_size != 4 &&
        newer->base_size != 8)
        return PL_CELL_UNSUPPORTED;
    if (f->needs_base && !newer->has_base && !can_lack_base(f))
        return PL_CELL_NO_BASE;
    if (uses_freq(f, newer, options) && step->freq <= 0)
        return PL_CELL_NO_TIMEBASE;
    return PL_CELL_GOOD;
}

/*
 * Causes are tested in the order of enum pl_cell.  So 'first' comes before all
 * others: the pair lacks something, not the counter, and pairing replaces it by
 * 'gap' or 'damaged' where it knows the cause.  Then come inputs that are
 * missing in every sample, then numerators, then denominators; a denominator
 * below zero before one that is zero.
 */
void pl_step_make(const struct pl_formula *f, const struct pl_reading *older,
                  const struct pl_reading *newer,
                  const struct pl_calc_options *options, struct pl_step *step)
{
    *step = (struct pl_step){ .n = newer->value,
                              .freq = freq_of(f, newer),
                              .cell = PL_CELL_GOOD };
    if (!f->eval)
        return; /* nothing to calculate */
    if (f->needs_two && (!older || !are_comparable(f, older, newer))) {
        step->cell = PL_CELL_FIRST;
        return;
    }
    step->cell = check_inputs(f, newer, options, step);
    if (step->cell != PL_CELL_GOOD)
        return;
    if (f->needs_two && !take_delta(older->value, newer->value, newer->size,
                                    options, step, &step->n)) {
        step->cell = PL_CELL_NEGATIVE;
        return;
    }
    step->cell = take_denominator(f, older, newer, options, step);
}

enum pl_join pl_formula_join(const struct pl_formula *f)
{
    if (f->needs_two)
        return PL_JOIN_SUM;
    if (f->clock != PL_CLOCK_NONE || f->kind == PL_VALUE_HEX ||
        f->kind == PL_VALUE_TEXT)
        return PL_JOIN_LAST; /* the time since a start, bits, letters */
    return PL_JOIN_MEAN;
}

bool pl_formula_adds_up(const struct pl_formula *f)
{
    return f->traits & PL_FORMULA_ADDS_UP;
}

bool pl_formula_adds_steps(const struct pl_formula *f)
{
    switch ((enum pl_divisor)f->divisor) {
    case PL_BY_COMPONENTS:
    case PL_BY_OWN_CLOCK:
    case PL_BY_START:
        return false;
    case PL_BY_CLOCK:
        return !is_inverse(f);
    case PL_BY_BASE:
    case PL_BY_BASE_NOW:
    case PL_BY_NOTHING:
        break;
    }
    return true;
}

bool pl_step_add(const struct pl_formula *f, struct pl_step *sum,
                 const struct pl_step *step)
{
    if (sum->freq != step->freq || sum->n > UINT64_MAX - step->n ||
        sum->base > UINT64_MAX - step->base ||
        sum->clock > INT64_MAX - step->clock)
        return false;
    sum->n += step->n;
    sum->base = is_multi(f) ? step->base : sum->base + step->base;
    sum->clock += step->clock;
    if (step->cell == PL_CELL_WRAPPED)
        sum->cell = PL_CELL_WRAPPED;
    return true;
}

/* ---- from a step to a value ---------------------------------------------- */

/* The MULTI timers of the tick clock as PDH has them: F times larger. */
static double pdh_multi(const struct pl_step *s)
{
    return 100 * ((double)s->n / ((double)s->clock / (double)s->freq)) /
           (double)s->base;
}

static double pdh_multi_not_idle(const struct pl_step *s)
{
    return 100 * ((double)s->base -
                  ((double)s->n / ((double)s->clock / (double)s->freq)));
}

static double evaluate(const struct pl_formula *f, const struct pl_step *step,
                       const struct pl_calc_options *options)
{
    /* A zero numerator gives 0 except for inverse types. */
    if (!step->n && !is_inverse(f))
        return 0;
    if (!as_pdh(f, options))
        return f->eval(step);
    return is_inverse(f) ? pdh_multi_not_idle(step) : pdh_multi(step);
}

struct pl_value pl_formula_uncapped(const struct pl_formula *f,
                                    const struct pl_step *step,
                                    const struct pl_calc_options *options)
{
    struct pl_value v = { .cell = step->cell, .kind = PL_VALUE_NONE };

    if (!pl_cell_has_value(step->cell))
        return v;
    v.kind = f->kind;
    switch (f->kind) {
    case PL_VALUE_NONE:
    case PL_VALUE_TEXT:
        break;
    case PL_VALUE_INTEGER:
        v.integer = step->n;
        break;
    case PL_VALUE_HEX:
        v.integer = step->n;
        v.digits = f->type & PERF_SIZE_LARGE ? 16 : 8;
        break;
    case PL_VALUE_DOUBLE:
        v.number = evaluate(f, step, options);
        if (is_inverse(f) && v.number < 0) {
            v.number = 0; /* idle time ran a little ahead of the clock */
            v.cell = PL_CELL_CLAMPED;
        }
        break;
    }
    return v;
}

void pl_value_cap(struct pl_value *v, const struct pl_formula *f,
                  const struct pl_calc_options *options)
{
    if (options->cap100 && v->kind == PL_VALUE_DOUBLE && v->number > 100 &&
        !is_multi(f) && (f->type & PERF_DISPLAY_MASK) == PERF_DISPLAY_PERCENT)
        v->number = 100;
}

struct pl_value pl_formula_value(const struct pl_formula *f,
                                 const struct pl_step *step,
                                 const struct pl_calc_options *options)
{
    struct pl_value v = pl_formula_uncapped(f, step, options);

    if (options->cap100)
        pl_value_cap(&v, f, options);
    return v;
}
