/*                                   logger/linux/processes/bpf/lines.bpf.h
 * A part of ends.bpf.c: command lines of processes that no walk will meet.  Each
 * exec notes the line, which the kernel has just written into the new memory, so
 * that reading it needs no page fault; the end of a process that did enough puts
 * it into the ring buffer.  A process that only forked has none.
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
    MOST_LINES_PUT =
        1 << 10 /* between two walks: an eighth of the ring buffer */
};

/* Set by the reader: CLOCK_BOOTTIME; 0: no lines are wanted. */
__u64 lines_since = 0;
__u32 num_lines_put = 0; /* since the reader set it to 0 */

struct noted_line {
    struct pl_task_line line; /* start_ns is 0 while it is written */
    __u32 is_written;
};

/* The place of a process is the remainder of its number: a later one takes the
 * place of one that lives long, and the start tells them apart. */
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

static __always_inline struct noted_line *line_of(const struct task_struct *t)
{
    __u32 key = (__u32)NUMBER(t, tgid) % NUM_LINES;

    return bpf_map_lookup_elem(&noted_lines, &key);
}

/* 't' is the running task. */
static __always_inline bool read_line(struct pl_task_line *to,
                                      const struct task_struct *t)
{
    const struct mm_struct *mm = NULL;
    __u64 at, n;

    if (READ(mm, t->mm) || !mm)
        return false;
    at = COPY(mm, arg_start);
    n = COPY(mm, arg_end) - at;
    to->is_cut = n > sizeof to->text;
    if (n > sizeof to->text)
        n = sizeof to->text;
    to->length = n;
    return n && !bpf_probe_read_user(to->text, n, (const void *)at);
}

static __always_inline void note_line(const struct task_struct *t)
{
    __u64 start = NUMBER(t, start_boottime);
    struct noted_line *l;

    if (!is_line_wanted(start))
        return;
    l = line_of(t);
    /* Two numbers with one place: the second has no line. */
    if (!l || __sync_val_compare_and_swap(&l->is_written, 0, 1))
        return;
    *(volatile __u64 *)&l->line.start_ns = 0;
    fence();
    if (read_line(&l->line, t)) {
        fence();
        *(volatile __u64 *)&l->line.start_ns = start;
    }
    __sync_fetch_and_and(&l->is_written, 0);
}

/* Copied first, as its place may be another's at any time. */
static __always_inline void put_line(void *to, const struct task_struct *t,
                                     __u64 start, __u32 pid)
{
    struct noted_line *l = line_of(t);
    struct pl_task_line *line;
    __u32 key = 0, n;

    if (!l || l->line.start_ns != start)
        return;
    line = bpf_map_lookup_elem(&line_rooms, &key);
    if (!line || __sync_fetch_and_add(&num_lines_put, 1) >= MOST_LINES_PUT ||
        bpf_probe_read_kernel(line, sizeof *line, &l->line))
        return;
    fence();
    n = line->length;
    if (*(volatile __u64 *)&l->line.start_ns != start || n > sizeof line->text)
        return;
    line->kind = PL_TASK_LINE;
    line->pid = pid;
    bpf_ringbuf_output(to, line, sizeof *line - sizeof line->text + n,
                       BPF_RB_NO_WAKEUP);
}

#endif
