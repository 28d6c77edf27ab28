/* Gathers the curves of two windows. */
#include "analyze/compare/compare_curves.h"

#include <stdlib.h>

static uint64_t length_of(const struct pl_compared_window *w)
{
    return w->last_ns > w->first_ns
               ? (uint64_t)w->last_ns - (uint64_t)w->first_ns
               : 0;
}

/* The log's word for it, unless its rows are rarer. */
static uint64_t interval_of(const struct pl_compared_window *w)
{
    uint64_t mean = w->rows > 1 ? length_of(w) / (w->rows - 1) : 0;

    return mean / 3 > w->interval_ns / 2 ? mean : w->interval_ns;
}

/*
 * A point has a sample of each window, so it is no shorter than an interval of
 * either.
 */
static void set_points(struct pl_curves *c)
{
    const struct pl_compared_window *w = c->comparison->windows;
    uint64_t length = 0;

    c->step_ns = 1;
    for (int i = 0; i < PL_SIDES; i++) {
        if (length_of(&w[i]) > length)
            length = length_of(&w[i]);
        if (interval_of(&w[i]) > c->step_ns)
            c->step_ns = interval_of(&w[i]);
    }
    c->interval_ns = c->step_ns;
    if (length / c->step_ns >= PL_CURVE_POINTS - 1)
        c->step_ns = length / (PL_CURVE_POINTS - 1) + 1;
    c->num_points = (size_t)(length / c->step_ns) + 2;
}

static size_t number_to_draw(const struct pl_comparison *c)
{
    size_t num =
        c->unusual > PL_CURVES_LEAST ? c->unusual : (size_t)PL_CURVES_LEAST;

    if (num > PL_CURVES_MOST)
        num = PL_CURVES_MOST;
    return num < c->num ? num : c->num;
}

enum pl_status pl_curves_start(struct pl_curves *c,
                               const struct pl_comparison *comparison)
{
    *c = (struct pl_curves){ .comparison = comparison,
                             .num = number_to_draw(comparison) };
    set_points(c);
    c->points =
        calloc(PL_SIDES * c->num * c->num_points + 1, sizeof *c->points);
    return c->points ? PL_OK : PL_NOMEM;
}

void pl_curves_release(struct pl_curves *c)
{
    free(c->points);
    *c = (struct pl_curves){ 0 };
}

static struct pl_curve_point *
points_of(const struct pl_curves *c, enum pl_compare_side side, size_t series)
{
    return &c->points[((size_t)side * c->num + series) * c->num_points];
}

const struct pl_curve_point *pl_curve(const struct pl_curves *c,
                                      enum pl_compare_side side, size_t series)
{
    return points_of(c, side, series);
}

struct drawing {
    struct pl_curves *curves;
    enum pl_compare_side side;
};

/* Its number is in pl_series.column; PL_NO_COLUMN: not looked for yet. */
static size_t series_at(const struct drawing *d, const struct pl_cell_at *cell)
{
    struct pl_series *series = &cell->group->series[cell->slot];
    const struct pl_comparison *c = d->curves->comparison;

    if (series->column == PL_NO_COLUMN) {
        series->column = 0;
        while (series->column < d->curves->num &&
               !pl_compared_is(c, &c->series[series->column], cell))
            series->column++;
    }
    return series->column;
}

static void add_to_point(struct pl_curve_point *p, double value, double weight)
{
    if (p->weight == 0 || value < p->min)
        p->min = value;
    if (p->weight == 0 || value > p->max)
        p->max = value;
    p->sum += value * weight;
    p->weight += weight;
}

static enum pl_status draw_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    const struct drawing *d = ctx;
    const struct pl_curves *c = d->curves;
    int64_t first_ns = c->comparison->windows[d->side].first_ns;
    uint64_t after_ns = (uint64_t)row->time_ns - (uint64_t)first_ns;
    size_t point = (size_t)((after_ns + c->step_ns / 2) / c->step_ns);

    (void)e;
    if (row->time_ns < first_ns || point >= c->num_points)
        return PL_OK; /* it was not there when the window was measured */
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        size_t series = series_at(d, cell);
        double number;

        if (series < c->num && pl_compared_number(&cell->value, &number))
            add_to_point(&points_of(c, d->side, series)[point], number,
                         pl_row_weight(row, cell));
    }
    return PL_OK;
}

enum pl_status pl_curves_gather(struct pl_curves *c, enum pl_compare_side side,
                                struct pl_query *e)
{
    struct drawing d = { c, side };
    const struct pl_rows rows = { draw_row, NULL, &d };
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = pl_query_rows(e, &rows);
    pl_query_stop(e);
    e->losses = (struct pl_replay_losses){ 0 };
    return s;
}
