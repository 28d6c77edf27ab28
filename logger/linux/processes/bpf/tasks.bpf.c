/*
 * The task iterator: called by the kernel for every thread during a read of
 * the iterator's file, it appends records (task_record.h) to the data read.  It
 * runs under the RCU read lock, takes no other lock and keeps nothing between
 * calls; if a record does not fit, the kernel discards its beginning and calls
 * again with an empty buffer.
 *
 * Needs Linux 5.17 (bpf_loop, relocation by the kernel).
 */
#include "common.bpf.h"
#include "memory.bpf.h"
#include "parts.bpf.h"
#include "sums.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
    MAX_PID_LEVEL = 32,
    MAX_UPID = 32, /* bytes; it is 16 */
    PF_KTHREAD = 0x00200000,
    WORD_BITS = 64,
    MAX_FILE_WORDS = 1 << 20,
};

/* ---- numbers ------------------------------------------------------------ */

/* The reader's pid namespace, which stays: its level, 0 for the initial one, and
 * the address of its structure.  Read once. */
__u32 reader_level = 0;
__u64 reader_at = 0;

/* The namespace of level 'level' of the number whose pid structure is at 'at', and
 * the number in it. */
static __u64 namespace_of(__u64 at, __u32 level, __u32 *number)
{
    __u32 size = bpf_core_type_size(struct upid);
    char there[MAX_UPID];

    *number = 0;
    at += bpf_core_field_offset(struct pid, numbers) + level * size;
    if (size > sizeof there ||
        bpf_probe_read_kernel(there, size, (const void *)at))
        return 0;
    *number = *(__u32 *)(there + OFFSET_OF(struct upid, nr));
    return *(__u64 *)(there + OFFSET_OF(struct upid, ns));
}

static __noinline void find_reader(void)
{
    const struct task_struct *reader = (const void *)bpf_get_current_task();
    const struct pid *pid = NULL;
    __u32 number;

    if (READ(pid, reader->thread_pid) || !pid)
        return;
    reader_level = COPY(pid, level);
    if (reader_level <= MAX_PID_LEVEL)
        reader_at = namespace_of((__u64)pid, reader_level, &number);
}

/* In the reader's namespace, the number of level 'level' whose pid structure is at
 * 'at'; 0: it has none there. */
static __noinline __u32 number_there(__u64 at, __u32 level)
{
    __u32 number;

    if (reader_level > MAX_PID_LEVEL || level < reader_level)
        return 0;
    return namespace_of(at, reader_level, &number) == reader_at ? number : 0;
}

/* The same of 'pid', which is 'first' in the initial namespace. */
static __u32 number_of(const struct pid *pid, __u32 first)
{
    if (!pid || !reader_level)
        return pid ? first : 0;
    return number_there(address_in_walk(pid), NUMBER(pid, level));
}

/* The number of the process that the thread 't' belongs to. */
static __u32 process_of(const struct task_struct *t)
{
    const struct signal_struct *g = NULL;
    const struct pid *pid = NULL;

    if (!reader_level)
        return COPY(t, tgid);
    if (READ(g, t->signal) || READ(pid, g->pids[PIDTYPE_TGID]) || !pid)
        return 0;
    return number_there((__u64)pid, COPY(pid, level));
}

/* ---- open files --------------------------------------------------------- */

struct files {
    __u64 next;
    __u32 words;
    __u32 count;
};

static __u32 bits_in(__u64 w)
{
    w -= (w >> 1) & 0x5555555555555555;
    w = (w & 0x3333333333333333) + ((w >> 2) & 0x3333333333333333);
    w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (__u32)((w * 0x0101010101010101) >> 56);
}

static long add_files(__u32 i, struct files *f)
{
    __u64 word;

    if (i >= f->words ||
        bpf_probe_read_kernel(&word, sizeof word, (void *)f->next))
        return 1;
    f->next += sizeof word;
    if (word)
        f->count += bits_in(word);
    return 0;
}

static __noinline __u32 open_files(const struct task_struct *t)
{
    struct files_struct *files = NULL;
    struct files f = { 0, 0, 0 };
    struct fdtable *table = NULL;

    if (!HAS_OPEN_FILES || READ(files, t->files) || !files ||
        READ(table, files->fdt) || !table || READ(f.next, table->open_fds))
        return 0;
    f.words = COPY(table, max_fds) / WORD_BITS;
    bpf_loop(MAX_FILE_WORDS, add_files, &f, 0);
    return f.count;
}

/* ---- records ------------------------------------------------------------ */

static __u32 user_of(const struct task_struct *t)
{
    const struct cred *cred = NULL;

    if (!HAS_USER || READ(cred, t->real_cred))
        return 0;
    return COPY(cred, euid.val);
}

/* The last parent and its number: most children of a parent follow each other.
 * Where one task follows another at an address, their starts differ. */
__u64 parent_at = 0, parent_start = 0;
__u32 parent_number = 0;

static __u32 parent_of(const struct task_struct *t)
{
    const struct task_struct *parent = NULL;
    __u64 at, start;

    if (!bpf_core_field_exists(t->real_parent) || READ(parent, t->real_parent))
        return 0;
    if (!reader_level)
        return COPY(parent, tgid);
    at = (__u64)parent;
    start = COPY(parent, start_boottime);
    if (at != parent_at || start != parent_start) {
        parent_number = process_of(parent);
        parent_at = at;
        parent_start = start;
    }
    return parent_number;
}

/* Few tasks are ending; reading this of others costs a cache line. */
static __u32 exit_state(const struct task_struct *t)
{
    return NUMBER(t, flags) & PF_EXITING ? NUMBER_OR_0(t, exit_state) : 0;
}

static __u64 blkio_delay(const struct task_struct *t)
{
    const struct task_delay_info *delays = NULL;

    if (!HAS_BLKIO_DELAY || READ(delays, t->delays) || !delays)
        return 0;
    return COPY(delays, blkio_delay);
}

static __u64 cgroup_of(const struct task_struct *t)
{
    const struct css_set *set = NULL;
    const struct cgroup *group = NULL;
    const struct kernfs_node *node = NULL;

    if (!HAS_CGROUP || READ(set, t->cgroups) || READ(group, set->dfl_cgrp) ||
        READ(node, group->kn))
        return 0;
    return COPY(node, id);
}

static __noinline long put_process(struct seq_file *seq, struct task_struct *t)
{
    const struct signal_struct *g = t->signal;
    const struct mm_struct *mm;
    const struct pid *pid;
    struct pl_task_head h;
    struct walk w;

    __builtin_memset(&h, 0, sizeof h);
    LOADED(g);
    mm = t->mm;
    LOADED(mm);
    held_by = mm ? BY_MAIN : BY_NONE;
    sum_up(&w, t, g);
    /* Read after the sums: a number means that it was in the list meanwhile. */
    pid = t->thread_pid;
    LOADED(pid);
    h.pid = number_of(pid, NUMBER(t, tgid));
    if (!h.pid)
        return 0;
    h.kind = PL_TASK_PROCESS;
    h.parts = parts;
    h.flags = NUMBER(t, flags);
    if (held_by != BY_NONE && !(h.flags & PF_KTHREAD))
        h.parts |= PL_PART_MEMORY;
    h.parent = parent_of(t);
    h.threads = NUMBER_OR_0(g, nr_threads);
    h.state = NUMBER_OR_0(t, __state);
    h.exit_state = exit_state(t);
    h.normal_prio = (__s32)NUMBER_OR_0(t, normal_prio);
    h.static_prio = NUMBER_OR_0(t, static_prio);
    h.uid = user_of(t);
    h.program = (__u32)NUMBER_OR_0(t, self_exec_id);
    if (want & PL_WANT_OOM_SCORE)
        h.oom_score_adj = (__s32)NUMBER_OR_0(g, oom_score_adj);
    h.start_ns = NUMBER(t, start_boottime);
    h.cutime = NUMBER_OR_0(g, cutime);
    h.cstime = NUMBER_OR_0(g, cstime);
    if (want & PL_WANT_BLKIO_DELAY)
        h.blkio_delay = blkio_delay(t);
    if (want & PL_WANT_CGROUP)
        h.cgroup = cgroup_of(t);
    if (want & PL_WANT_OPEN_FILES)
        h.open_files =
            open_files(held_by > BY_MAIN ? (const void *)held_by : t);
    bpf_probe_read_kernel_str(h.comm, sizeof h.comm, t->comm);
#ifdef PL_SEES_ENDS
    if (has_end(t, g))
        h.parts |= PL_PART_END;
#endif
    if (bpf_seq_write(seq, &h, sizeof h) ||
        bpf_seq_write(seq, &sums, sizeof sums))
        return 0;
#ifdef PL_SEES_ENDS
    if ((h.parts & PL_PART_END) && bpf_seq_write(seq, &end, sizeof end))
        return 0;
#endif
    return h.parts & PL_PART_MEMORY;
}

static __noinline long put_thread(struct seq_file *seq, struct task_struct *t)
{
    const struct task_struct *leader = NULL;
    const struct pid *pid = NULL;
    struct pl_task_thread r;

    __builtin_memset(&r, 0, sizeof r);
    READ(pid, t->thread_pid);
    r.tid = reader_level ? number_there((__u64)pid, COPY(pid, level))
                         : NUMBER(t, pid);
    r.pid = process_of(t);
    if (!r.tid || !r.pid)
        return 0;
    r.kind = PL_TASK_THREAD;
    r.parts = parts;
    r.flags = NUMBER(t, flags);
    r.state = NUMBER_OR_0(t, __state);
    r.exit_state = exit_state(t);
    r.on_cpu = NUMBER_OR_0(t, on_cpu);
    r.cpu = NUMBER_OR_0(t, thread_info.cpu);
    r.prio = NUMBER_OR_0(t, prio);
    r.normal_prio = (__s32)NUMBER_OR_0(t, normal_prio);
    r.static_prio = NUMBER_OR_0(t, static_prio);
    if (!READ(leader, t->group_leader))
        r.process_start_ns = COPY(leader, start_boottime);
    r.start_ns = NUMBER(t, start_boottime);
    r.run_time = NUMBER_OR_0(t, se.sum_exec_runtime);
    r.utime = NUMBER_OR_0(t, utime);
    r.stime = NUMBER_OR_0(t, stime);
    r.run_delay = NUMBER_OR_0(t, sched_info.run_delay);
    r.slices = NUMBER_OR_0(t, sched_info.pcount);
    r.minflt = NUMBER_OR_0(t, min_flt);
    r.majflt = NUMBER_OR_0(t, maj_flt);
    r.nvcsw = NUMBER_OR_0(t, nvcsw);
    r.nivcsw = NUMBER_OR_0(t, nivcsw);
    r.read_bytes = NUMBER_OR_0(t, ioac.read_bytes);
    r.write_bytes = NUMBER_OR_0(t, ioac.write_bytes);
    bpf_probe_read_kernel_str(r.comm, sizeof r.comm, t->comm);
    return bpf_seq_write(seq, &r, sizeof r);
}

SEC("iter/task")
int tasks(struct bpf_iter__task *ctx)
{
    struct seq_file *seq = ctx->meta->seq;
    struct task_struct *t = ctx->task;
    bool leads;

    if (!t)
        return 0;
    leads = (__u32)NUMBER(t, pid) == (__u32)NUMBER(t, tgid);
    if (!leads && !(want & PL_WANT_THREADS))
        return 0;
    if (!parts) {
        find_reader();
        find_parts();
    }
    if (leads && put_process(seq, t))
        put_memory(seq, t);
    if (want & PL_WANT_THREADS)
        put_thread(seq, t);
    return 0;
}
