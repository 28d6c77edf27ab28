/*                                           analyze/query/default_series.h
 * The series that show a machine's state when the user selected none: one table
 * for everything that draws charts.
 */
#ifndef PL_ANALYZE_QUERY_DEFAULT_SERIES_H
#define PL_ANALYZE_QUERY_DEFAULT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

enum { PL_VITAL_COUNTERS = 3, PL_NUM_VITALS = 8 };

struct pl_default_series {
    const char *title;
    const char *object;
    const char *instance; /* NULL: every instance */
    const char *counters[PL_VITAL_COUNTERS];
    /*
     * There are too many instances to show each, and their sum has another
     * meaning: only for callers that rank them first, without _Total and
     * Windows' Idle.
     */
    bool busiest;
};

extern const struct pl_default_series pl_vitals[PL_NUM_VITALS];

/*
 * The index of a series among the counters of 'v'; PL_VITAL_COUNTERS if it is
 * not among them.  'instance' is NULL for objects without instances.
 */
unsigned pl_default_series_find(const struct pl_default_series *v,
                                const char *object, const char *instance,
                                const char *counter);

#endif
