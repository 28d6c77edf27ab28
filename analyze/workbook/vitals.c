/* Statistics of vital series. */
#include "analyze/workbook/vitals.h"

#include "analyze/query/default_series.h"
#include "analyze/amounts/ranking.h"
#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of many hosts, what all of them have, and no parts of a whole. */
static bool is_common(const struct pl_default_series *v, unsigned counter,
                      const struct pl_group *g)
{
    return (!counter || v->form != PL_FORM_STACK) &&
           (v->instance || !g->instance || v->alike);
}

/* Which of a chart's counters a column is of; PL_VITAL_COUNTERS: of none. */
static unsigned counter_at(const struct pl_default_series *v,
                           const struct pl_xlsx_column *c, bool many)
{
    const char *name = c->group->object->counters[c->slot].name;
    unsigned counter = pl_default_series_find(v, c->group->object->name,
                                              c->group->instance, name);

    return !c->rest && !v->busiest && counter < v->in_sheet &&
                   (!many || is_common(v, counter, c->group))
               ? counter
               : PL_VITAL_COUNTERS;
}

static enum pl_status choose_one(struct pl_xlsx_vitals *v,
                                 const struct pl_xlsx_column *c, size_t chart)
{
    if (!pl_array_grow((void **)&v->vitals, &v->cap, v->num, sizeof *v->vitals))
        return PL_NOMEM;
    v->vitals[v->num++] = (struct pl_xlsx_vital){ .column = c, .chart = chart };
    v->places[c->group->series[c->slot].column] = (uint32_t)v->num;
    return PL_OK;
}

/* All series of a counter, or none: of some hosts there is no right median. */
static enum pl_status choose_chart(struct pl_xlsx_vitals *v,
                                   const struct pl_xlsx_plan *plan, size_t k)
{
    size_t num[PL_VITAL_COUNTERS + 1] = { 0 };
    size_t room = PL_XLSX_VITALS_MOST - v->num;
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < plan->num_columns; i++)
        num[counter_at(&pl_vitals[k], &plan->columns[i], v->many)]++;
    num[PL_VITAL_COUNTERS] = 0;
    for (size_t i = 0; i < PL_VITAL_COUNTERS; i++) {
        if (num[i] > room) {
            v->left_out += num[i];
            num[i] = 0;
        }
        room -= num[i];
    }
    for (uint32_t i = 0; i < plan->num_columns && !s; i++)
        if (num[counter_at(&pl_vitals[k], &plan->columns[i], v->many)])
            s = choose_one(v, &plan->columns[i], k);
    return s;
}

enum pl_status pl_xlsx_vitals_choose(struct pl_xlsx_vitals *v,
                                     const struct pl_xlsx_plan *plan,
                                     uint32_t num_columns, uint32_t num_hosts)
{
    enum pl_status s = PL_OK;

    v->many = num_hosts > PL_XLSX_FEW_HOSTS;
    v->num_columns = num_columns;
    v->places = calloc(num_columns + (size_t)1, sizeof *v->places);
    if (!v->places)
        return PL_NOMEM;
    for (size_t k = 0; k < PL_NUM_VITALS && !s; k++)
        s = choose_chart(v, plan, k);
    return s;
}

void pl_xlsx_vitals_release(struct pl_xlsx_vitals *v)
{
    for (size_t i = 0; i < v->num; i++)
        pl_percentiles_release(&v->vitals[i].values);
    free(v->vitals);
    free(v->places);
    *v = (struct pl_xlsx_vitals){ 0 };
}

static enum pl_status add_value(struct pl_xlsx_vital *v,
                                const struct pl_row *row,
                                const struct pl_cell_at *at)
{
    double value, weight = pl_row_weight(row, at);

    if (!pl_value_number(&at->value, &value))
        return PL_OK;
    v->max = v->weight > 0 ? fmax(v->max, value) : value;
    v->sum += value * weight;
    v->weight += weight;
    return pl_percentiles_add(&v->values, value);
}

enum pl_status pl_xlsx_vitals_add(struct pl_xlsx_vitals *v,
                                  const struct pl_row *row)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        uint32_t column = at->group->series[at->slot].column;

        if (column < v->num_columns && v->places[column])
            s = add_value(&v->vitals[v->places[column] - 1], row, at);
    }
    return s;
}

/* ---- lines --------------------------------------------------------------- */

static struct pl_xlsx_vital_line line_of(struct pl_xlsx_vital *v)
{
    struct pl_xlsx_vital_line l = { .column = v->column,
                                    .chart = v->chart,
                                    .has_values = v->weight > 0 };

    if (l.has_values) {
        l.mean = v->sum / v->weight;
        l.p95 = pl_percentiles_at(&v->values, 95).value;
        l.max = v->max;
    }
    return l;
}

/* An interface that did nothing says nothing; a pressure of 0 is good news. */
static bool is_idle(const struct pl_xlsx_vital_line *l)
{
    const struct pl_default_series *v = &pl_vitals[l->chart];

    return !v->instance && !v->alike && l->column->group->instance &&
           l->has_values && l->mean == 0 && l->max == 0;
}

static size_t few_lines(struct pl_xlsx_vitals *v,
                        struct pl_xlsx_vital_line *lines, size_t *zeros)
{
    size_t num = 0;

    for (size_t i = 0; i < v->num; i++) {
        lines[num] = line_of(&v->vitals[i]);
        if (is_idle(&lines[num]))
            ++*zeros;
        else
            num++;
    }
    return num;
}

static int compare_instances(const struct pl_group *a, const struct pl_group *b)
{
    return strcmp(a->instance ? a->instance : "",
                  b->instance ? b->instance : "");
}

/* The order of counters in a chart. */
static unsigned counter_of(const struct pl_xlsx_vital_line *l)
{
    const struct pl_group *g = l->column->group;

    return pl_default_series_find(&pl_vitals[l->chart], g->object->name,
                                  g->instance,
                                  g->object->counters[l->column->slot].name);
}

/* Whether both are of the same series of different hosts; else their order. */
static int compare_series(const struct pl_xlsx_vital_line *a,
                          const struct pl_xlsx_vital_line *b)
{
    unsigned x = counter_of(a), y = counter_of(b);

    if (a->chart != b->chart)
        return a->chart < b->chart ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    return compare_instances(a->column->group, b->column->group);
}

static int by_mean(const void *x, const void *y)
{
    const struct pl_xlsx_vital_line *a = x, *b = y;
    int order = compare_series(a, b);

    if (order)
        return order;
    if (a->mean != b->mean)
        return a->mean > b->mean ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int by_number(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return *a < *b ? -1 : *a > *b;
}

/* The lower one of two in the middle. */
static double median(double *values, size_t num)
{
    qsort(values, num, sizeof *values, by_number);
    return values[(num - 1) / 2];
}

static struct pl_xlsx_vital_line
median_line(const struct pl_xlsx_vital_line *lines, size_t num, double *room)
{
    struct pl_xlsx_vital_line l = lines[0];

    l.num_hosts = (uint32_t)num;
    for (size_t i = 0; i < num; i++)
        room[i] = lines[i].mean;
    l.mean = median(room, num);
    for (size_t i = 0; i < num; i++)
        room[i] = lines[i].p95;
    l.p95 = median(room, num);
    for (size_t i = 0; i < num; i++)
        room[i] = lines[i].max;
    l.max = median(room, num);
    return l;
}

/* Lines of one series of 'num' hosts, the highest first, become these. */
static size_t shorten_lines(struct pl_xlsx_vital_line *to,
                            const struct pl_xlsx_vital_line *lines, size_t num,
                            double *room)
{
    struct pl_xlsx_vital_line middle, lowest = lines[num - 1];

    if (num <= PL_XLSX_FEW_HOSTS) {
        memmove(to, lines, num * sizeof *to);
        return num;
    }
    middle = median_line(lines, num, room);
    memmove(to, lines, PL_XLSX_HIGHEST_HOSTS * sizeof *to);
    to[PL_XLSX_HIGHEST_HOSTS] = middle;
    to[PL_XLSX_HIGHEST_HOSTS + 1] = lowest;
    return PL_XLSX_HIGHEST_HOSTS + 2;
}

static size_t many_lines(struct pl_xlsx_vitals *v,
                         struct pl_xlsx_vital_line *lines, double *room)
{
    size_t all = 0, num = 0;

    for (size_t i = 0; i < v->num; i++) {
        lines[all] = line_of(&v->vitals[i]);
        all += lines[all].has_values;
    }
    qsort(lines, all, sizeof *lines, by_mean);
    for (size_t i = 0, end; i < all; i = end) {
        for (end = i + 1; end < all && !compare_series(&lines[i], &lines[end]);)
            end++;
        num += shorten_lines(&lines[num], &lines[i], end - i, room);
    }
    return num;
}

struct pl_xlsx_vital_line *pl_xlsx_vitals_lines(struct pl_xlsx_vitals *v,
                                                size_t *num, size_t *zeros)
{
    struct pl_xlsx_vital_line *lines = malloc((v->num + 1) * sizeof *lines);
    double *room = malloc((v->num + 1) * sizeof *room);

    *num = *zeros = 0;
    if (!lines || !room) {
        free(lines);
        lines = NULL;
    } else {
        *num =
            v->many ? many_lines(v, lines, room) : few_lines(v, lines, zeros);
    }
    free(room);
    return lines;
}
