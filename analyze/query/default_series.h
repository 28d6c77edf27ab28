/*                                           analyze/query/default_series.h
 * By which series a machine's state is told when nobody chose any: one table
 * for all that draws charts.
 */
#ifndef PL_ANALYZE_QUERY_DEFAULT_SERIES_H
#define PL_ANALYZE_QUERY_DEFAULT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

enum { PL_VITAL_COUNTERS = 3, PL_NUM_VITALS = 7 };

struct pl_default_series {
    const char *title;
    const char *object;
    const char *instance; /* NULL: each */
    const char *counters[PL_VITAL_COUNTERS];
    /*
     * Of each instance there are too many, and a sum says something else: only
     * for who ranks them first; _Total and Windows' Idle are none of them.
     */
    bool busiest;
};

extern const struct pl_default_series pl_vitals[PL_NUM_VITALS];

/*
 * The place of a series among a vital's counters; PL_VITAL_COUNTERS if it is
 * none of them.  'instance' is NULL for objects without.
 */
unsigned pl_default_series_find(const struct pl_default_series *v,
                                const char *object, const char *instance,
                                const char *counter);

#endif
