/*                       logger/linux/processes/process_ended_parts.h
 * Private to process_ended*.c: what these files call of each other.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_ENDED_PARTS_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_ENDED_PARTS_H

#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended.h"

#include <stddef.h>

/* ---- reports: struct pl_task_exit, one after the other ------------------ */

static inline size_t pl_num_reports(const struct pl_buf *reports)
{
    return reports->len / sizeof(struct pl_task_exit);
}

static inline struct pl_task_exit *pl_report_at(const struct pl_buf *reports,
                                                size_t i)
{
    return (struct pl_task_exit *)(void *)reports->p + i;
}

/* ---- process_ended_starts.c --------------------------------------------- */

/*
 * True if the report is late, of a process that the first sample should have shown
 * as ended: what it did is of the time before the log.  Shown as new, it would seem
 * to have done that since.
 */
bool pl_process_is_of_before(const struct pl_process_ended *e,
                             const struct pl_source *s,
                             const struct pl_task_exit *x);

/* Find the start of each process that the first 'num_final' reports in 'ready'
 * are about: from its row, else computed. */
void pl_process_find_starts(struct pl_process_ended *e, struct pl_source *s);

#endif
