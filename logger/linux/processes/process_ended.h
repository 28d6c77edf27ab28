/*                                   logger/linux/processes/process_ended.h
 * Rows of processes that ended since the previous sample.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_ENDED_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_ENDED_H

#include "format/base/buf.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/process_counted.h"
#include "logger/linux/processes/reaped_times.h"

enum { PL_ENDED_SLOTS = 512 };

/* A sum of ended processes with the same name. */
struct pl_ended_name {
    char comm[PL_TASK_COMM];
    size_t row;
    bool used;
};

/* State of ended processes, kept between samples; all zero at first. */
struct pl_process_ended {
    uint64_t tick;       /* sample of the next two */
    uint64_t first_tick; /* the first one that shows processes; 0: none */
    uint64_t first_ns;   /* when it was taken, CLOCK_BOOTTIME */
    size_t live;         /* rows of live processes, which come first */
    size_t missed_at;    /* first row of those that wait for final values */
    size_t live_before, missed_at_before; /* likewise, in s->before */
    size_t num_alone;                     /* that lived between two samples */
    size_t num_repeated;                  /* rows shown again */
    uint64_t num_computed;                /* starts, since the recorder began */
    size_t num_names;
    struct pl_ended_name names[PL_ENDED_SLOTS];
    struct pl_buf ready;  /* struct pl_task_exit to be shown in this sample: */
    size_t num_final;     /* those with final values first */
    struct pl_buf dying;  /* first reports, to be matched with final ones */
    struct pl_buf firsts; /* a table of them, by process */
    size_t first_mask;    /* its number of places less 1 */
    struct pl_buf met;    /* reports of processes that the walk met */
    struct pl_buf met_before; /* likewise, in the previous sample */
    struct pl_process_counted counted;
    struct pl_reaped_times reaped;
};

void pl_process_ended_release(struct pl_process_ended *e);

/*
 * Append rows of ended processes, from 'reports' (struct pl_task_exit), after
 * the rows of the live ones; 's->before' has the rows of the previous sample.
 * Without m->tasks the rows of the walk are those of /proc, which do not say
 * that a process has ended, and the reports are those of exit_events.h.  PL_OK
 * or PL_NOMEM.
 */
enum pl_status pl_process_add_ended(struct pl_process_ended *e,
                                    struct pl_source *s,
                                    const struct pl_buf *reports,
                                    struct pl_buf *name);

/* Called instead in a sample without rows, as the walk failed: the next one has
 * no previous rows, and is given the reports of this one, too. */
void pl_process_ended_skip(struct pl_process_ended *e);

/* The sample is lost (pl_source_undo, which is called before): its reports are
 * to be given in the next one again. */
void pl_process_ended_undo(struct pl_process_ended *e, struct pl_source *s);

#endif
