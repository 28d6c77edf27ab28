/* Chooses the charts of a report, and the series that have lines in them. */
#include "analyze/report/charts.h"
#include "analyze/report/chart_form.h"

#include "analyze/calc/calc.h"
#include "analyze/amounts/ranking.h"
#include "format/base/array.h"
#include "format/time/time_text.h"

#include <stdlib.h>
#include <string.h>

/* Instead of the index of a default series: not one; selected by the user. */
enum { NOT_VITAL = PL_NUM_VITALS, CHOSEN };

struct pl_ranked {
    struct pl_group *group;
    uint32_t slot;
    uint32_t vital; /* which default series, */
    /* and index of its counter; if selected by the user, the slot */
    uint32_t place;
    uint32_t host; /* rank of the group's host */
    bool is_total; /* of other instances, or of an object without any */
    struct pl_score busy;
    double score; /* of the instance, over all its counters */
};

/* ---- ranking ------------------------------------------------------------- */

/* The axis of the row's host, made if there is none; NULL: no memory. */
static struct pl_axis *make_axis(struct pl_charts *c, const struct pl_row *row)
{
    uint32_t rank = row->host->rank;

    if (!pl_array_grow((void **)&c->axes, &c->cap_axes, rank, sizeof *c->axes))
        return NULL;
    while (c->num_axes <= rank)
        c->axes[c->num_axes++] = (struct pl_axis){ 0 };
    return &c->axes[rank];
}

static const char *counter_of(const struct pl_ranked *r)
{
    return r->group->object->counters[r->slot].name;
}

static void find_vital(struct pl_ranked *r)
{
    while (r->vital < PL_NUM_VITALS) {
        r->place =
            pl_default_series_find(&pl_vitals[r->vital], r->group->object->name,
                                   r->group->instance, counter_of(r));
        if (r->place < PL_VITAL_COUNTERS)
            return;
        r->vital++;
    }
}

static bool is_total(const struct pl_group *g)
{
    return !g->instance || pl_ranking_excludes(g->object->name, g->instance);
}

/*
 * Until columns are numbered by lines, a series' column is its place in
 * c->ranked.
 */
static struct pl_ranked *ranked_of(struct pl_charts *c,
                                   const struct pl_cell_at *cell)
{
    struct pl_series *series = &cell->group->series[cell->slot];
    struct pl_ranked *r;

    if (series->column < c->num_ranked)
        return &c->ranked[series->column];
    if (!pl_array_grow((void **)&c->ranked, &c->cap_ranked, c->num_ranked,
                       sizeof *c->ranked))
        return NULL;
    series->column = (uint32_t)c->num_ranked;
    r = &c->ranked[c->num_ranked++];
    *r = (struct pl_ranked){ .group = cell->group,
                             .slot = cell->slot,
                             .host = cell->group->host->rank,
                             .is_total = is_total(cell->group) };
    if (c->chosen) {
        r->vital = CHOSEN;
        r->place = cell->slot;
    } else {
        find_vital(r);
    }
    return r;
}

enum pl_status pl_charts_rank(struct pl_charts *c, const struct pl_row *row)
{
    struct pl_axis *axis;

    if (!row->num_cells)
        return PL_OK;
    axis = make_axis(c, row);
    if (!axis || pl_axis_add(axis, row->time_ns, row->interval_ns))
        return PL_NOMEM;
    for (size_t i = 0; i < row->num_cells; i++) {
        struct pl_ranked *r = ranked_of(c, &row->cells[i]);

        if (!r)
            return PL_NOMEM;
        pl_score_add(&r->busy, c->way, row, &row->cells[i]);
    }
    return PL_OK;
}

bool pl_charts_any(const struct pl_charts *c)
{
    bool any = false;

    for (size_t i = 0; i < c->num_ranked && !any; i++)
        any = c->ranked[i].busy.any && c->ranked[i].vital != NOT_VITAL;
    return any;
}

/* ---- selecting ----------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Series that are drawn in one chart are equal. */
static int by_chart(const struct pl_ranked *a, const struct pl_ranked *b)
{
    int d = compare(a->vital, b->vital);

    if (!d && a->vital == CHOSEN) {
        d = compare(a->group->object->rank, b->group->object->rank);
        d = d ? d : compare(a->place, b->place);
    }
    return d ? d : compare(a->host, b->host);
}

static int by_instance(const struct pl_ranked *a, const struct pl_ranked *b)
{
    const char *x = a->group->instance ? a->group->instance : "";
    const char *y = b->group->instance ? b->group->instance : "";
    int d = a->group == b->group ? 0 : pl_natural_compare(x, y);

    return d || a->group == b->group ? d : strcmp(x, y);
}

static int by_chart_and_instance(const void *x, const void *y)
{
    int d = by_chart(x, y);

    return d ? d : by_instance(x, y);
}

/* Totals first, then the busiest. */
static int in_order(const void *x, const void *y)
{
    const struct pl_ranked *a = x, *b = y;
    int d = by_chart(a, b);

    d = d ? d : b->is_total - a->is_total;
    d = d ? d : (a->score < b->score) - (a->score > b->score);
    d = d ? d : by_instance(a, b);
    return d ? d : compare(a->place, b->place);
}

/* Drop series without a value or a chart. */
static void drop_undrawn(struct pl_charts *c)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->num_ranked; i++) {
        struct pl_ranked *r = &c->ranked[i];

        r->group->series[r->slot].column = PL_NO_COLUMN;
        if (r->busy.any && r->vital != NOT_VITAL)
            c->ranked[kept++] = *r;
    }
    c->num_ranked = kept;
}

/* The first series after 'i' for which 'differ' is true. */
static size_t end_of_run(const struct pl_charts *c, size_t i,
                         int (*differ)(const void *, const void *))
{
    size_t end = i + 1;

    while (end < c->num_ranked && !differ(&c->ranked[i], &c->ranked[end]))
        end++;
    return end;
}

static const struct pl_default_series *vital_of(const struct pl_ranked *r)
{
    return r->vital < PL_NUM_VITALS ? &pl_vitals[r->vital] : NULL;
}

static bool has_form(const struct pl_default_series *v, enum pl_chart_form form)
{
    return v && v->form == form;
}

/* How busy an instance is in a chart: all its counters there together. */
static void score(struct pl_charts *c)
{
    for (size_t i = 0, end; i < c->num_ranked; i = end) {
        double sum = 0;

        end = end_of_run(c, i, by_chart_and_instance);
        for (size_t k = i; k < end; k++)
            sum += pl_score_of(&c->ranked[k].busy, c->way);
        if (vital_of(&c->ranked[i]) && vital_of(&c->ranked[i])->least)
            sum = -sum;
        if (has_form(vital_of(&c->ranked[i]), PL_FORM_HEAT))
            sum = 0; /* in order of their names */
        for (size_t k = i; k < end; k++)
            c->ranked[k].score = sum;
    }
}

static enum pl_status add_line(struct pl_charts *c,
                               const struct pl_group *group, uint32_t slot)
{
    struct pl_chart *chart = &c->charts[c->num_charts];

    if (!pl_array_grow((void **)&c->lines, &c->cap_lines, c->num_lines,
                       sizeof *c->lines))
        return PL_NOMEM;
    c->lines[c->num_lines++] =
        (struct pl_chart_line){ .group = group, .slot = slot };
    chart->num++;
    return PL_OK;
}

/* A sum means nothing of instances that contain others, or as a shade. */
static bool adds_up(const struct pl_ranked *r)
{
    const struct pl_counter_names *n = &r->group->object->counters[r->slot];
    const struct pl_default_series *v = vital_of(r);
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(n->type, n->size, &scratch);

    return f && pl_formula_adds_up(f) && !has_form(v, PL_FORM_HEAT) &&
           !(v && v->nested);
}

/* The line of the other instances of a counter, made if there is none. */
static enum pl_status others_line(struct pl_charts *c,
                                  const struct pl_ranked *r, uint32_t *line)
{
    struct pl_chart *chart = &c->charts[c->num_charts];

    *line = PL_NO_OTHER;
    if (!adds_up(r))
        return PL_OK;
    chart->added_up = true;
    *line = chart->first;
    while (*line < c->num_lines &&
           (c->lines[*line].group || c->lines[*line].slot != r->slot))
        (*line)++;
    return *line < c->num_lines ? PL_OK : add_line(c, NULL, r->slot);
}

/* Note a series without a line of its own. */
static enum pl_status join_others(struct pl_charts *c,
                                  const struct pl_ranked *r)
{
    uint32_t line;

    if (c->num_others >= UINT32_MAX - PL_CHART_FIRST_OTHER)
        return PL_OK;
    if (others_line(c, r, &line) ||
        !pl_array_grow((void **)&c->others, &c->cap_others, c->num_others,
                       sizeof *c->others))
        return PL_NOMEM;
    r->group->series[r->slot].column =
        PL_CHART_FIRST_OTHER + (uint32_t)c->num_others;
    c->others[c->num_others++] = (struct pl_other_series){
        .group = r->group, .slot = r->slot, .chart = c->num_charts, .line = line
    };
    return PL_OK;
}

/* Instances of a host in one chart that have lines of their own. */
static uint32_t most_instances(const struct pl_charts *c,
                               const struct pl_ranked *r)
{
    enum { FULL_HOSTS = 4, LEAST = 3 };
    uint32_t share = (uint32_t)(c->top * FULL_HOSTS / c->num_axes);

    if (has_form(vital_of(r), PL_FORM_HEAT))
        return PL_CHART_INSTANCES_MOST;
    if (c->num_axes <= FULL_HOSTS || c->top <= LEAST)
        return c->top;
    return share < LEAST ? LEAST : share;
}

static enum pl_status add_instance(struct pl_charts *c, size_t first,
                                   size_t end, uint32_t *shown)
{
    /* Totals come first. */
    bool other = *shown == most_instances(c, &c->ranked[first]);
    enum pl_status s = PL_OK;

    for (size_t i = first; i < end && !s; i++) {
        struct pl_ranked *r = &c->ranked[i];

        if (other) {
            s = join_others(c, r);
            continue;
        }
        r->group->series[r->slot].column = c->num_lines;
        s = add_line(c, r->group, r->slot);
    }
    c->charts[c->num_charts].others += other;
    *shown += !other && !c->ranked[first].is_total;
    return s;
}

/* Series of totals, which come first and are never left out of a chart. */
static size_t num_totals(const struct pl_charts *c, size_t first, size_t end)
{
    size_t num = 0;

    while (first + num < end && c->ranked[first + num].is_total)
        num++;
    return num;
}

static bool has_room(const struct pl_charts *c, size_t first, size_t end)
{
    /* Totals; those at the top and the others, of each counter. */
    uint64_t most = num_totals(c, first, end) +
                    ((uint64_t)most_instances(c, &c->ranked[first]) + 1) *
                        PL_VITAL_COUNTERS;
    uint64_t hosts =
        c->num_axes < PL_CHART_HOSTS ? c->num_axes : PL_CHART_HOSTS;

    return c->num_charts < hosts * PL_CHARTS_MOST &&
           c->num_lines + (most < end - first ? most : end - first) <=
               hosts * PL_CHART_LINES_MOST;
}

/* Charts of one content follow each other. */
static enum pl_status leave_out(struct pl_charts *c,
                                const struct pl_chart *chart, size_t series)
{
    size_t num = c->num_missing;

    c->left_out += series;
    if (num && pl_charts_share(&c->missing[num - 1].chart, chart)) {
        c->missing[num - 1].hosts++;
        return PL_OK;
    }
    if (!pl_array_grow((void **)&c->missing, &c->cap_missing, num,
                       sizeof *c->missing))
        return PL_NOMEM;
    c->missing[c->num_missing++] = (struct pl_missing_chart){ *chart, 1 };
    return PL_OK;
}

/* Add a chart of the series [first, end), if there is room for it. */
static enum pl_status add_chart(struct pl_charts *c, size_t first, size_t end)
{
    const struct pl_ranked *r = &c->ranked[first];
    const struct pl_chart empty = { .vital = vital_of(r),
                                    .host = r->group->host,
                                    .object = r->group->object,
                                    .slot = r->slot,
                                    .first = c->num_lines };
    struct pl_chart *chart;
    uint32_t shown = 0;
    enum pl_status s = PL_OK;

    if (!has_room(c, first, end))
        return leave_out(c, &empty, end - first);
    if (!pl_array_grow((void **)&c->charts, &c->cap_charts, c->num_charts,
                       sizeof *c->charts))
        return PL_NOMEM;
    chart = &c->charts[c->num_charts];
    *chart = empty;
    for (size_t i = first, next; i < end && !s; i = next) {
        next = end_of_run(c, i, by_chart_and_instance);
        if (next - i > chart->counters)
            chart->counters = (uint32_t)(next - i);
        chart->instances++;
        s = add_instance(c, i, next, &shown);
    }
    c->num_charts++;
    return s;
}

static enum pl_status make_points(struct pl_charts *c, struct pl_chart *chart)
{
    size_t num = pl_chart_axis(c, chart)->num;

    for (uint32_t k = 0; k < chart->num; k++) {
        struct pl_chart_line *line = &c->lines[chart->first + k];

        line->points = calloc(num, sizeof *line->points);
        if (!line->points)
            return PL_NOMEM;
    }
    return pl_chart_ranks_others(chart) ? pl_largest_start(&chart->largest, num)
                                        : PL_OK;
}

enum { POINTS_LEAST = 400 };

/* What so many hosts leave for each of their axes. */
static size_t share_of_hosts(const struct pl_charts *c)
{
    enum { FULL_HOSTS = 2 };
    size_t share = (size_t)PL_AXIS_POINTS * FULL_HOSTS / c->num_axes;

    return share > PL_AXIS_POINTS ? PL_AXIS_POINTS
           : share < POINTS_LEAST ? POINTS_LEAST
                                  : share;
}

/*
 * Buckets have three values for each line, which a page has room for: about
 * 250000 of a host, a megabyte and a half.
 */
static size_t share_of_lines(const struct pl_charts *c)
{
    enum { VALUES_MOST = 250000, OF_BUCKET = 3 };
    uint64_t values = 1;

    for (uint32_t i = 0; i < c->num_charts; i++)
        values += (uint64_t)c->charts[i].num *
                  (has_form(c->charts[i].vital, PL_FORM_HEAT) ? 1 : OF_BUCKET);
    values = VALUES_MOST * (uint64_t)c->num_axes / values;
    return values < POINTS_LEAST ? POINTS_LEAST : (size_t)values;
}

static enum pl_status end_axes(struct pl_charts *c)
{
    const size_t of_hosts = share_of_hosts(c), of_lines = share_of_lines(c);

    for (size_t i = 0; i < c->num_axes; i++) {
        struct pl_axis *a = &c->axes[i];
        bool fewer = a->crowded && of_lines < of_hosts;

        if (pl_axis_end(a, fewer ? of_lines : of_hosts))
            return PL_NOMEM;
    }
    return PL_OK;
}

enum pl_status pl_charts_choose(struct pl_charts *c)
{
    enum pl_status s = PL_OK;

    drop_undrawn(c);
    if (!c->num_ranked)
        return c->num_axes ? end_axes(c) : PL_OK;
    qsort(c->ranked, c->num_ranked, sizeof *c->ranked, by_chart_and_instance);
    score(c);
    qsort(c->ranked, c->num_ranked, sizeof *c->ranked, in_order);
    for (size_t i = 0, end; i < c->num_ranked && !s; i = end) {
        end = i + 1;
        while (end < c->num_ranked && !by_chart(&c->ranked[i], &c->ranked[end]))
            end++;
        s = add_chart(c, i, end);
    }
    free(c->ranked);
    c->ranked = NULL;
    c->num_ranked = c->cap_ranked = 0;
    s = s ? s : end_axes(c);
    for (uint32_t i = 0; i < c->num_charts && !s; i++)
        s = make_points(c, &c->charts[i]);
    return s;
}
