/* Makes reports of processes from messages of threads. */
#include "logger/linux/processes/exit_events.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/taskstats.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SLOTS = 4096, /* lists of notes, by the remainder of the pid */
    MAX_NOTES = 1 << 16,
    MOST_KEPT = 8 << 20, /* bytes of reports that wait for a sample */
    NONE = 0,
    NS_100 = 100,
};

/* A process with threads that ended before it. */
struct note {
    uint32_t pid;
    uint32_t next;   /* in its list, or of free ones; number + 1 */
    uint32_t status; /* the main thread's, if it ended */
    uint32_t report; /* of its end, in this sample; number + 1 */
    uint64_t tick;   /* sample of the last message */
    struct pl_ended_threads ended;
    /* The main thread's, if it ended: it stays in the list of threads, with what
     * it did, until its process ends, or another thread calls exec. */
    struct pl_task_sums of_main;
    char comm[PL_TASK_COMM]; /* the main thread's, if it ended */
};

struct pl_exit_events {
    struct pl_taskstats *taskstats;
    uint64_t since_100ns; /* CLOCK_BOOTTIME */
    struct pl_buf ended;
    bool ended_wait;  /* their sample does not show them */
    uint64_t drained; /* sample of the last call */
    uint64_t lost;
    uint64_t not_noted; /* messages for which there was no more room */
    uint64_t dropped;   /* reports, likewise */
    uint64_t page_size;
    struct note *notes;
    size_t num_notes, cap_notes; /* 'num' with those that are free */
    uint32_t free;               /* first free one, number + 1 */
    uint32_t lists[SLOTS];       /* first one of each, number + 1 */
};

/* ---- notes --------------------------------------------------------------- */

/* Where the number of the process' note is kept, or would be: at the end. */
static uint32_t *place_of(struct pl_exit_events *e, uint32_t pid)
{
    uint32_t *at = &e->lists[pid % SLOTS];

    while (*at && e->notes[*at - 1].pid != pid)
        at = &e->notes[*at - 1].next;
    return at;
}

static struct note *find_note(const struct pl_exit_events *e, uint32_t pid)
{
    uint32_t at = e->lists[pid % SLOTS];

    while (at && e->notes[at - 1].pid != pid)
        at = e->notes[at - 1].next;
    return at ? &e->notes[at - 1] : NULL;
}

/* The number + 1 of a note that is free now; NONE: there is no more room. */
static uint32_t take_free(struct pl_exit_events *e)
{
    uint32_t number = e->free;

    if (number) {
        e->free = e->notes[number - 1].next;
        return number;
    }
    if (e->num_notes == MAX_NOTES ||
        !pl_array_grow((void **)&e->notes, &e->cap_notes, e->num_notes,
                       sizeof *e->notes))
        return NONE;
    return (uint32_t)++e->num_notes;
}

static struct note *begin_note(struct pl_exit_events *e, uint32_t pid)
{
    struct note *note = find_note(e, pid);
    uint32_t number;

    if (!note) {
        number = take_free(e);
        if (!number)
            return NULL;
        note = &e->notes[number - 1];
        *note = (struct note){ .pid = pid };
        *place_of(e, pid) = number;
    }
    note->tick = e->drained;
    return note;
}

static void remove_note(struct pl_exit_events *e, uint32_t *at)
{
    uint32_t number = *at;
    struct note *note = &e->notes[number - 1];

    *at = note->next;
    note->next = e->free;
    note->pid = 0;
    e->free = number;
}

static void add_sums(struct pl_task_sums *to, const struct pl_task_sums *from)
{
    uint64_t *sum = (uint64_t *)(void *)to;
    const uint64_t *more = (const uint64_t *)(const void *)from;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += more[i];
}

static bool is_there(const struct pl_pids *pids, uint32_t pid)
{
    size_t low = 0, high = pids->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (pids->pid[mid] < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < pids->num && pids->pid[low] == pid;
}

static void leave_main(struct note *note)
{
    add_sums(&note->ended.sums, &note->of_main);
    note->of_main = (struct pl_task_sums){ 0 };
}

/* One that the list lacks since others' processes are hidden is asked for. */
static bool is_gone(struct pl_machine *m, uint32_t pid)
{
    if (!m->pids.readable || is_there(&m->pids, pid))
        return false;
    m->system_calls++;
    return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* Remove notes of processes that are reported, or are gone and have no message
 * of the sample 'since' or later; 0: which are gone is not known. */
static void forget_ended(struct pl_exit_events *e, struct pl_machine *m,
                         uint64_t since)
{
    for (size_t i = 0; i < SLOTS; i++) {
        uint32_t *at = &e->lists[i];

        while (*at) {
            const struct note *note = &e->notes[*at - 1];

            if (note->report || (note->tick < since && is_gone(m, note->pid)))
                remove_note(e, at);
            else
                at = &e->notes[*at - 1].next;
        }
    }
}

/*
 * The processes were listed before the messages were taken: one that was gone
 * then can have sent no other message than that of a thread that was late by a
 * sample.  One that was begun since has sent them in this sample.  Messages that
 * were lost may have been the last of any process: those are listed that there
 * are now.
 */
static enum pl_status tidy(struct pl_exit_events *e, struct pl_machine *m,
                           bool have_lost)
{
    enum pl_status s = have_lost ? pl_pids_read(m) : PL_OK;
    uint64_t since = have_lost ? m->tick + 1 : m->tick;

    forget_ended(e, m, s ? 0 : since);
    return s;
}

/* ---- one message --------------------------------------------------------- */

static void add_thread(struct note *note, const struct pl_thread_end *x)
{
    note->ended.num++;
    if (x->tid != x->pid) {
        add_sums(&note->ended.sums, &x->sums);
        return;
    }
    leave_main(note); /* one of before an exec */
    note->of_main = x->sums;
    memcpy(note->comm, x->comm, sizeof note->comm);
    note->status = x->status;
}

/* The main thread's name and status are the process', unless the last one's
 * status shows that it was ended as a whole. */
static void set_main(struct pl_task_exit *r, const struct note *note)
{
    if (*note->comm)
        memcpy(r->head.comm, note->comm, sizeof r->head.comm);
    if (!r->end.status)
        r->end.status = note->status;
}

/* The kernel's sums also have threads that ended before this began to listen,
 * but may lack one whose message is late. */
static void raise_times(struct pl_task_sums *s, uint64_t run_time,
                        uint64_t run_delay)
{
    s->run_time = s->run_time > run_time ? s->run_time : run_time;
    s->run_delay = s->run_delay > run_delay ? s->run_delay : run_delay;
}

/* Where threads end together, the last one's message may come before others':
 * the kernel chooses it before it sends any (kernel/exit.c, do_exit). */
static void add_late(struct pl_exit_events *e, struct note *note,
                     const struct pl_thread_end *x)
{
    struct pl_task_exit *r =
        (struct pl_task_exit *)(void *)e->ended.p + note->report - 1;
    struct pl_task_sums before = r->sums;

    add_thread(note, x);
    leave_main(note);
    r->sums = note->ended.sums;
    raise_times(&r->sums, before.run_time, before.run_delay);
    r->head.threads = note->ended.num;
    if (x->tid == x->pid)
        set_main(r, note);
}

/* The end of a process of one or more threads; a note has what they all did. */
static void complete(struct pl_task_exit *r, struct note *note,
                     const struct pl_thread_end *x)
{
    leave_main(note);
    add_sums(&note->ended.sums, &x->sums);
    note->ended.num++;
    r->sums = note->ended.sums;
    raise_times(&r->sums, x->group_run_time, x->group_run_delay);
    r->head.threads = note->ended.num;
    if (x->tid != x->pid) /* else the note's is one of before an exec */
        set_main(r, note);
}

/* NULL: it had one thread only.  A report of the same number in this sample is
 * that of another process. */
static struct note *note_of_end(struct pl_exit_events *e,
                                const struct pl_thread_end *x)
{
    uint32_t *at = place_of(e, x->pid);

    if (*at && e->notes[*at - 1].report)
        remove_note(e, at);
    if (!x->group_run_time)
        return find_note(e, x->pid);
    return begin_note(e, x->pid);
}

/*
 * A child that shares its parent's memory, as by vfork() without exec, may have no
 * page fault, so none tells of its being reaped.  Threads of the kernel have none
 * either, and no memory.
 */
static void note_reaper(struct pl_exit_events *e, const struct pl_thread_end *x,
                        const struct pl_task_sums *s)
{
    struct note *note;

    if (!x->parent || !x->max_rss || s->minflt || s->majflt)
        return;
    note = begin_note(e, x->parent);
    if (note)
        note->ended.reaps_unseen = true;
}

static void report(struct pl_exit_events *e, const struct pl_thread_end *x)
{
    enum { NICE_0 = 120 };
    struct note *note = note_of_end(e, x);
    struct pl_task_exit r = {
        .head = { .kind = PL_TASK_PROCESS,
                  .parts = PL_PART_END,
                  .pid = x->pid,
                  .parent = x->parent,
                  .threads = 1,
                  .uid = x->uid,
                  .normal_prio = NICE_0 + x->nice,
                  .static_prio = (uint32_t)(NICE_0 + x->nice),
                  .start_ns = x->lived_ns,
                  .blkio_delay = x->blkio_delay },
        .sums = x->sums,
        .end = { .ended = 1, .status = x->status, .final = PL_FINAL },
        .max_rss = x->max_rss / e->page_size,
    };

    memcpy(r.head.comm, x->comm, sizeof r.head.comm);
    if (note)
        complete(&r, note, x);
    else
        raise_times(&r.sums, x->group_run_time, x->group_run_delay);
    pl_buf_bytes(&e->ended, &r, sizeof r);
    e->dropped += e->ended.oom;
    if (note && !e->ended.oom)
        note->report = (uint32_t)(e->ended.len / sizeof r);
    note_reaper(e, x, &r.sums);
}

static void take(void *context, const struct pl_thread_end *x)
{
    struct pl_exit_events *e = context;
    struct note *note;

    if (x->is_last) {
        report(e, x);
        return;
    }
    note = begin_note(e, x->pid);
    if (!note)
        e->not_noted++;
    else if (note->report)
        add_late(e, note, x);
    else
        add_thread(note, x);
}

/* ---- all of them --------------------------------------------------------- */

static size_t num_reports(const struct pl_exit_events *e)
{
    return e->ended.len / sizeof(struct pl_task_exit);
}

static void forget_shown(struct pl_exit_events *e)
{
    e->ended.oom = false;
    if (e->ended_wait && e->ended.len <= MOST_KEPT)
        return;
    if (e->ended_wait)
        e->dropped += num_reports(e);
    pl_buf_clear(&e->ended);
}

/* From how long they lived, those from number 'from' on, to when they were started. */
static void set_starts(struct pl_exit_events *e, size_t from, uint64_t now_ns)
{
    struct pl_task_exit *r = (struct pl_task_exit *)(void *)e->ended.p;

    for (size_t i = from; i < num_reports(e); i++)
        r[i].head.start_ns =
            now_ns > r[i].head.start_ns ? now_ns - r[i].head.start_ns : 0;
}

enum pl_status pl_exit_events_drain(struct pl_exit_events *e,
                                    struct pl_machine *m)
{
    enum pl_status s;
    uint64_t lost;
    size_t waiting;

    if (e->drained == m->tick)
        return PL_OK;
    forget_shown(e);
    e->ended_wait = false;
    waiting = num_reports(e);
    e->drained = m->tick;
    m->system_calls += pl_taskstats_take(e->taskstats, take, e);
    set_starts(e, waiting, (uint64_t)pl_clock_boot());
    lost = pl_taskstats_lost(e->taskstats);
    s = tidy(e, m, lost != e->lost);
    e->lost = lost;
    m->exits_lost = lost + e->not_noted + e->dropped;
    return e->ended.oom ? PL_NOMEM : s;
}

void pl_exit_events_keep(struct pl_exit_events *e, uint64_t tick)
{
    e->ended_wait |= e->drained == tick;
}

const struct pl_buf *pl_exit_events_ended(const struct pl_exit_events *e)
{
    return &e->ended;
}

const struct pl_ended_threads *
pl_exit_events_of_threads(struct pl_exit_events *e, uint32_t pid,
                          bool main_ended)
{
    struct note *note = find_note(e, pid);

    if (note && !main_ended)
        leave_main(note);
    return note ? &note->ended : NULL;
}

enum pl_status pl_exit_events_open(struct pl_exit_events **out,
                                   const char **why)
{
    struct pl_exit_events *e = calloc(1, sizeof *e);
    enum pl_status s;

    if (!e)
        return PL_NOMEM;
    e->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    s = pl_taskstats_open(&e->taskstats, why);
    if (s) {
        pl_exit_events_close(e);
        return s;
    }
    e->since_100ns = (uint64_t)pl_clock_boot() / NS_100;
    *out = e;
    return PL_OK;
}

uint64_t pl_exit_events_since(const struct pl_exit_events *e)
{
    return e->since_100ns;
}

void pl_exit_events_close(struct pl_exit_events *e)
{
    if (!e)
        return;
    pl_taskstats_close(e->taskstats);
    pl_buf_release(&e->ended);
    free(e->notes);
    free(e);
}
