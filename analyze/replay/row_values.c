/* Calculates values from pairs of samples. */
#include "analyze/replay/row_values.h"

#include "analyze/replay/vanished_series.h"
#include "analyze/replay/row_cells.h"
#include "analyze/replay/sample_series.h"
#include "analyze/replay/counter_delta.h"
#include "analyze/replay/quick.h"
#include "analyze/replay/object_total.h"
#include "analyze/replay/other_sums.h"
#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- one instance -------------------------------------------------------- */

/*
 * Note that a series occurs; the first time it gets its place in the log's own
 * order.
 */
static void note_present(struct pl_sample_view *samples,
                         const struct pl_group *g, struct pl_series *series,
                         const struct pl_planned_counter *c)
{
    struct pl_listed *listed = g->listed ? &g->listed[c->slot] : NULL;

    series->present = true;
    if (!listed || listed->order)
        return;
    listed->order = ++samples->registry->order;
    listed->title = c->def.title_index;
}

/*
 * The same counter in two objects of one name: the first one's value is kept.
 */
static bool is_there_already(struct pl_sample_view *samples,
                             const struct pl_group *g, uint32_t slot)
{
    uint64_t row = pl_sample_view_now(samples)->row;

    if (!g->shared || !g->listed)
        return false;
    if (g->listed[slot].row == row)
        return true;
    g->listed[slot].row = row;
    return false;
}

static bool is_paired(const struct pl_row_values *p,
                      const struct pl_counter_delta *pair)
{
    return (pair->older || pair->born) && p->why_unpaired == PL_CELL_GOOD;
}

/* Is the group's value added up, and no cell of the row? */
static bool is_added_up(const struct pl_row_values *p, const struct pl_group *g)
{
    return p->others && g->other;
}

static enum pl_status add_up(struct pl_row_values *p, const struct pl_group *g,
                             uint32_t slot, const struct pl_value *v)
{
    struct pl_other_sum *sums = pl_others_sums(p->others, g->other);

    if (!sums)
        return PL_NOMEM;
    if (slot < g->other->num_slots)
        pl_other_sum_add(&sums[slot], v);
    return PL_OK;
}

/* The cell of a step; there is room for it.  PL_NOMEM. */
static enum pl_status step_cell(struct pl_row_values *p,
                                struct pl_sample_view *samples,
                                const struct pl_counter_delta *pair,
                                const struct pl_planned_counter *c,
                                const struct pl_step *step)
{
    struct pl_value v = pl_row_cells_value(p, c, step);

    if (v.kind == PL_VALUE_TEXT && pl_row_cells_text(p, samples, pair, c, &v))
        return PL_NOMEM;
    if (is_added_up(p, pair->newer->group))
        return add_up(p, pair->newer->group, c->slot, &v);
    if (p->want_steps)
        p->steps[p->num_cells] = (struct pl_step_at){ c, *step };
    p->cells[p->num_cells++] = (struct pl_cell_at){ pair->newer->group, c->slot,
                                                    is_paired(p, pair), v };
    return PL_OK;
}

/* Is the instance part of the object's derived total? */
static bool is_in_total(const struct pl_sampled_object *o,
                        const struct pl_sampled_instance *i)
{
    uint64_t flags;

    return !o->plan->left_out || !o->plan->has_flags ||
           !pl_counter_get(&o->view, &i->view, &o->plan->flags, &flags) ||
           !(flags & o->plan->left_out);
}

/* The counter of the total at 'next', SIZE_MAX after the last. */
static size_t counter_of(const struct pl_object_totals *totals, size_t next)
{
    return next < totals->num ? totals->totals[next].k : SIZE_MAX;
}

/*
 * Append cells for the useful counters of an instance that the fast path takes,
 * from the 'at'th on; there is room for them.  Add them to the totals from
 * '*next' on.  Returns which is the first that needs general_cell, the number
 * of useful counters if none does.
 */
static size_t quick_cells(struct pl_row_values *p,
                          const struct pl_quick_object *quick,
                          const struct pl_counter_delta *pair,
                          struct pl_object_totals *totals, size_t at,
                          size_t *next)
{
    const struct pl_counter_plan *plan = pair->plan;
    const struct pl_counter_delta_bytes bytes = pl_counter_delta_bytes_of(pair);
    struct pl_group *g = pair->newer->group;
    struct pl_cell_at *cell = &p->cells[p->num_cells];
    const struct pl_calc_options calc = p->calc;
    const uint32_t *useful = p->useful;
    const size_t num = p->num_useful;
    size_t counted = counter_of(totals, *next);

    for (; at < num; at++) {
        const size_t k = useful[at];
        const struct pl_quick *q = &plan->quick[k];
        struct pl_series *series = &g->series[q->slot];
        uint64_t n, base;

        if (!series->wanted && k != counted)
            continue;
        if (!pl_quick_step(q, bytes, &n, &base))
            break;
        if (k == counted) {
            pl_object_total_add_quick(&totals->totals[(*next)++], n, base);
            counted = counter_of(totals, *next);
        }
        if (!series->wanted)
            continue;
        pl_quick_value(q, plan->counters[k].formula, &quick->clocks[q->clock],
                       n, base, &calc, &cell->value);
        series->present = true;
        cell->group = g;
        cell->slot = q->slot;
        cell->paired = true;
        cell++;
    }
    p->num_cells = (size_t)(cell - p->cells);
    return at;
}

/* The cell of counter 'k' by the general path; 'total' NULL: it has none. */
static enum pl_status general_cell(struct pl_row_values *p,
                                   struct pl_sample_view *samples,
                                   const struct pl_quick_object *quick,
                                   const struct pl_counter_delta *pair,
                                   size_t k, struct pl_object_total *total)
{
    const struct pl_planned_counter *c = &pair->plan->counters[k];
    struct pl_group *g = pair->newer->group;
    struct pl_series *series = pl_group_series(g, c->slot);
    struct pl_step step;

    if (series && is_there_already(samples, g, c->slot))
        series = NULL;
    if (!series && !total)
        return PL_OK;
    if (series)
        note_present(samples, g, series, c);
    if (!pl_quick_takes(quick, pair) ||
        !pl_quick_step_of(quick, &pair->plan->quick[k], pair, &step))
        pl_counter_delta_step(p, samples, pair, c, &step);
    if (total)
        pl_object_total_add(total, &step, &p->calc);
    return series ? step_cell(p, samples, pair, c, &step) : PL_OK;
}

/* May the fast path make cells of the instance? */
static bool is_simple(const struct pl_row_values *p,
                      const struct pl_quick_object *quick,
                      const struct pl_counter_delta *pair)
{
    const struct pl_group *g = pair->newer->group;

    return !p->want_steps && !g->listed &&
           g->num_slots >= pair->plan->num_slots &&
           (!is_added_up(p, g) ||
            g->other->num_slots >= pair->plan->num_slots) &&
           pl_quick_takes(quick, pair);
}

/* An idle instance adds nothing to the counters that are 0 then. */
static void add_rest(const struct pl_row_values *p, struct pl_series *series,
                     struct pl_other_sum *sums)
{
    for (size_t i = 0; i < p->num_resting; i++) {
        const uint32_t slot = p->resting[i];

        if (!series[slot].wanted)
            continue;
        series[slot].present = true;
        pl_other_sum_add_nothing(&sums[slot]);
    }
}

/*
 * An instance that is part of _Other, by the fast path.  Most did nothing: what
 * counts differences is 0.
 */
static enum pl_status quick_sums(struct pl_row_values *p,
                                 struct pl_sample_view *samples,
                                 const struct pl_quick_object *quick,
                                 const struct pl_counter_delta *pair,
                                 struct pl_object_totals *totals)
{
    const struct pl_counter_plan *plan = pair->plan;
    const struct pl_counter_delta_bytes bytes = pl_counter_delta_bytes_of(pair);
    const bool idle = pl_quick_is_idle(plan, bytes);
    struct pl_group *g = pair->newer->group;
    struct pl_other_sum *sums = pl_others_sums(p->others, g->other);
    const uint32_t *left = idle ? p->moving : p->useful;
    const size_t num = idle ? p->num_moving : p->num_useful;
    enum pl_status s = sums ? PL_OK : PL_NOMEM;

    if (!s)
        pl_object_totals_count_quick(totals, p, samples, pair, idle);
    if (!s && idle)
        add_rest(p, g->series, sums);
    for (size_t i = 0; i < num && !s; i++) {
        const size_t k = left[i];
        const struct pl_quick *q = &plan->quick[k];
        struct pl_series *series = &g->series[q->slot];
        struct pl_value v;
        uint64_t n, base;

        if (!series->wanted)
            continue;
        if (!pl_quick_step(q, bytes, &n, &base)) {
            s = general_cell(p, samples, quick, pair, k, NULL);
            continue;
        }
        series->present = true;
        pl_quick_value(q, plan->counters[k].formula, &quick->clocks[q->clock],
                       n, base, &p->calc, &v);
        pl_other_sum_add(&sums[q->slot], &v);
    }
    return s;
}

/* 0 as pl_quick_value gives it; field by field, since copies would stall. */
static void put_zero(const struct pl_quick *q, struct pl_value *v)
{
    v->cell = PL_CELL_GOOD;
    v->kind = q->shape == PL_SHAPE_COUNT ? PL_VALUE_INTEGER : PL_VALUE_DOUBLE;
    v->integer = 0; /* or 0.0, which has the same bits */
}

/* The cells of an instance that did nothing; there is room for them. */
static enum pl_status idle_cells(struct pl_row_values *p,
                                 struct pl_sample_view *samples,
                                 const struct pl_quick_object *quick,
                                 const struct pl_counter_delta *pair)
{
    const struct pl_counter_plan *plan = pair->plan;
    const struct pl_counter_delta_bytes bytes = pl_counter_delta_bytes_of(pair);
    struct pl_group *g = pair->newer->group;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_useful && !s; i++) {
        const size_t k = p->useful[i];
        const struct pl_quick *q = &plan->quick[k];
        struct pl_series *series = &g->series[q->slot];
        struct pl_cell_at *cell = &p->cells[p->num_cells];
        uint64_t n, base;

        if (!series->wanted)
            continue;
        if (pl_quick_rests_at_zero(q)) {
            put_zero(q, &cell->value);
        } else if (pl_quick_step(q, bytes, &n, &base)) {
            pl_quick_value(q, plan->counters[k].formula,
                           &quick->clocks[q->clock], n, base, &p->calc,
                           &cell->value);
        } else {
            s = general_cell(p, samples, quick, pair, k, NULL);
            continue;
        }
        series->present = true;
        cell->group = g;
        cell->slot = q->slot;
        cell->paired = true;
        p->num_cells++;
    }
    return s;
}

static enum pl_status instance_cells(struct pl_row_values *p,
                                     struct pl_sample_view *samples,
                                     const struct pl_quick_object *quick,
                                     const struct pl_counter_delta *pair,
                                     struct pl_object_totals *totals)
{
    const bool simple = is_simple(p, quick, pair);
    size_t next = 0; /* index in the totals */
    enum pl_status s = PL_OK;

    if (simple && is_added_up(p, pair->newer->group))
        return quick_sums(p, samples, quick, pair, totals);
    if (!pl_row_cells_reserve(p, p->num_useful))
        return PL_NOMEM;
    if (simple &&
        pl_quick_is_idle(pair->plan, pl_counter_delta_bytes_of(pair))) {
        pl_object_totals_count_quick(totals, p, samples, pair, true);
        return idle_cells(p, samples, quick, pair);
    }
    totals->quick += simple;
    for (size_t at = 0; at < p->num_useful && !s; at++) {
        struct pl_object_total *total = NULL;
        size_t k;

        if (simple)
            at = quick_cells(p, quick, pair, totals, at, &next);
        if (at == p->num_useful)
            break;
        k = p->useful[at];
        if (k == counter_of(totals, next)) {
            total = &totals->totals[next++];
            total->slow += simple;
        }
        s = general_cell(p, samples, quick, pair, k, total);
    }
    return s;
}

/* ---- one object ---------------------------------------------------------- */

/* Where to keep the totals of the object at 'place'.  NULL: no memory. */
static struct pl_object_totals *totals_at(struct pl_row_values *p, size_t place)
{
    if (!pl_array_grow((void **)&p->totals, &p->cap_totals, place,
                       sizeof *p->totals))
        return NULL;
    while (p->num_totals <= place)
        p->totals[p->num_totals++] = (struct pl_object_totals){ 0 };
    return &p->totals[place];
}

/* For names_only: note which series occur. */
static void note_series(struct pl_sample_view *samples,
                        const struct pl_counter_plan *plan, struct pl_group *g)
{
    if (g->noted == plan->serial)
        return;
    g->noted = plan->serial;
    for (size_t k = 0; g->series && k < plan->num_counters; k++) {
        struct pl_series *series = pl_group_series(g, plan->counters[k].slot);

        if (series)
            note_present(samples, g, series, &plan->counters[k]);
    }
}

/* For ranks_only: the cell of the counter that the instance is ranked by. */
static enum pl_status ranked_cells(struct pl_row_values *p,
                                   struct pl_sample_view *samples,
                                   const struct pl_quick_object *quick,
                                   const struct pl_counter_delta *pair,
                                   struct pl_object_totals *nothing)
{
    note_series(samples, pair->plan, pair->newer->group);
    return instance_cells(p, samples, quick, pair, nothing);
}

/* The cells of an instance, and what it adds to the totals. */
static enum pl_status read_pair(struct pl_row_values *p,
                                struct pl_sample_view *samples,
                                const struct pl_quick_object *quick,
                                struct pl_counter_delta *pair,
                                struct pl_object_totals *sum)
{
    struct pl_sample *older = pl_sample_view_older(samples);
    struct pl_sampled_instance *older_i = NULL;
    const bool any = pair->newer->group->series != NULL;
    enum pl_status s = PL_OK;

    if (older->there)
        s = pl_instance_match_find(&p->match, older, pair->was, pair->plan,
                                   pair->newer, &older_i);
    if (s)
        return s;
    if (older_i)
        older_i->paired = true;
    pair->older = older_i;
    pair->born = !older_i && pl_counter_delta_is_born(p, pair);
    if (p->ranks_only)
        return any ? ranked_cells(p, samples, quick, pair, sum) : PL_OK;
    if (any)
        return instance_cells(p, samples, quick, pair, sum);
    pl_object_totals_count(sum, p, samples, quick, pair);
    return PL_OK;
}

/*
 * Of all counters of an object few may be wanted, in an instance or in _Total:
 * list them; for ranks_only, the one that instances are ranked by.
 */
static enum pl_status list_useful(struct pl_row_values *p,
                                  const struct pl_counter_plan *plan)
{
    const struct pl_object_names *names = plan->names;

    p->num_useful = p->num_resting = p->num_moving = 0;
    if (!pl_array_reserve((void **)&p->useful, &p->cap_useful,
                          plan->num_counters, sizeof *p->useful) ||
        !pl_array_reserve((void **)&p->resting, &p->cap_resting,
                          plan->num_counters, sizeof *p->resting) ||
        !pl_array_reserve((void **)&p->moving, &p->cap_moving,
                          plan->num_counters, sizeof *p->moving))
        return PL_NOMEM;
    for (size_t k = 0; k < plan->num_counters; k++) {
        const struct pl_quick *q = &plan->quick[k];

        if (p->ranks_only ? q->slot != names->rank_slot
                          : !names->counters[q->slot].has_wanted)
            continue;
        p->useful[p->num_useful++] = (uint32_t)k;
        if (pl_quick_rests_at_zero(q))
            p->resting[p->num_resting++] = q->slot;
        else
            p->moving[p->num_moving++] = (uint32_t)k;
    }
    return PL_OK;
}

static enum pl_status object_cells(struct pl_row_values *p,
                                   struct pl_sample_view *samples, size_t place)
{
    struct pl_sample *now = pl_sample_view_now(samples);
    struct pl_sample *older = pl_sample_view_older(samples);
    const struct pl_sampled_object *o = &now->objects[place];
    struct pl_object_totals *totals = totals_at(p, place), nothing = { 0 };
    struct pl_counter_delta pair = { .now = o,
                                     .was = pl_sample_object(
                                         older, o->view.title_index),
                                     .plan = o->plan };
    struct pl_quick_object quick;
    size_t members = 0;
    enum pl_status s;

    if (!totals)
        return PL_NOMEM;
    if (pair.was)
        pair.older_plan = pair.was->plan;
    pl_instance_match_begin(&p->match);
    pl_quick_look(p, samples, &pair, &quick);
    s = pl_object_totals_begin(totals, samples, o, &quick);
    if (!s && !p->names_only)
        s = list_useful(p, o->plan);
    if (s)
        return s;
    for (size_t i = 0; i < o->num && !s; i++) {
        struct pl_object_totals *sum = &nothing;

        pair.newer = &now->instances[o->first + i];
        if (is_in_total(o, pair.newer)) {
            sum = p->ranks_only ? &nothing : totals;
            members++;
        }
        if (p->names_only)
            note_series(samples, pair.plan, pair.newer->group);
        else
            s = read_pair(p, samples, &quick, &pair, sum);
    }
    if (!s && totals->num && members)
        s = pl_object_totals_cells(totals, p, pair.plan, &quick,
                                   pair.was && p->why_unpaired == PL_CELL_GOOD);
    return s;
}

/* ---- the row ------------------------------------------------------------- */

enum pl_status pl_row_values_row(struct pl_row_values *p,
                                 struct pl_sample_view *samples)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    enum pl_status s = PL_OK;

    p->num_cells = 0;
    pl_buf_clear(&p->texts);
    if (samples->registry->some_unrecorded)
        pl_sample_series_record(samples);
    for (size_t i = 0; i < now->num_objects && !s; i++)
        s = object_cells(p, samples, i);
    if (!s && p->want_absent)
        s = pl_vanished_series_cells(p, samples);
    pl_row_cells_place_texts(p);
    return s;
}

void pl_row_values_release(struct pl_row_values *p)
{
    free(p->cells);
    free(p->steps);
    pl_buf_release(&p->texts);
    for (size_t i = 0; i < p->num_totals; i++)
        pl_object_totals_release(&p->totals[i]);
    free(p->totals);
    free(p->in_plan);
    free(p->useful);
    free(p->resting);
    free(p->moving);
    pl_instance_match_release(&p->match);
}
