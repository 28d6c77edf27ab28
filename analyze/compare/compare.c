/* Gathers the series of two windows. */
#include "analyze/compare/compare.h"

#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 1024 };

void pl_comparison_release(struct pl_comparison *c)
{
    for (size_t i = 0; i < c->num; i++)
        free(c->series[i].host); /* and all other names */
    for (int i = 0; i < PL_SIDES; i++)
        free(c->windows[i].log);
    free(c->series);
    free(c->places);
    *c = (struct pl_comparison){ 0 };
}

/* ---- series by name ------------------------------------------------------ */

struct names {
    struct pl_text parts[4]; /* host, object, instance, counter */
};

static uint32_t hash_names(const struct names *n)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k <= n->parts[i].n; k++) {
            unsigned char c =
                k < n->parts[i].n ? (unsigned char)n->parts[i].p[k] : 0;

            h = (h ^ c) * 16777619u;
        }
    return h;
}

static struct names names_of(const struct pl_compared *s)
{
    return (struct names){ { pl_text_of(s->host), pl_text_of(s->object),
                             pl_text_of(s->instance),
                             pl_text_of(s->counter) } };
}

static bool equal(const struct names *a, const struct names *b)
{
    for (int i = 0; i < 4; i++)
        if (!pl_text_equal(a->parts[i], b->parts[i]))
            return false;
    return true;
}

/* The place of a name: that of its series, or a free one. */
static uint32_t *place_of(const struct pl_comparison *c, const struct names *n)
{
    size_t at = hash_names(n) & (c->num_places - 1);

    for (; c->places[at]; at = (at + 1) & (c->num_places - 1)) {
        struct names there = names_of(&c->series[c->places[at] - 1]);

        if (equal(&there, n))
            break;
    }
    return &c->places[at];
}

/* Keep the table at most half full. */
static enum pl_status make_room(struct pl_comparison *c)
{
    size_t num = c->num_places ? 2 * c->num_places : FIRST_PLACES;

    if (2 * (c->num + 1) <= c->num_places)
        return PL_OK;
    free(c->places);
    c->places = calloc(num, sizeof *c->places);
    c->num_places = c->places ? num : 0;
    if (!c->places)
        return PL_NOMEM;
    for (size_t i = 0; i < c->num; i++) {
        struct names n = names_of(&c->series[i]);

        *place_of(c, &n) = (uint32_t)i + 1;
    }
    return PL_OK;
}

/* One block of memory for all names. */
static bool copy_names(struct pl_compared *s, const struct names *n)
{
    char **to[4] = { &s->host, &s->object, &s->instance, &s->counter };
    size_t size = 4;
    char *text;

    for (int i = 0; i < 4; i++)
        size += n->parts[i].n;
    text = malloc(size);
    for (int i = 0; text && i < 4; i++) {
        *to[i] = text;
        memcpy(text, n->parts[i].p, n->parts[i].n);
        text[n->parts[i].n] = 0;
        text += n->parts[i].n + 1;
    }
    return text != NULL;
}

/* NULL: there is none. */
static struct pl_compared *find(const struct pl_comparison *c,
                                const struct names *n)
{
    const uint32_t *place = c->num ? place_of(c, n) : NULL;

    return place && *place ? &c->series[*place - 1] : NULL;
}

/* Find or make it; NULL: out of memory. */
static struct pl_compared *add(struct pl_comparison *c, const struct names *n)
{
    struct pl_compared *s = find(c, n);

    if (s)
        return s;
    if (make_room(c) ||
        !pl_array_grow((void **)&c->series, &c->cap, c->num, sizeof *c->series))
        return NULL;
    s = &c->series[c->num];
    *s = (struct pl_compared){ .chance = 1 };
    if (!copy_names(s, n))
        return NULL;
    *place_of(c, n) = (uint32_t)++c->num;
    return s;
}

/* ---- values -------------------------------------------------------------- */

struct gathering {
    struct pl_comparison *comparison;
    enum pl_compare_side side;
    int64_t from_ns, to_ns; /* what the means share */
    /* what the first host is called in the window before; NULL: as it is */
    const char *alias;
};

static void end_part(struct pl_compared_side *s)
{
    if (s->part_weight > 0 && s->num < PL_RANK_VALUES)
        s->means[s->num++] = (float)(s->part_sum / s->part_weight);
    s->part_sum = s->part_weight = 0;
}

static size_t part_of(const struct gathering *g, int64_t time_ns)
{
    double length = (double)g->to_ns - (double)g->from_ns + 1;
    double at = (double)time_ns - (double)g->from_ns;

    return at <= 0 ? 0 : (size_t)(at / length * PL_RANK_VALUES);
}

static void add_value(struct pl_compared_side *s, double value, double weight,
                      size_t part)
{
    if (part != s->part)
        end_part(s);
    s->part = part;
    s->part_sum += value * weight;
    s->part_weight += weight;
    s->sum += value * weight;
    s->weight += weight;
}

bool pl_compared_number(const struct pl_value *v, double *number)
{
    *number = v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;
    return pl_cell_has_value(v->cell) &&
           (v->kind == PL_VALUE_INTEGER || v->kind == PL_VALUE_DOUBLE) &&
           isfinite(*number);
}

/* A series that only the window after has; no column has this number. */
enum { LEFT_OUT = PL_NO_COLUMN - 1 };

static struct names names_in(const struct pl_cell_at *cell, const char *host)
{
    const struct pl_group *group = cell->group;

    return (struct names){ {
        pl_text_of(host),
        pl_text_of(group->object->name),
        pl_text_of(group->instance ? group->instance : ""),
        pl_text_of(group->object->counters[cell->slot].name),
    } };
}

bool pl_compared_is(const struct pl_comparison *c, const struct pl_compared *s,
                    const struct pl_cell_at *cell)
{
    struct names a = names_of(s);
    struct names b =
        names_in(cell, c->hosts_matter ? cell->group->host->name : "");

    return equal(&a, &b);
}

/*
 * The only host of a window is found again in the other one's, whatever their
 * names.
 */
static const char *find_alias(const struct pl_comparison *c,
                              enum pl_compare_side side,
                              const struct pl_query *e)
{
    return side == PL_AFTER && e->logs.num == 1 && c->num &&
                   c->windows[PL_BEFORE].hosts == 1
               ? c->series[0].host
               : NULL;
}

/*
 * Its place is in pl_series.column, as no columns are numbered here.  *s is NULL
 * where there is nothing to compare it with.
 */
static enum pl_status series_of(struct gathering *g,
                                const struct pl_cell_at *cell,
                                struct pl_compared **s)
{
    struct pl_series *series = &cell->group->series[cell->slot];
    const struct pl_host *host = cell->group->host;
    struct pl_comparison *c = g->comparison;
    struct names names;

    *s = series->column < c->num ? &c->series[series->column] : NULL;
    if (*s || series->column == LEFT_OUT)
        return PL_OK;
    names = names_in(cell, g->alias && !host->rank ? g->alias : host->name);
    if (g->side == PL_BEFORE && !(*s = add(c, &names)))
        return PL_NOMEM;
    if (g->side == PL_AFTER)
        *s = find(c, &names);
    c->alone[PL_AFTER] += !*s;
    series->column = *s ? (uint32_t)(*s - c->series) : (uint32_t)LEFT_OUT;
    return PL_OK;
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct gathering *g = ctx;
    struct pl_compared_window *w = &g->comparison->windows[g->side];

    (void)e;
    if (row->interval_ns > w->interval_ns)
        w->interval_ns = row->interval_ns;
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        struct pl_compared *s;
        enum pl_status status;
        double number;

        if (cell->group->object->counters[cell->slot].is_code ||
            !pl_compared_number(&cell->value, &number))
            continue;
        status = series_of(g, cell, &s);
        if (status)
            return status;
        if (s)
            add_value(&s->sides[g->side], number, pl_row_weight(row, cell),
                      part_of(g, row->time_ns));
    }
    return PL_OK;
}

/* Clocks may be set back, so that the last row need not have the last time. */
static enum pl_status end_row(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct gathering *g = ctx;
    struct pl_compared_window *w = &g->comparison->windows[g->side];

    (void)e;
    if (!w->rows++)
        w->first_ns = w->last_ns = time_ns;
    w->first_ns = time_ns < w->first_ns ? time_ns : w->first_ns;
    w->last_ns = time_ns > w->last_ns ? time_ns : w->last_ns;
    return PL_OK;
}

/* What the rows of the window span: from the first to the last one. */
static enum pl_status find_span(struct pl_query *e, struct gathering *g)
{
    const struct pl_time_range *w = &e->plan->replay.window;
    uint64_t interval_ns;
    enum pl_status s = pl_query_next_time(e, &g->from_ns);

    if (!s)
        s = pl_host_logs_last_time(&e->logs, &g->to_ns, &interval_ns);
    if (!s && w->has_to && w->to_ns < g->to_ns)
        g->to_ns = w->to_ns;
    if (g->to_ns < g->from_ns) /* the clock was set back */
        g->to_ns = g->from_ns;
    return s;
}

enum pl_status pl_comparison_gather(struct pl_comparison *c,
                                    enum pl_compare_side side,
                                    struct pl_query *e)
{
    struct gathering g = { .comparison = c,
                           .side = side,
                           .alias = find_alias(c, side, e) };
    const struct pl_rows rows = { take_row, end_row, &g };
    struct pl_compared_window *w = &c->windows[side];
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = find_span(e, &g);
    if (!s)
        s = pl_query_rows(e, &rows);
    for (size_t i = 0; i < c->num; i++)
        end_part(&c->series[i].sides[side]);
    if (s || !e->rows)
        return s ? s : PL_END;
    if (pl_query_say_unmatched(e))
        return PL_USAGE;
    w->hosts = e->registry.num_hosts;
    w->log = pl_text_copy(pl_text_of(e->logs.logs[0].paths[0]));
    return w->log ? PL_OK : PL_NOMEM;
}

/* ---- judgement ----------------------------------------------------------- */

double pl_compared_mean(const struct pl_compared *s, enum pl_compare_side side)
{
    return s->sides[side].sum / s->sides[side].weight;
}

double pl_compared_change(const struct pl_compared *s)
{
    double before = pl_compared_mean(s, PL_BEFORE);
    double by = pl_compared_mean(s, PL_AFTER) - before;

    return before != 0 ? by / fabs(before) : by != 0 ? NAN : 0;
}

/* For sorting: what was 0 changed most. */
static double size_of_change(const struct pl_compared *s)
{
    double change = pl_compared_change(s);

    return isnan(change) ? INFINITY : fabs(change);
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_names(const struct pl_compared *a, const struct pl_compared *b)
{
    int d = strcmp(a->host, b->host);

    if (!d)
        d = strcmp(a->object, b->object);
    if (!d)
        d = strcmp(a->instance, b->instance);
    return d ? d : strcmp(a->counter, b->counter);
}

static int by_judgement(const void *x, const void *y)
{
    const struct pl_compared *a = x, *b = y;
    int d = order(fabs(b->test.z), fabs(a->test.z));

    if (!d)
        d = order(size_of_change(b), size_of_change(a));
    return d ? d : by_names(a, b);
}

static void judge(struct pl_compared *s, size_t compared)
{
    s->test = pl_rank_test(s->sides[PL_BEFORE].means, s->sides[PL_BEFORE].num,
                           s->sides[PL_AFTER].means, s->sides[PL_AFTER].num);
    s->chance = pl_rank_chance(s->test.z) * (double)compared;
    if (s->chance > 1)
        s->chance = 1;
}

/* Keep what both windows have. */
static void drop_alone(struct pl_comparison *c)
{
    for (size_t i = 0; i < c->num; i++) {
        struct pl_compared s = c->series[i];

        if (!c->hosts_matter)
            *s.host = 0;
        if (s.sides[PL_BEFORE].num && s.sides[PL_AFTER].num) {
            c->series[c->compared++] = s;
            continue;
        }
        c->alone[PL_BEFORE] += s.sides[PL_BEFORE].num > 0;
        free(s.host);
    }
    c->num = c->compared;
    c->num_places = 0;
}

void pl_comparison_judge(struct pl_comparison *c)
{
    c->hosts_matter =
        c->windows[PL_BEFORE].hosts > 1 || c->windows[PL_AFTER].hosts > 1;
    drop_alone(c);
    for (size_t i = 0; i < c->num; i++) {
        judge(&c->series[i], c->compared);
        c->unusual += c->series[i].chance < PL_UNUSUAL;
    }
    if (c->num)
        qsort(c->series, c->num, sizeof *c->series, by_judgement);
}
