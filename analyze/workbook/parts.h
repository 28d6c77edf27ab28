/*                                                 analyze/workbook/parts.h
 * Checks a finished workbook: a zip archive of XML parts.  The library that
 * wrote it builds parts in temporary files without checking for a full disk, so
 * data lost there goes unreported.
 *
 * Source: PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
 */
#ifndef PL_ANALYZE_WORKBOOK_PARTS_H
#define PL_ANALYZE_WORKBOOK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads all parts: every opened element is closed, all 'num' sheets exist, and
 * the i-th has cells[i] cells.  False if not, or if the archive cannot be read;
 * then the workbook is unusable.
 */
bool pl_xlsx_parts_are_whole(const char *path, const uint64_t *cells,
                             size_t num);

#endif
