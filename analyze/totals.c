/* Sums over the instances of an object. */
#include "analyze/totals.h"

#include "analyze/cells.h"

#include <string.h>

/* True if a counter of an instance that does nothing adds nothing. */
static bool rests(const struct pl_counted *c)
{
    return c->quick.way == PL_WAY_DELTA;
}

/* ---- what it is of -------------------------------------------------------------- */

static bool has_own_total(const struct pl_sample *s,
                          const struct pl_sampled_object *o)
{
    for (size_t i = 0; i < o->num; i++) {
        const struct pl_group *g = s->instances[o->first + i].group;

        if (!g->instance || g->is_total)
            return true;
    }
    return false;
}

static bool derives_totals(const struct pl_object_plan *plan)
{
    for (size_t i = 0; i < plan->num_counters; i++)
        if (plan->counters[i].total_rule != PL_TOTAL_NONE)
            return true;
    return false;
}

/* The group of the derived _Total, NULL if there is none or none wanted. */
static enum pl_status total_group(struct pl_samples *samples,
                                  const struct pl_object_plan *plan,
                                  const struct pl_sampled_object *o,
                                  struct pl_group **out)
{
    struct pl_sample *now = pl_samples_now(samples);
    enum pl_status s;

    *out = NULL;
    if (o->view.num_instances < 0 || !derives_totals(plan) ||
        has_own_total(now, o))
        return PL_OK;
    pl_buf_clear(&samples->name);
    s = pl_samples_group(samples, plan, "_Total", now->row, out);
    if (s)
        return s;
    (*out)->derived = true;
    if (!(*out)->series)
        *out = NULL;
    return PL_OK;
}

/* Tell each counter, and the totals, which is the next one that is busy. */
static void link_busy(struct pl_pairing *p, struct pl_wanted_totals *totals)
{
    totals->busy = (uint32_t)totals->num;
    for (size_t i = totals->num; i-- > 0;) {
        p->counted[i].busy = totals->busy;
        if (!rests(&p->counted[i]))
            totals->busy = (uint32_t)i;
    }
}

/* List the counters that _Total is made of. */
static enum pl_status list_counted(struct pl_pairing *p,
                                   const struct pl_object_plan *plan,
                                   const struct pl_quick_object *quick,
                                   struct pl_wanted_totals *totals)
{
    size_t num = plan->num_counters;

    totals->num = 0;
    if (!totals->group)
        return PL_OK;
    if (!pl_array_reserve((void **)&p->counted, &p->cap_counted, num,
                          sizeof *p->counted) ||
        !pl_array_reserve((void **)&p->totals, &p->cap_totals, num,
                          sizeof *p->totals))
        return PL_NOMEM;
    for (size_t k = 0; k < num; k++) {
        const struct pl_planned *c = &plan->counters[k];
        const struct pl_quick_clock *clock =
            &quick->clocks[plan->quick[k].clock];
        struct pl_counted *counted = &p->counted[totals->num];

        if (c->total_rule == PL_TOTAL_NONE ||
            !pl_group_series(totals->group, c->slot))
            continue;
        *counted = (struct pl_counted){ plan->quick[k], (uint32_t)k, 0 };
        if (!clock->usable)
            counted->quick.way = PL_WAY_GENERAL;
        p->totals[totals->num++] =
            (struct pl_total){ .step = { .clock = clock->clock,
                                         .freq = clock->freq } };
    }
    link_busy(p, totals);
    return PL_OK;
}

enum pl_status pl_totals_begin(struct pl_pairing *p, struct pl_samples *samples,
                               const struct pl_sampled_object *o,
                               const struct pl_quick_object *quick,
                               struct pl_wanted_totals *totals)
{
    enum pl_status s = total_group(samples, o->plan, o, &totals->group);

    return s ? s : list_counted(p, o->plan, quick, totals);
}

/* ---- adding up ------------------------------------------------------------------ */

void pl_total_add(struct pl_total *t, const struct pl_step *step)
{
    if (pl_cell_has_value(step->cell)) {
        if (!t->good) {
            t->step.clock = step->clock;
            t->step.freq = step->freq;
        }
        pl_total_add_good(t, step->n, step->base);
        if (step->cell == PL_CELL_WRAPPED)
            t->step.cell = PL_CELL_WRAPPED;
        return;
    }
    t->partial |= step->cell == PL_CELL_UNREADABLE;
    if (!t->bad++)
        t->why = step->cell;
}

/* One counter of an instance that only _Total is interested in. */
static inline void count_one(struct pl_pairing *p, struct pl_samples *samples,
                             const struct pl_pair *pair, bool is_simple,
                             size_t i)
{
    const struct pl_counted *c = &p->counted[i];
    uint64_t n, base;
    struct pl_step step;

    if (is_simple &&
        pl_quick_step(&c->quick, pl_pair_bytes_of(pair), &n, &base)) {
        pl_total_add_good(&p->totals[i], n, base);
        return;
    }
    pl_pair_step(p, samples, pair, &pair->plan->counters[c->k], &step);
    pl_total_add(&p->totals[i], &step);
}

/* An instance that did nothing, as most: only its levels count. */
static void count_idle(struct pl_pairing *p, struct pl_samples *samples,
                       const struct pl_pair *pair,
                       struct pl_wanted_totals *totals)
{
    const uint8_t *now = pair->newer->view.block;

    totals->idle++;
    for (size_t i = totals->busy; i < totals->num; i = p->counted[i].busy) {
        const struct pl_quick *q = &p->counted[i].quick;

        if (q->way == PL_WAY_NOW)
            pl_total_add_good(&p->totals[i],
                              pl_quick_load(now + q->offset, q->size), 0);
        else
            count_one(p, samples, pair, true, i);
    }
}

void pl_totals_count(struct pl_pairing *p, struct pl_samples *samples,
                     const struct pl_quick_object *quick,
                     const struct pl_pair *pair,
                     struct pl_wanted_totals *totals)
{
    bool is_simple = totals->num && pl_pair_is_quick(quick, pair);

    if (is_simple && !memcmp(pair->newer->view.block, pair->older->view.block,
                             pair->plan->quick_len)) {
        count_idle(p, samples, pair, totals);
        return;
    }
    for (size_t i = 0; i < totals->num; i++)
        count_one(p, samples, pair, is_simple, i);
}

/* ---- what it comes to ----------------------------------------------------------- */

/* A mean over members is the formula over as many times the clock. */
static struct pl_step total_step(const struct pl_planned *c,
                                 const struct pl_total *t)
{
    struct pl_step step = t->step;

    if (!t->good)
        step.cell = t->bad ? t->why : PL_CELL_FIRST;
    else if (t->too_large)
        step.cell = PL_CELL_UNSUPPORTED;
    else if (c->total_rule != PL_TOTAL_MEAN ||
             c->formula->clock == PL_CLOCK_NONE)
        return step;
    else if (step.clock > INT64_MAX / (int64_t)t->good)
        step.cell = PL_CELL_UNSUPPORTED;
    else
        step.clock *= (int64_t)t->good;
    return step;
}

/* Without a clock, the mean is one of values. */
static struct pl_value total_value(const struct pl_pairing *p,
                                   const struct pl_planned *c,
                                   const struct pl_total *t,
                                   const struct pl_step *step)
{
    struct pl_value v = pl_cells_value(p, c, step);

    if (t->good && c->total_rule == PL_TOTAL_MEAN &&
        c->formula->clock == PL_CLOCK_NONE) {
        v.number = (v.kind == PL_VALUE_DOUBLE ? v.number : (double)v.integer) /
                   t->good;
        v.kind = PL_VALUE_DOUBLE;
    }
    /* what is known of a total some of whose members could not be read */
    if (t->partial && pl_cell_has_value(v.cell))
        v.cell = PL_CELL_PARTIAL;
    return v;
}

enum pl_status pl_totals_cells(struct pl_pairing *p,
                               const struct pl_object_plan *plan,
                               const struct pl_wanted_totals *totals,
                               bool paired)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < totals->num && !s; i++) {
        const struct pl_planned *c = &plan->counters[p->counted[i].k];
        struct pl_step_at at = { .counter = c, .paired = paired };
        struct pl_value v;

        if (!c->formula)
            continue;
        pl_group_series(totals->group, c->slot)->present = true;
        if (p->names_only)
            continue;
        if (rests(&p->counted[i]))
            p->totals[i].good += totals->idle;
        at.step = total_step(c, &p->totals[i]);
        v = total_value(p, c, &p->totals[i], &at.step);
        s = pl_cells_add(p, totals->group, c->slot, &v, &at);
    }
    return s;
}
