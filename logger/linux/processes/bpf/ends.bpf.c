/*
 * tasks.bpf.c and three more programs.  Two see threads and processes end: the
 * counts of a thread are noted when it ends (own.bpf.h), and ended processes
 * are put into ring buffers (pl_task_exit), which the reader empties once per
 * sample: a short one, all of which it has mapped, and a long one where that is
 * full.  When the last thread ends, the counts lack the time since the last tick
 * and the time to free its memory; they are final shortly after the parent has
 * waited, when the last references are dropped (an RCU grace period), and
 * are put there once more.
 *
 * The third sees programs begin, for the command lines of processes that live only
 * between two walks (lines.bpf.h).
 *
 * The programs never wait: if both ring buffers are full both times, the process
 * is lost, and counted.  On kernels that refuse this program tasks.bpf.c is
 * loaded alone.
 *
 * bpftool's loader has room for 32 functions, of which those not inlined count.
 */
#define PL_SEES_ENDS
#include "tasks.bpf.c"

enum { RING_BYTES = 256 << 10, SPILL_BYTES = 8 << 20 };

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, RING_BYTES);
} ring SEC(".maps");

/* What that has no room for. */
struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, SPILL_BYTES);
} spill SEC(".maps");

#include "lines.bpf.h"

__u64 num_lost = 0; /* processes lost: ring buffers full */

/* Likewise unknown to the verifier. */
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

/* The number of 't's process in the reader's namespace, which is not the initial one;
 * 0: it has none. */
static __noinline __u32 number_in_namespace(const struct task_struct *t)
{
    const struct pid *pid = t->signal->pids[PIDTYPE_TGID];
    __u32 number;

    if (!pid || NUMBER(pid, level) < reader_level ||
        reader_level > MAX_PID_LEVEL)
        return 0;
    return namespace_of(address_of(pid), reader_level, &number) == reader_at
               ? number
               : 0;
}

static void find_numbers(struct ended_process *known,
                         const struct task_struct *t)
{
    const struct task_struct *parent =
        EXISTS(t->real_parent) ? t->real_parent : NULL;

    if (!reader_level) {
        known->pid = NUMBER(t, tgid);
        known->parent = parent ? NUMBER(parent, tgid) : 0;
    } else {
        known->pid = number_in_namespace(t);
        known->parent = parent ? number_in_namespace(parent) : 0;
    }
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

/* Readers that come between 'begun' and 'done' sum up again. */
static __noinline void note_io(struct noted_process *p,
                               const struct task_struct *t, bool is_last)
{
    __u64 thread = address_of(t), start = NUMBER(t, start_boottime);
    struct io_words io;

    if (bpf_probe_read_kernel(&io, sizeof io, &t->ioac))
        return;
    __sync_fetch_and_add(&p->begun, 1);
    if (!bpf_map_update_elem(&noted_threads, &thread, &start, BPF_ANY)) {
        if (is_last) {
            p->last_io = io;
            p->last_start = start;
            p->last = thread;
        } else {
            for (int k = 0; k < PL_TASK_IO_WORDS; k++)
                __sync_fetch_and_add(&p->io.word[k], io.word[k]);
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
    return HAS_USER ? NUMBER(t->real_cred, euid.val) : 0;
}

/* ---- a process ends ----------------------------------------------------- */

/*
 * A task that ends waits for this, so structures are read by plain loads: a copy costs
 * 20 to 30 ns more.  What is not wanted is not read.  Facts of a process are its main
 * thread's, whichever thread ends last.
 */
static void fill_head(struct pl_task_head *h, const struct task_struct *t,
                      const struct signal_struct *g,
                      const struct task_struct *leader)
{
    __builtin_memset(h, 0, sizeof *h);
    h->kind = PL_TASK_PROCESS;
    h->parts = parts | PL_PART_END;
    h->flags = NUMBER(leader, flags);
    h->state = NUMBER_OR_0(t, __state);
    h->exit_state = NUMBER_OR_0(t, exit_state);
    h->normal_prio = (__s32)NUMBER_OR_0(leader, normal_prio);
    h->static_prio = NUMBER_OR_0(leader, static_prio);
    h->oom_score_adj = (__s32)NUMBER_OR_0(g, oom_score_adj);
    h->start_ns = NUMBER(leader, start_boottime);
    h->cutime = NUMBER_OR_0(g, cutime);
    h->cstime = NUMBER_OR_0(g, cstime);
    if (want & PL_WANT_BLKIO_DELAY)
        h->blkio_delay = blkio_delay(t);
    if (want & PL_WANT_CGROUP)
        h->cgroup = cgroup_of(t);
    fill_comm(h->comm, leader);
}

/* A main thread that ended before others is not yet in the group's sums. */
static __always_inline void add_unadded(struct pl_task_sums *s,
                                        const struct task_struct *t)
{
    ADD_COUNTED(s, NUMBER_OR_0, t);
    s->run_time += NUMBER_OR_0(t, se.sum_exec_runtime);
}

/* The kernel's sums, as if the process had one thread. */
static void fill_io(struct pl_task_exit *e, const struct task_struct *t,
                    const struct signal_struct *g, bool final)
{
    SET_IO(e->sums.io, t);
    SET_IO(e->end.reaped_io, g);
    if (final) /* the thread's is in the group's */
        for (int k = 0; k < PL_TASK_IO_WORDS; k++)
            e->end.reaped_io[k] -= e->sums.io[k];
}

/* Move what was noted of the process from the children's sums into its own. */
static __noinline void move_noted(struct pl_task_exit *e,
                                  const struct task_struct *t,
                                  const struct noted_process *p)
{
    struct io_words io;

    find_noted(&io, p);
    if (was_noted(address_of(t), NUMBER(t, start_boottime)))
        take_words(&io, WORDS(e->sums.io));
    add_words(WORDS(e->sums.io), &io);
    take_words(WORDS(e->end.reaped_io), &io);
}

/*
 * Above 0: it did enough to be identified.  The report lacks the time since the last
 * tick, and to free its memory: those that may come to PL_NOTICED_RUN_NS by that are
 * noticed, too.  Without a branch.
 */
static long is_noticed(const struct pl_task_exit *e)
{
    enum { READ_BYTES = 4, WRITE_BYTES = 5, SIGN = 63 };
    __u64 bytes = e->sums.io[READ_BYTES] + e->sums.io[WRITE_BYTES];

    return (long)(e->end.status | bytes / PL_NOTICED_BYTES |
                  (PL_NOTICED_RUN_NS / 2 - 1 - e->sums.run_time) >> SIGN);
}

/*
 * 'notes': key of its threads' notes; 0: it has none.  Below 0: there was no room;
 * above: it did enough to be identified.  Branches come last, as the verifier follows
 * what is behind them once for each way.
 */
static __noinline long put_exit(const struct task_struct *t,
                                const struct signal_struct *g, __u64 notes,
                                const struct ended_process *known, bool final)
{
    const struct task_struct *leader = t->group_leader;
    const struct noted_process *p = NULL;
    __u32 pid = known->pid, user = user_of(t);
    struct pl_task_exit *e;
    long noticed;

    LOADED(user);              /* not the same load as that of known->user */
    if (!pid && !reader_level) /* it ended before this was loaded */
        pid = NUMBER(t, tgid);
    if (!pid)
        return 0;
    e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);
    if (!e)
        e = bpf_ringbuf_reserve(&spill, sizeof *e, 0);
    if (!e)
        return -1;
    fill_head(&e->head, t, g, leader);
    e->head.pid = pid;
    e->head.parent = known->parent;
    e->head.uid = known->reported ? known->user : user;
    __builtin_memset(&e->sums, 0, sizeof e->sums);
    __builtin_memset(&e->end, 0, sizeof e->end);
    if (final)
        e->end.final = PL_FINAL + (known->reported & (known->lost ^ 1));
    ADD_COUNTED(&e->sums, NUMBER_OR_0, g);
    e->sums.run_time = NUMBER_OR_0(g, sum_sched_runtime);
    e->sums.run_delay = NUMBER_OR_0(t, sched_info.run_delay);
    e->max_rss = NUMBER_OR_0(g, maxrss);
    if (!final)
        add_unadded(&e->sums, t);
    if (HAS_IO)
        fill_io(e, t, g, final);
    find_end(&e->end, g, NUMBER_OR_0(leader, exit_code));
    if (!final && !is_leader(t))
        add_unadded(&e->sums, leader);
    if (HAS_IO && notes)
        p = process_noted(notes, NUMBER(leader, start_boottime));
    if (p)
        move_noted(e, t, p);
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
    long put;

    known->start = NUMBER(t->group_leader, start_boottime);
    known->user = user_of(t);
    find_numbers(known, t);
    known->reported = 1;
    put = put_exit(t, g, notes, known, false);
    known->lost = put < 0;
    if (known->lost)
        count_lost(1);
    leave_line(known->start, NUMBER(t, tgid), known->pid, put > 0);
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
 * Note what a thread did that is not the only one its process ever had.  Gives the key
 * of the notes if it ends the process, else 0.  A main thread that ends last stays in
 * the list until the process is released; any other leaves it soon, or when another
 * thread of its process calls exec.
 */
static __noinline __u64 note_thread(const struct task_struct *t,
                                    const struct signal_struct *g, bool last)
{
    __u64 key = address_of(g);
    struct noted_process *p =
        begin_process(key, NUMBER(t->group_leader, start_boottime));
    bool reports;

    if (!p) /* no memory: counted with its children's */
        return 0;
    /* Where threads end at once, several are the last; one of them reports. */
    reports = last && !__sync_fetch_and_add(&p->ends, 1);
    if (HAS_IO && (!last || !is_leader(t)))
        note_io(p, t, reports);
    return reports ? key : 0;
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
    const struct task_struct *t = not_trusted((const void *)ctx[0]);
    const struct signal_struct *g = t->signal;
    struct ended_process known;
    __u64 notes = unknown;
    bool last;

    LOADED(g);
    begin_known(&known);
    last = !NUMBER(g, live.counter);
    if (!last || !is_the_only_one(t, g)) {
        notes = note_thread(t, g, last);
        if (!notes)
            return 0;
    }
    FORGET_SOURCE(notes);
    report_end(t, g, notes, &known);
    keep(t, notes, &known);
    return 0;
}

static void report_release(const struct task_struct *t,
                           const struct signal_struct *g, __u64 notes,
                           const struct ended_process *known)
{
    if (put_exit(t, g, notes, known, true) < 0)
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
    struct io_words io;

    if (HAS_IO && p && p->last == address_of(t) &&
        p->last_start == NUMBER(t, start_boottime) &&
        !bpf_probe_read_kernel(&io, sizeof io, &t->ioac)) {
        p->last_io = io;
        fence();
        p->last = 0;
    }
}

SEC("tp_btf/sched_process_free")
int task_freed(__u64 *ctx)
{
    const struct task_struct *t = not_trusted((const void *)ctx[0]);
    const struct signal_struct *g = t->signal;
    struct ended_process known;
    __u64 notes = unknown, thread;

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
