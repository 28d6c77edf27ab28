/*                                              analyze/export/xlsx_parts.h
 * A second look at a finished workbook: a zip archive of XML parts.  The
 * library that wrote it puts parts together in temporary files without looking
 * whether there was room, and what is lost there is lost without a word.
 *
 * Source: PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
 */
#ifndef PL_ANALYZE_EXPORT_XLSX_PARTS_H
#define PL_ANALYZE_EXPORT_XLSX_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads all parts: every element opened is closed, all 'num' sheets are there,
 * and the i-th has cells[i] cells.  False if not, or if the archive cannot be
 * read; then the workbook is good for nothing.
 */
bool pl_xlsx_parts_are_whole(const char *path, const uint64_t *cells,
                             size_t num);

#endif
