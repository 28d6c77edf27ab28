/*                                                  analyze/workbook/draw.h
 * Draws the charts of a workbook with libxlsxwriter.
 */
#ifndef PL_ANALYZE_WORKBOOK_DRAW_H
#define PL_ANALYZE_WORKBOOK_DRAW_H

#include "analyze/workbook/book.h"
#include "analyze/workbook/charts.h"

/* The rows and times of a page, for the charts' time axes. */
struct pl_xlsx_span {
    uint32_t rows;             /* on each of its sheets, below the header */
    uint32_t num_first;        /* columns of times */
    int64_t first_ns, last_ns; /* least and greatest, as clocks may be set */
};

/*
 * Draw the charts on the sheet of charts, once for each of the pages of 'plan',
 * which has their columns, and whose spans these are.  Failures are kept in
 * 'b'.
 */
void pl_xlsx_charts_draw(const struct pl_xlsx_charts *c, struct pl_xlsx_book *b,
                         const struct pl_xlsx_plan *plan,
                         const struct pl_xlsx_span *spans);

#endif
