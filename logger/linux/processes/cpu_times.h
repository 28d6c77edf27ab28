/*                                       logger/linux/processes/cpu_times.h
 * User and system time of tasks, scaled so that they add up to the time that
 * the scheduler counted.  The kernel measures the two by sampling at timer
 * ticks; /proc shows them scaled (kernel/sched/cputime.c, cputime_adjust()),
 * BPF reads them unscaled.
 *
 * Neither of the two ever decreases: the values shown before are kept here, as
 * the kernel keeps them in prev_cputime.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_CPU_TIMES_H
#define PL_LOGGER_LINUX_PROCESSES_CPU_TIMES_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One task's times, all in one unit; its identity is only compared. */
struct pl_cpu_time {
    uint64_t id, start; /* its number and the time it was started at */
    uint64_t user, system;
    uint32_t heirs; /* how often another task took over number and start */
};

/* Times of the previous and the present walk over all tasks.  All 0: none. */
struct pl_cpu_times {
    struct pl_cpu_time_list {
        struct pl_cpu_time *p;
        size_t num, cap;
        bool unsorted; /* ids do not ascend */
    } was, now;
    size_t at; /* in 'was': where the next task is likely to be */
    /* Set for threads: where one other than the main thread calls exec, the
     * kernel gives it the main thread's number and start, but its run time
     * stays its own.  Less run time than before means that. */
    bool may_be_inherited;
};

void pl_cpu_times_release(struct pl_cpu_times *c);

/*
 * Replace t->user and t->system, unscaled, by their shares of 'run_time';
 * neither will be below the value shown 'before' (zeros: none).
 */
void pl_cpu_time_scale(struct pl_cpu_time *t, uint64_t run_time,
                       const struct pl_cpu_time *before);

/*
 * Likewise; the values shown before are looked up; sets t->heirs.  Fast for tasks in ascending
 * order of id.  Allocates only when there are more tasks than ever before; on
 * PL_NOMEM 't' is scaled all the same.
 */
enum pl_status pl_cpu_times_scale(struct pl_cpu_times *c, uint64_t run_time,
                                  struct pl_cpu_time *t);

/*
 * End a walk.  Tasks that it did not meet are forgotten; all_seen false: it
 * was incomplete, and the times of the previous walk are kept instead.
 */
void pl_cpu_times_end(struct pl_cpu_times *c, bool all_seen);

#endif
