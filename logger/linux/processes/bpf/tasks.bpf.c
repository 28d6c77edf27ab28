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
    MAX_UPID = 32,      /* bytes; it is 16 */
    MAX_NUMBERS = 4096, /* bytes; more than with all that debugging adds */
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

/* A struct pid until the number of the reader's level, copied in one piece. */
char numbers[MAX_NUMBERS] = { 0 };

/* In the reader's namespace, the number whose pid structure is at 'at'; 0: it has
 * none there. */
static __noinline __u32 number_there(__u64 at)
{
    __u64 level = reader_level, size = bpf_core_type_size(struct upid);
    __u64 its = bpf_core_field_offset(struct pid, numbers) + level * size;

    if (level > MAX_PID_LEVEL || size > MAX_UPID ||
        its > sizeof numbers - MAX_UPID ||
        bpf_probe_read_kernel(numbers, its + size, (const void *)at) ||
        *(__u32 *)(numbers + OFFSET_OF(struct pid, level)) < level ||
        *(__u64 *)(numbers + its + OFFSET_OF(struct upid, ns)) != reader_at)
        return 0;
    return *(__u32 *)(numbers + its + OFFSET_OF(struct upid, nr));
}

/* The same of the pid structure at 'at', which is 'first' in the initial
 * namespace. */
static __u32 number_of(__u64 at, __u32 first)
{
    if (!at || !reader_level)
        return at ? first : 0;
    return number_there(at);
}

/* The number of the process that the thread 't' belongs to. */
static __always_inline __u32 process_of(const struct task_struct *t)
{
    const struct pid *pid;

    if (!reader_level)
        return NUMBER(t, tgid);
    pid = t->signal->pids[PIDTYPE_TGID];
    return pid ? number_there((__u64)pid) : 0;
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
    const struct fdtable *table;

    if (!HAS_OPEN_FILES || READ(files, t->files) || !files)
        return 0;
    table = (const void *)read_member(files, fdt_at);
    if (!table || READ(f.next, table->open_fds))
        return 0;
    f.words = COPY(table, max_fds) / WORD_BITS;
    bpf_loop(MAX_FILE_WORDS, add_files, &f, 0);
    return f.count;
}

/* ---- records ------------------------------------------------------------ */

/* The last parent and its number: most children of a parent follow each other.
 * Where one task follows another at an address, their starts differ. */
__u64 parent_at = 0, parent_start = 0;
__u32 parent_number = 0;

static __u32 parent_of(const struct task_struct *parent)
{
    __u32 number = NUMBER(parent, tgid);
    __u64 at, start;

    LOADED(number); /* not the same load as that of parent_number */
    if (!reader_level)
        return number;
    at = address_in_walk(parent);
    start = NUMBER(parent, start_boottime);
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
    return read_member(delays, blkio_delay_at);
}

static __u64 cgroup_of(const struct task_struct *t)
{
    const struct cgroup *group;
    const struct kernfs_node *node = NULL;

    if (!HAS_CGROUP)
        return 0;
    group = (const void *)read_member(t->cgroups, dfl_cgrp_at);
    READ(node, group->kn);
    return COPY(node, id);
}

/* Two loads, where the kernel's name is as long as the record's; it ends with a 0. */
static void fill_comm(char *comm, const struct task_struct *t)
{
    enum { WORDS = PL_TASK_COMM / sizeof(__u64) };
    const __u64 *from = (const void *)t->comm;

    for (int i = 0; i < WORDS; i++)
        ((__u64 *)comm)[i] = from[i];
    comm[PL_TASK_COMM - 1] = 0;
}

/* Values that are read on request. */
static void fill_wanted(struct pl_task_head *h, const struct task_struct *t,
                        const struct signal_struct *g)
{
    h->oom_score_adj = 0;
    h->open_files = 0;
    h->blkio_delay = h->cgroup = 0;
    if (want & PL_WANT_OOM_SCORE)
        h->oom_score_adj = (__s32)NUMBER_OR_0(g, oom_score_adj);
    if (want & PL_WANT_BLKIO_DELAY)
        h->blkio_delay = blkio_delay(t);
    if (want & PL_WANT_CGROUP)
        h->cgroup = cgroup_of(t);
    if (want & PL_WANT_OPEN_FILES)
        h->open_files =
            open_files(held_by > BY_MAIN ? (const void *)held_by : t);
}

static long write_process(struct seq_file *seq)
{
    __u32 has = process.head.parts & (PL_PART_MEMORY | PL_PART_END);
    __u32 first = sizeof process.head + sizeof process.sums;

    if (has == PL_PART_MEMORY)
        return bpf_seq_write(seq, &process, first + sizeof process.memory);
    if (has == (PL_PART_MEMORY | PL_PART_END))
        return bpf_seq_write(seq, &process, sizeof process);
    if (bpf_seq_write(seq, &process, first) || !has)
        return 0;
    return bpf_seq_write(seq, &process.end, sizeof process.end);
}

/*
 * Most of a walk's time is waiting for memory: the lines of the cache that are needed
 * are asked for at once, before each value is waited for.
 */
#define TOUCH(from, field)                                                     \
    do {                                                                       \
        __u64 value = NUMBER_OR_0(from, field);                                \
        LOADED(value);                                                         \
    } while (0)

static void touch(const struct task_struct *t, const struct signal_struct *g,
                  const struct mm_struct *mm, const struct cred *cred)
{
    if (HAS_USER && IS_THERE(cred))
        TOUCH(cred, euid.val);
    TOUCH(g, utime);
    TOUCH(g, min_flt);
    TOUCH(g, ioac.rchar);
    TOUCH(g, sum_sched_runtime);
    TOUCH(t, start_boottime);
    TOUCH(t, self_exec_id);
    TOUCH(t, ioac.rchar);
    TOUCH(t, se.sum_exec_runtime);
    if (!mm)
        return;
    TOUCH(mm, total_vm);
    if (HAS_RSS_BEFORE_6_2)
        return;
    TOUCH(mm, rss_stat[0].count);
    TOUCH(mm, rss_stat[3].count);
}

static __noinline long put_process(struct seq_file *seq, struct task_struct *t)
{
    const struct task_struct *loose = not_trusted(t);
    const struct signal_struct *g = loose->signal;
    struct pl_task_head *h = &process.head;
    const struct cred *cred = NULL;
    const struct mm_struct *mm;
    const struct pid *pid;

    LOADED(g);
    mm = loose->mm;
    LOADED(mm);
    if (HAS_USER)
        cred = loose->real_cred;
    LOADED(cred);
    touch(t, g, mm, cred);
    held_by = mm ? BY_MAIN : BY_NONE;
    sum_up(t, g);
    /* Read after the sums: a number means that it was in the list meanwhile. */
    pid = loose->thread_pid;
    LOADED(pid);
    h->pid = number_of((__u64)pid, NUMBER(t, tgid));
    if (!h->pid)
        return 0;
    h->kind = PL_TASK_PROCESS;
    h->flags = NUMBER(t, flags);
    h->parts = parts;
    if (held_by != BY_NONE && !(h->flags & PF_KTHREAD))
        h->parts |= PL_PART_MEMORY;
    h->parent = EXISTS(t->real_parent) ? parent_of(loose->real_parent) : 0;
    h->threads = NUMBER_OR_0(g, nr_threads);
    h->state = NUMBER_OR_0(t, __state);
    h->exit_state = exit_state(t);
    h->normal_prio = (__s32)NUMBER_OR_0(t, normal_prio);
    h->static_prio = NUMBER_OR_0(t, static_prio);
    h->uid = HAS_USER && IS_THERE(cred) ? NUMBER(cred, euid.val) : 0;
    h->program = (__u32)NUMBER_OR_0(t, self_exec_id);
    h->start_ns = NUMBER(t, start_boottime);
    h->cutime = NUMBER_OR_0(g, cutime);
    h->cstime = NUMBER_OR_0(g, cstime);
    fill_wanted(h, loose, g);
    fill_comm(h->comm, t);
#ifdef PL_SEES_ENDS
    if (has_end(t, g))
        h->parts |= PL_PART_END;
#endif
    if (h->parts & PL_PART_MEMORY)
        fill_memory(mm);
    return write_process(seq);
}

static __noinline long put_thread(struct seq_file *seq, struct task_struct *t)
{
    const struct task_struct *loose = not_trusted(t);
    const struct pid *pid = loose->thread_pid;
    struct pl_task_thread r;

    __builtin_memset(&r, 0, sizeof r);
    r.tid = reader_level ? number_there((__u64)pid) : NUMBER(t, pid);
    r.pid = process_of(loose);
    if (!r.tid || !r.pid)
        return 0;
    r.kind = PL_TASK_THREAD;
    r.parts = parts;
    r.flags = NUMBER(t, flags);
    r.state = NUMBER_OR_0(t, __state);
    r.exit_state = exit_state(t);
    r.on_cpu = (__u32)COPY_OR_0(t, on_cpu); /* a byte since Linux 7 */
    r.cpu = NUMBER_OR_0(t, thread_info.cpu);
    r.prio = NUMBER_OR_0(t, prio);
    r.normal_prio = (__s32)NUMBER_OR_0(t, normal_prio);
    r.static_prio = NUMBER_OR_0(t, static_prio);
    r.process_start_ns = NUMBER(loose->group_leader, start_boottime);
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

    if (!t)
        return 0;
    if (!parts) {
        find_members();
        find_reader();
        find_parts();
    }
    if (want & PL_WANT_NOTHING) /* EAGAIN for the reader */
        return 1;
    if ((__u32)NUMBER(t, pid) == (__u32)NUMBER(t, tgid))
        put_process(seq, t);
    if (want & PL_WANT_THREADS)
        put_thread(seq, t);
    return 0;
}
