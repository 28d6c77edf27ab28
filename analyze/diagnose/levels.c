/* Makes levels of rows. */
#include "analyze/diagnose/levels.h"

#include "analyze/amounts/ranking.h"
#include "format/base/array.h"
#include "format/time/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pl_series.column: no rule is about it. */
enum { NO_RULE = PL_NO_COLUMN - 1 };

void pl_levels_release(struct pl_levels *l)
{
    for (size_t i = 0; i < l->num; i++) {
        free(l->series[i].instance);
        free(l->series[i].levels);
    }
    free(l->series);
    free(l->table);
    pl_slicings_release(&l->slicings);
    *l = (struct pl_levels){ 0 };
}

/* ---- slices -------------------------------------------------------------- */

static double level_of(const struct pl_rule *r, const struct pl_level_slice *s)
{
    switch (r->value) {
    case PL_RULE_MAX:
    case PL_RULE_STATE:
        return s->max;
    case PL_RULE_MIN:
        return s->min;
    case PL_RULE_COUNT:
        /* A rate is calculated by its object's clock, the pair's length by the
         * clock since boot: one event may appear as 0.998. */
        return round(s->sum);
    default:
        return s->seconds > 0 ? s->sum / s->seconds : s->max;
    }
}

static bool is_kept(const struct pl_rule *r, double level)
{
    double times = r->usual > 0 ? r->usual : PL_LEVEL_KEPT;

    if (r->value == PL_RULE_RISE)
        return true;
    return r->below ? level <= r->limit * times : level * times >= r->limit;
}

/* What is left of two levels when their slices become one. */
static float join(const struct pl_rule *r, float a, float b)
{
    if (r->value == PL_RULE_COUNT)
        return a + b;
    if (r->value == PL_RULE_RISE)
        return (a + b) / 2;
    return (r->below ? a < b : a > b) ? a : b;
}

static void double_series(struct pl_level_series *s)
{
    size_t num = 0;

    for (size_t i = 0; i < s->num; i++) {
        struct pl_slice_level level = { s->levels[i].slice / 2,
                                        s->levels[i].number / 2,
                                        s->levels[i].value };

        if (num && s->levels[num - 1].slice == level.slice)
            s->levels[num - 1].value =
                join(s->rule, s->levels[num - 1].value, level.value);
        else
            s->levels[num++] = level;
    }
    s->num = num;
    s->slices = (s->slices + 1) / 2;
    s->now.slice /= 2;
    s->now.number /= 2;
}

static void double_slices(struct pl_levels *l, struct pl_slicing *c)
{
    c->length_ns *= 2;
    c->newest /= 2;
    c->number /= 2;
    l->kept = 0;
    for (size_t i = 0; i < l->num; i++) {
        if (l->series[i].slicing == c)
            double_series(&l->series[i]);
        l->kept += l->series[i].num;
    }
}

/* False: they cannot be longer. */
static bool double_all(struct pl_levels *l)
{
    bool any = false;

    for (struct pl_slicing *c = l->slicings.latest; c; c = c->next) {
        if (c->length_ns >= INT64_MAX / 4)
            continue;
        double_slices(l, c);
        any = true;
    }
    return any;
}

static enum pl_status close_slice(struct pl_levels *l,
                                  struct pl_level_series *s)
{
    double level = level_of(s->rule, &s->now);

    if (!s->now.any)
        return PL_OK;
    s->now.any = false;
    s->slices++;
    if (!is_kept(s->rule, level))
        return PL_OK;
    if (s->num && s->levels[s->num - 1].slice == s->now.slice) {
        struct pl_slice_level *last =
            &s->levels[s->num - 1]; /* they were joined */

        last->value = join(s->rule, last->value, (float)level);
        return PL_OK;
    }
    if (!pl_array_grow((void **)&s->levels, &s->cap, s->num, sizeof *s->levels))
        return PL_NOMEM;
    s->levels[s->num++] =
        (struct pl_slice_level){ s->now.slice, s->now.number, (float)level };
    l->kept++;
    return PL_OK;
}

/* The row's slice becomes the newest one. */
static enum pl_status enter_slice(struct pl_levels *l, const struct pl_row *row)
{
    enum pl_status s = pl_slicings_choose(&l->slicings, row);
    struct pl_slicing *now = l->slicings.now;

    if (s)
        return s;
    while (pl_slice_at(now, row->time_ns) >= PL_SLICES_MOST)
        double_slices(l, now);
    pl_slicing_enter(now, row);
    return PL_OK;
}

/* ---- series -------------------------------------------------------------- */

static bool part_fits(struct pl_text pattern, const char *name)
{
    return !pattern.p || pl_pattern_match(pattern, pl_text_of(name));
}

/* Sums are left out of what is about each instance. */
static bool fits(const struct pl_rules *rules, size_t i,
                 const struct pl_cell_at *cell)
{
    const struct pl_rule *r = &rules->rules[i];
    const struct pl_group *g = cell->group;
    const struct pl_counter_path *p = &r->counter;

    if (r->weight <= 0 || !part_fits(p->object, g->object->name) ||
        !part_fits(p->counter, g->object->counters[cell->slot].name) ||
        !part_fits(p->instance, g->instance ? g->instance : "") ||
        !part_fits(p->host, g->host->name) ||
        pl_rule_is_replaced(rules, i, g->host->name))
        return false;
    return !g->is_total ||
           (p->instance.p && pl_pattern_is_literal(p->instance));
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xFF) * UINT64_C(0x100000001b3);
}

static uint64_t hash_of(const struct pl_levels *l, const struct pl_rule *r,
                        const struct pl_cell_at *cell)
{
    const struct pl_group *g = cell->group;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^
                    ((uint64_t)(r - l->rules->rules) << 32) ^ g->host->rank;

    hash = hash_text(hash, g->object->counters[cell->slot].name);
    return hash_text(hash, g->instance ? g->instance : "");
}

static bool is_of(const struct pl_level_series *s, const struct pl_rule *r,
                  const struct pl_cell_at *cell)
{
    const struct pl_group *g = cell->group;

    return s->rule == r && s->host == g->host && s->object == g->object->name &&
           s->counter == g->object->counters[cell->slot].name &&
           !strcmp(s->instance ? s->instance : "",
                   g->instance ? g->instance : "");
}

static void enter(struct pl_levels *l, uint32_t number)
{
    size_t mask = l->table_size - 1, at = l->series[number - 1].hash & mask;

    while (l->table[at])
        at = (at + 1) & mask;
    l->table[at] = number;
}

static bool grow_table(struct pl_levels *l)
{
    size_t size = l->table_size ? 2 * l->table_size : 256;
    uint32_t *table;

    if (2 * (l->num + 1) <= l->table_size)
        return true;
    table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(l->table);
    l->table = table;
    l->table_size = size;
    for (uint32_t i = 0; i < l->num; i++)
        enter(l, i + 1);
    return true;
}

/* The series in the slicing 'in', NULL: in any.  0: there is none. */
static uint32_t find_series(const struct pl_levels *l, const struct pl_rule *r,
                            const struct pl_cell_at *cell, uint64_t hash,
                            const struct pl_slicing *in)
{
    size_t mask = l->table_size - 1;

    if (!l->table_size)
        return 0;
    for (size_t at = hash & mask; l->table[at]; at = (at + 1) & mask) {
        const struct pl_level_series *s = &l->series[l->table[at] - 1];

        if (s->hash == hash && (!in || s->slicing == in) && is_of(s, r, cell))
            return l->table[at];
    }
    return 0;
}

/* The newest series becomes a twin of number 'of', 0: of none. */
static void join_ring(struct pl_levels *l, uint32_t of)
{
    struct pl_level_series *s = &l->series[l->num - 1];

    s->twin = of ? l->series[of - 1].twin : (uint32_t)l->num;
    if (of)
        l->series[of - 1].twin = (uint32_t)l->num;
}

/* The series of a rule, made if there is none; a number from 1; 0: no memory. */
static uint32_t series_of(struct pl_levels *l, const struct pl_rule *r,
                          const struct pl_cell_at *cell)
{
    const struct pl_group *g = cell->group;
    uint64_t hash = hash_of(l, r, cell);
    uint32_t number = find_series(l, r, cell, hash, l->slicings.now);
    struct pl_level_series *s;

    if (number)
        return number;
    number = find_series(l, r, cell, hash, NULL);
    if (l->num >= NO_RULE || !grow_table(l) ||
        !pl_array_grow((void **)&l->series, &l->cap, l->num, sizeof *l->series))
        return 0;
    s = &l->series[l->num];
    *s = (struct pl_level_series){
        .rule = r,
        .slicing = l->slicings.now,
        .host = g->host,
        .object = g->object->name,
        .counter = g->object->counters[cell->slot].name,
        .hash = hash,
    };
    if (g->instance && !(s->instance = strdup(g->instance)))
        return 0;
    l->num++;
    join_ring(l, number);
    enter(l, (uint32_t)l->num);
    return (uint32_t)l->num;
}

/* Note which rules are about a series of numbers, once for each slicing. */
static enum pl_status choose_rules(struct pl_levels *l,
                                   const struct pl_cell_at *cell)
{
    uint32_t first = 0;

    for (size_t i = l->rules->num; i-- > 0;) {
        const struct pl_rule *r = &l->rules->rules[i];
        uint32_t number;

        if (r->value == PL_RULE_STATE || !fits(l->rules, i, cell))
            continue;
        number = series_of(l, r, cell);
        if (!number)
            return PL_NOMEM;
        l->series[number - 1].next = first;
        first = number;
    }
    cell->group->series[cell->slot].column = first ? first - 1 : NO_RULE;
    return PL_OK;
}

/* ---- values -------------------------------------------------------------- */

static enum pl_status add_value(struct pl_levels *l, struct pl_level_series *s,
                                double v, double seconds)
{
    const uint32_t slice = l->slicings.now->newest;
    struct pl_level_slice *now = &s->now;
    enum pl_status status = PL_OK;

    if (now->any && now->slice != slice)
        status = close_slice(l, s);
    if (!now->any)
        *now = (struct pl_level_slice){
            slice, l->slicings.now->number, true, 0, 0, v, v
        };
    now->sum += v * seconds;
    now->seconds += seconds;
    now->max = v > now->max ? v : now->max;
    now->min = v < now->min ? v : now->min;
    return status;
}

static bool is_chosen(const struct pl_levels *l, uint32_t column)
{
    return column == NO_RULE || (column != PL_NO_COLUMN &&
                                 l->series[column].slicing == l->slicings.now);
}

static enum pl_status add_number(struct pl_levels *l,
                                 const struct pl_cell_at *cell, double v,
                                 double seconds)
{
    struct pl_series *series = &cell->group->series[cell->slot];
    enum pl_status s = PL_OK;

    if (!is_chosen(l, series->column))
        s = choose_rules(l, cell);
    if (s || series->column == NO_RULE)
        return s;
    for (uint32_t i = series->column + 1; i && !s; i = l->series[i - 1].next)
        s = add_value(l, &l->series[i - 1], v, seconds);
    return s;
}

/* There is only a series where the state has been seen: processes are many. */
static enum pl_status add_state(struct pl_levels *l,
                                const struct pl_cell_at *cell)
{
    struct pl_text t = cell->value.text;
    enum pl_status s = PL_OK;

    for (size_t i = 0; t.n && i < l->rules->num && !s; i++) {
        const struct pl_rule *r = &l->rules->rules[i];
        uint32_t number;

        if (r->value != PL_RULE_STATE || r->state != t.p[0] ||
            !fits(l->rules, i, cell))
            continue;
        number = series_of(l, r, cell);
        s = number ? add_value(l, &l->series[number - 1], 1, 0) : PL_NOMEM;
    }
    return s;
}

enum pl_status pl_levels_add(struct pl_levels *l, const struct pl_row *row)
{
    enum pl_status s = enter_slice(l, row);

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        double v;

        if (!pl_cell_has_value(cell->value.cell))
            continue;
        if (cell->value.kind == PL_VALUE_TEXT)
            s = add_state(l, cell);
        else if (pl_value_number(&cell->value, &v))
            s = add_number(l, cell, v,
                           pl_row_weight(row, cell) / (double)PL_NS_PER_SEC);
    }
    while (l->kept > PL_LEVELS_MOST && double_all(l))
        ;
    return s;
}

enum pl_status pl_levels_end(struct pl_levels *l)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < l->num && !s; i++)
        s = close_slice(l, &l->series[i]);
    return s;
}
