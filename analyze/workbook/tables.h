/*                                                analyze/workbook/tables.h
 * The tables of a workbook: a sheet per object, with a row per time and
 * instance and a column per counter, as pivot tables want them.  What identifies
 * a process stands in each of its rows.
 *
 * A sheet that is full is continued on another one if the workbook is split.
 */
#ifndef PL_ANALYZE_WORKBOOK_TABLES_H
#define PL_ANALYZE_WORKBOOK_TABLES_H

#include "analyze/workbook/book.h"
#include "analyze/workbook/sheet_plan.h"
#include "analyze/query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_xlsx_table; /* of one object */

/* All zero is none. */
struct pl_xlsx_tables {
    struct pl_xlsx_table *tables; /* by rank of their objects */
    uint32_t num;
    struct pl_xlsx_book *book;
    struct pl_xlsx_plan *plan; /* names of its sheets */
    const char *const *taken;  /* names of others, ended by NULL */
    const struct pl_xlsx_limits *limits;
    const struct pl_group *line; /* of the current row; NULL: none */
    int64_t time_ns;             /* of that row */
    bool incomplete; /* there were cells for which no table has a column */
    /* what did not fit: a full sheet, or one sheet too many */
    struct pl_xlsx_misfit misfit;
};

/*
 * Find the columns of each sheet of t->plan; the members above are set.
 * PL_NOMEM.
 */
enum pl_status pl_xlsx_tables_find(struct pl_xlsx_tables *t,
                                   const struct pl_query *e);
void pl_xlsx_tables_release(struct pl_xlsx_tables *t);

/* Add all sheets to the book, with their headers. */
void pl_xlsx_tables_begin(struct pl_xlsx_tables *t, struct pl_query *e);

/*
 * Write the rows of a host, and what is left of them when its time ends.
 * PL_NOMEM; PL_USAGE: t->misfit; PL_IO: see pl_xlsx_book_status.
 */
enum pl_status pl_xlsx_tables_take(struct pl_xlsx_tables *t, struct pl_query *e,
                                   const struct pl_row *row);
enum pl_status pl_xlsx_tables_end_time(struct pl_xlsx_tables *t,
                                       struct pl_query *e);

/* After all rows: make tables of the sheets. */
void pl_xlsx_tables_end(struct pl_xlsx_tables *t);

#endif
