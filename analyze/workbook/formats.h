/*                                               analyze/workbook/formats.h
 * What cells of a workbook look like: figures by their units, times, titles.
 */
#ifndef PL_ANALYZE_WORKBOOK_FORMATS_H
#define PL_ANALYZE_WORKBOOK_FORMATS_H

#include "analyze/workbook/book.h"

/* Make the formats of a new book; times have 'milliseconds'.  PL_NOMEM. */
enum pl_status pl_xlsx_formats_add(struct pl_xlsx_book *b, bool milliseconds);

/* The format of whole figures of a unit, for an axis. */
const char *pl_xlsx_figure_format(enum pl_figure_unit unit);

#endif
