/*                                                  analyze/workbook/long.h
 * The long layout in a workbook: one table with a row per value, with the reason
 * for every blank, whatever object it is of.
 *
 * A sheet that is full is continued on another one if the workbook is split.
 */
#ifndef PL_ANALYZE_WORKBOOK_LONG_H
#define PL_ANALYZE_WORKBOOK_LONG_H

#include "analyze/query/query.h"
#include "analyze/workbook/book.h"
#include "analyze/workbook/identity.h"
#include "analyze/workbook/sheet_plan.h"

#define PL_XLSX_VALUES "Values"

/* All zero is none. */
struct pl_xlsx_long {
    struct pl_xlsx_book *book;
    struct pl_xlsx_plan *plan; /* of its sheets; without any at first */
    const char *const *taken;  /* names of other sheets, ended by NULL */
    const struct pl_xlsx_limits *limits;
    bool identifies; /* has columns of what identifies processes */
    long number;     /* of the last sheet in the book */
    uint32_t rows;   /* on it */
    const char *headers[8 + PL_XLSX_NUM_IDENTITIES];
    uint32_t num_headers;
    char time[128]; /* the first of these */
    /* what did not fit: a full sheet, or one sheet too many */
    struct pl_xlsx_misfit misfit;
};

/* Add the first sheet to the book; the first four members are set.  PL_NOMEM. */
enum pl_status pl_xlsx_long_begin(struct pl_xlsx_long *l,
                                  const struct pl_query *e);

/* PL_NOMEM; PL_USAGE: l->misfit; PL_IO: see pl_xlsx_book_status. */
enum pl_status pl_xlsx_long_take(struct pl_xlsx_long *l, struct pl_query *e,
                                 const struct pl_row *row);

/* After all rows: make a table of the last sheet. */
void pl_xlsx_long_end(struct pl_xlsx_long *l);

#endif
