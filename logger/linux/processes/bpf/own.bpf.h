/*                                     logger/linux/processes/bpf/own.bpf.h
 * A part of tasks.bpf.c: separates the I/O of a process from that of its
 * children.  The kernel keeps one sum (signal->ioac) of the threads that ended
 * and of the children that were reaped; a thread's own sum (task->ioac) never
 * includes a child's.  ends.bpf.c sees every thread end and notes its I/O, by
 * process, and that it was noted, as the thread stays in the list for a while.
 * Threads that ended before the program was loaded are unknown and counted with
 * the children: a constant, which differences do not show.
 *
 * A thread is seen to end before it closes its files, which may cancel writes,
 * and since Linux 6.16 before its record of process accounting (acct(5)) is
 * written, too.  The last one does both: its I/O is read from itself for as long as
 * it is there.
 *
 * The sums are consistent if nothing was noted meanwhile: 'begun' and 'done'
 * are then equal and unchanged.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_OWN_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_OWN_BPF_H

#include "common.bpf.h"

enum { PF_EXITING = 0x00000004 };

/* The process being written down: static, as there is one reader, as all calls
 * together have 512 bytes of stack, of which older kernels (6.1) round each call's
 * share up to 32, and as the verifier does not compare what static data hold. */
struct pl_task_process process = { 0 };

struct io_words {
    __u64 word[PL_TASK_IO_WORDS];
};

#define WORDS(io) ((struct io_words *)(io))

/* Not static, so that it is verified once, whatever calls it. */
__noinline int add_words(struct io_words *sum, const struct io_words *words)
{
    if (!sum || !words)
        return 0;
    for (int k = 0; k < PL_TASK_IO_WORDS; k++)
        sum->word[k] += words->word[k];
    return 0;
}

#ifdef PL_SEES_ENDS

/* Likewise. */
__noinline int take_words(struct io_words *sum, const struct io_words *words)
{
    if (!sum || !words)
        return 0;
    for (int k = 0; k < PL_TASK_IO_WORDS; k++)
        sum->word[k] -= words->word[k];
    return 0;
}

enum { MAX_NOTED = 1 << 16, NUM_PLACES = 1 << 15 };

/* What is to be known of an ended process when the kernel releases it. */
struct ended_process {
    __u64 start;       /* of its main thread */
    __u32 pid, parent; /* in the reader's namespace */
    __u32 user;        /* of the thread that ended last */
    __u8 reported;     /* 1: thread_ends has put, or tried to put, its end */
    __u8 lost;         /* 1: the ring buffers had no room for that */
};

/* Of those with one thread, which is most: the place of a process is the
 * remainder of its number.  A later one may take the place of one that is not
 * waited for; the start tells them apart. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NUM_PLACES);
    __type(key, __u32);
    __type(value, struct ended_process);
} places SEC(".maps");

/* A process with several threads, by the address of its signal_struct; until
 * the kernel releases it.  Its start tells it from an earlier one at that
 * address whose release was not seen. */
struct noted_process {
    struct ended_process end;
    __u64 begun, done;  /* notes */
    struct io_words io; /* without the last thread's */
    __u64 ends;         /* threads that found no other living when they ended */
    __u64 last; /* address of the first of them that is not the main thread;
                 * 0: none, or it was freed */
    __u64 last_start;
    struct io_words last_io; /* when it ended, or when it was freed */
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, MAX_NOTED);
    __type(key, __u64);
    __type(value, struct noted_process);
} noted_processes SEC(".maps");

/* When threads were started, by the addresses of their task_struct: what was
 * not removed is no other thread's that has the address later. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, MAX_NOTED);
    __type(key, __u64);
    __type(value, __u64);
} noted_threads SEC(".maps");

/* Of the process being summed up. */
__u64 own_key = 0;   /* in noted_processes; 0: it has no noted threads */
__u64 own_start = 0; /* of the process */
__u64 own_notes = 0; /* at the start of the sums */
__u32 own_found = 0;

static __noinline struct noted_process *process_noted(__u64 key, __u64 start)
{
    struct noted_process *p = bpf_map_lookup_elem(&noted_processes, &key);

    return p && p->end.start == start ? p : NULL;
}

/* What the noted threads did until now. */
static __noinline void find_noted(struct io_words *io,
                                  const struct noted_process *p)
{
    const struct task_struct *last = (const void *)p->last;

    if (!last || !HAS_IO ||
        bpf_probe_read_kernel(io, sizeof *io, &last->ioac) ||
        COPY(last, start_boottime) != p->last_start ||
        last != *(const void *volatile *)&p->last) /* freed meanwhile */
        bpf_probe_read_kernel(io, sizeof *io, &p->last_io);
    add_words(io, &p->io);
}

/* Split the kernel's sum: the children's is what was not noted. */
static void part_io(__u64 *io, const struct signal_struct *g,
                    const struct task_struct *leader)
{
    const struct noted_process *p;
    __u64 any = 0;

    own_key = own_found = 0;
    for (int k = 0; k < PL_TASK_IO_WORDS; k++) {
        process.end.reaped_io[k] = io[k];
        any |= io[k];
        io[k] = 0;
    }
    if (!any) /* no thread was released, no child was reaped */
        return;
    own_key = address_in_walk(g);
    own_start = NUMBER(leader, start_boottime);
    p = process_noted(own_key, own_start);
    if (!p)
        return;
    own_found = 1;
    own_notes = p->done;
    find_noted(WORDS(io), p);
    take_words(WORDS(process.end.reaped_io), WORDS(io));
}

static bool own_changed(void)
{
    const struct noted_process *p;

    if (!own_key)
        return false;
    p = process_noted(own_key, own_start);
    return p ? !own_found || p->begun != own_notes : own_found;
}

/* True if the I/O of the thread with that address is in its process' notes already. */
static bool was_noted(__u64 thread, __u64 start)
{
    const __u64 *noted = bpf_map_lookup_elem(&noted_threads, &thread);

    return noted && *noted == start;
}

/* The sum that a thread's I/O belongs to: where it is noted, the one that the kernel
 * will add it to.  'get' reads 't', whose address is 'at'. */
#define SUM_OF(get, t, at)                                                     \
    WORDS(own_found &&get(t, flags) & PF_EXITING &&                            \
                  was_noted(at, get(t, start_boottime))                        \
              ? process.end.reaped_io                                          \
              : process.sums.io)

/* How a process ended that was not yet waited for, or is being released; the
 * code is its main thread's. */
static __always_inline void
find_end(struct pl_task_end *e, const struct signal_struct *g, __u32 exit_code)
{
    enum { GROUP_EXIT = 4 };
    const struct mm_struct *killed_for;

    e->ended = 1;
    e->status = NUMBER_OR_0(g, flags) & GROUP_EXIT
                    ? NUMBER_OR_0(g, group_exit_code)
                    : exit_code;
    if (EXISTS(g->oom_mm)) {
        killed_for = g->oom_mm;
        LOADED(killed_for);
        e->oom_victim = killed_for != NULL;
    }
}

/* True if a value of pl_task_end is not 0. */
static bool has_end(const struct task_struct *t, const struct signal_struct *g)
{
    process.end.ended = process.end.status = process.end.oom_victim = 0;
    if (NUMBER(t, flags) & PF_EXITING && NUMBER_OR_0(t, exit_state) &&
        !NUMBER_OR_0(g, live.counter))
        find_end(&process.end, g, NUMBER_OR_0(t, exit_code));
    return own_key || process.end.ended;
}

#else

static void part_io(__u64 *io, const struct signal_struct *g,
                    const struct task_struct *leader)
{
}

static bool own_changed(void)
{
    return false;
}

#define SUM_OF(get, t, at) WORDS(process.sums.io)

#endif

#endif
