/*                                             analyze/workbook/processes.h
 * The sheet of a workbook that says what identifies its processes, a row for
 * each: as the log had it last.  There is none if the log does not say, or the
 * workbook has no single processes.
 */
#ifndef PL_ANALYZE_WORKBOOK_PROCESSES_H
#define PL_ANALYZE_WORKBOOK_PROCESSES_H

#include "analyze/workbook/book.h"
#include "analyze/query/query.h"

#define PL_XLSX_PROCESSES "Processes"

/* How many rows it will have, of 'groups' as they were found; 0: no sheet. */
uint32_t pl_xlsx_processes_count(struct pl_group *const *groups, size_t num);

/* Create it; returns its number. */
long pl_xlsx_processes_add(struct pl_xlsx_book *b, uint32_t rows);

/* Fill it when all samples have been read. */
void pl_xlsx_processes_put(struct pl_xlsx_book *b, long number,
                           struct pl_group *const *groups, size_t num,
                           uint32_t rows);

#endif
