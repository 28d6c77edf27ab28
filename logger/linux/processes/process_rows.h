/*                              logger/linux/processes/process_rows.h
 * Rows of processes, one sample's after the other: which is a process's.  A
 * number and a start (enum pl_process_field) are one process.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_ROWS_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_ROWS_H

#include "logger/linux/machine/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if row 'i' is that process's. */
bool pl_is_row_of(const struct pl_source_rows *r, size_t i, uint64_t pid,
                  uint64_t started);
/* The first row, of rows ascending by pid, that is not below 'pid'. */
size_t pl_first_row_from(const struct pl_source_rows *r, size_t num,
                         uint64_t pid);
/* The process's row of the walk, of 'num' in all; PL_NO_ROW: none. */
size_t pl_walk_row(const struct pl_source_rows *r, size_t num,
                   const uint64_t *v);

#endif
