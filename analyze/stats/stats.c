/* Sums over the values of each series. */
#include "analyze/stats/stats.h"
#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>

const unsigned pl_stats_percents[PL_STATS_PERCENTS] = { 50, 90, 95, 99 };

const struct pl_stats_figure pl_stats_figures[PL_STATS_FIGURES] = {
    { "Min", "min" }, { "Mean", "mean" }, { "Std Dev", "stddev" },
    { "P50", "p50" }, { "P90", "p90" },   { "P95", "p95" },
    { "P99", "p99" }, { "Max", "max" },
};

void pl_stats_release(struct pl_stats *t)
{
    for (size_t i = 0; i < t->num; i++)
        pl_percentiles_release(&t->stats[i].quantiles);
    free(t->stats);
    *t = (struct pl_stats){ 0 };
}

/* ---- values -------------------------------------------------------------- */

/*
 * Sums of squares and of values would cancel each other out where the mean is
 * far from 0, so mean and deviation are corrected value by value (B.  Welford
 * 1962, with weights D.  West 1979), and relative to the first value, as a mean
 * of large numbers has no digits left for small corrections.
 */
static void weigh(struct pl_stat *s, double value, double weight)
{
    double at = value - s->origin, off = at - s->mean;

    s->weight += weight;
    s->mean += off * (weight / s->weight);
    s->squares += weight * off * (at - s->mean);
}

static enum pl_status add_value(struct pl_stat *s, double value, double weight,
                                int64_t time_ns)
{
    enum pl_status status = pl_percentiles_add(&s->quantiles, value);

    if (status)
        return status;
    if (!s->num)
        s->origin = s->min = value;
    if (value < s->min)
        s->min = value;
    if (!s->num || value > s->max) {
        s->max = value;
        s->peak_ns = time_ns;
    }
    s->num++;
    weigh(s, value, weight);
    return PL_OK;
}

static enum pl_status add_cell(struct pl_stat *s, const struct pl_cell_at *cell,
                               const struct pl_row *row)
{
    const struct pl_value *v = &cell->value;
    double number =
        v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;

    if (!pl_cell_has_value(v->cell)) {
        s->blanks[v->cell]++;
        return PL_OK;
    }
    if (v->kind != PL_VALUE_INTEGER && v->kind != PL_VALUE_DOUBLE)
        return PL_OK;
    if (!isfinite(number))
        return PL_OK;
    return add_value(s, number, pl_row_weight(row, cell), row->time_ns);
}

/* ---- series -------------------------------------------------------------- */

static struct pl_stat *make_stat(struct pl_stats *t,
                                 const struct pl_cell_at *cell)
{
    if (!pl_array_grow((void **)&t->stats, &t->cap, t->num, sizeof *t->stats))
        return NULL;
    cell->group->series[cell->slot].column = (uint32_t)t->num;
    t->stats[t->num] =
        (struct pl_stat){ .group = cell->group, .slot = cell->slot };
    return &t->stats[t->num++];
}

enum pl_status pl_stats_add(struct pl_stats *t, const struct pl_row *row)
{
    enum pl_status status = PL_OK;

    for (size_t i = 0; i < row->num_cells && !status; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        uint32_t place = cell->group->series[cell->slot].column;
        struct pl_stat *s =
            place < t->num ? &t->stats[place] : make_stat(t, cell);

        status = s ? add_cell(s, cell, row) : PL_NOMEM;
    }
    return status;
}

static int by_column(const void *x, const void *y)
{
    const struct pl_stat *a = x, *b = y;
    uint32_t i = a->group->series[a->slot].column;
    uint32_t k = b->group->series[b->slot].column;

    return (i > k) - (i < k);
}

enum pl_status pl_stats_sort(struct pl_stats *t, struct pl_registry *registry)
{
    struct pl_group **groups;
    size_t num_groups;
    uint32_t num_columns;
    enum pl_status s;

    for (size_t i = 0; i < t->num; i++) /* vanished ones included */
        t->stats[i].group->series[t->stats[i].slot].present = true;
    s = pl_registry_columns(registry, &groups, &num_groups, &num_columns);
    if (s)
        return s;
    free(groups);
    if (t->num)
        qsort(t->stats, t->num, sizeof *t->stats, by_column);
    return PL_OK;
}

/* ---- results ------------------------------------------------------------- */

uint64_t pl_stat_blanks(const struct pl_stat *s)
{
    uint64_t sum = 0;

    for (int i = 0; i < PL_STATS_BLANKS; i++)
        sum += s->blanks[i];
    return sum;
}

double pl_stat_mean(const struct pl_stat *s)
{
    return s->origin + s->mean;
}

double pl_stat_deviation(const struct pl_stat *s)
{
    return sqrt(s->squares / s->weight);
}

struct pl_stat_figures pl_stat_figures(struct pl_stat *s)
{
    struct pl_stat_figures f = { .of = { s->min, pl_stat_mean(s),
                                         pl_stat_deviation(s) } };

    for (int i = 0; i < PL_STATS_PERCENTS; i++) {
        struct pl_percentile q =
            pl_percentiles_at(&s->quantiles, pl_stats_percents[i]);

        f.of[3 + i] = q.value;
        if (q.rank_error > f.rank_error)
            f.rank_error = q.rank_error;
    }
    f.of[PL_STATS_FIGURES - 1] = s->max;
    return f;
}
