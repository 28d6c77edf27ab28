/*                                    logger/linux/processes/bpf/sums.bpf.h
 * A part of tasks.bpf.c: the sums of a process over its threads, live and
 * ended, and the thread that has its memory.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_SUMS_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_SUMS_BPF_H

#include "common.bpf.h"
#include "own.bpf.h"
#include "parts.bpf.h"

enum {
    MAX_THREADS = 1 << 22,
    TRIES = 4,
    FEW_THREADS = 64,
    TRIES_OF_FEW = 64,
};

struct walk {
    __u64 next; /* list_head of the next thread */
    __u64 head; /* where the list ends */
    const struct task_struct *leader;
    const struct signal_struct *group;
};

/* The address of the first thread that has its memory and open files, where the main
 * one has ended. */
enum { BY_NONE = 0, BY_MAIN = 1 };
__u64 held_by = BY_NONE;

/* Add the counts of a thread, or of its group, which has the ended threads'. */
#define ADD_COUNTED(s, get, from)                                              \
    do {                                                                       \
        (s)->utime += get(from, utime);                                        \
        (s)->stime += get(from, stime);                                        \
        (s)->gtime += get(from, gtime);                                        \
        (s)->minflt += get(from, min_flt);                                     \
        (s)->majflt += get(from, maj_flt);                                     \
        (s)->nvcsw += get(from, nvcsw);                                        \
        (s)->nivcsw += get(from, nivcsw);                                      \
    } while (0)

#define ADD_IO(io, from)                                                       \
    do {                                                                       \
        (io)[0] += NUMBER_OR_0(from, ioac.rchar);                              \
        (io)[1] += NUMBER_OR_0(from, ioac.wchar);                              \
        (io)[2] += NUMBER_OR_0(from, ioac.syscr);                              \
        (io)[3] += NUMBER_OR_0(from, ioac.syscw);                              \
        (io)[4] += NUMBER_OR_0(from, ioac.read_bytes);                         \
        (io)[5] += NUMBER_OR_0(from, ioac.write_bytes);                        \
        (io)[6] += NUMBER_OR_0(from, ioac.cancelled_write_bytes);              \
    } while (0)

#define SET_IO(io, from)                                                       \
    do {                                                                       \
        (io)[0] = NUMBER_OR_0(from, ioac.rchar);                               \
        (io)[1] = NUMBER_OR_0(from, ioac.wchar);                               \
        (io)[2] = NUMBER_OR_0(from, ioac.syscr);                               \
        (io)[3] = NUMBER_OR_0(from, ioac.syscw);                               \
        (io)[4] = NUMBER_OR_0(from, ioac.read_bytes);                          \
        (io)[5] = NUMBER_OR_0(from, ioac.write_bytes);                         \
        (io)[6] = NUMBER_OR_0(from, ioac.cancelled_write_bytes);               \
    } while (0)

static long add_thread(__u32 i, struct walk *w)
{
    const struct mm_struct *mm = NULL;
    const struct task_struct *t;
    struct pl_task_sums *s = &process.sums;
    struct io_words io;

    if (w->next == w->head || !w->next)
        return 1;
    t = (const void *)(w->next -
                       bpf_core_field_offset(struct task_struct, thread_node));
    if (READ(w->next, t->thread_node.next))
        return 1;
    if (held_by == BY_NONE && !READ(mm, t->mm) && mm)
        held_by = (__u64)t;
    ADD_COUNTED(s, COPY_OR_0, t);
    s->run_time += COPY_OR_0(t, se.sum_exec_runtime);
    if (want & PL_WANT_RUN_DELAY)
        s->run_delay += COPY_OR_0(t, sched_info.run_delay);
    if (HAS_IO && !bpf_probe_read_kernel(&io, sizeof io, &t->ioac))
        add_words(SUM_OF(COPY, t, (__u64)t), &io);
    return 0;
}

static void begin_sums(struct pl_task_sums *s, const struct signal_struct *g,
                       const struct task_struct *leader)
{
    __builtin_memset(s, 0, sizeof *s);
    ADD_COUNTED(s, NUMBER_OR_0, g);
    s->run_time = NUMBER_OR_0(g, sum_sched_runtime);
    ADD_IO(s->io, g);
    part_io(s->io, g, leader);
}

/* The only thread: no list to follow, so no copying either. */
static void add_leader(struct pl_task_sums *s, const struct task_struct *t)
{
    struct io_words io;

    ADD_COUNTED(s, NUMBER_OR_0, t);
    s->run_time += NUMBER_OR_0(t, se.sum_exec_runtime);
    if (want & PL_WANT_RUN_DELAY)
        s->run_delay += NUMBER_OR_0(t, sched_info.run_delay);
    SET_IO(io.word, t);
    add_words(SUM_OF(NUMBER, t, address_in_walk(t)), &io);
}

static __u32 sequence(const struct signal_struct *g)
{
    return NUMBER_OR_0(g, stats_lock.seqcount.seqcount.sequence);
}

/* True if the sums are good. */
static bool is_unchanged(const struct signal_struct *g, __u32 before)
{
    fence();
    return !(before & 1) && before == sequence(g) && !own_changed();
}

static long sum_once(__u32 i, struct walk *w)
{
    const struct signal_struct *g = w->group;
    __u32 before = sequence(g);

    fence();
    begin_sums(&process.sums, g, w->leader);
    if (NUMBER_OR_0(g, nr_threads) == 1) { /* no list to follow */
        add_leader(&process.sums, w->leader);
        return is_unchanged(g, before);
    }
    if (held_by != BY_MAIN)
        held_by = BY_NONE;
    w->head = (__u64)&g->thread_head;
    if (!READ(w->next, g->thread_head.next))
        bpf_loop(MAX_THREADS, add_thread, w, 0);
    return is_unchanged(g, before);
}

/* Of few threads the sums are made quickly, and again until they are good: where
 * others have the processor amid each of some tries, as in a virtual machine that
 * gets little time, the last try would count a thread not at all. */
static __u32 tries(const struct signal_struct *g)
{
    return NUMBER_OR_0(g, nr_threads) <= FEW_THREADS ? TRIES_OF_FEW : TRIES;
}

/*
 * A thread that ends adds its counts to the group's and leaves the list while
 * it holds stats_lock: if that changed meanwhile, sum again.  By bpf_loop, as
 * kernels before 6.2 refuse some of the loops that clang generates.
 */
static void sum_up(const struct task_struct *t, const struct signal_struct *g)
{
    struct walk w = { unknown, unknown, t, g };

    bpf_loop(tries(g), sum_once, &w, 0);
}

#endif
