/* Adds up what _Other stands for. */
#include "analyze/replay/other_sums.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

struct pl_other {
    struct pl_group *group;
    struct pl_other_sum *sums; /* by slot */
};

/* Objects mostly come in the order of the previous row, instances in a run. */
static struct pl_other *find_other(struct pl_others *o, struct pl_group *g)
{
    for (size_t i = 0; i < o->num; i++, o->last++) {
        if (o->last >= o->num)
            o->last = 0;
        if (o->others[o->last].group == g)
            return &o->others[o->last];
    }
    if (!pl_array_grow((void **)&o->others, &o->cap, o->num, sizeof *o->others))
        return NULL;
    o->others[o->num] = (struct pl_other){
        .group = g,
        .sums = calloc((size_t)g->num_slots + 1, sizeof(struct pl_other_sum)),
    };
    o->last = o->num;
    return o->others[o->num].sums ? &o->others[o->num++] : NULL;
}

void pl_other_sum_add(struct pl_other_sum *t, const struct pl_value *v)
{
    /* A counter that was a number may be a text in another definition. */
    if (v->cell == PL_CELL_ABSENT || v->kind == PL_VALUE_TEXT)
        return;
    t->any = true;
    if (pl_cell_has_value(v->cell)) {
        t->sum += v->kind == PL_VALUE_DOUBLE ? v->number : (double)v->integer;
        t->good++;
        t->partial |= v->cell == PL_CELL_PARTIAL;
    } else if (!t->why || v->cell < t->why) {
        t->why = (uint8_t)v->cell;
    }
}

struct pl_other_sum *pl_others_sums(struct pl_others *o, struct pl_group *other)
{
    struct pl_other *found = find_other(o, other);

    return found ? found->sums : NULL;
}

enum pl_status pl_others_filter(struct pl_others *o, struct pl_row *row)
{
    o->num_cells = 0;
    if (!pl_array_reserve((void **)&o->cells, &o->cap_cells, row->num_cells,
                          sizeof *o->cells))
        return PL_NOMEM;
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        struct pl_other *other;

        if (!at->group->other) {
            o->cells[o->num_cells++] = *at;
            continue;
        }
        other = find_other(o, at->group->other);
        if (!other)
            return PL_NOMEM;
        if (at->slot < other->group->num_slots)
            pl_other_sum_add(&other->sums[at->slot], &at->value);
    }
    row->cells = o->cells;
    row->num_cells = o->num_cells;
    row->steps = NULL;
    return PL_OK;
}

static struct pl_value value_of(const struct pl_others *o,
                                const struct pl_other_sum *t,
                                const struct pl_counter_names *c)
{
    struct pl_value v = { .cell = (enum pl_cell)t->why };
    const struct pl_formula *f;
    struct pl_formula scratch;

    if (!t->good)
        return v;
    v = (struct pl_value){ .cell = t->partial ? PL_CELL_PARTIAL : PL_CELL_GOOD,
                           .kind = PL_VALUE_DOUBLE,
                           .number = t->sum };
    f = o->calc.cap100 ? pl_formula_of(c->type, c->size, &scratch) : NULL;
    if (f)
        pl_value_cap(&v, f, &o->calc);
    return v;
}

enum pl_status pl_others_end(struct pl_others *o, int64_t time_ns,
                             enum pl_status (*take)(void *ctx,
                                                    const struct pl_row *row),
                             void *ctx)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < o->num && !s; i++) {
        struct pl_other *other = &o->others[i];
        uint32_t num = other->group->num_slots;
        struct pl_row row = { .time_ns = time_ns };

        if (!pl_array_reserve((void **)&o->cells, &o->cap_cells, num,
                              sizeof *o->cells))
            return PL_NOMEM;
        for (uint32_t k = 0; k < num; k++)
            if (other->sums[k].any)
                o->cells[row.num_cells++] = (struct pl_cell_at){
                    other->group, k, false,
                    value_of(o, &other->sums[k],
                             &other->group->object->counters[k])
                };
        memset(other->sums, 0, num * sizeof *other->sums);
        row.cells = o->cells;
        if (row.num_cells)
            s = take(ctx, &row);
    }
    return s;
}

void pl_others_release(struct pl_others *o)
{
    for (size_t i = 0; i < o->num; i++)
        free(o->others[i].sums);
    free(o->others);
    free(o->cells);
    *o = (struct pl_others){ 0 };
}
