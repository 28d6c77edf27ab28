/*                                            analyze/export/xlsx_summary.h
 * The first sheet of a workbook: its hosts and times, and everything that is
 * missing in it.
 */
#ifndef PL_ANALYZE_EXPORT_XLSX_SUMMARY_H
#define PL_ANALYZE_EXPORT_XLSX_SUMMARY_H

#include "analyze/query/query.h"
#include "analyze/export/xlsx_book.h"
#include "analyze/export/xlsx_charts.h"

/* 'blanks': how many cells have no value, by enum pl_cell. */
void pl_xlsx_put_summary(struct pl_xlsx_book *b, const struct pl_query *e,
                         uint32_t num_series,
                         const struct pl_xlsx_charts *charts,
                         const uint64_t blanks[PL_NUM_CELLS]);

#endif
