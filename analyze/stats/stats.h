/*                                                    analyze/stats/stats.h
 * What a recording comes to, series by series: how many values there are and
 * how many blanks of which reason, their extremes, mean, deviation and
 * percentiles.  Rows are taken one by one; memory grows with the number of
 * series and not with that of rows (quantile.h: at most 15 kB a series).
 *
 * Mean and deviation weigh each value by the time it covers (pl_row_weight).
 * Percentiles count each value once.
 */
#ifndef PL_ANALYZE_STATS_STATS_H
#define PL_ANALYZE_STATS_STATS_H

#include "analyze/calc/percentile.h"
#include "analyze/replay/replay.h"
#include "analyze/replay/series_registry.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_STATS_PERCENTS = 4 };
extern const unsigned pl_stats_percents[PL_STATS_PERCENTS]; /* 50 90 95 99 */

/* Statuses of blanks are those below this one. */
enum { PL_STATS_BLANKS = PL_CELL_WRAPPED };

struct pl_stat {
    const struct pl_group *group;
    uint32_t slot;
    uint64_t num;                     /* values */
    uint64_t blanks[PL_STATS_BLANKS]; /* by enum pl_cell */
    double min, max;
    int64_t peak_ns; /* row time of the first that is the greatest */
    double weight;   /* nanoseconds that all values cover */
    double origin;   /* the first value, from which the mean is counted */
    double mean;
    double squares; /* weighted sum of squared distances from the mean */
    struct pl_percentiles quantiles;
};

/* All zero is empty. */
struct pl_stats {
    struct pl_stat *stats; /* in order of appearance */
    size_t num, cap;
};

void pl_stats_release(struct pl_stats *t);

/*
 * Take a row.  Numbers count, text does not.  Until pl_registry_columns
 * numbers the columns of a sheet, those of the series are used as places in
 * t->stats.  PL_NOMEM.
 */
enum pl_status pl_stats_add(struct pl_stats *t, const struct pl_row *row);

/*
 * When all rows are in: into the order of a wide sheet.  PL_NOMEM.  Groups
 * belong to 'registry', which must live on.
 */
enum pl_status pl_stats_sort(struct pl_stats *t, struct pl_registry *registry);

uint64_t pl_stat_blanks(const struct pl_stat *s); /* of all reasons */

/* Of the values seen; there must be one. */
double pl_stat_mean(const struct pl_stat *s);
double pl_stat_deviation(const struct pl_stat *s);

#endif
