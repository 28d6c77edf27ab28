/*                                                    analyze/stats/stats.h
 * Statistics of each series: the number of values, of blanks by reason,
 * extremes, mean, deviation and percentiles.  Rows are added one by one; memory
 * grows with the number of series, not of rows (percentile.h: at most 15 kB a
 * series).
 *
 * Mean and deviation weigh each value by the time it covers (pl_row_weight).
 * Percentiles count each value once.
 */
#ifndef PL_ANALYZE_STATS_STATS_H
#define PL_ANALYZE_STATS_STATS_H

#include "analyze/calc/percentile.h"
#include "analyze/replay/replay.h"
#include "analyze/series/series_registry.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_STATS_PERCENTS = 4 };
extern const unsigned pl_stats_percents[PL_STATS_PERCENTS]; /* 50 90 95 99 */

/* Statuses below this one are blanks. */
enum { PL_STATS_BLANKS = PL_CELL_WRAPPED };

struct pl_stat {
    const struct pl_group *group;
    uint32_t slot;
    uint64_t num;                     /* number of values */
    uint64_t blanks[PL_STATS_BLANKS]; /* by enum pl_cell */
    double min, max;
    int64_t peak_ns; /* row time of the first greatest value */
    double weight;   /* nanoseconds covered by all values */
    double origin;   /* the first value, the mean is a difference from it */
    double mean;
    double squares; /* weighted sum of squared distances from the mean */
    double sort_by; /* see stats_sort.h */
    struct pl_percentiles quantiles;
};

/* All zero is empty. */
struct pl_stats {
    struct pl_stat *stats; /* in order of appearance */
    size_t num, cap;
};

void pl_stats_release(struct pl_stats *t);

/*
 * Add a row.  Numbers are counted, texts are not.  Until pl_registry_columns
 * numbers the columns, pl_series.column is the index in t->stats.  PL_NOMEM.
 */
enum pl_status pl_stats_add(struct pl_stats *t, const struct pl_row *row);

/*
 * After all rows: sort into the order of the wide layout.  PL_NOMEM.  Groups
 * belong to 'registry', which must stay valid.
 */
enum pl_status pl_stats_sort(struct pl_stats *t, struct pl_registry *registry);

/* The figures of a series, in the order of all forms. */
enum { PL_STATS_FIGURES = 4 + PL_STATS_PERCENTS };
extern const struct pl_stats_figure {
    const char *title, *key; /* "Std Dev", "stddev" */
} pl_stats_figures[PL_STATS_FIGURES];

struct pl_stat_figures {
    double of[PL_STATS_FIGURES];
    double rank_error; /* the greatest of the percentiles */
};

/*
 * There must be a value.  Querying percentiles changes the order of the values
 * kept, and nothing else.
 */
struct pl_stat_figures pl_stat_figures(struct pl_stat *s);

uint64_t pl_stat_blanks(const struct pl_stat *s); /* of all reasons */

/* Mean and deviation of the values; there must be one. */
double pl_stat_mean(const struct pl_stat *s);
double pl_stat_deviation(const struct pl_stat *s);

#endif
