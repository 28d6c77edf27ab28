/*                                                  analyze/report/charts.h
 * The charts of a report: which there are, which lines they have, and these as
 * envelopes: least value, mean and greatest value of each point of time, so
 * that the shortest spike stays.  Memory grows with the number of series, not
 * with that of rows.
 *
 * All rows are needed twice: first to rank the series, then, chosen and
 * numbered, to draw them.
 */
#ifndef PL_ANALYZE_REPORT_CHARTS_H
#define PL_ANALYZE_REPORT_CHARTS_H

#include "analyze/report/chart_axis.h"
#include "analyze/replay/replay.h"
#include "analyze/replay/series_filter.h"
#include "analyze/replay/series_registry.h"
#include "analyze/query/default_series.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_CHARTS_MOST = 48,
    PL_CHART_LINES_MOST = 480, /* in all charts; 64 kB each at most */
};

/* What there is at a point of time. */
struct pl_chart_point {
    double min, max;
    double sum, seconds; /* value times length; seconds 0: no value */
};

struct pl_chart_line {
    const struct pl_group *group; /* NULL: the other instances, added up */
    uint32_t slot;
    struct pl_chart_point *points; /* by axis of the chart */
    struct pl_chart_point all;     /* likewise, of all points */
    int64_t peak_ns;               /* row time of the first greatest value */
    struct {
        bool any;
        double sum, seconds;
    } row; /* under way, of those added up */
};

struct pl_chart {
    const struct pl_default_series
        *vital; /* NULL: the one of a counter chosen */
    const struct pl_host *host;
    const struct pl_object_names *object;
    uint32_t slot;       /* of the first line */
    uint32_t first, num; /* lines */
    uint32_t instances, counters;
    uint32_t others; /* instances that have no line of their own, */
    bool added_up;   /* but are in one together */
};

struct pl_ranked; /* a series before it is chosen */

struct pl_charts {
    /* set by the caller, the rest zero */
    bool chosen;             /* series are the user's; else vital ones */
    uint32_t top;            /* instances in a chart */
    enum pl_ranking_way way; /* how the busiest are found */

    struct pl_axis *axes; /* by rank of hosts */
    size_t num_axes;
    struct pl_chart charts[PL_CHARTS_MOST];
    uint32_t num_charts;
    struct pl_chart_line *lines; /* chart by chart */
    uint32_t num_lines, cap_lines;
    uint64_t left_out; /* series, for want of room */
    struct pl_ranked *ranked;
    size_t num_ranked, cap_ranked;
};

void pl_charts_release(struct pl_charts *c);

/* The first time.  PL_NOMEM. */
enum pl_status pl_charts_rank(struct pl_charts *c, const struct pl_row *row);

/* Between the two.  PL_NOMEM. */
enum pl_status pl_charts_choose(struct pl_charts *c);

/* The second time; pl_charts_end_time when all hosts' rows of a time are in. */
void pl_charts_add(struct pl_charts *c, const struct pl_row *row);
void pl_charts_end_time(struct pl_charts *c, int64_t time_ns);

const struct pl_axis *pl_chart_axis(const struct pl_charts *c,
                                    const struct pl_chart *chart);

/* The mean of what a point holds, weighed by time; it must hold something. */
double pl_chart_mean(const struct pl_chart_point *p);

#endif
