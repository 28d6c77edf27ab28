/*                                       logger/linux/processes/stat_line.h
 * The line in /proc/PID/stat and /proc/PID/task/TID/stat, which have the same
 * columns (fs/proc/array.c, do_task_stat).
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_STAT_LINE_H
#define PL_LOGGER_LINUX_PROCESSES_STAT_LINE_H

#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Columns, 0-based (proc(5) counts from 1). */
enum pl_stat_column {
    PL_STAT_PID = 0,
    PL_STAT_STATE = 2, /* the letter's code */
    PL_STAT_PARENT = 3,
    PL_STAT_FLAGS = 8,
    PL_STAT_MINFLT = 9,
    PL_STAT_CHILD_MINFLT = 10,
    PL_STAT_MAJFLT = 11,
    PL_STAT_CHILD_MAJFLT = 12,
    PL_STAT_UTIME = 13,
    PL_STAT_STIME = 14,
    PL_STAT_CUTIME = 15,
    PL_STAT_CSTIME = 16,
    PL_STAT_PRIORITY = 17,
    PL_STAT_NICE = 18,
    PL_STAT_THREADS = 19,
    PL_STAT_STARTED = 21,
    PL_STAT_VIRTUAL = 22,
    PL_STAT_STACK = 27, /* address; 0 for those who may not see it */
    PL_STAT_PROCESSOR = 38,
    PL_STAT_REALTIME = 39,
    PL_STAT_POLICY = 40,
    PL_STAT_BLKIO_DELAY = 41,
    PL_STAT_GUEST_TIME = 42,
    PL_STAT_NUM_COLUMNS = 43,
};

/*
 * Parse it; *comm points into 'text'.  The name may contain any character,
 * including ')' and blanks.  False if a column is missing.
 */
bool pl_stat_line_scan(struct pl_text text,
                       uint64_t columns[PL_STAT_NUM_COLUMNS],
                       struct pl_text *comm);

#endif
