/*                                            analyze/export/wide_columns.h
 * A wide sheet that gets wider while it is written, because series appear that
 * nobody had met before.  Rows are written with the columns known so far, and
 * in the end the earlier ones are given blanks for those that they lack.
 */
#ifndef PL_ANALYZE_EXPORT_WIDE_COLUMNS_H
#define PL_ANALYZE_EXPORT_WIDE_COLUMNS_H

#include "analyze/query/query.h"
#include "analyze/replay/series_registry.h"
#include "analyze/query/rows_csv.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_WIDTHS = 64 }; /* of one sheet; more are not worth it */

/* The columns of a sheet, as pl_registry_columns numbers them. */
struct pl_header {
    struct pl_group **groups; /* in the order of their columns */
    size_t num_groups;
    uint32_t num_columns;
};

/* All zero: no sheet has been begun. */
struct pl_wide_columns {
    uint64_t rows[PL_MAX_WIDTHS]; /* the first that has this width */
    uint32_t num;
};

/* Begin a sheet that has these columns. */
void pl_wide_columns_begin(struct pl_wide_columns *w,
                           const struct pl_header *h);

/*
 * The sheet of 'e' and the row under way in 'wide' get columns for all series
 * that there are by now; 'h' is the header so far and becomes the new one.
 * PL_NOMEM; PL_END: it has changed too often.
 */
enum pl_status pl_wide_columns_add(struct pl_wide_columns *w,
                                   struct pl_query *e, struct pl_header *h,
                                   struct pl_wide *wide);

/*
 * All rows are written: if their widths differ, write them once more, as wide
 * as the last ones.  The output is then complete but for its name.  PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_wide_columns_even(const struct pl_wide_columns *w,
                                    struct pl_query *e,
                                    const struct pl_header *h);

#endif
