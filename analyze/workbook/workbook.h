/*                                              analyze/workbook/workbook.h
 * The workbook of export --xlsx: a sheet per object, charts, and a summary.
 */
#ifndef PL_ANALYZE_WORKBOOK_WORKBOOK_H
#define PL_ANALYZE_WORKBOOK_WORKBOOK_H

#include "analyze/query/query.h"

/*
 * Objects as tables, a row per time and instance; with a column per series; and
 * one table with a row per value.  In a build without libxlsxwriter they say so
 * and fail.
 */
extern const struct pl_layout pl_layout_xlsx, pl_layout_xlsx_wide,
    pl_layout_xlsx_long;

#endif
