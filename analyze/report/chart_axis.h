/*                                              analyze/report/chart_axis.h
 * The time axis of charts: at most so many points, whatever the number of
 * rows.  While rows are few, each is a point.  Else points are buckets
 * (t - T, t] of equal length T, aligned to multiples of T since 1970 in UTC
 * and called t, as the windows of --every are; T is a length that people use.
 *
 * Rows are shown to it twice: first all times, then, after pl_axis_end, each
 * asks for its point.  They may come in any order, as clocks are set back.
 */
#ifndef PL_ANALYZE_REPORT_CHART_AXIS_H
#define PL_ANALYZE_REPORT_CHART_AXIS_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_AXIS_POINTS = 2000,
    PL_AXIS_GAP = 3, /* more intervals without a sample are a break */
};
#define PL_AXIS_NONE SIZE_MAX

/* All zero is empty. */
struct pl_axis {
    int64_t *times; /* of rows, while these are few: PL_AXIS_POINTS */
    size_t num;     /* of them, then of points */
    size_t cap;
    bool crowded; /* there were more */
    bool any;
    int64_t first_ns, last_ns; /* of rows */
    uint64_t interval_ns;      /* the longest of a row's */
    uint64_t step_ns;          /* T; 0: each row is a point */
    uint64_t before_first;     /* where the first bucket begins, see axis.c */
    bool *met;                 /* by point: a row asked for it */
};

void pl_axis_release(struct pl_axis *a);

/* Note the time of a row.  PL_NOMEM. */
enum pl_status pl_axis_add(struct pl_axis *a, int64_t time_ns,
                           uint64_t interval_ns);

/*
 * All rows have been noted; a->num is the number of points from now on.
 * PL_NOMEM.
 */
enum pl_status pl_axis_end(struct pl_axis *a);

/* The point that a row belongs to; PL_AXIS_NONE: it was not noted. */
size_t pl_axis_find(const struct pl_axis *a, int64_t time_ns);

/* The same, and the point is one to be shown. */
size_t pl_axis_meet(struct pl_axis *a, int64_t time_ns);

int64_t pl_axis_time(const struct pl_axis *a, size_t point);

/*
 * True if so much time lies between two points, the earlier one first, that
 * a line from one to the other would tell of what nobody saw.
 */
bool pl_axis_is_broken(const struct pl_axis *a, size_t earlier, size_t later);

#endif
