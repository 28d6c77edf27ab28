/*                                               analyze/stats/stats_sort.h
 * The order of statistics for people: by one of their figures, and only the
 * greatest.
 */
#ifndef PL_ANALYZE_STATS_STATS_SORT_H
#define PL_ANALYZE_STATS_STATS_SORT_H

#include "analyze/stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* The figure whose key is 'name', such as "p95"; false: there is none. */
bool pl_stats_figure_of(const char *name, int *figure);

/*
 * After pl_stats_sort: sort by 'figure', the greatest first.  Series of one
 * counter stay together, as figures of different counters cannot be compared;
 * those without a value are last among them.  With 'top', each counter keeps
 * only so many series, and its _Total, which is not counted.
 */
void pl_stats_rank(struct pl_stats *t, int figure, uint64_t top);

#endif
