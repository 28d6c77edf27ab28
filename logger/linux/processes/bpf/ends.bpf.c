/*
 * tasks.bpf.c and three more programs.  Two see threads and processes end: the
 * counts of a thread are noted when it ends (own.bpf.h), and ended processes
 * are put into a ring buffer (pl_task_exit), which the reader empties once per
 * sample.  When the last thread ends, the counts lack the time since the last
 * tick and the time to free its memory; they are final shortly after the parent
 * has waited, when the last references are dropped (an RCU grace period), and
 * are put there once more.
 *
 * The third sees programs begin, for the command lines of processes that live only
 * between two walks (lines.bpf.h).
 *
 * The programs never wait: if the ring buffer is full both times, the process
 * is lost, and counted.  On kernels that refuse this program tasks.bpf.c is
 * loaded alone.
 *
 * bpftool's loader has room for 32 functions, of which those not inlined count.
 */
#define PL_SEES_ENDS
#include "tasks.bpf.c"

#include "lines.bpf.h"

enum { RING_BYTES = 8 << 20 };

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, RING_BYTES);
} ring SEC(".maps");

__u64 num_lost = 0; /* processes lost: ring buffer full */

/* Always 0, which the verifier does not know: it follows a call once for what
 * comes from here and from a map, but twice for a constant and an unknown. */
__u64 no_notes = 0;
__u64 nothing[sizeof(struct ended_process) / sizeof(__u64)] = { 0 };

static void begin_known(struct ended_process *known)
{
    __builtin_memcpy(known, nothing, sizeof *known);
}

static void count_lost(__s64 n)
{
    __sync_fetch_and_add(&num_lost, n);
}

/* ---- numbers ------------------------------------------------------------ */

/* The number of 't's process in the reader's namespace; 0: it has none. */
static __noinline __u32 readers_number(const struct task_struct *t)
{
    const struct signal_struct *g = NULL;
    const struct pid *pid = NULL;
    __u32 number;

    if (!reader_level)
        return COPY(t, tgid);
    if (READ(g, t->signal) || READ(pid, g->pids[PIDTYPE_TGID]) || !pid ||
        (__u32)COPY(pid, level) < reader_level || reader_level > MAX_PID_LEVEL)
        return 0;
    return namespace_of((__u64)pid, reader_level, &number) == reader_at ? number
                                                                        : 0;
}

/* ---- a thread ends ------------------------------------------------------ */

static __noinline struct noted_process *begin_process(__u64 key, __u64 start)
{
    struct noted_process *p = bpf_map_lookup_elem(&noted_processes, &key), new;

    if (p && p->end.start == start)
        return p;
    if (p) /* its release was not seen */
        bpf_map_delete_elem(&noted_processes, &key);
    __builtin_memset(&new, 0, sizeof new);
    new.end.start = start;
    bpf_map_update_elem(&noted_processes, &key, &new, BPF_NOEXIST);
    return process_noted(key, start);
}

static void copy_words(__u64 *to, const __u64 *words)
{
    for (int k = 0; k < PL_TASK_IO_WORDS; k++)
        to[k] = words[k];
}

/* Readers that come between 'begun' and 'done' sum up again. */
static __noinline void note_io(struct noted_process *p,
                               const struct task_struct *t, bool is_last)
{
    __u64 thread = address_of(t), start = COPY(t, start_boottime);
    struct task_io_accounting io;
    const __u64 *counted = (const __u64 *)&io;

    if (READ(io, t->ioac))
        return;
    __sync_fetch_and_add(&p->begun, 1);
    if (!bpf_map_update_elem(&noted_threads, &thread, &start, BPF_ANY)) {
        if (is_last) {
            copy_words(p->last_io, counted);
            p->last_start = start;
            p->last = thread;
        } else {
            for (int k = 0; k < PL_TASK_IO_WORDS; k++)
                __sync_fetch_and_add(&p->io[k], counted[k]);
        }
    }
    __sync_fetch_and_add(&p->done, 1);
}

static bool is_leader(const struct task_struct *t)
{
    return (__u32)NUMBER(t, pid) == (__u32)NUMBER(t, tgid);
}

static __u32 user_of(const struct task_struct *t)
{
    const struct cred *cred = NULL;

    if (!HAS_USER || READ(cred, t->real_cred))
        return 0;
    return COPY(cred, euid.val);
}

static __u64 start_of_process(const struct task_struct *t)
{
    const struct task_struct *leader = NULL;

    return READ(leader, t->group_leader) ? 0 : COPY(leader, start_boottime);
}

/* ---- a process ends ----------------------------------------------------- */

/*
 * A task that ends waits for this, so its own structures are read by plain
 * loads: a copy costs 20 to 30 ns more.  What is not wanted is not read.
 */
static void fill_head(struct pl_task_head *h, const struct task_struct *t,
                      const struct signal_struct *g)
{
    __builtin_memset(h, 0, sizeof *h);
    h->kind = PL_TASK_PROCESS;
    h->parts = parts | PL_PART_END;
    h->flags = NUMBER(t, flags);
    h->state = NUMBER_OR_0(t, __state);
    h->exit_state = NUMBER_OR_0(t, exit_state);
    h->normal_prio = (__s32)NUMBER_OR_0(t, normal_prio);
    h->static_prio = NUMBER_OR_0(t, static_prio);
    h->oom_score_adj = (__s32)NUMBER_OR_0(g, oom_score_adj);
    h->start_ns = NUMBER(t, start_boottime);
    h->cutime = NUMBER_OR_0(g, cutime);
    h->cstime = NUMBER_OR_0(g, cstime);
    if (want & PL_WANT_BLKIO_DELAY)
        h->blkio_delay = blkio_delay(t);
    if (want & PL_WANT_CGROUP)
        h->cgroup = cgroup_of(t);
    bpf_probe_read_kernel_str(h->comm, sizeof h->comm, t->comm);
}

/* Facts of a process are its main thread's, whichever thread ends last. */
static __always_inline void
fill_head_of_leader(struct pl_task_head *h, const struct task_struct *leader)
{
    h->flags = COPY(leader, flags);
    h->normal_prio = (__s32)COPY_SIGNED_OR_0(leader, normal_prio);
    h->static_prio = COPY_OR_0(leader, static_prio);
    h->start_ns = COPY(leader, start_boottime);
    bpf_probe_read_kernel_str(h->comm, sizeof h->comm, leader->comm);
}

/* A main thread that ended before others is not yet in the group's sums. */
static __noinline void add_unadded(struct pl_task_sums *s,
                                   const struct task_struct *t,
                                   const struct task_struct *leader)
{
    ADD_COUNTED(s, NUMBER_OR_0, t);
    s->run_time += NUMBER_OR_0(t, se.sum_exec_runtime);
    if (!leader)
        return;
    ADD_COUNTED(s, COPY_OR_0, leader);
    s->run_time += COPY_OR_0(leader, se.sum_exec_runtime);
}

static __noinline void fill_io(struct pl_task_exit *e,
                               const struct task_struct *t,
                               const struct signal_struct *g, __u64 notes)
{
    const struct noted_process *p = NULL;

    if (notes)
        p = process_noted(notes, start_of_process(t));
    ADD_IO(e->end.reaped_io, g);
    if (!e->end.final) /* added when the thread has left */
        ADD_IO(e->end.reaped_io, t);
    if (!p || !was_noted(t))
        ADD_IO(e->sums.io, t);
    if (p)
        add_noted(e->sums.io, p);
    for (int k = 0; k < PL_TASK_IO_WORDS; k++)
        e->end.reaped_io[k] -= e->sums.io[k];
}

/* The report lacks the time since the last tick, and to free its memory: those
 * that may come to PL_NOTICED_RUN_NS by that are noticed, too. */
static bool is_noticed(const struct pl_task_exit *e)
{
    enum { READ_BYTES = 4, WRITE_BYTES = 5 };

    return e->end.status || e->sums.run_time >= PL_NOTICED_RUN_NS / 2 ||
           e->sums.io[READ_BYTES] + e->sums.io[WRITE_BYTES] >= PL_NOTICED_BYTES;
}

/* 'notes': key of its threads' notes; 0: it has none.  Below 0: there was no room;
 * above: it did enough to be identified. */
static __noinline long put_exit(const struct task_struct *t,
                                const struct signal_struct *g, __u64 notes,
                                const struct ended_process *known, __u32 final)
{
    const struct task_struct *leader = NULL; /* if 't' is not */
    __u32 pid = known->pid;
    struct pl_task_exit *e;
    bool noticed;

    if (!is_leader(t) && READ(leader, t->group_leader))
        return 0;
    if (!pid && !reader_level) /* it ended before this was loaded */
        pid = NUMBER(t, tgid);
    if (!pid)
        return 0;
    e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);
    if (!e)
        return -1;
    fill_head(&e->head, t, g);
    if (leader)
        fill_head_of_leader(&e->head, leader);
    e->head.pid = pid;
    e->head.parent = known->parent;
    e->head.uid = known->reported ? known->user : user_of(t);
    __builtin_memset(&e->sums, 0, sizeof e->sums);
    __builtin_memset(&e->end, 0, sizeof e->end);
    e->end.final = final;
    ADD_COUNTED(&e->sums, NUMBER_OR_0, g);
    e->sums.run_time = NUMBER_OR_0(g, sum_sched_runtime);
    e->sums.run_delay = NUMBER_OR_0(t, sched_info.run_delay);
    if (!final)
        add_unadded(&e->sums, t, leader);
    if (HAS_IO)
        fill_io(e, t, g, notes);
    find_end(&e->end, g,
             leader ? COPY_OR_0(leader, exit_code) : NUMBER_OR_0(t, exit_code));
    e->max_rss = NUMBER_OR_0(g, maxrss);
    noticed = is_noticed(e);
    bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
    return noticed;
}

static struct ended_process *place_of(const struct task_struct *t)
{
    __u32 key = (__u32)NUMBER(t, tgid) % NUM_PLACES;

    return bpf_map_lookup_elem(&places, &key);
}

static void report_end(const struct task_struct *t,
                       const struct signal_struct *g, __u64 notes,
                       struct ended_process *known)
{
    const struct task_struct *parent = NULL;
    long put;

    known->start = notes ? start_of_process(t) : NUMBER(t, start_boottime);
    known->user = user_of(t);
    known->pid = readers_number(t);
    known->parent = 0;
    if (EXISTS(t->real_parent) && !READ(parent, t->real_parent) && parent)
        known->parent = readers_number(parent);
    known->reported = 1;
    put = put_exit(t, g, notes, known, PL_NOT_FINAL);
    known->lost = put < 0;
    if (known->lost)
        count_lost(1);
    leave_line(&ring, t, known->start, known->pid, put > 0);
}

/* The last of the process' threads, which never had another: the run time of
 * those that ended is in the group's. */
static bool is_the_only_one(const struct task_struct *t,
                            const struct signal_struct *g)
{
    return is_leader(t) && NUMBER_OR_0(g, nr_threads) == 1 &&
           EXISTS(g->sum_sched_runtime) && !NUMBER_OR_0(g, sum_sched_runtime);
}

/*
 * Note what a thread did that is not the only one its process ever had; the key
 * of the notes goes to *key.  True if it ends the process.  A main thread that
 * ends last stays in the list until the process is released; any other leaves it
 * soon, or when another thread of its process calls exec.
 */
static bool note_thread(const struct task_struct *t, __u64 *key, bool last)
{
    struct noted_process *p = begin_process(*key, start_of_process(t));
    bool reports;

    if (!p) /* no memory: counted with its children's */
        return false;
    /* Where threads end at once, several are the last; one of them reports. */
    reports = last && !__sync_fetch_and_add(&p->ends, 1);
    if (HAS_IO && (!last || !is_leader(t)))
        note_io(p, t, reports);
    return reports;
}

/* Keep it until the process is released. */
static void keep(const struct task_struct *t, __u64 notes,
                 const struct ended_process *known)
{
    struct ended_process *place;
    struct noted_process *p;

    if (!notes) {
        place = place_of(t);
        if (place)
            *place = *known;
        return;
    }
    p = process_noted(notes, known->start);
    if (p)
        p->end = *known;
}

SEC("tp_btf/sched_process_exit")
int thread_ends(__u64 *ctx)
{
    const struct task_struct *t = (const void *)ctx[0];
    const struct signal_struct *g = not_trusted(t)->signal;
    struct ended_process known;
    __u64 notes = no_notes;
    bool last;

    LOADED(g);
    begin_known(&known);
    last = !NUMBER(g, live.counter);
    if (!last || !is_the_only_one(t, g)) {
        notes = address_of(g);
        if (!note_thread(t, &notes, last))
            return 0;
    }
    report_end(t, g, notes, &known);
    keep(t, notes, &known);
    return 0;
}

static void report_release(const struct task_struct *t,
                           const struct signal_struct *g, __u64 notes,
                           const struct ended_process *known)
{
    bool again = known->reported && !known->lost;

    if (put_exit(t, g, notes, known, again ? PL_FINAL_AGAIN : PL_FINAL) < 0)
        count_lost(known->reported ? 0 : 1);
    else if (known->lost)
        count_lost(-1);
}

/* What is known of the process, and the key of its notes, if it may have them. */
static void find_known(const struct task_struct *t,
                       const struct signal_struct *g, __u64 *notes,
                       struct ended_process *known)
{
    __u64 start = NUMBER(t, start_boottime);
    const struct ended_process *place = place_of(t);
    const struct noted_process *p;

    if (place && place->start == start) {
        *known = *place;
        return;
    }
    *notes = address_of(g);
    p = process_noted(*notes, start);
    if (p)
        *known = p->end;
}

/* Keep what a thread did that is no longer there to be read. */
static void keep_last_io(const struct task_struct *t,
                         const struct signal_struct *g)
{
    __u64 key = address_of(g);
    struct noted_process *p = bpf_map_lookup_elem(&noted_processes, &key);
    struct task_io_accounting io;

    if (p && p->last == address_of(t) &&
        p->last_start == COPY(t, start_boottime) && !READ(io, t->ioac)) {
        copy_words(p->last_io, (const __u64 *)&io);
        fence();
        p->last = 0;
    }
}

SEC("tp_btf/sched_process_free")
int task_freed(__u64 *ctx)
{
    const struct task_struct *t = (const void *)ctx[0];
    const struct signal_struct *g = not_trusted(t)->signal;
    struct ended_process known;
    __u64 notes = no_notes, thread;

    LOADED(g);
    begin_known(&known);
    if (is_leader(t)) {
        find_known(t, g, &notes, &known);
        report_release(t, g, notes, &known);
        if (!notes) /* it had no other thread */
            return 0;
        bpf_map_delete_elem(&noted_processes, &notes);
    } else {
        keep_last_io(t, g);
    }
    thread = address_of(t);
    bpf_map_delete_elem(&noted_threads, &thread);
    return 0;
}

SEC("tp_btf/sched_process_exec")
int program_begins(__u64 *ctx)
{
    note_line((const void *)ctx[0]);
    return 0;
}
