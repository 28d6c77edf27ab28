/*                                                  analyze/workbook/wide.h
 * Writes the sheets of a plan: a row per time and a column per series.
 */
#ifndef PL_ANALYZE_WORKBOOK_WIDE_H
#define PL_ANALYZE_WORKBOOK_WIDE_H

#include "analyze/workbook/book.h"
#include "analyze/workbook/draw.h"
#include "analyze/workbook/sheet_plan.h"
#include "analyze/query/query.h"

#include <stdint.h>

/* All zero is none. */
struct pl_xlsx_wide {
    const struct pl_xlsx_plan *plan;
    struct pl_xlsx_book *book;
    uint32_t num_first; /* columns of times */
    /* rows and times of each page of the plan, as far as written */
    struct pl_xlsx_span *spans;
    uint64_t rows;       /* rows written */
    long *numbers;       /* of its sheets in the book */
    struct pl_wide wide; /* the current row */
    double *rest;        /* values of a column that has several series */
};

/*
 * 'num_columns' is how many series the registry has numbered; the members above
 * are set.  PL_NOMEM; must be released in any case.
 */
enum pl_status pl_xlsx_wide_init(struct pl_xlsx_wide *w, uint32_t num_columns);
void pl_xlsx_wide_release(struct pl_xlsx_wide *w);

/* Add all sheets to the book, with their headers. */
void pl_xlsx_wide_begin(struct pl_xlsx_wide *w, const struct pl_query *e);

/* After all cells of a time have been put into w->wide. */
void pl_xlsx_wide_end_row(struct pl_xlsx_wide *w, const struct pl_query *e,
                          int64_t time_ns);

#endif
