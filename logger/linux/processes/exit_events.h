/*                                       logger/linux/processes/exit_events.h
 * Processes that ended, from taskstats' messages of their threads: the same
 * reports as those of ends.bpf.c, but that they come once, when the last thread
 * ends, and without the exact time of the start (process_ended.h finds it).
 * What the threads of a process did that ended before is kept here, by process; a
 * thread whose message comes after the last one's, in the same sample, is added.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_EXIT_EVENTS_H
#define PL_LOGGER_LINUX_PROCESSES_EXIT_EVENTS_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/linux/processes/bpf/task_record.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_exit_events;
struct pl_machine;

/*
 * Begin to listen.  PL_OK; PL_UNSUPPORTED: *why is a text that completes
 * "taskstats: "; PL_NOMEM.
 */
enum pl_status pl_exit_events_open(struct pl_exit_events **out,
                                   const char **why);
void pl_exit_events_close(struct pl_exit_events *e); /* NULL is fine */

/* Since when all threads are seen to end, in 100 ns of CLOCK_BOOTTIME. */
uint64_t pl_exit_events_since(const struct pl_exit_events *e);

/*
 * Take the messages that came since the previous sample, once per sample, and
 * set m->exits_lost: with those of threads for which there was no more room here,
 * and of processes for which there was no memory, or which had to wait and were too
 * many.
 * m->pids, of the previous sample or this one, shows what can be forgotten.  PL_OK
 * or PL_NOMEM.
 */
enum pl_status pl_exit_events_drain(struct pl_exit_events *e,
                                    struct pl_machine *m);

/* Sample 'tick' shows none of what it took, which waits for the next one. */
void pl_exit_events_keep(struct pl_exit_events *e, uint64_t tick);

/*
 * The processes that ended between the last two such calls, after those that wait, each a
 * struct pl_task_exit in the order of their ends; final, with a start_ns that
 * supposes that all ended at the last call: a little late.  Its threads are
 * those that were seen to end.
 */
const struct pl_buf *pl_exit_events_ended(const struct pl_exit_events *e);

/* 'num' grows with each that ends, the sums may not: the kernel rounds them. */
struct pl_ended_threads {
    uint32_t num;      /* with the main thread, though 'sums' may lack it */
    bool reaps_unseen; /* of the process: see own_io.h */
    struct pl_task_sums sums;
};

/*
 * What threads of a living process did that ended and left the list of its threads;
 * NULL: none was seen to, nor a child that it reaps unseen.  'main_ended': its main
 * thread has ended, and is in the list all the same (PF_EXITING, read after the drain).
 */
const struct pl_ended_threads *
pl_exit_events_of_threads(struct pl_exit_events *e, uint32_t pid,
                          bool main_ended);

#endif
