/* Gathers the tables of a page from cells. */
#include "analyze/moment/moment.h"

#include "analyze/amounts/ranking.h"
#include "format/base/array.h"
#include "format/block/counter_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_object(enum pl_moment_section section, const char *name)
{
    const char *const *objects = pl_moment_columns[section].objects;

    return !strcmp(name, objects[0]) ||
           (objects[1] && !strcmp(name, objects[1]));
}

/* Which of a column's counters it is; PL_MOMENT_NAMES: none. */
static size_t place_of_name(const char *const counters[PL_MOMENT_NAMES],
                            const char *name)
{
    size_t i = 0;

    while (i < PL_MOMENT_NAMES &&
           (!counters[i] || strcmp(counters[i], name) != 0))
        i++;
    return i;
}

static bool is_ranked_by(const struct pl_moment *m, const char *name)
{
    for (size_t i = 0; i < PL_MOMENT_NAMES; i++)
        if (m->sort->counters[i] &&
            pl_pattern_match(pl_text_of(m->sort->counters[i]),
                             pl_text_of(name)))
            return true;
    return false;
}

/* ---- while rows come ----------------------------------------------------- */

static enum pl_status note_span(struct pl_moment *m, const struct pl_row *row)
{
    size_t rank = row->host ? row->host->rank : 0;
    struct pl_moment_span *s;

    if (!pl_array_reserve((void **)&m->spans, &m->cap_spans, rank + 1,
                          sizeof *m->spans))
        return PL_NOMEM;
    while (m->num_spans <= rank)
        m->spans[m->num_spans++] = (struct pl_moment_span){ 0 };
    s = &m->spans[rank];
    if (!s->samples || row->time_ns < s->first_ns)
        s->first_ns = row->time_ns;
    if (!s->samples || row->time_ns > s->last_ns)
        s->last_ns = row->time_ns;
    s->samples++;
    s->interval_ns = row->interval_ns;
    s->length_ns = row->length_ns;
    return PL_OK;
}

/* The counters of Process that are looked at in each row. */
static void find_slots(struct pl_moment *m, const struct pl_object_names *o)
{
    struct pl_moment_slots *s = &m->slots;
    uint32_t i = s->object == o ? s->num_counters : 0;

    if (s->object != o)
        *s = (struct pl_moment_slots){ o, 0, PL_NO_SLOT, PL_NO_SLOT };
    for (; i < o->num_counters; i++) {
        if (!strcmp(o->counters[i].name, "State"))
            s->state = i;
        else if (s->rank == PL_NO_SLOT && !m->sort->counters[1] &&
                 is_ranked_by(m, o->counters[i].name))
            s->rank = i;
    }
    s->num_counters = o->num_counters;
}

static struct pl_moment_states *states_of(struct pl_moment *m,
                                          const struct pl_cell_at *cell)
{
    struct pl_series *series = &cell->group->series[cell->slot];

    if (series->column < m->num_states &&
        m->states[series->column].group == cell->group)
        return &m->states[series->column];
    if (m->num_states >= PL_NO_COLUMN ||
        !pl_array_grow((void **)&m->states, &m->cap_states, m->num_states,
                       sizeof *m->states))
        return NULL;
    series->column = (uint32_t)m->num_states;
    m->states[m->num_states] =
        (struct pl_moment_states){ .group = cell->group };
    return &m->states[m->num_states++];
}

static char letter_of(const struct pl_value *v)
{
    return pl_cell_has_value(v->cell) && v->kind == PL_VALUE_TEXT && v->text.n
               ? v->text.p[0]
               : '\0';
}

static enum pl_status note_state(struct pl_moment *m,
                                 const struct pl_cell_at *cell)
{
    char letter = letter_of(&cell->value);
    struct pl_moment_states *s = letter ? states_of(m, cell) : NULL;

    if (!letter)
        return PL_OK;
    if (!s)
        return PL_NOMEM;
    s->samples++;
    s->waiting += letter == 'D';
    s->zombie += letter == 'Z';
    return PL_OK;
}

enum pl_status pl_moment_note(struct pl_moment *m, const struct pl_row *row)
{
    const struct pl_object_names *last = NULL;
    enum pl_status s = note_span(m, row);
    bool is_process = false;

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        const struct pl_object_names *o = cell->group->object;

        if (o != last)
            is_process = is_object(PL_MOMENT_PROCESS, o->name);
        last = o;
        if (!is_process)
            continue;
        if (m->slots.object != o || m->slots.num_counters != o->num_counters)
            find_slots(m, o);
        if (cell->slot == m->slots.state)
            s = note_state(m, cell);
        else if (cell->slot == m->slots.rank)
            pl_score_add(&cell->group->score, PL_TOP_AMOUNT, row, cell);
    }
    return s;
}

/* ---- the window's cells -------------------------------------------------- */

static enum pl_moment_section section_of(const char *object)
{
    enum pl_moment_section i = 0;

    while (i < PL_MOMENT_SECTIONS && !is_object(i, object))
        i++;
    return i;
}

/* The row of a cell's instance: the last one, as its cells come together. */
static struct pl_moment_row *row_of(struct pl_moment_table *t,
                                    const struct pl_group *group)
{
    struct pl_moment_row *row;

    if (t->num && t->rows[t->num - 1].group == group)
        return &t->rows[t->num - 1];
    if (!pl_array_grow((void **)&t->rows, &t->cap, t->num, sizeof *t->rows))
        return NULL;
    row = &t->rows[t->num++];
    *row = (struct pl_moment_row){ .group = group, .ranked_by = NAN };
    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        row->values[i] = NAN;
    return row;
}

static void put_value(struct pl_moment_row *row,
                      const struct pl_moment_columns *columns,
                      const char *counter, double v)
{
    for (size_t i = 0; i < PL_MOMENT_COLUMNS && columns->columns[i].title;
         i++) {
        const struct pl_moment_column *c = &columns->columns[i];
        size_t name = place_of_name(c->counters, counter);

        if (name == PL_MOMENT_NAMES)
            continue;
        if (c->sum && !isnan(row->values[i]))
            row->values[i] += v;
        else if (!name || isnan(row->values[i]))
            row->values[i] = v;
    }
}

bool pl_moment_ranks_by(const struct pl_moment *m, const struct pl_group *g,
                        uint32_t slot)
{
    return is_ranked_by(m, g->object->counters[slot].name);
}

double pl_moment_rank_of(const struct pl_cell_at *cell, double v)
{
    const struct pl_counter_names *c =
        &cell->group->object->counters[cell->slot];
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);

    if (f && pl_formula_adds_up(f))
        return v;
    return pl_score_of(&cell->group->score, PL_TOP_AMOUNT);
}

enum pl_status pl_moment_add(struct pl_moment *m, const struct pl_cell_at *cell)
{
    const struct pl_group *g = cell->group;
    const char *counter = g->object->counters[cell->slot].name;
    enum pl_moment_section section = section_of(g->object->name);
    const struct pl_moment_table *t = &m->tables[section];
    struct pl_moment_row *row;
    double v;

    if (section == PL_MOMENT_SECTIONS ||
        (t->num && t->rows[0].group->object != g->object))
        return PL_OK;
    row = row_of(&m->tables[section], g);
    if (!row)
        return PL_NOMEM;
    if (section == PL_MOMENT_PROCESS && letter_of(&cell->value))
        row->state = letter_of(&cell->value);
    if (!pl_value_number(&cell->value, &v))
        return PL_OK;
    put_value(row, &pl_moment_columns[section], counter, v);
    if (section == PL_MOMENT_PROCESS && is_ranked_by(m, counter)) {
        row->rank += pl_moment_rank_of(cell, v);
        row->ranked_by = isnan(row->ranked_by) ? v : row->ranked_by + v;
    }
    return PL_OK;
}

const struct pl_moment_row *pl_moment_whole(const struct pl_moment *m,
                                            enum pl_moment_section section)
{
    const struct pl_moment_table *t = &m->tables[section];

    for (size_t i = 0; i < t->num; i++)
        if (t->rows[i].group->is_total)
            return &t->rows[i];
    return t->num ? &t->rows[t->num - 1] : NULL;
}

/* Equal ones by name, so that the page is always the same. */
static int by_rank(const void *x, const void *y)
{
    const struct pl_moment_row *a = x, *b = y;

    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return pl_natural_compare(a->group->instance ? a->group->instance : "",
                              b->group->instance ? b->group->instance : "");
}

void pl_moment_rank(struct pl_moment *m)
{
    struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESS];
    size_t kept = 0;

    for (size_t i = 0; i < t->num; i++) {
        const struct pl_group *g = t->rows[i].group;

        if (!g->instance || !pl_ranking_excludes(g->object->name, g->instance))
            t->rows[kept++] = t->rows[i];
    }
    t->num = kept;
    if (t->num)
        qsort(t->rows, t->num, sizeof *t->rows, by_rank);
}

void pl_moment_clear(struct pl_moment *m)
{
    for (size_t i = 0; i < PL_MOMENT_SECTIONS; i++)
        m->tables[i].num = 0;
    m->host = NULL;
}

void pl_moment_release(struct pl_moment *m)
{
    for (size_t i = 0; i < PL_MOMENT_SECTIONS; i++)
        free(m->tables[i].rows);
    free(m->states);
    free(m->spans);
    *m = (struct pl_moment){ 0 };
}
