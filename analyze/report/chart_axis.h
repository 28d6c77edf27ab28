/*                                              analyze/report/chart_axis.h
 * The time axis of charts: a limited number of points, whatever the number of
 * rows.  While rows are few, each is a point.  Else points are buckets (t - T,
 * t] of equal length T, aligned to multiples of T since 1970 in UTC and named
 * by t, as the windows of --every are; T is a usual length such as 5 minutes.
 *
 * Rows are passed twice: first all times, then, after pl_axis_end, each row
 * finds its point.  They may come in any order, as clocks may be set back.
 */
#ifndef PL_ANALYZE_REPORT_CHART_AXIS_H
#define PL_ANALYZE_REPORT_CHART_AXIS_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_AXIS_POINTS = 2000,
    PL_AXIS_GAP = 3, /* a break is more intervals without a sample than this */
};
#define PL_AXIS_NONE SIZE_MAX

/* All zero is empty. */
struct pl_axis {
    int64_t *times; /* times of rows, up to PL_AXIS_POINTS */
    size_t num;     /* number of them, then of points */
    size_t cap;
    bool crowded; /* there were more rows */
    bool any;
    int64_t first_ns, last_ns; /* first and last time of rows */
    uint64_t interval_ns;      /* the longest interval of a row */
    uint64_t step_ns;          /* T; 0: each row is a point */
    /* where the first bucket begins, see chart_axis.c */
    uint64_t before_first;
    bool *met;             /* by point: a row is at it */
    double *seconds;       /* by point: the time that its rows are of */
    int64_t lengthened_ns; /* time of the last row added to 'seconds' */
};

void pl_axis_release(struct pl_axis *a);

/* Note the time of a row.  PL_NOMEM. */
enum pl_status pl_axis_add(struct pl_axis *a, int64_t time_ns,
                           uint64_t interval_ns);

/*
 * Call it after all rows; a->num is the number of points from now on, at most
 * 'most', which is at most PL_AXIS_POINTS.  PL_NOMEM.
 */
enum pl_status pl_axis_end(struct pl_axis *a, size_t most);

/* The point that a row belongs to; PL_AXIS_NONE: it was not noted. */
size_t pl_axis_find(const struct pl_axis *a, int64_t time_ns);

/* The same, and mark the point as shown. */
size_t pl_axis_meet(struct pl_axis *a, int64_t time_ns);

/* Add the length of a row to its point; parts of one row count once. */
void pl_axis_lengthen(struct pl_axis *a, size_t point, int64_t time_ns,
                      double seconds);

int64_t pl_axis_time(const struct pl_axis *a, size_t point);

/*
 * True if so much time lies between two points, the earlier one first, that a
 * line from one to the other would show values that were not recorded.
 */
bool pl_axis_is_broken(const struct pl_axis *a, size_t earlier, size_t later);

#endif
