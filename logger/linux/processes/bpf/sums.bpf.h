/*                                                logger/linux/processes/bpf/sums.bpf.h
 * A part of tasks.bpf.c: the sums of a process over its threads, those that
 * live and those that ended.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_SUMS_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_SUMS_BPF_H

#include "common.bpf.h"

enum {
    MAX_THREADS = 1 << 22,
    TRIES = 4,
};

struct walk {
    __u64 next; /* list_head of the next thread */
    __u64 head; /* where the list ends */
    struct pl_task_sums sums;
};

static long add_thread(__u32 i, struct walk *w)
{
    const struct task_struct *t;
    struct pl_task_sums *s = &w->sums;
    struct task_io_accounting io;
    unsigned long n = 0;
    __u64 v = 0;

    if (w->next == w->head || !w->next)
        return 1;
    t = (const void *)(w->next -
                       bpf_core_field_offset(struct task_struct, thread_node));
    if (READ(w->next, t->thread_node.next))
        return 1;
#define ADD(member, room, field)                                               \
    if (!READ(room, field))                                                    \
    s->member += (room)
    ADD(run_time, v, t->se.sum_exec_runtime);
    ADD(utime, v, t->utime);
    ADD(stime, v, t->stime);
    ADD(gtime, v, t->gtime);
    ADD(minflt, n, t->min_flt);
    ADD(majflt, n, t->maj_flt);
    ADD(nvcsw, n, t->nvcsw);
    ADD(nivcsw, n, t->nivcsw);
    if (HAS_RUN_DELAY && (want & PL_WANT_RUN_DELAY))
        ADD(run_delay, v, t->sched_info.run_delay);
#undef ADD
    if (HAS_IO && !READ(io, t->ioac)) {
        const __u64 *words = (const __u64 *)&io;

        for (int k = 0; k < PL_TASK_IO_WORDS; k++)
            s->io[k] += words[k];
    }
    return 0;
}

static void begin_sums(struct pl_task_sums *s, const struct signal_struct *g)
{
    s->run_time = g->sum_sched_runtime;
    s->utime = g->utime;
    s->stime = g->stime;
    s->gtime = g->gtime;
    s->minflt = g->min_flt;
    s->majflt = g->maj_flt;
    s->nvcsw = g->nvcsw;
    s->nivcsw = g->nivcsw;
    s->run_delay = 0;
    if (HAS_IO) {
        s->io[0] = g->ioac.rchar;
        s->io[1] = g->ioac.wchar;
        s->io[2] = g->ioac.syscr;
        s->io[3] = g->ioac.syscw;
        s->io[4] = g->ioac.read_bytes;
        s->io[5] = g->ioac.write_bytes;
        s->io[6] = g->ioac.cancelled_write_bytes;
    }
}

/* The only thread: no list to follow, so no copying either. */
static void add_leader(struct pl_task_sums *s, const struct task_struct *t)
{
    s->run_time += t->se.sum_exec_runtime;
    s->utime += t->utime;
    s->stime += t->stime;
    s->gtime += t->gtime;
    s->minflt += t->min_flt;
    s->majflt += t->maj_flt;
    s->nvcsw += t->nvcsw;
    s->nivcsw += t->nivcsw;
    if (HAS_RUN_DELAY && (want & PL_WANT_RUN_DELAY))
        s->run_delay += t->sched_info.run_delay;
    if (HAS_IO) {
        s->io[0] += t->ioac.rchar;
        s->io[1] += t->ioac.wchar;
        s->io[2] += t->ioac.syscr;
        s->io[3] += t->ioac.syscw;
        s->io[4] += t->ioac.read_bytes;
        s->io[5] += t->ioac.write_bytes;
        s->io[6] += t->ioac.cancelled_write_bytes;
    }
}

/* Orders what is read before and after, on every kind of processor. */
static void fence(void)
{
    __u64 x = 0;

    __sync_fetch_and_add(&x, 1);
    asm volatile("" : : "r"(x) : "memory");
}

/*
 * A thread that ends adds its numbers to the group's and leaves the list
 * while it holds stats_lock: where that changed meanwhile, sum again.
 */
static void sum_up(struct walk *w, const struct task_struct *t,
                   const struct signal_struct *g)
{
    for (int i = 0; i < TRIES; i++) {
        unsigned int before = g->stats_lock.seqcount.seqcount.sequence;

        fence();
        begin_sums(&w->sums, g);
        if (g->nr_threads == 1) {
            add_leader(&w->sums, t);
        } else {
            w->next = (__u64)g->thread_head.next;
            w->head = (__u64)&g->thread_head;
            bpf_loop(MAX_THREADS, add_thread, w, 0);
        }
        fence();
        if (!(before & 1) && before == g->stats_lock.seqcount.seqcount.sequence)
            break;
    }
}

#endif
