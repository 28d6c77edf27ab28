/*                                            analyze/workbook/sheet_plan.h
 * Plans the sheets of a workbook: one per object, with that object's columns of
 * the wide layout, or several if it is split; and the sheet of what charts
 * show.  Finds beforehand what does not fit, as a workbook that is too large
 * loses cells without an error.
 */
#ifndef PL_ANALYZE_WORKBOOK_SHEET_PLAN_H
#define PL_ANALYZE_WORKBOOK_SHEET_PLAN_H

#include "analyze/output/readable.h"
#include "analyze/series/series_registry.h"
#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_XLSX_NAME = 31,    /* characters of a sheet's name */
    PL_XLSX_TEXT = 32767, /* of a cell, in UTF-16 units */
};

#define PL_XLSX_ELLIPSIS "\xE2\x80\xA6" /* ends a text that was cut */

/* What a workbook can hold: Excel's limits, and lower ones in tests. */
struct pl_xlsx_limits {
    uint64_t rows;    /* of a sheet, its header included */
    uint32_t columns; /* of a sheet, time columns included */
    uint32_t sheets;  /* each takes an open file while it is written */
};
extern const struct pl_xlsx_limits pl_xlsx_limits;

/* What a column shows of several series. */
enum pl_xlsx_sum {
    PL_XLSX_SUM,
    PL_XLSX_MEDIAN,
    PL_XLSX_P95,
    PL_XLSX_LEFT, /* the first without all the others */
    PL_XLSX_NUM_SUMS
};

/* Series of one counter that share columns. */
struct pl_xlsx_rest {
    uint32_t *series; /* by their columns in the registry */
    uint32_t num;
    uint32_t column;      /* of one of them in the plan, which names it */
    enum pl_xlsx_sum sum; /* of the first column; a median has P95 beside it */
};

struct pl_xlsx_column {
    const struct pl_group *group;
    uint32_t slot;
    enum pl_figure_unit unit;
    /*
     * NULL: the value of this series; else of these, of which it is one.  Owned
     * by the charts.
     */
    const struct pl_xlsx_rest *rest;
    enum pl_xlsx_sum sum;
};

struct pl_xlsx_sheet {
    const struct pl_object_names *object; /* NULL: what charts show */
    const char *title;                    /* what its name is made of */
    char *name; /* unique without regard to case, allowed in a workbook */
    uint32_t first, num; /* range of its columns in the plan */
    uint32_t page;       /* number of its page of rows, see below */
};

struct pl_xlsx_plan {
    struct pl_xlsx_sheet *sheets; /* by order of their first column */
    size_t num_sheets, cap_sheets;
    /* greater than the number made if they are too many */
    uint64_t wanted_sheets;
    uint32_t num_pages; /* pages of rows; without a split there is one */
    /* rows of each page but the last, which has the rest */
    uint64_t page_rows;
    struct pl_xlsx_column *columns; /* sheet by sheet */
    uint32_t num_columns;
    size_t cap_columns;
};

/* Why a plan does not fit. */
struct pl_xlsx_misfit {
    const char *what;  /* "rows", "columns", "sheets"; NULL: it fits */
    const char *sheet; /* the sheet with too many columns; owned by the plan */
    uint64_t has, limit;
};

/*
 * Lay out 'groups', of pl_registry_columns.  'taken' (ended by NULL) are names
 * of other sheets.  With more objects than there may be sheets the plan holds
 * only what pl_xlsx_plan_check needs.  PL_NOMEM; the plan must be released in
 * any case.
 */
enum pl_status pl_xlsx_plan_make(struct pl_xlsx_plan *p,
                                 struct pl_group *const *groups,
                                 size_t num_groups, const char *const *taken,
                                 const struct pl_xlsx_limits *limits);
void pl_xlsx_plan_release(struct pl_xlsx_plan *p);

/*
 * Append a sheet that has these columns, with its name made of 'title', which
 * must live as long as the plan.  PL_NOMEM.
 */
enum pl_status pl_xlsx_plan_add(struct pl_xlsx_plan *p, const char *title,
                                const char *const *taken,
                                const struct pl_xlsx_column *columns,
                                uint32_t num);

/*
 * Append a sheet without columns that continues the sheet 'i'; its name follows
 * that one's.  PL_NOMEM.
 */
enum pl_status pl_xlsx_plan_continue(struct pl_xlsx_plan *p, size_t i,
                                     const char *const *taken);

/* Names of sheets, tables and their columns: case is ignored. */
bool pl_xlsx_same_name(const char *a, const char *b);

/*
 * Append the name of a sheet as references have it: 'Tank''s'.  Quotes are always
 * right.  Without them Excel takes IPv4 and R1C1 for cells, and a workbook with
 * such references for damaged; which names need quotes is published nowhere.
 */
void pl_xlsx_quote(struct pl_buf *out, const char *sheet);

/*
 * Split each sheet into as many as its columns and 'num_rows' rows need, page
 * by page: "Object", "Object (2)" and so on.  After that only too many sheets
 * are refused.  PL_NOMEM.
 */
enum pl_status pl_xlsx_plan_split(struct pl_xlsx_plan *p, uint64_t num_rows,
                                  uint32_t num_first, const char *const *taken,
                                  const struct pl_xlsx_limits *limits);

/*
 * Check the plan with 'num_rows' rows below the header, and 'num_first' columns
 * of times.
 */
struct pl_xlsx_misfit pl_xlsx_plan_check(const struct pl_xlsx_plan *p,
                                         uint64_t num_rows, uint32_t num_first,
                                         const struct pl_xlsx_limits *limits);

/*
 * Append 'text' as a cell can hold it, at most 'max' UTF-16 units: control
 * characters and bytes that are not UTF-8 become visible, a longer text ends in
 * an ellipsis.
 */
void pl_xlsx_text(struct pl_buf *out, const char *text, size_t n, size_t max);

#endif
