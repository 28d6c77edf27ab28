/*                                    logger/linux/processes/process_text.h
 * Parses the files of a process in /proc; which fields each file fills.  They
 * are written by the kernel's fs/proc/array.c (stat, statm, status) and
 * fs/proc/base.c (io, since Linux 2.6.20).
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_TEXT_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_TEXT_H

#include "format/base/text.h"
#include "logger/linux/processes/proc_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/machine/units.h"

#include <stdbool.h>
#include <stdint.h>

/* The identity of a process. */
struct pl_process_stat {
    struct pl_text comm; /* points into the text */
    uint64_t flags;
    uint64_t child_faults; /* of children that it has reaped */
};

/* Fill the fields of stat.  False, and nothing filled, if it is cut. */
bool pl_process_stat_scan(const struct pl_conversion units[PL_NUM_UNITS],
                          struct pl_text text, uint64_t *v,
                          struct pl_process_stat *out);

/* The same for another file; false if its text has another form. */
bool pl_process_text_take(const struct pl_conversion units[PL_NUM_UNITS],
                          enum pl_proc_file file, struct pl_text text,
                          uint64_t *v);

/* True if a field that 'file' fills is wanted. */
bool pl_process_text_wanted(const struct pl_field *fields,
                            enum pl_proc_file file);

/* The group of Data Flags that 'file' fills. */
enum pl_process_group pl_process_text_group(enum pl_proc_file file);

/* Keep the fields of io, and put them into another row. */
void pl_process_text_keep_io(uint64_t kept[PL_PROC_IO_FIELDS],
                             const uint64_t *v);
void pl_process_text_put_io(const uint64_t kept[PL_PROC_IO_FIELDS],
                            uint64_t *v);

#endif
