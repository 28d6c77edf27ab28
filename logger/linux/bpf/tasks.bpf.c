/*
 * The task iterator: called by the kernel for every thread while somebody
 * reads the iterator's file, it appends records (task_record.h) to what is
 * read.  It runs under the RCU read lock, takes no other lock and keeps
 * nothing between calls; if a record does not fit, the kernel throws its
 * beginning away and calls again with an empty buffer.
 *
 * Needs Linux 5.17 (bpf_loop, relocation by the kernel).
 */
#include "kernel.h"
#include "task_record.h"

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set by the reader before it reads; what is not wanted is 0. */
__u32 want = 0; /* enum pl_task_want */

enum {
    NUM_RSS = 4, /* file, anon, swap, shmem, in the kernel's order */
    MAX_CPUS = 8192,
    MAX_THREADS = 1 << 22,
    TRIES = 4,
    MAX_PID_LEVEL = 32,
    PF_EXITING = 0x00000004,
    PF_KTHREAD = 0x00200000,
    WORD_BITS = 64,
    MAX_FILE_WORDS = 1 << 20,
};

/* The kernel's structure is as we know it, so it can be read in one piece. */
#define HAS_IO                                                                 \
    (bpf_core_type_size(struct task_io_accounting) ==                          \
         sizeof(struct task_io_accounting) &&                                  \
     bpf_core_field_exists(struct task_io_accounting, cancelled_write_bytes))
#define HAS_RUN_DELAY bpf_core_field_exists(struct sched_info, run_delay)
#define HAS_PROCESSOR bpf_core_field_exists(struct task_struct, thread_info.cpu)
#define HAS_CGROUP bpf_core_field_exists(struct css_set, dfl_cgrp)

/*
 * Where a pointer is loaded from one that the verifier trusts it looks three
 * times through all types of the kernel, 0.6 ms in all, on each path that it
 * follows.  So such pointers are loaded once, before paths part, and what is
 * read on request only is copied instead.
 */
#define LOADED(p) asm volatile("" : "+r"(p))
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

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

/* ---- sums over threads ------------------------------------------------------ */

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

/* ---- memory ------------------------------------------------------------------- */

/*
 * Since Linux 6.2 each processor has cells of its own, up to dozens of pages
 * each, that are not yet in the sum.  Where a processor's cell lies follows
 * from a map of which the kernel tells both the address that stands for all
 * processors and that of each; tables of the kernel's that say the same may
 * be hidden from us.
 */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} landmark SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, MAX_CPUS);
    __type(key, __u32);
    __type(value, __u64);
} cpu_offset SEC(".maps");

__u32 num_cpus = 0; /* 0: not asked yet */

/* A pointer as a number that can be reckoned with. */
static __u64 address_of(const void *p)
{
    const void *volatile room = p;
    __u64 address = 0;

    bpf_probe_read_kernel(&address, sizeof address, (const void *)&room);
    return address;
}

struct landmarks {
    __u64 base;
};

static long note_offset(__u32 cpu, struct landmarks *l)
{
    __u32 key = 0;
    const void *there = bpf_map_lookup_percpu_elem(&landmark, &key, cpu);
    __u64 *offset = bpf_map_lookup_elem(&cpu_offset, &cpu);

    if (!there || !offset)
        return 1;
    *offset = address_of(there) - l->base;
    num_cpus = cpu + 1;
    return 0;
}

static __noinline void find_offsets(void)
{
    struct landmarks l = { 0 };

    bpf_probe_read_kernel(
        &l.base, sizeof l.base,
        (const void *)(address_of(&landmark) +
                       bpf_core_field_offset(struct bpf_array, pptrs)));
    bpf_loop(MAX_CPUS, note_offset, &l, 0);
}

struct cells {
    __u64 base[NUM_RSS]; /* of each sum's cells */
    __s64 sum[NUM_RSS];
    __u32 together; /* the four lie side by side */
};

static long add_cells(__u32 cpu, struct cells *c)
{
    const __u64 *offset = bpf_map_lookup_elem(&cpu_offset, &cpu);
    __s32 v[NUM_RSS];

    if (!offset)
        return 1;
    if (c->together) {
        if (!bpf_probe_read_kernel(v, sizeof v, (void *)(c->base[0] + *offset)))
            for (int i = 0; i < NUM_RSS; i++)
                c->sum[i] += v[i];
        return 0;
    }
    for (int i = 0; i < NUM_RSS; i++)
        if (!bpf_probe_read_kernel(v, sizeof *v,
                                   (void *)(c->base[i] + *offset)))
            c->sum[i] += v[0];
    return 0;
}

static void sum_resident(struct cells *c, struct mm_struct *mm)
{
    if (bpf_core_field_exists(struct mm_struct___before_6_2, rss_stat.count)) {
        const struct mm_struct___before_6_2 *old = (const void *)mm;

        c->sum[0] = old->rss_stat.count[0].counter;
        c->sum[1] = old->rss_stat.count[1].counter;
        c->sum[2] = old->rss_stat.count[2].counter;
        c->sum[3] = old->rss_stat.count[3].counter;
        return;
    }
    c->sum[0] = mm->rss_stat[0].count;
    c->sum[1] = mm->rss_stat[1].count;
    c->sum[2] = mm->rss_stat[2].count;
    c->sum[3] = mm->rss_stat[3].count;
    if (!bpf_core_field_exists(struct percpu_counter, counters))
        return; /* a kernel for one processor */
    if (!num_cpus)
        find_offsets();
    c->base[0] = (__u64)mm->rss_stat[0].counters;
    c->base[1] = (__u64)mm->rss_stat[1].counters;
    c->base[2] = (__u64)mm->rss_stat[2].counters;
    c->base[3] = (__u64)mm->rss_stat[3].counters;
    c->together = c->base[1] == c->base[0] + sizeof(__s32) &&
                  c->base[2] == c->base[1] + sizeof(__s32) &&
                  c->base[3] == c->base[2] + sizeof(__s32);
    bpf_loop(num_cpus, add_cells, c, 0);
}

static __noinline long put_memory(struct seq_file *seq, struct task_struct *t)
{
    struct mm_struct *mm = t->mm;
    struct pl_task_memory m;
    struct cells c = { { 0 }, { 0 }, 0 };

    if (!mm) { /* it ended since we promised the memory: nothing is left */
        __builtin_memset(&m, 0, sizeof m);
        return bpf_seq_write(seq, &m, sizeof m);
    }
    sum_resident(&c, mm);
    m.file = c.sum[0];
    m.anon = c.sum[1];
    m.swap = c.sum[2];
    m.shmem = c.sum[3];
    m.total_vm = mm->total_vm;
    m.hiwater_vm = mm->hiwater_vm;
    m.hiwater_rss = mm->hiwater_rss;
    m.locked_vm = mm->locked_vm;
    m.pgtables_bytes =
        want & PL_WANT_PAGE_TABLES ? (__u64)mm->pgtables_bytes.counter : 0;
    return bpf_seq_write(seq, &m, sizeof m);
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
