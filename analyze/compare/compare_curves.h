/*                                          analyze/compare/compare_curves.h
 * Curves of the series that differ most, to be drawn one over the other: both
 * windows have the same number of points of the same length, the first one at
 * each window's first row.  They are gathered after the comparison has been
 * judged, by replaying both windows again.
 */
#ifndef PL_ANALYZE_COMPARE_COMPARE_CURVES_H
#define PL_ANALYZE_COMPARE_COMPARE_CURVES_H

#include "analyze/compare/compare.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_CURVES_MOST = 24,  /* of so many series */
    PL_CURVES_LEAST = 6,  /* where fewer are unusual, others are drawn, too */
    PL_CURVE_POINTS = 600 /* at most */
};

/* The values near a point of time; a mean is weighted (pl_row_weight). */
struct pl_curve_point {
    double min, max;
    double sum, weight; /* weight 0: no value */
};

struct pl_curves {
    const struct pl_comparison *comparison;
    size_t num;        /* the first ones of comparison->series are drawn */
    size_t num_points; /* of each curve */
    uint64_t step_ns; /* point i has the values from i - 1/2 to i + 1/2 steps */
    uint64_t interval_ns; /* each of which is about so much time before it */
    struct pl_curve_point *points; /* by side, series and point */
};

/* For a comparison that has been judged.  PL_NOMEM. */
enum pl_status pl_curves_start(struct pl_curves *c,
                               const struct pl_comparison *comparison);
void pl_curves_release(struct pl_curves *c);

/*
 * The run function of a layout: replay e's window as this side.  What was lost
 * has been reported by pl_comparison_gather.  As pl_query_rows.
 */
enum pl_status pl_curves_gather(struct pl_curves *c, enum pl_compare_side side,
                                struct pl_query *e);

/* The points of a curve, num_points of them. */
const struct pl_curve_point *pl_curve(const struct pl_curves *c,
                                      enum pl_compare_side side, size_t series);

#endif
