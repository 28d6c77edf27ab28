/* Sums over the instances of an object. */
#include "analyze/replay/object_total.h"

#include "analyze/replay/row_cells.h"
#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- counters with a total ----------------------------------------------- */

/*
 * The group of the derived _Total.  Usually that of the previous row: it stays
 * valid while no instance of this sample has taken the name.  Plans belong to
 * one host, so another host finds another group.
 */
static enum pl_status find_total_group(struct pl_object_totals *t,
                                       struct pl_sample_view *samples,
                                       const struct pl_counter_plan *plan,
                                       bool *same)
{
    static const char name[] = "_Total";
    const uint64_t row = pl_sample_view_now(samples)->row;
    struct pl_group *g = t->group;
    enum pl_status s;

    *same = t->plan == plan->serial && !samples->made_up && !g->numbered &&
            g->place.row != row && g->total_of != samples->serial &&
            g->num_slots >= plan->names->num_counters;
    if (*same) {
        g->total_of = samples->serial;
        return PL_OK;
    }
    t->plan = 0;
    pl_buf_clear(&samples->name);
    /* for its terminator */
    pl_buf_bytes(&samples->name, name, sizeof name - 1);
    if (samples->name.oom)
        return PL_NOMEM;
    s = pl_sample_view_group(samples, plan, name, row, &t->group);
    if (s)
        return s;
    /* no other object of this sample may use it */
    t->group->total_of = samples->serial;
    t->group->derived = true;
    if (t->group->numbered) /* so instances after it may have numbers, too */
        samples->frame.known = false;
    return PL_OK;
}

static enum pl_total_kind kind_of(const struct pl_quick *q)
{
    if (q->base_size)
        return PL_TOTAL_OTHERS;
    switch ((enum pl_quick_way)q->way) {
    case PL_QUICK_DELTA:
        return q->size == 8 ? PL_TOTAL_WORDS : PL_TOTAL_OTHERS;
    case PL_QUICK_NOW:
        return q->size == 8 ? PL_TOTAL_LEVELS : PL_TOTAL_SMALL;
    default:
        return PL_TOTAL_OTHERS;
    }
}

/* Sort the totals by kind. */
static enum pl_status sort_by_kind(struct pl_object_totals *t)
{
    memset(t->num_of, 0, sizeof t->num_of);
    for (size_t i = 0; i < t->num; i++) {
        const struct pl_quick *q = &t->totals[i].quick;
        enum pl_total_kind k = kind_of(q);

        if (!pl_array_grow((void **)&t->by_kind[k], &t->cap_of[k], t->num_of[k],
                           sizeof *t->by_kind[k]))
            return PL_NOMEM;
        t->by_kind[k][t->num_of[k]++] =
            (struct pl_total_at){ q->offset, (uint32_t)i };
    }
    return PL_OK;
}

void pl_object_totals_release(struct pl_object_totals *t)
{
    free(t->totals);
    for (size_t k = 0; k < PL_NUM_TOTAL_KINDS; k++)
        free(t->by_kind[k]);
    *t = (struct pl_object_totals){ 0 };
}

static bool is_counted(const struct pl_object_totals *t,
                       const struct pl_counter_plan *plan, size_t k)
{
    return plan->counters[k].total_rule != PL_TOTAL_NONE &&
           pl_group_series(t->group, plan->counters[k].slot);
}

/* List the counters that have a total. */
static enum pl_status list_counters(struct pl_object_totals *t,
                                    const struct pl_counter_plan *plan)
{
    size_t num = 0;

    for (size_t k = 0; k < plan->num_counters; k++)
        num += is_counted(t, plan, k);
    t->num = 0;
    if (!pl_array_reserve((void **)&t->totals, &t->cap, num, sizeof *t->totals))
        return PL_NOMEM;
    for (size_t k = 0; k < plan->num_counters; k++)
        if (is_counted(t, plan, k))
            t->totals[t->num++] =
                (struct pl_object_total){ .quick = plan->quick[k],
                                          .values_of =
                                              plan->counters[k].adds_values
                                                  ? plan->counters[k].formula
                                                  : NULL,
                                          .k = (uint32_t)k };
    t->plan = plan->serial;
    return sort_by_kind(t);
}

enum pl_status pl_object_totals_begin(struct pl_object_totals *t,
                                      struct pl_sample_view *samples,
                                      const struct pl_sampled_object *o,
                                      const struct pl_quick_object *quick)
{
    enum pl_status s;
    bool same;

    t->quick = 0;
    if (o->view.num_instances < 0 || !o->plan->has_totals || o->has_own_total) {
        t->plan = t->num = 0;
        return PL_OK;
    }
    s = find_total_group(t, samples, o->plan, &same);
    if (!s && !same)
        s = list_counters(t, o->plan);
    for (size_t i = 0; i < t->num && !s; i++) {
        struct pl_object_total *total = &t->totals[i];
        const struct pl_quick_clock *c = &quick->clocks[total->quick.clock];

        total->step = (struct pl_step){ .clock = c->clock, .freq = c->freq };
        total->values = 0;
        total->good = total->bad = total->slow = 0;
        total->partial = total->too_large = false;
    }
    return s;
}

/* ---- adding up ----------------------------------------------------------- */

void pl_object_total_add_step(struct pl_object_total *t,
                              const struct pl_step *step)
{
    if (pl_cell_has_value(step->cell)) {
        if (!t->good) {
            t->step.clock = step->clock;
            t->step.freq = step->freq;
        }
        t->good++;
        pl_object_total_add_quick(t, step->n, step->base);
        if (step->cell == PL_CELL_WRAPPED)
            t->step.cell = PL_CELL_WRAPPED;
        return;
    }
    t->partial |= step->cell == PL_CELL_UNREADABLE;
    if (!t->bad++)
        t->why = step->cell;
}

/* Its value instead of its numbers, if it has one. */
void pl_object_total_add_value(struct pl_object_total *t,
                               const struct pl_step *step,
                               const struct pl_calc_options *calc)
{
    const struct pl_step nothing = { .clock = step->clock,
                                     .freq = step->freq,
                                     .cell = step->cell };

    if (pl_cell_has_value(step->cell))
        t->values += pl_formula_uncapped(t->values_of, step, calc).number;
    pl_object_total_add_step(t, &nothing);
}

/* One counter of an instance, by the general path. */
static void add_general(struct pl_object_total *total, struct pl_row_values *p,
                        struct pl_sample_view *samples,
                        const struct pl_counter_delta *pair)
{
    struct pl_step step;

    pl_counter_delta_step(p, samples, pair, &pair->plan->counters[total->k],
                          &step);
    pl_object_total_add(total, &step, &p->calc);
}

/*
 * Add what a pair has to the totals of words.  Most words are as they were.
 */
static void add_words(struct pl_object_totals *t, struct pl_row_values *p,
                      struct pl_sample_view *samples,
                      const struct pl_counter_delta *pair,
                      struct pl_counter_delta_bytes bytes)
{
    const struct pl_total_at *at = t->by_kind[PL_TOTAL_WORDS];

    for (size_t i = 0; i < t->num_of[PL_TOTAL_WORDS]; i++) {
        const uint64_t n = pl_get_le64(bytes.now + at[i].offset);
        const uint64_t n0 = pl_get_le64(bytes.was + at[i].offset);
        struct pl_object_total *total;

        if (n == n0)
            continue;
        total = &t->totals[at[i].total];
        if (n > n0) {
            pl_object_total_add_number(total, n - n0);
        } else {
            total->slow++;
            add_general(total, p, samples, pair);
        }
    }
}

static void add_levels(struct pl_object_totals *t,
                       struct pl_counter_delta_bytes bytes)
{
    const struct pl_total_at *at = t->by_kind[PL_TOTAL_LEVELS];
    const struct pl_total_at *small = t->by_kind[PL_TOTAL_SMALL];

    for (size_t i = 0; i < t->num_of[PL_TOTAL_LEVELS]; i++)
        pl_object_total_add_number(&t->totals[at[i].total],
                                   pl_get_le64(bytes.now + at[i].offset));
    for (size_t i = 0; i < t->num_of[PL_TOTAL_SMALL]; i++)
        pl_object_total_add_number(&t->totals[small[i].total],
                                   pl_get_le32(bytes.now + small[i].offset));
}

static void add_others(struct pl_object_totals *t, struct pl_row_values *p,
                       struct pl_sample_view *samples,
                       const struct pl_counter_delta *pair,
                       struct pl_counter_delta_bytes bytes)
{
    const struct pl_total_at *at = t->by_kind[PL_TOTAL_OTHERS];
    uint64_t n, base;

    for (size_t i = 0; i < t->num_of[PL_TOTAL_OTHERS]; i++) {
        struct pl_object_total *total = &t->totals[at[i].total];

        if (pl_quick_step(&total->quick, bytes, &n, &base)) {
            pl_object_total_add_quick(total, n, base);
        } else {
            total->slow++;
            add_general(total, p, samples, pair);
        }
    }
}

void pl_object_totals_count_quick(struct pl_object_totals *t,
                                  struct pl_row_values *p,
                                  struct pl_sample_view *samples,
                                  const struct pl_counter_delta *pair,
                                  bool idle)
{
    const struct pl_counter_delta_bytes bytes = pl_counter_delta_bytes_of(pair);

    if (!t->num) /* then lists by kind are those of an earlier object */
        return;
    t->quick++;
    if (!idle)
        add_words(t, p, samples, pair, bytes);
    add_levels(t, bytes);
    add_others(t, p, samples, pair, bytes);
}

void pl_object_totals_count(struct pl_object_totals *t, struct pl_row_values *p,
                            struct pl_sample_view *samples,
                            const struct pl_quick_object *quick,
                            const struct pl_counter_delta *pair)
{
    if (t->num && pl_quick_takes(quick, pair)) {
        pl_object_totals_count_quick(
            t, p, samples, pair,
            pl_quick_is_idle(pair->plan, pl_counter_delta_bytes_of(pair)));
        return;
    }
    for (size_t i = 0; i < t->num; i++)
        add_general(&t->totals[i], p, samples, pair);
}

/* ---- values of totals ---------------------------------------------------- */

/* A mean over n members is the formula with n times the clock. */
static struct pl_step total_step(const struct pl_planned_counter *c,
                                 const struct pl_object_total *t)
{
    struct pl_step step = t->step;

    if (!t->good)
        step.cell = t->bad ? t->why : PL_CELL_FIRST;
    else if (t->too_large)
        step.cell = PL_CELL_UNSUPPORTED;
    else if (t->values_of || c->total_rule != PL_TOTAL_MEAN ||
             c->formula->clock == PL_CLOCK_NONE)
        return step;
    else if (step.clock > INT64_MAX / (int64_t)t->good)
        step.cell = PL_CELL_UNSUPPORTED;
    else
        step.clock *= (int64_t)t->good;
    return step;
}

/* The sum of the values, or their mean. */
static struct pl_value value_of_values(const struct pl_row_values *p,
                                       const struct pl_planned_counter *c,
                                       const struct pl_object_total *t)
{
    struct pl_value v = { .cell = t->step.cell,
                          .kind = PL_VALUE_DOUBLE,
                          .number = t->values };

    if (c->total_rule == PL_TOTAL_MEAN)
        v.number /= t->good;
    pl_value_cap(&v, c->formula, &p->calc);
    return v;
}

/* A formula without a clock: the mean of the values. */
static struct pl_value total_value(const struct pl_row_values *p,
                                   const struct pl_planned_counter *c,
                                   const struct pl_object_total *t,
                                   const struct pl_step *step)
{
    struct pl_value v = t->values_of && t->good
                            ? value_of_values(p, c, t)
                            : pl_row_cells_value(p, c, step);

    if (pl_cell_has_value(v.cell) && c->total_rule == PL_TOTAL_MEAN &&
        c->formula->clock == PL_CLOCK_NONE) {
        v.number = (v.kind == PL_VALUE_DOUBLE ? v.number : (double)v.integer) /
                   t->good;
        v.kind = PL_VALUE_DOUBLE;
    }
    /* the known part of a total, some of whose members could not be read */
    if (t->partial && pl_cell_has_value(v.cell))
        v.cell = PL_CELL_PARTIAL;
    return v;
}

/*
 * The value of a total all of whose members took the fast path; false: some did
 * not.
 */
static bool quick_total(const struct pl_row_values *p,
                        const struct pl_planned_counter *c,
                        const struct pl_object_total *t,
                        const struct pl_quick_object *quick,
                        const struct pl_quick_object *mean, struct pl_value *v)
{
    if (p->want_steps || t->good || t->bad || t->too_large)
        return false;
    if (c->total_rule == PL_TOTAL_MEAN) {
        if (t->quick.clock == PL_CLOCK_NONE || !mean->usable)
            return false;
        quick = mean;
    }
    pl_quick_value(&t->quick, c->formula, &quick->clocks[t->quick.clock],
                   t->step.n, t->step.base, &p->calc, v);
    return true;
}

/* The clocks for a mean of 'num' members; not usable if they would overflow. */
static void look_at_mean(const struct pl_quick_object *quick, uint32_t num,
                         struct pl_quick_object *mean)
{
    *mean = (struct pl_quick_object){ .usable = num > 0 };
    for (size_t i = 0; i < sizeof mean->clocks / sizeof *mean->clocks; i++) {
        const struct pl_quick_clock *c = &quick->clocks[i];

        if (!c->clock || !mean->usable)
            continue;
        mean->usable = c->clock <= INT64_MAX / (int64_t)num;
        if (mean->usable)
            mean->clocks[i] =
                pl_quick_clock_of(c->clock * (int64_t)num, c->freq);
    }
}

enum pl_status pl_object_totals_cells(struct pl_object_totals *t,
                                      struct pl_row_values *p,
                                      const struct pl_counter_plan *plan,
                                      const struct pl_quick_object *quick,
                                      bool paired)
{
    struct pl_quick_object mean;
    enum pl_status s = pl_row_cells_reserve(p, t->num) ? PL_OK : PL_NOMEM;

    look_at_mean(quick, t->quick, &mean);
    for (size_t i = 0; i < t->num && !s; i++) {
        struct pl_object_total *total = &t->totals[i];
        const struct pl_planned_counter *c = &plan->counters[total->k];
        struct pl_cell_at cell = { t->group, c->slot, paired, { 0 } };
        struct pl_step_at at = { .counter = c };

        if (!c->formula)
            continue;
        pl_group_series(t->group, c->slot)->present = true;
        if (p->names_only || p->ranks_only)
            continue;
        if (t->quick && quick_total(p, c, total, quick, &mean, &cell.value)) {
            p->cells[p->num_cells++] = cell;
            continue;
        }
        total->good += t->quick - total->slow;
        at.step = total_step(c, total);
        cell.value = total_value(p, c, total, &at.step);
        s = pl_row_cells_add(p, &cell, &at);
    }
    return s;
}
