/*                                           analyze/query/default_series.h
 * The series that show a machine's state when the user selected none: one table
 * for everything that draws charts.
 */
#ifndef PL_ANALYZE_QUERY_DEFAULT_SERIES_H
#define PL_ANALYZE_QUERY_DEFAULT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

enum { PL_VITAL_COUNTERS = 8, PL_NUM_VITALS = 18 };

/* How a page draws a chart. */
enum pl_chart_form {
    PL_FORM_LINES,
    /*
     * Parts of a whole on top of each other.  The first counter is the line of
     * the whole, and where there is % System Time, % Privileged Time, which
     * includes it and interrupts, is no part.
     */
    PL_FORM_STACK,
    PL_FORM_HEAT, /* a row of colours for each instance, however many */
};

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
    enum pl_chart_form form;
    bool least;  /* those with the least matter most, such as of free space */
    bool nested; /* instances contain others, so that their sum is none */
    bool alike;  /* every machine has the same instances */
    /* of so many counters a sheet has a chart, too; 0: it has none */
    unsigned in_sheet;
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
