/*
 * The task iterator: called by the kernel for every thread while somebody
 * reads the iterator's file, it appends records (task_record.h) to what is
 * read.  It runs under the RCU read lock, takes no other lock and keeps
 * nothing between calls; if a record does not fit, the kernel throws its
 * beginning away and calls again with an empty buffer.
 *
 * Needs Linux 5.17 (bpf_loop, relocation by the kernel).
 */
#include "common.bpf.h"
#include "memory.bpf.h"
#include "sums.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
    MAX_PID_LEVEL = 32,
    PF_EXITING = 0x00000004,
    PF_KTHREAD = 0x00200000,
    WORD_BITS = 64,
    MAX_FILE_WORDS = 1 << 20,
};

/* ---- numbers -------------------------------------------------------------- */

/* The number of 'pid' in the namespace of 'reader'; 0: it has none there. */
static __noinline __u32 number_there(const struct pid *pid, struct pid *reader)
{
    unsigned int level = reader->level, deepest = 0;
    struct upid here, there;

    if (level > MAX_PID_LEVEL || READ(deepest, pid->level) || deepest < level)
        return 0;
    if (bpf_probe_read_kernel(&there, sizeof there,
                              (char *)pid->numbers + level * sizeof there) ||
        bpf_probe_read_kernel(&here, sizeof here,
                              (char *)reader->numbers + level * sizeof here))
        return 0;
    return there.ns == here.ns ? (__u32)there.nr : 0;
}

/* That of a task that has the number 'first' in the first namespace. */
static __u32 number_of(struct pid *pid, __u32 first, struct pid *reader)
{
    if (!pid)
        return 0;
    return reader->level ? number_there(pid, reader) : first;
}

/* That of the process whose main thread is 't', by copies. */
static __u32 process_of(const struct task_struct *t, struct pid *reader)
{
    const struct signal_struct *g = NULL;
    const struct pid *pid = NULL;

    if (!reader->level)
        return (__u32)t->tgid;
    if (READ(g, t->signal) || READ(pid, g->pids[PIDTYPE_TGID]))
        return 0;
    return number_there(pid, reader);
}

/* ---- open files -------------------------------------------------------------- */

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

static __noinline __u32 open_files(struct task_struct *t)
{
    struct files_struct *files = NULL;
    struct files f = { 0, 0, 0 };
    struct fdtable *table = NULL;
    unsigned int max_fds = 0;

    if (READ(files, t->files) || !files || READ(table, files->fdt) || !table ||
        READ(f.next, table->open_fds) || READ(max_fds, table->max_fds))
        return 0;
    f.words = max_fds / WORD_BITS;
    bpf_loop(MAX_FILE_WORDS, add_files, &f, 0);
    return f.count;
}

/* ---- records ------------------------------------------------------------------ */

static __u32 parts_of_kernel(void)
{
    return (HAS_IO ? PL_PART_IO : 0) | (HAS_RUN_DELAY ? PL_PART_RUN_DELAY : 0) |
           (HAS_CGROUP ? PL_PART_CGROUP : 0) |
           (HAS_PROCESSOR ? PL_PART_PROCESSOR : 0);
}

/* Few tasks end, and asking the others costs a look into another line. */
static __u32 exit_state(const struct task_struct *t)
{
    return t->flags & PF_EXITING ? (__u32)t->exit_state : 0;
}

static __u64 blkio_delay(const struct task_struct *t)
{
    const struct task_delay_info *delays = NULL;
    __u64 delay = 0;

    if (bpf_core_field_exists(struct task_struct, delays) &&
        !READ(delays, t->delays) && delays)
        READ(delay, delays->blkio_delay);
    return delay;
}

static __u64 cgroup_of(const struct task_struct *t)
{
    const struct css_set *set = NULL;
    const struct cgroup *group = NULL;
    const struct kernfs_node *node = NULL;
    __u64 id = 0;

    if (HAS_CGROUP && !READ(set, t->cgroups) && !READ(group, set->dfl_cgrp) &&
        !READ(node, group->kn))
        READ(id, node->id);
    return id;
}

static __noinline long put_process(struct seq_file *seq, struct task_struct *t,
                                   struct pid *reader)
{
    const struct signal_struct *g = t->signal;
    const struct task_struct *parent;
    const struct cred *cred;
    struct pl_task_head h;
    struct walk w = { 0, 0, { 0 } };
    struct mm_struct *mm;
    struct pid *pid;

    __builtin_memset(&h, 0, sizeof h);
    LOADED(g);
    sum_up(&w, t, g);
    /* Asked after the sums: it was in the list while they were made. */
    pid = t->thread_pid;
    mm = t->mm;
    parent = t->real_parent;
    cred = t->real_cred;
    LOADED(pid);
    LOADED(mm);
    LOADED(parent);
    LOADED(cred);
    h.pid = number_of(pid, (__u32)t->tgid, reader);
    if (!h.pid)
        return 0;
    h.kind = PL_TASK_PROCESS;
    h.parts = parts_of_kernel();
    h.flags = t->flags;
    if (mm && !(h.flags & PF_KTHREAD))
        h.parts |= PL_PART_MEMORY;
    h.parent = process_of(parent, reader);
    h.threads = (__u32)g->nr_threads;
    h.state = t->__state;
    h.exit_state = exit_state(t);
    h.normal_prio = t->normal_prio;
    h.static_prio = (__u32)t->static_prio;
    h.uid = cred->euid.val;
    if (want & PL_WANT_OOM_SCORE)
        h.oom_score_adj = g->oom_score_adj;
    h.start_ns = t->start_boottime;
    h.cutime = g->cutime;
    h.cstime = g->cstime;
    if (want & PL_WANT_BLKIO_DELAY)
        h.blkio_delay = blkio_delay(t);
    if (want & PL_WANT_CGROUP)
        h.cgroup = cgroup_of(t);
    if (want & PL_WANT_OPEN_FILES)
        h.open_files = open_files(t);
    bpf_probe_read_kernel_str(h.comm, sizeof h.comm, t->comm);
    if (bpf_seq_write(seq, &h, sizeof h) ||
        bpf_seq_write(seq, &w.sums, sizeof w.sums))
        return 0;
    return h.parts & PL_PART_MEMORY;
}

static __noinline long put_thread(struct seq_file *seq, struct task_struct *t,
                                  struct pid *reader)
{
    const struct task_struct *leader = t->group_leader;
    struct pid *pid = t->thread_pid;
    struct pl_task_thread r;

    LOADED(leader);
    LOADED(pid);
    __builtin_memset(&r, 0, sizeof r);
    r.tid = number_of(pid, (__u32)t->pid, reader);
    r.pid = process_of(t, reader);
    if (!r.tid || !r.pid)
        return 0;
    r.kind = PL_TASK_THREAD;
    r.parts = parts_of_kernel();
    r.flags = t->flags;
    r.state = t->__state;
    r.exit_state = exit_state(t);
    if (bpf_core_field_exists(struct task_struct, on_cpu))
        r.on_cpu = (__u32)t->on_cpu;
    if (HAS_PROCESSOR)
        r.cpu = t->thread_info.cpu;
    r.prio = (__u32)t->prio;
    r.normal_prio = t->normal_prio;
    r.static_prio = (__u32)t->static_prio;
    r.process_start_ns = leader->start_boottime;
    r.start_ns = t->start_boottime;
    r.run_time = t->se.sum_exec_runtime;
    r.utime = t->utime;
    r.stime = t->stime;
    if (HAS_RUN_DELAY) {
        r.run_delay = t->sched_info.run_delay;
        r.slices = t->sched_info.pcount;
    }
    r.minflt = t->min_flt;
    r.majflt = t->maj_flt;
    r.nvcsw = t->nvcsw;
    r.nivcsw = t->nivcsw;
    if (HAS_IO) {
        r.read_bytes = t->ioac.read_bytes;
        r.write_bytes = t->ioac.write_bytes;
    }
    bpf_probe_read_kernel_str(r.comm, sizeof r.comm, t->comm);
    return bpf_seq_write(seq, &r, sizeof r);
}

SEC("iter/task")
int tasks(struct bpf_iter__task *ctx)
{
    struct seq_file *seq = ctx->meta->seq;
    struct task_struct *t = ctx->task;
    struct task_struct *reader;
    struct pid *there;
    bool leads;

    if (!t)
        return 0;
    leads = t->pid == t->tgid;
    if (!leads && !(want & PL_WANT_THREADS))
        return 0;
    reader = bpf_get_current_task_btf();
    there = reader->thread_pid;
    LOADED(there);
    if (!there)
        return 0;
    if (leads && put_process(seq, t, there))
        put_memory(seq, t);
    if (want & PL_WANT_THREADS)
        put_thread(seq, t, there);
    return 0;
}
