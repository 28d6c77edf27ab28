/*                                                 analyze/report/largest.h
 * Of the instances without a line of their own in a chart: the largest at each
 * point of time, so that a page can rank all of them again for a part of the
 * time.  What an instance did at a point is its value times the time of it,
 * summed.  Memory grows with points and with series, not with rows.
 */
#ifndef PL_ANALYZE_REPORT_LARGEST_H
#define PL_ANALYZE_REPORT_LARGEST_H

#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_LARGEST_AT_POINT = 8,
    PL_LARGEST_NAMED =
        1000, /* in a chart: names are long, pages should not be */
    PL_NO_OTHER = UINT32_MAX,
};

/* A series without a line of its own. */
struct pl_other_series {
    const struct pl_group *group;
    uint32_t slot;
    uint32_t chart;
    uint32_t line;   /* the line it is added up in; PL_NO_OTHER: none */
    uint32_t next;   /* of those with a sum at the current point */
    uint32_t number; /* in the chart's 'named', from 1; 0: not there */
    bool summed;     /* it has a sum at the current point */
    double sum;
    double
        most; /* greatest mean of a point at which it is one of the largest */
};

struct pl_largest {
    /* PL_LARGEST_AT_POINT for each point; NULL: no series is without a line */
    struct pl_largest_one {
        uint32_t series; /* PL_NO_OTHER: none */
        double value;    /* a sum; after pl_largest_end the mean of the point */
    } * ones;
    size_t points;
    size_t point;    /* the current one */
    uint32_t first;  /* of its series; PL_NO_OTHER: none */
    uint32_t *named; /* all that 'ones' name, the largest first */
    uint32_t num_named;
};

/* For a chart of that many points.  PL_NOMEM. */
enum pl_status pl_largest_start(struct pl_largest *l, size_t points);
void pl_largest_release(struct pl_largest *l);

/* Values that follow are of this point, which may have been met before. */
void pl_largest_move(struct pl_largest *l, struct pl_other_series *all,
                     size_t point);
void pl_largest_add(struct pl_largest *l, struct pl_other_series *all,
                    uint32_t series, double value, double seconds);

/*
 * After all values: make means of sums by the seconds recorded at each point,
 * then choose and number what is named; the others are removed from 'ones'.
 * PL_NOMEM.
 */
enum pl_status pl_largest_end(struct pl_largest *l, struct pl_other_series *all,
                              const double *seconds);

#endif
