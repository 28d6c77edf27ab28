/*                                             analyze/export/xlsx_charts.h
 * The charts of a workbook: one per selected counter, with a line per instance.
 * If the user selected none, those of the default series (default_series.h), and
 * one for each other counter if there is room for all of these.
 */
#ifndef PL_ANALYZE_EXPORT_XLSX_CHARTS_H
#define PL_ANALYZE_EXPORT_XLSX_CHARTS_H

#include "analyze/export/xlsx_book.h"
#include "analyze/export/xlsx_plan.h"

enum {
    PL_XLSX_CHARTS_MOST = 24, /* most charts, */
    /* and most lines in each, which is Excel's limit */
    PL_XLSX_LINES_MOST = 255,
};

struct pl_xlsx_chart {
    char *title;
    uint32_t *columns; /* indexes of the plan's columns */
    uint32_t num;
    size_t cap;
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

/* The rows and times of a page, for the charts' time axes. */
struct pl_xlsx_span {
    uint32_t rows;      /* on each of its sheets, below the header */
    uint32_t num_first; /* columns of times */
    int64_t first_ns, last_ns;
};

/*
 * Draw the charts on the sheet of charts, once for each of the plan's pages,
 * whose spans these are.  Failures are kept in 'b'.
 */
void pl_xlsx_charts_draw(const struct pl_xlsx_charts *c, struct pl_xlsx_book *b,
                         const struct pl_xlsx_plan *plan,
                         const struct pl_xlsx_span *spans);

#endif
