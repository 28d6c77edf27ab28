/* Chooses the charts of a workbook, and the lines of each. */
#include "analyze/workbook/charts.h"

#include "analyze/calc/calc.h"
#include "analyze/query/default_series.h"
#include "analyze/amounts/ranking.h"
#include "analyze/workbook/book.h"
#include "format/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_LEAST = 3
}; /* of a counter: the first, median and P95 of others */

/* ---- counters ------------------------------------------------------------ */

const char *pl_xlsx_counter_name(const struct pl_xlsx_column *c)
{
    return c->group->object->counters[c->slot].name;
}

static enum pl_status add_line(struct pl_xlsx_chart *c, uint32_t column)
{
    if (!pl_array_grow((void **)&c->columns, &c->cap, c->num,
                       sizeof *c->columns))
        return PL_NOMEM;
    c->columns[c->num++] = column;
    return PL_OK;
}

static bool is_vital(const struct pl_default_series *v,
                     const struct pl_xlsx_column *c)
{
    return pl_default_series_find(v, c->group->object->name, c->group->instance,
                                  pl_xlsx_counter_name(c)) < v->in_sheet;
}

/* 'drawn' of a column is set when it is in a chart. */
static enum pl_status choose_vital(struct pl_xlsx_charts *all,
                                   const struct pl_xlsx_plan *plan, bool *drawn)
{
    enum pl_status s = PL_OK;

    for (size_t k = 0; k < PL_NUM_VITALS && !s; k++) {
        struct pl_xlsx_chart *c = &all->charts[all->num];

        for (uint32_t i = 0; i < plan->num_columns && !s; i++)
            if (is_vital(&pl_vitals[k], &plan->columns[i])) {
                drawn[i] = true;
                s = add_line(c, i);
            }
        if (!c->num)
            continue;
        all->num++;
        c->title = strdup(pl_vitals[k].title);
        if (!c->title)
            s = PL_NOMEM;
    }
    return s;
}

/*
 * A title that begins with '=' would be read as a cell reference; this never
 * does.
 */
static char *title_of(const struct pl_xlsx_column *c)
{
    enum { MOST = 200 };
    const char *object = c->group->object->name,
               *counter = pl_xlsx_counter_name(c);
    struct pl_buf whole = { 0 }, fit = { 0 };

    pl_buf_u8(&whole, '\\');
    pl_buf_string(&whole, object);
    pl_buf_u8(&whole, '\\');
    pl_buf_string(&whole, counter);
    pl_xlsx_text(&fit, (const char *)whole.p, whole.len, MOST);
    pl_buf_u8(&fit, 0);
    if (whole.oom || fit.oom)
        pl_buf_release(&fit);
    pl_buf_release(&whole);
    return (char *)fit.p;
}

bool pl_xlsx_same_counter(const struct pl_xlsx_column *a,
                          const struct pl_xlsx_column *b)
{
    return a->group->object == b->group->object && a->slot == b->slot;
}

/* The chart of a counter from the chart 'first' on, made if there is none;
 * NULL: no room or memory. */
static struct pl_xlsx_chart *chart_of(struct pl_xlsx_charts *all,
                                      const struct pl_xlsx_plan *plan,
                                      uint32_t first,
                                      const struct pl_xlsx_column *column)
{
    struct pl_xlsx_chart *c;

    for (uint32_t i = first; i < all->num; i++)
        if (pl_xlsx_same_counter(&plan->columns[all->charts[i].columns[0]],
                                 column))
            return &all->charts[i];
    if (all->num == PL_XLSX_CHARTS_MOST)
        return NULL;
    c = &all->charts[all->num];
    c->title = title_of(column);
    return c->title ? c : NULL;
}

/* A chart of each counter that is not drawn. */
static enum pl_status choose_each(struct pl_xlsx_charts *all,
                                  const struct pl_xlsx_plan *plan,
                                  const bool *drawn)
{
    uint32_t first = all->num;

    for (uint32_t i = 0; i < plan->num_columns; i++) {
        struct pl_xlsx_chart *c;

        if (drawn[i])
            continue;
        c = chart_of(all, plan, first, &plan->columns[i]);
        if (!c && all->num == PL_XLSX_CHARTS_MOST)
            all->lines_left_out++;
        else if (!c || add_line(c, i))
            return PL_NOMEM;
        else if (c == &all->charts[all->num])
            all->num++;
    }
    return PL_OK;
}

/* Counters that are not drawn, or one more than 'most'. */
static uint32_t count_undrawn(const struct pl_xlsx_plan *plan,
                              const bool *drawn, uint32_t most,
                              uint64_t *num_columns)
{
    const struct pl_xlsx_column *seen[PL_XLSX_CHARTS_MOST + 1];
    uint32_t num = 0;

    *num_columns = 0;
    for (uint32_t i = 0; i < plan->num_columns; i++) {
        uint32_t k = 0;

        if (drawn[i])
            continue;
        ++*num_columns;
        while (k < num && !pl_xlsx_same_counter(seen[k], &plan->columns[i]))
            k++;
        if (k == num && num <= most)
            seen[num++] = &plan->columns[i];
    }
    return num;
}

static struct pl_xlsx_labels labels_of(const struct pl_xlsx_chart *c,
                                       const struct pl_xlsx_plan *plan)
{
    const struct pl_xlsx_column *first = &plan->columns[c->columns[0]];
    const char *name = first->group->instance ? first->group->instance : "";
    struct pl_xlsx_labels l = { 0 };

    for (uint32_t i = 1; i < c->num; i++) {
        const struct pl_xlsx_column *one = &plan->columns[c->columns[i]];
        const char *other = one->group->instance ? one->group->instance : "";

        l.hosts |= one->group->host != first->group->host;
        l.instances |= strcmp(name, other) != 0;
        l.counters |= !pl_xlsx_same_counter(first, one);
    }
    return l;
}

enum pl_status pl_xlsx_charts_choose(struct pl_xlsx_charts *c,
                                     const struct pl_xlsx_plan *plan,
                                     bool chosen)
{
    bool *drawn = calloc(plan->num_columns + (size_t)1, sizeof *drawn);
    uint64_t undrawn = 0;
    uint32_t most;
    enum pl_status s;

    if (!drawn)
        return PL_NOMEM;
    s = chosen ? PL_OK : choose_vital(c, plan, drawn);
    most = PL_XLSX_CHARTS_MOST - c->num;
    if (!s && (chosen || count_undrawn(plan, drawn, most, &undrawn) <= most))
        s = choose_each(c, plan, drawn);
    else
        c->lines_left_out += undrawn;
    for (uint32_t i = 0; i < c->num && !s; i++)
        c->charts[i].labels = labels_of(&c->charts[i], plan);
    free(drawn);
    return s;
}

void pl_xlsx_charts_release(struct pl_xlsx_charts *c)
{
    for (uint32_t i = 0; i < PL_XLSX_CHARTS_MOST; i++) {
        struct pl_xlsx_chart *one = &c->charts[i];

        for (uint32_t k = 0; k < one->num_rests; k++)
            free(one->rests[k].series);
        free(one->rests);
        free(one->columns);
        free(one->title);
    }
    *c = (struct pl_xlsx_charts){ 0 };
}

/* ---- as many lines as can be read ---------------------------------------- */

bool pl_xlsx_charts_are_crowded(const struct pl_xlsx_charts *c)
{
    for (uint32_t i = 0; i < c->num; i++)
        if (c->charts[i].num > PL_XLSX_LINES_MOST)
            return true;
    return false;
}

static bool is_sum(const struct pl_group *g)
{
    return g->instance && (!strcmp(g->instance, "_Total") || g->of_many);
}

static const struct pl_series *series_of(const struct pl_xlsx_column *c)
{
    return &c->group->series[c->slot];
}

/* Of each counter sums come last, and of others the one that did most is first. */
struct ranked {
    uint32_t column;  /* of the plan */
    uint32_t counter; /* number of the chart's first line that has it */
    bool sum;
    double amount;
};

static int by_amount(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    if (a->sum != b->sum)
        return a->sum ? 1 : -1;
    if (a->amount != b->amount)
        return a->amount > b->amount ? -1 : 1;
    return a->column < b->column ? -1 : 1;
}

/* Bytes that instances hold may be added up, as may what they did. */
static bool adds_up(const struct pl_xlsx_column *c)
{
    const struct pl_counter_names *n = &c->group->object->counters[c->slot];
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(n->type, n->size, &scratch);

    return c->unit == PL_UNIT_BYTES || (f && pl_formula_adds_up(f));
}

/* Others of one host are added up; of several a sum is of no machine. */
static bool is_added_up(const struct ranked *list, uint32_t num,
                        const struct pl_xlsx_plan *plan)
{
    const struct pl_host *host = plan->columns[list[0].column].group->host;

    for (uint32_t i = 0; i < num; i++)
        if (plan->columns[list[i].column].group->host != host ||
            !adds_up(&plan->columns[list[i].column]))
            return false;
    return true;
}

/* A rest with room for so many series; NULL: no memory. */
static struct pl_xlsx_rest *new_rest(struct pl_xlsx_chart *c, uint32_t num,
                                     uint32_t column, enum pl_xlsx_sum sum)
{
    uint32_t *series = malloc((num + (size_t)1) * sizeof *series);
    struct pl_xlsx_rest *rest;

    if (!series || !pl_array_grow((void **)&c->rests, &c->cap_rests,
                                  c->num_rests, sizeof *c->rests)) {
        free(series);
        return NULL;
    }
    rest = &c->rests[c->num_rests++];
    *rest = (struct pl_xlsx_rest){ series, 0, column, sum };
    return rest;
}

static enum pl_status keep_rest(struct pl_xlsx_chart *c,
                                const struct ranked *list, uint32_t num,
                                enum pl_xlsx_sum sum,
                                const struct pl_xlsx_plan *plan)
{
    struct pl_xlsx_rest *rest = new_rest(c, num, list->column, sum);

    if (!rest)
        return PL_NOMEM;
    for (uint32_t i = 0; i < num; i++)
        rest->series[rest->num++] =
            series_of(&plan->columns[list[i].column])->column;
    return PL_OK;
}

/* Append lines of one counter's series, at most 'most', and keep the rest. */
static enum pl_status take_counter(struct pl_xlsx_chart *c,
                                   const struct ranked *list, uint32_t all,
                                   uint32_t most,
                                   const struct pl_xlsx_plan *plan)
{
    uint32_t num = 0, kept;
    enum pl_status s = PL_OK;

    while (num < all && !list[num].sum)
        num++;
    if (!num) /* there is nothing but sums */
        num = all;
    kept = num;
    if (num > most) {
        bool added = is_added_up(list, num, plan);

        kept = most - (added ? 1 : 2);
        s = keep_rest(c, list + kept, num - kept,
                      added ? PL_XLSX_SUM : PL_XLSX_MEDIAN, plan);
    }
    for (uint32_t i = 0; i < kept; i++)
        c->columns[c->num++] = list[i].column;
    return s;
}

static uint32_t counter_of_line(const struct pl_xlsx_chart *c, uint32_t line,
                                const struct pl_xlsx_plan *plan)
{
    uint32_t i = 0;

    while (!pl_xlsx_same_counter(&plan->columns[c->columns[i]],
                                 &plan->columns[c->columns[line]]))
        i++;
    return i;
}

/* Sort the lines of a chart; and count its counters. */
static uint32_t rank_lines(struct ranked *list, const struct pl_xlsx_chart *c,
                           const struct pl_xlsx_plan *plan,
                           const double *amounts)
{
    uint32_t counters = 0;

    for (uint32_t i = 0; i < c->num; i++) {
        const struct pl_xlsx_column *at = &plan->columns[c->columns[i]];

        list[i] = (struct ranked){ c->columns[i], counter_of_line(c, i, plan),
                                   is_sum(at->group),
                                   amounts[series_of(at)->column] };
        counters += list[i].counter == i;
    }
    qsort(list, c->num, sizeof *list, by_amount);
    return counters;
}

static enum pl_status shorten_chart(struct pl_xlsx_chart *c,
                                    const struct pl_xlsx_plan *plan,
                                    const double *amounts)
{
    const uint32_t all = c->num;
    struct ranked *list = malloc(all * sizeof *list);
    enum pl_status s = PL_OK;
    uint32_t most, end;

    if (!list)
        return PL_NOMEM;
    most = PL_XLSX_LINES_MOST / rank_lines(list, c, plan, amounts);
    if (most < LINES_LEAST)
        most = LINES_LEAST;
    c->num = 0;
    for (uint32_t i = 0; i < all && !s; i = end) {
        for (end = i + 1; end < all && list[end].counter == list[i].counter;)
            end++;
        s = take_counter(c, list + i, end - i, most, plan);
    }
    free(list);
    return s;
}

enum pl_status pl_xlsx_charts_shorten(struct pl_xlsx_charts *c,
                                      const struct pl_xlsx_plan *plan,
                                      const double *amounts)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < c->num && !s; i++)
        if (c->charts[i].num > PL_XLSX_LINES_MOST)
            s = shorten_chart(&c->charts[i], plan, amounts);
    return s;
}

/* ---- what the sum of all leaves ------------------------------------------ */

/* All lines are of one counter and host, which may be added up. */
static bool has_one_counter(const struct pl_xlsx_chart *c,
                            const struct pl_xlsx_plan *plan)
{
    const struct pl_xlsx_column *first = &plan->columns[c->columns[0]];

    for (uint32_t i = 0; i < c->num; i++) {
        const struct pl_xlsx_column *one = &plan->columns[c->columns[i]];

        if (!pl_xlsx_same_counter(one, first) || is_sum(one->group) ||
            one->group->host != first->group->host || !adds_up(one))
            return false;
    }
    return true;
}

static const struct pl_xlsx_column *total_of(const struct pl_xlsx_plan *plan,
                                             const struct pl_xlsx_column *one)
{
    for (uint32_t i = 0; i < plan->num_columns; i++) {
        const struct pl_xlsx_column *c = &plan->columns[i];

        if (!c->rest && pl_xlsx_same_counter(c, one) &&
            c->group->host == one->group->host && c->group->instance &&
            !strcmp(c->group->instance, "_Total"))
            return c;
    }
    return NULL;
}

static enum pl_status complete(struct pl_xlsx_chart *c,
                               const struct pl_xlsx_plan *plan)
{
    const struct pl_xlsx_column *total =
        total_of(plan, &plan->columns[c->columns[0]]);
    struct pl_xlsx_rest *rest;

    if (!total)
        return PL_OK;
    rest = new_rest(c, c->num + 1, c->columns[0], PL_XLSX_LEFT);
    if (!rest)
        return PL_NOMEM;
    rest->series[rest->num++] = series_of(total)->column;
    for (uint32_t i = 0; i < c->num; i++)
        rest->series[rest->num++] =
            series_of(&plan->columns[c->columns[i]])->column;
    c->labels.instances = true;
    return PL_OK;
}

enum pl_status pl_xlsx_charts_complete(struct pl_xlsx_charts *c,
                                       const struct pl_xlsx_plan *plan)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < c->num && !s; i++) {
        struct pl_xlsx_chart *one = &c->charts[i];
        const struct pl_object_names *o =
            plan->columns[one->columns[0]].group->object;

        if (!one->num_rests && one->num < PL_XLSX_LINES_MOST &&
            !strcmp(o->name, "Process") && has_one_counter(one, plan))
            s = complete(one, plan);
    }
    return s;
}

/* ---- the sheet of what charts show --------------------------------------- */

void pl_xlsx_rest_name(struct pl_buf *out, const struct pl_xlsx_column *c)
{
    static const char *const formats[PL_XLSX_NUM_SUMS] = {
        [PL_XLSX_SUM] = "%" PRIu32 " others",
        [PL_XLSX_MEDIAN] = "median of %" PRIu32 " others",
        [PL_XLSX_P95] = "P95 of %" PRIu32 " others",
        [PL_XLSX_LEFT] = "all others",
    };
    char text[64];

    snprintf(text, sizeof text, formats[c->sum], c->rest->num);
    pl_buf_string(out, text);
}

/* The columns of a chart that are on no sheet yet. */
struct data {
    struct pl_xlsx_column *columns;
    uint32_t num;
    size_t cap;
};

static enum pl_status add_data(struct data *d, struct pl_xlsx_column c)
{
    if (!pl_array_grow((void **)&d->columns, &d->cap, d->num,
                       sizeof *d->columns))
        return PL_NOMEM;
    d->columns[d->num++] = c;
    return PL_OK;
}

static enum pl_status add_rest(struct data *d, struct pl_xlsx_chart *c,
                               const struct pl_xlsx_rest *rest,
                               const struct pl_xlsx_plan *from, uint32_t base)
{
    struct pl_xlsx_column column = from->columns[rest->column];
    enum pl_xlsx_sum last =
        rest->sum == PL_XLSX_MEDIAN ? PL_XLSX_P95 : rest->sum;
    enum pl_status s = PL_OK;

    column.rest = rest;
    for (enum pl_xlsx_sum k = rest->sum; k <= last && !s; k++) {
        column.sum = k;
        s = add_line(c, base + d->num);
        if (!s)
            s = add_data(d, column);
    }
    return s;
}

static enum pl_status move_lines(struct data *d, struct pl_xlsx_chart *c,
                                 const struct pl_xlsx_plan *from, uint32_t base)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < c->num && !s; i++) {
        s = add_data(d, from->columns[c->columns[i]]);
        c->columns[i] = base + d->num - 1;
    }
    return s;
}

enum pl_status pl_xlsx_charts_data(struct pl_xlsx_charts *c,
                                   const struct pl_xlsx_plan *from,
                                   struct pl_xlsx_plan *to,
                                   const char *const *taken)
{
    struct data d = { 0 };
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < c->num && !s; i++) {
        struct pl_xlsx_chart *chart = &c->charts[i];

        if (from != to)
            s = move_lines(&d, chart, from, to->num_columns);
        for (uint32_t k = 0; k < chart->num_rests && !s; k++)
            s = add_rest(&d, chart, &chart->rests[k], from, to->num_columns);
    }
    if (!s && d.num)
        s = pl_xlsx_plan_add(to, PL_XLSX_CHART_DATA, taken, d.columns, d.num);
    free(d.columns);
    return s;
}
