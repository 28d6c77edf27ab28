/* Draws the lines of charts: envelopes of rows. */
#include "analyze/report/charts.h"

#include "analyze/amounts/ranking.h"
#include "format/time/time_text.h"

#include <math.h>
#include <stdlib.h>

void pl_charts_release(struct pl_charts *c)
{
    for (size_t i = 0; i < c->num_axes; i++)
        pl_axis_release(&c->axes[i]);
    for (uint32_t i = 0; i < c->num_lines; i++)
        free(c->lines[i].points);
    for (uint32_t i = 0; i < c->num_charts; i++)
        pl_largest_release(&c->charts[i].largest);
    free(c->axes);
    free(c->charts);
    free(c->missing);
    free(c->lines);
    free(c->others);
    free(c->ranked);
    *c = (struct pl_charts){ 0 };
}

/* ---- values -------------------------------------------------------------- */

/* The seconds that cells of a row cover: of those that are paired, or not. */
static double seconds_of(const struct pl_row *row, bool paired)
{
    const struct pl_cell_at cell = { .paired = paired };

    return pl_row_weight(row, &cell) / (double)PL_NS_PER_SEC;
}

static void add_to_point(struct pl_chart_point *p, double value, double seconds)
{
    if (p->seconds == 0 || value < p->min)
        p->min = value;
    if (p->seconds == 0 || value > p->max)
        p->max = value;
    p->sum += value * seconds;
    p->seconds += seconds;
}

double pl_chart_mean(const struct pl_chart_point *p)
{
    /* Sums are rounded; the mean is kept between the extremes. */
    return fmin(fmax(p->sum / p->seconds, p->min), p->max);
}

/* ---- drawing ------------------------------------------------------------- */

const struct pl_axis *pl_chart_axis(const struct pl_charts *c,
                                    const struct pl_chart *chart)
{
    return &c->axes[chart->host->rank];
}

static void draw(struct pl_chart_line *line, size_t point, int64_t time_ns,
                 double value, double seconds)
{
    if (line->all.seconds == 0 || value > line->all.max)
        line->peak_ns = time_ns;
    if (line->all.seconds == 0 || time_ns > line->last_ns)
        line->last_ns = time_ns;
    add_to_point(&line->all, value, seconds);
    add_to_point(&line->points[point], value, seconds);
}

/* Add a value to the line of a sum, for the current row. */
static void add_up(struct pl_chart_line *line, double value, double seconds)
{
    line->row.any = true;
    line->row.sum += value;
    if (seconds > line->row.seconds)
        line->row.seconds = seconds;
}

static void add_cell(struct pl_charts *c, uint32_t column, size_t point,
                     int64_t time_ns, double value, double seconds)
{
    struct pl_other_series *other;
    struct pl_chart *chart;

    if (column < PL_CHART_FIRST_OTHER) {
        draw(&c->lines[column], point, time_ns, value, seconds);
        return;
    }
    other = &c->others[column - PL_CHART_FIRST_OTHER];
    chart = &c->charts[other->chart];
    if (other->line != PL_NO_OTHER)
        add_up(&c->lines[other->line], value, seconds);
    if (!pl_chart_ranks_others(chart))
        return;
    if (chart->largest.point != point)
        pl_largest_move(&chart->largest, c->others, point);
    pl_largest_add(&chart->largest, c->others, column - PL_CHART_FIRST_OTHER,
                   value, seconds);
}

/* The point of a row, marked as shown; PL_AXIS_NONE: it has none. */
static size_t meet(struct pl_axis *axis, const struct pl_row *row)
{
    size_t point = pl_axis_meet(axis, row->time_ns);
    uint64_t ns = row->length_ns ? row->length_ns : row->interval_ns;

    if (point != PL_AXIS_NONE)
        pl_axis_lengthen(axis, point, row->time_ns,
                         (double)ns / (double)PL_NS_PER_SEC);
    return point;
}

void pl_charts_add(struct pl_charts *c, const struct pl_row *row)
{
    const double seconds[2] = { seconds_of(row, false), seconds_of(row, true) };
    double value;
    size_t point;

    if (!row->num_cells || row->host->rank >= c->num_axes)
        return;
    point = meet(&c->axes[row->host->rank], row);
    for (size_t i = 0; i < row->num_cells && point != PL_AXIS_NONE; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        uint32_t column = cell->group->series[cell->slot].column;

        if (column == PL_NO_COLUMN || !pl_value_number(&cell->value, &value))
            continue;
        add_cell(c, column, point, row->time_ns, value, seconds[cell->paired]);
    }
}

/* Draw the lines of sums, which are the last ones of their chart. */
static void draw_sums(struct pl_charts *c, const struct pl_chart *chart,
                      int64_t time_ns)
{
    size_t point = pl_axis_find(pl_chart_axis(c, chart), time_ns);

    for (uint32_t k = chart->num; k-- && !c->lines[chart->first + k].group;) {
        struct pl_chart_line *line = &c->lines[chart->first + k];

        if (line->row.any && point != PL_AXIS_NONE)
            draw(line, point, time_ns, line->row.sum, line->row.seconds);
        line->row.any = false;
        line->row.sum = line->row.seconds = 0;
    }
}

void pl_charts_end_time(struct pl_charts *c, int64_t time_ns)
{
    for (uint32_t i = 0; i < c->num_charts; i++)
        draw_sums(c, &c->charts[i], time_ns);
}

enum pl_status pl_charts_end(struct pl_charts *c)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < c->num_charts && !s; i++)
        if (pl_chart_ranks_others(&c->charts[i]))
            s = pl_largest_end(&c->charts[i].largest, c->others,
                               pl_chart_axis(c, &c->charts[i])->seconds);
    return s;
}
