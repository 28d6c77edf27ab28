/*                                                analyze/workbook/charts.h
 * The charts of a workbook: one per selected counter, with a line per instance.
 * If the user selected none, those of the default series (default_series.h), and
 * one for each other counter if there is room for all of these.
 *
 * A chart has ten lines at most: those of the instances that did most, and of
 * the others their sum, or, where they have none or are of several hosts, their
 * median and P95.  Of several counters each has as many lines, and others of its
 * own.  _Total is not drawn beside so many.
 */
#ifndef PL_ANALYZE_WORKBOOK_CHARTS_H
#define PL_ANALYZE_WORKBOOK_CHARTS_H

#include "analyze/workbook/sheet_plan.h"
#include "format/base/buf.h"

enum {
    PL_XLSX_CHARTS_MOST = 24,
    PL_XLSX_LINES_MOST = 10, /* in each */
};

/* What tells the lines of a chart apart. */
struct pl_xlsx_labels {
    bool hosts, instances, counters;
};

struct pl_xlsx_chart {
    char *title;
    uint32_t *columns; /* indexes of a plan's columns */
    uint32_t num;
    size_t cap;
    struct pl_xlsx_labels labels;
    struct pl_xlsx_rest *rests; /* series without lines of their own */
    uint32_t num_rests;
    size_t cap_rests;
};

struct pl_xlsx_charts {
    struct pl_xlsx_chart charts[PL_XLSX_CHARTS_MOST];
    uint32_t num;
    uint64_t lines_left_out; /* series in no chart */
};

/* PL_NOMEM; must be released in any case. */
enum pl_status pl_xlsx_charts_choose(struct pl_xlsx_charts *c,
                                     const struct pl_xlsx_plan *plan,
                                     bool chosen);
void pl_xlsx_charts_release(struct pl_xlsx_charts *c);

/* True if a chart has more lines than it may have. */
bool pl_xlsx_charts_are_crowded(const struct pl_xlsx_charts *c);

/*
 * Shorten these; 'amounts' is what each series did in all, by its column in the
 * registry.  PL_NOMEM.
 */
enum pl_status pl_xlsx_charts_shorten(struct pl_xlsx_charts *c,
                                      const struct pl_xlsx_plan *plan,
                                      const double *amounts);

/*
 * Where a chart has but the busiest processes of a host, and the plan their
 * _Total without having the others, these get a line: what _Total leaves.
 * PL_NOMEM.
 */
enum pl_status pl_xlsx_charts_complete(struct pl_xlsx_charts *c,
                                       const struct pl_xlsx_plan *plan);

/*
 * Append a sheet of what is drawn to the plan 'to', and refer to its columns
 * from now on; if 'to' is 'from', only of what has no column there: no sheet if
 * that is nothing.  PL_NOMEM.
 */
enum pl_status pl_xlsx_charts_data(struct pl_xlsx_charts *c,
                                   const struct pl_xlsx_plan *from,
                                   struct pl_xlsx_plan *to,
                                   const char *const *taken);

/* ---- for who draws ------------------------------------------------------- */

const char *pl_xlsx_counter_name(const struct pl_xlsx_column *c);
bool pl_xlsx_same_counter(const struct pl_xlsx_column *a,
                          const struct pl_xlsx_column *b);
/* Append "17 others" to 'out'. */
void pl_xlsx_rest_name(struct pl_buf *out, const struct pl_xlsx_column *c);

#endif
