/*                                                  analyze/report/charts.h
 * The charts of a report: their lines, as envelopes: minimum, mean and maximum
 * at each point of time, so that the shortest spike stays visible.  Memory
 * grows with the number of series, not of rows.
 *
 * All rows are needed twice: first to rank the series, then, when these are
 * selected and numbered, to draw them.
 */
#ifndef PL_ANALYZE_REPORT_CHARTS_H
#define PL_ANALYZE_REPORT_CHARTS_H

#include "analyze/report/chart_axis.h"
#include "analyze/report/largest.h"
#include "analyze/replay/replay.h"
#include "analyze/series/series_filter.h"
#include "analyze/series/series_registry.h"
#include "analyze/query/default_series.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of each host, as far as there are at most PL_CHART_HOSTS; more share what so
 * many have.  The more hosts, the fewer points a line has and the fewer
 * instances a chart has of each: a page of many hosts is for comparing them.
 */
enum {
    PL_CHARTS_MOST = 48,
    PL_CHART_LINES_MOST = 480, /* lines of all charts; at most 64 kB each */
    PL_CHART_HOSTS = 16,
    PL_CHART_INSTANCES_MOST = 128, /* in a chart of colours */
};

/*
 * The column of a series is the number of its line, else from here on its place
 * in pl_charts.others.
 */
enum { PL_CHART_FIRST_OTHER = PL_CHART_LINES_MOST * PL_CHART_HOSTS };

/* The values at a point of time. */
struct pl_chart_point {
    double min, max;
    double sum, seconds; /* sum of value times length; seconds 0: no value */
};

struct pl_chart_line {
    const struct pl_group *group; /* NULL: the other instances, added up */
    uint32_t slot;
    struct pl_chart_point *points; /* by axis of the chart */
    struct pl_chart_point all;     /* of all points together */
    int64_t peak_ns;               /* row time of the first greatest value */
    int64_t last_ns;               /* the last row time with a value */
    struct {
        bool any;
        double sum, seconds;
    } row; /* the current row, if instances are added up */
};

/* A chart of one host.  Those of other hosts with the same content follow it. */
struct pl_chart {
    const struct pl_default_series
        *vital; /* NULL: a counter that the user selected */
    const struct pl_host *host;
    const struct pl_object_names *object;
    uint32_t slot;       /* slot of the first line */
    uint32_t first, num; /* range of its lines */
    uint32_t instances, counters;
    uint32_t others;           /* instances without a line of their own, */
    bool added_up;             /* which share one line */
    struct pl_largest largest; /* of them */
};

/*
 * Its page has the largest of those without a line for each part of the time;
 * but not where those with the least matter, as of free space.
 */
static inline bool pl_chart_ranks_others(const struct pl_chart *c)
{
    return c->others && !(c->vital && c->vital->least);
}

/* A content of which some hosts have no chart, because there are too many. */
struct pl_missing_chart {
    struct pl_chart chart; /* of the first of them, without lines */
    uint32_t hosts;
};

struct pl_ranked; /* a series before the selection */

struct pl_charts {
    /* set by the caller, the rest zero */
    /* the user selected series; else the default ones */
    bool chosen;
    uint32_t top;            /* most instances in a chart */
    enum pl_ranking_way way; /* how the busiest are found */

    struct pl_axis *axes; /* by rank of hosts */
    size_t num_axes, cap_axes;
    struct pl_chart *charts; /* by content, then by host */
    uint32_t num_charts;
    size_t cap_charts;
    struct pl_chart_line *lines; /* chart by chart */
    uint32_t num_lines;
    size_t cap_lines;
    struct pl_missing_chart *missing; /* in the order of charts */
    size_t num_missing, cap_missing;
    uint64_t left_out; /* series of missing charts */
    struct pl_ranked *ranked;
    size_t num_ranked, cap_ranked;
    struct pl_other_series *others;
    size_t num_others, cap_others;
};

void pl_charts_release(struct pl_charts *c);

/* First pass.  PL_NOMEM. */
enum pl_status pl_charts_rank(struct pl_charts *c, const struct pl_row *row);

/* After the first pass: true if a series has a value. */
bool pl_charts_any(const struct pl_charts *c);

/* Between the passes.  PL_NOMEM. */
enum pl_status pl_charts_choose(struct pl_charts *c);

/* Second pass; pl_charts_end_time after all hosts' rows of a time. */
void pl_charts_add(struct pl_charts *c, const struct pl_row *row);
void pl_charts_end_time(struct pl_charts *c, int64_t time_ns);

/* After the second pass.  PL_NOMEM. */
enum pl_status pl_charts_end(struct pl_charts *c);

const struct pl_axis *pl_chart_axis(const struct pl_charts *c,
                                    const struct pl_chart *chart);

/* The mean at a point, weighed by time; it must have a value. */
double pl_chart_mean(const struct pl_chart_point *p);

#endif
