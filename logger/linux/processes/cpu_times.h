/*                                       logger/linux/processes/cpu_times.h
 * User and system time of tasks, scaled so that they add up to the time that
 * the scheduler counted.  The kernel takes the two at its timer ticks, so they
 * are samples; its own /proc shows them scaled (kernel/sched/cputime.c,
 * cputime_adjust()), BPF reads them as they were taken.
 *
 * Neither of the two ever falls: what was shown of a task before is kept here,
 * as the kernel keeps it in its prev_cputime.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_CPU_TIMES_H
#define PL_LOGGER_LINUX_PROCESSES_CPU_TIMES_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One task's times, all in one unit; what identifies it is compared only. */
struct pl_cpu_time {
    uint64_t id, start; /* its number and the time it was started at */
    uint64_t user, system;
};

/* Those of the last walk over all tasks, and of this one.  All zero: none. */
struct pl_cpu_times {
    struct pl_cpu_time_list {
        struct pl_cpu_time *p;
        size_t num, cap;
        bool unsorted; /* ids do not ascend */
    } was, now;
    size_t at; /* in 'was': where the next task is likely to be */
};

void pl_cpu_times_release(struct pl_cpu_times *c);

/*
 * Replace t->user and t->system, as they were taken, by their shares of
 * 'run_time'; neither will be below what was shown 'before' (zeros: nothing).
 */
void pl_cpu_time_scale(struct pl_cpu_time *t, uint64_t run_time,
                       const struct pl_cpu_time *before);

/*
 * Likewise; what was shown before is looked up.  Quick for tasks in the order
 * of their ids.  Memory is asked for when there are more tasks than ever
 * before; PL_NOMEM, 't' is scaled then.
 */
enum pl_status pl_cpu_times_scale(struct pl_cpu_times *c, uint64_t run_time,
                                  struct pl_cpu_time *t);

/*
 * The walk ends.  Tasks that it did not meet are forgotten; all_seen false:
 * it was broken off, and what the walk before it met stays known instead.
 */
void pl_cpu_times_end(struct pl_cpu_times *c, bool all_seen);

#endif
