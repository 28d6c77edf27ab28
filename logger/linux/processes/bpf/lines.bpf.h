/*                                   logger/linux/processes/bpf/lines.bpf.h
 * A part of ends.bpf.c: command lines of processes that no walk will meet.  Each
 * exec notes the line, which the kernel has just written into the new memory, so
 * that reading it needs no page fault; the end of a process that did enough puts
 * it into a ring buffer.  A process that only forked has none.
 *
 * What the reader has met it asks /proc about: noted are processes that began after
 * a time that the reader moves on with each walk.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_LINES_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_LINES_BPF_H

#include "common.bpf.h"
#include "parts.bpf.h"

enum {
    NUM_LINES = 1 << 11, /* 2 MiB of the kernel's memory */
    NUM_PLACES_TRIED = 4,
    PLACES_APART = 509, /* far from those of processes that began just now */
    MOST_LINES_PUT =
        1 << 11 /* between two walks: a quarter of the ring buffers at most */
};

/* Set by the reader: CLOCK_BOOTTIME; 0: no lines are wanted. */
__u64 lines_since = 0;
__u32 num_lines_put = 0; /* since the reader set it to 0 */

/* Its process alone writes it, and reads it when it ends. */
struct noted_line {
    __u64 owner; /* when that began; 0: it has ended, or there was none */
    struct pl_task_line line; /* length 0: none could be read */
};

/* A process has one of a few places, by its number.  It leaves it when it ends, or to
 * another one when the reader has met it. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NUM_LINES);
    __type(key, __u32);
    __type(value, struct noted_line);
} noted_lines SEC(".maps");

/* The line being put: one a processor, as a program never runs within itself. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct pl_task_line);
} line_rooms SEC(".maps");

#define HAS_LINE (IN_MM(arg_start) && IN_MM(arg_end))

static __always_inline bool is_line_wanted(__u64 start)
{
    return HAS_LINE && lines_since && start >= lines_since;
}

static __always_inline struct noted_line *nth_place(__u32 number, __u32 n)
{
    __u32 key = (number + n * PLACES_APART) % NUM_LINES;

    return bpf_map_lookup_elem(&noted_lines, &key);
}

/* The place of the process that began at 'start'; NULL: it has none. */
static __always_inline struct noted_line *line_of(__u32 number, __u64 start)
{
    for (__u32 n = 0; n < NUM_PLACES_TRIED; n++) {
        struct noted_line *l = nth_place(number, n);

        if (l && l->owner == start)
            return l;
    }
    return NULL;
}

static __always_inline struct noted_line *take_place(__u32 number, __u64 start)
{
    for (__u32 n = 0; n < NUM_PLACES_TRIED; n++) {
        struct noted_line *l = nth_place(number, n);
        __u64 owner;

        if (!l)
            return NULL;
        owner = *(volatile __u64 *)&l->owner;
        if (owner < lines_since &&
            __sync_val_compare_and_swap(&l->owner, owner, start) == owner)
            return l;
    }
    return NULL;
}

/* 't' is the running task. */
static __always_inline void read_line(struct pl_task_line *to,
                                      const struct task_struct *t)
{
    const struct mm_struct *mm = NULL;
    __u64 at, n;

    to->length = 0;
    if (READ(mm, t->mm) || !mm)
        return;
    at = COPY(mm, arg_start);
    n = COPY(mm, arg_end) - at;
    to->is_cut = n > sizeof to->text;
    if (n > sizeof to->text)
        n = sizeof to->text;
    if (n && !bpf_probe_read_user(to->text, n, (const void *)at))
        to->length = n;
}

static __always_inline void note_line(const struct task_struct *t)
{
    __u64 start = NUMBER(t, start_boottime);
    __u32 number = NUMBER(t, tgid);
    struct noted_line *l;

    if (!is_line_wanted(start))
        return;
    l = line_of(number, start);
    if (!l)
        l = take_place(number, start);
    if (l)
        read_line(&l->line, t);
}

/* Copied first, as the reader may just have met the process, and its place may be
 * another's at any time. */
static __always_inline void put_line(struct noted_line *l, __u64 start,
                                     __u32 pid)
{
    struct pl_task_line *line;
    __u32 key = 0, n;

    line = bpf_map_lookup_elem(&line_rooms, &key);
    if (!line || __sync_fetch_and_add(&num_lines_put, 1) >= MOST_LINES_PUT ||
        bpf_probe_read_kernel(line, sizeof *line, &l->line))
        return;
    fence();
    n = line->length;
    if (*(volatile __u64 *)&l->owner != start || !n || n > sizeof line->text)
        return;
    line->kind = PL_TASK_LINE;
    line->pid = pid;
    line->start_ns = start;
    n += sizeof *line - sizeof line->text;
    if (bpf_ringbuf_output(&ring, line, n, BPF_RB_NO_WAKEUP))
        bpf_ringbuf_output(&spill, line, n, BPF_RB_NO_WAKEUP);
}

/* The process 'number' ends, which is 'pid' for the reader; 'noticed': it did enough to
 * be identified.  Not static, so that it is verified once, whatever came before. */
__noinline int leave_line(__u64 start, __u32 number, __u32 pid, __u32 noticed)
{
    struct noted_line *l =
        is_line_wanted(start) ? line_of(number, start) : NULL;

    if (!l)
        return 0;
    if (noticed)
        put_line(l, start, pid);
    __sync_val_compare_and_swap(&l->owner, start, 0);
    return 0;
}

#endif
