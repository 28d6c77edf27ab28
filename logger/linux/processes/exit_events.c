/* Makes reports of processes from messages of threads. */
#include "logger/linux/processes/exit_events.h"

#include "format/base/array.h"
#include "format/time/time_text.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/taskstats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 4096, /* lists of notes, by the remainder of the pid */
    MAX_NOTES = 1 << 16,
    NONE = 0,
};

/* A process with threads that ended before it. */
struct note {
    uint32_t pid;
    uint32_t next; /* in its list, or of free ones; number + 1 */
    uint32_t threads;
    uint32_t status; /* the main thread's, if it ended */
    struct pl_task_sums sums;
    /* The main thread's, if it ended: it stays in the list of threads, with what
     * it did, until its process ends, or another thread calls exec. */
    struct pl_task_sums of_main;
    char comm[PL_TASK_COMM]; /* the main thread's, if it ended */
};

struct pl_exit_events {
    struct pl_taskstats *taskstats;
    struct pl_buf ended;
    uint64_t drained; /* sample of the last call */
    uint64_t lost;
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

    if (note)
        return note;
    number = take_free(e);
    if (!number)
        return NULL;
    note = &e->notes[number - 1];
    *note = (struct note){ .pid = pid };
    *place_of(e, pid) = number;
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
    add_sums(&note->sums, &note->of_main);
    note->of_main = (struct pl_task_sums){ 0 };
}

/* Messages that were lost may have been the last of a process. */
static enum pl_status forget_ended(struct pl_exit_events *e,
                                   struct pl_machine *m)
{
    enum pl_status s = pl_pids_read(m);

    for (size_t i = 0; i < SLOTS && !s && m->pids.readable; i++) {
        uint32_t *at = &e->lists[i];

        while (*at)
            if (is_there(&m->pids, e->notes[*at - 1].pid))
                at = &e->notes[*at - 1].next;
            else
                remove_note(e, at);
    }
    return s;
}

/* ---- one message --------------------------------------------------------- */

/* The main thread's name and status are the process', unless the last one's
 * status shows that it was ended as a whole. */
static void add_note(struct pl_task_exit *r, const struct note *note)
{
    add_sums(&r->sums, &note->sums);
    add_sums(&r->sums, &note->of_main);
    r->head.threads += note->threads;
    if (*note->comm)
        memcpy(r->head.comm, note->comm, sizeof r->head.comm);
    if (!r->end.status)
        r->end.status = note->status;
}

static void report(struct pl_exit_events *e, const struct pl_thread_end *x)
{
    enum { NICE_0 = 120 };
    uint32_t *note = place_of(e, x->pid);
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
    if (*note) {
        add_note(&r, &e->notes[*note - 1]);
        remove_note(e, note);
    }
    if (x->group_run_time) {
        r.sums.run_time = x->group_run_time;
        r.sums.run_delay = x->group_run_delay;
    }
    pl_buf_bytes(&e->ended, &r, sizeof r);
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
        return;
    note->threads++;
    if (x->tid != x->pid) {
        add_sums(&note->sums, &x->sums);
    } else {
        leave_main(note); /* one of before an exec */
        note->of_main = x->sums;
        memcpy(note->comm, x->comm, sizeof note->comm);
        note->status = x->status;
    }
}

/* ---- all of them --------------------------------------------------------- */

/* From how long they lived to when they were started. */
static void set_starts(struct pl_exit_events *e, uint64_t now_ns)
{
    struct pl_task_exit *r = (struct pl_task_exit *)(void *)e->ended.p;

    for (size_t i = 0; i < e->ended.len / sizeof *r; i++)
        r[i].head.start_ns =
            now_ns > r[i].head.start_ns ? now_ns - r[i].head.start_ns : 0;
}

static uint64_t boot_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)(t.tv_sec * PL_NS_PER_SEC + t.tv_nsec);
}

enum pl_status pl_exit_events_drain(struct pl_exit_events *e,
                                    struct pl_machine *m)
{
    enum pl_status s = PL_OK;
    uint64_t lost;

    if (e->drained == m->tick)
        return PL_OK;
    pl_buf_clear(&e->ended);
    e->ended.oom = false;
    m->system_calls += pl_taskstats_take(e->taskstats, take, e);
    set_starts(e, boot_ns());
    lost = pl_taskstats_lost(e->taskstats);
    if (lost != e->lost)
        s = forget_ended(e, m);
    e->lost = m->exits_lost = lost;
    e->drained = m->tick;
    return e->ended.oom ? PL_NOMEM : s;
}

const struct pl_buf *pl_exit_events_ended(const struct pl_exit_events *e)
{
    return &e->ended;
}

const struct pl_task_sums *pl_exit_events_of_threads(struct pl_exit_events *e,
                                                     uint32_t pid,
                                                     bool main_ended)
{
    struct note *note = find_note(e, pid);

    if (note && !main_ended)
        leave_main(note);
    return note ? &note->sums : NULL;
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
    *out = e;
    return PL_OK;
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
