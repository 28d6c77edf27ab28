/*                                            analyze/export/wide_columns.h
 * A wide sheet that gets wider while it is written, because series appear that
 * the first pass did not find.  Rows are written with the columns known so far;
 * at the end the earlier ones get blanks for the columns that they lack.
 */
#ifndef PL_ANALYZE_EXPORT_WIDE_COLUMNS_H
#define PL_ANALYZE_EXPORT_WIDE_COLUMNS_H

#include "analyze/query/query.h"
#include "analyze/series/series_registry.h"
#include "analyze/query/rows_csv.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_WIDTHS = 64 }; /* most widths of one sheet */

/* The columns of a sheet, as pl_registry_columns numbers them. */
struct pl_header {
    struct pl_group **groups; /* in the order of their columns */
    size_t num_groups;
    uint32_t num_columns;
};

/* All zero: no sheet has begun. */
struct pl_wide_columns {
    uint64_t rows[PL_MAX_WIDTHS]; /* number of the first row with this width */
    uint32_t num;
};

/* Begin a sheet that has these columns. */
void pl_wide_columns_begin(struct pl_wide_columns *w,
                           const struct pl_header *h);

/*
 * Give the sheet of 'e' and the current row in 'wide' columns for all series
 * known now; 'h' is the header so far and becomes the new one.  PL_NOMEM;
 * PL_END: it has changed too often.
 */
enum pl_status pl_wide_columns_add(struct pl_wide_columns *w,
                                   struct pl_query *e, struct pl_header *h,
                                   struct pl_wide *wide);

/*
 * After all rows: if their widths differ, write them again, as wide as the last
 * ones.  The output is then complete except for its final name.  PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_wide_columns_even(const struct pl_wide_columns *w,
                                    struct pl_query *e,
                                    const struct pl_header *h);

#endif
