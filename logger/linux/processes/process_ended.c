/*
 * Processes that ended since the sample before.  Each appears once more, with
 * its final values, also if it lived only in between.  Where more did than
 * anybody wants to read one by one, the rest is summed up by the program's
 * name, under the process number 0.
 *
 * A process is reported when its last thread ends, and its final values a
 * moment after it has left the list of processes.  A sample in that moment
 * shows what is known, and repeats it until the second report, so that the
 * last values have something to be compared with.
 */
#include "format/block/winperf.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/tasks.h"

#include <string.h>

enum {
    MAX_ALONE = 1024, /* that lived in between; in blocks 0.3 MiB */
    MAX_NAMES = 256,
    MAX_MISSED = 16, /* samples without word of a process */
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- what the sample before had ---------------------------------------------- */

static bool is(const struct pl_source_rows *r, size_t i, uint64_t pid,
               uint64_t started)
{
    const uint64_t *v = pl_source_rows_values(r, i);

    return v[PL_P_PID] == pid && v[PL_P_STARTED] == started;
}

/* In rows that ascend by pid: the first that is not below it. */
static size_t first_from(const struct pl_source_rows *r, size_t num,
                         uint64_t pid)
{
    size_t low = 0, high = num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (pl_source_rows_values(r, mid)[PL_P_PID] < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_live(const struct pl_process_ended *e,
                    const struct pl_source_rows *now, const uint64_t *v)
{
    size_t i = first_from(now, e->live, v[PL_P_PID]);

    return i < e->live && is(now, i, v[PL_P_PID], v[PL_P_STARTED]);
}

/* The row that a process had; PL_NO_ROW: it was not there. */
static size_t row_before(const struct pl_process_ended *e,
                         const struct pl_source_rows *before, const uint64_t *v)
{
    size_t i = first_from(before, e->live_before, v[PL_P_PID]);

    if (i < e->live_before && is(before, i, v[PL_P_PID], v[PL_P_STARTED]))
        return i;
    for (i = e->missed_at_before; i < before->num; i++)
        if (is(before, i, v[PL_P_PID], v[PL_P_STARTED]))
            return i;
    return PL_NO_ROW;
}

/* ---- summed up by name -------------------------------------------------------- */

/* What a sum of processes has no use for, or must not be added up. */
static const enum pl_process_field not_summed[] = {
    PL_P_PARENT,      PL_P_PRIORITY,   PL_P_UID,
    PL_P_VM_HWM,      PL_P_CGROUP,     PL_P_OOM_SCORE_ADJ,
    PL_P_EXIT_STATUS, PL_P_DATA_FLAGS, PL_P_VM_PEAK,
};

/* Where the sum of that name is, or shall be. */
static struct pl_ended_name *slot_of(struct pl_process_ended *e,
                                     const char comm[PL_TASK_COMM])
{
    uint64_t k[2];
    size_t i;

    memcpy(k, comm, sizeof k);
    i = (size_t)((k[0] ^ k[1] * UINT64_C(0x9E3779B97F4A7C15)) *
                     UINT64_C(0xD6E8FEB86659FD93) >>
                 32);
    for (;; i++) {
        struct pl_ended_name *n = &e->names[i % PL_ENDED_SLOTS];

        if (!n->used || !memcmp(n->comm, comm, PL_TASK_COMM))
            return n;
    }
}

static enum pl_status begin_sum(struct pl_process_ended *e, struct pl_source *s,
                                struct pl_ended_name *n,
                                const char comm[PL_TASK_COMM],
                                struct pl_buf *room)
{
    struct pl_text text = { comm, strnlen(comm, PL_TASK_COMM) };
    struct pl_text name = pl_process_name(room, text, 0, 0);
    uint64_t *v;

    if (room->oom)
        return PL_NOMEM;
    v = pl_source_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    v[PL_P_STATE] = 'X';
    /* Number and start are who it is: of each sample and name another one. */
    v[PL_P_STARTED] = (uint64_t)s->machine->now.boot_ns / 100 - e->num_names;
    memcpy(n->comm, comm, PL_TASK_COMM);
    n->used = true;
    n->row = s->rows.num - 1;
    e->num_names++;
    return PL_OK;
}

static enum pl_status add_to_sum(struct pl_process_ended *e,
                                 struct pl_source *s,
                                 const char comm[PL_TASK_COMM], uint64_t *v,
                                 struct pl_buf *room)
{
    static const char rest[PL_TASK_COMM] = "_Rest";
    struct pl_ended_name *n = slot_of(e, comm);
    enum pl_status status;
    uint64_t *sum;

    if (!n->used && e->num_names >= MAX_NAMES)
        n = slot_of(e, comm = rest);
    if (!n->used) {
        status = begin_sum(e, s, n, comm, room);
        if (status)
            return status;
    }
    v[PL_P_PID] = v[PL_P_STATE] = v[PL_P_STARTED] = 0;
    for (size_t i = 0; i < LENGTH(not_summed); i++)
        v[not_summed[i]] = 0;
    sum = pl_source_rows_values(&s->rows, n->row);
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        sum[i] += v[i];
    return PL_OK;
}

/* ---- one process ---------------------------------------------------------------- */

/* What it has no more, whatever it counted. */
static const enum pl_process_field held[] = {
    PL_P_THREADS,   PL_P_VIRTUAL,  PL_P_RESIDENT,   PL_P_SHARED,
    PL_P_ANONYMOUS, PL_P_RSS_ANON, PL_P_SWAPPED,    PL_P_VM_SWAP,
    PL_P_VM_PTE,    PL_P_VM_LCK,   PL_P_OPEN_FILES,
};

static void let_go(uint64_t *v)
{
    v[PL_P_STATE] = 'X';
    for (size_t i = 0; i < LENGTH(held); i++)
        v[held[i]] = 0;
}

static void fill(const struct pl_conversion *units,
                 const struct pl_task_exit *x, uint64_t *v)
{
    const struct pl_task t = { .process = &x->head,
                               .sums = &x->sums,
                               .end = &x->end };

    pl_process_bpf_fill(units, &t, v);
    v[PL_P_VM_HWM] = pl_convert(&units[PL_PAGES], x->max_rss);
    let_go(v);
}

/* As those of the living are; 'before': NULL, or what was shown of it. */
static void scale_times(uint64_t *v, const uint64_t *before)
{
    const struct pl_cpu_time was = { .user = before ? before[PL_P_UTIME] : 0,
                                     .system =
                                         before ? before[PL_P_STIME] : 0 };
    struct pl_cpu_time t = { .user = v[PL_P_UTIME], .system = v[PL_P_STIME] };

    pl_cpu_time_scale(&t, v[PL_P_RUN_TIME], &was);
    v[PL_P_UTIME] = t.user;
    v[PL_P_STIME] = t.system;
}

/* A first report may be older than the last look at the process. */
static void not_below(uint64_t *v, const uint64_t *before)
{
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        if (v[i] < before[i])
            v[i] = before[i];
    let_go(v);
}

static enum pl_status add_one(struct pl_process_ended *e, struct pl_source *s,
                              const struct pl_task_exit *x, struct pl_buf *room)
{
    struct pl_text comm = { x->head.comm, strnlen(x->head.comm, PL_TASK_COMM) };
    struct pl_text name =
        pl_process_name(room, comm, x->head.flags, x->head.pid);
    uint64_t values[PL_NUM_PROCESS_FIELDS] = { 0 }, *v;
    const uint64_t *was = NULL;
    size_t before;

    if (room->oom)
        return PL_NOMEM;
    fill(s->machine->units, x, values);
    if (is_live(e, &s->rows, values)) /* nobody has waited for it yet */
        return PL_OK;
    before = row_before(e, &s->before, values);
    if (before != PL_NO_ROW) {
        s->before.row[before].gone = true;
        was = pl_source_rows_values(&s->before, before);
    }
    if (s->machine->tasks->parts & PL_PART_RUN_TIME)
        scale_times(values, was);
    if (was && !x->end.final)
        not_below(values, was);
    if (s->rows.num == PL_MAX_INSTANCES ||
        (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN)))
        return PL_OK;
    if (before == PL_NO_ROW && e->num_alone++ >= MAX_ALONE) {
        if (!x->end.final)
            e->summed[e->num_summed++ % PL_ENDED_SUMMED] =
                (struct pl_ended_id){ x->head.pid, x->head.start_ns };
        return add_to_sum(e, s, x->head.comm, values, room);
    }
    v = pl_source_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    memcpy(v, values, sizeof values);
    return PL_OK;
}

/* ---- those without word ---------------------------------------------------------- */

static enum pl_status repeat(struct pl_source *s, size_t i)
{
    const struct pl_source_row *was = &s->before.row[i];
    uint64_t *v;

    if (was->gone || was->missed == MAX_MISSED ||
        !pl_source_rows_values(&s->before, i)[PL_P_PID] || /* a sum */
        s->rows.num == PL_MAX_INSTANCES)
        return PL_OK;
    v = pl_source_rows_add(&s->rows, pl_source_rows_name(&s->before, i));
    if (!v)
        return PL_NOMEM;
    memcpy(v, pl_source_rows_values(&s->before, i),
           PL_NUM_PROCESS_FIELDS * sizeof *v);
    s->rows.row[s->rows.num - 1].missed = (uint8_t)(was->missed + 1);
    let_go(v);
    return PL_OK;
}

static enum pl_status repeat_missed(struct pl_process_ended *e,
                                    struct pl_source *s)
{
    enum pl_status status = PL_OK;
    size_t now = 0;

    for (size_t i = 0; i < e->live_before && !status; i++) {
        const uint64_t *v = pl_source_rows_values(&s->before, i);

        while (now < e->live &&
               pl_source_rows_values(&s->rows, now)[PL_P_PID] < v[PL_P_PID])
            now++;
        if (now == e->live || !is(&s->rows, now, v[PL_P_PID], v[PL_P_STARTED]))
            status = repeat(s, i);
    }
    for (size_t i = e->missed_at_before; i < s->before.num && !status; i++)
        status = repeat(s, i);
    return status;
}

/* ---- first and final reports ------------------------------------------------ */

static size_t num_of(const struct pl_buf *reports)
{
    return reports->len / sizeof(struct pl_task_exit);
}

static struct pl_task_exit *report(const struct pl_buf *reports, size_t i)
{
    return (struct pl_task_exit *)(void *)reports->p + i;
}

static bool is_same(const struct pl_task_exit *x, const struct pl_ended_id *id)
{
    return x->head.pid == id->pid && x->head.start_ns == id->start_ns;
}

/* What was summed up by its first report is not looked at again. */
static bool was_summed(const struct pl_process_ended *e,
                       const struct pl_task_exit *x)
{
    for (size_t i = 0; i < PL_ENDED_SUMMED; i++)
        if (is_same(x, &e->summed[i]))
            return true;
    return false;
}

/* Forget the first report; they come nearly in one order, so it is near. */
static void forget_first(struct pl_process_ended *e,
                         const struct pl_task_exit *x, size_t *from)
{
    const struct pl_ended_id id = { x->head.pid, x->head.start_ns };

    while (*from < num_of(&e->dying) && !report(&e->dying, *from)->head.pid)
        ++*from;
    for (size_t i = *from; i < num_of(&e->dying); i++)
        if (is_same(report(&e->dying, i), &id)) {
            report(&e->dying, i)->head.pid = 0;
            return;
        }
}

/* Once in a sample: the final reports, then the first without a final one. */
static enum pl_status make_ready(struct pl_process_ended *e,
                                 const struct pl_buf *ends)
{
    size_t from = 0;

    pl_buf_clear(&e->ready);
    pl_buf_clear(&e->dying);
    for (size_t i = 0; i < num_of(ends); i++) {
        const struct pl_task_exit *x = report(ends, i);

        if (!x->end.final) {
            pl_buf_bytes(&e->dying, x, sizeof *x);
        } else {
            forget_first(e, x, &from);
            if (!was_summed(e, x))
                pl_buf_bytes(&e->ready, x, sizeof *x);
        }
    }
    e->num_final = num_of(&e->ready);
    for (size_t i = 0; i < num_of(&e->dying); i++)
        if (report(&e->dying, i)->head.pid)
            pl_buf_bytes(&e->ready, report(&e->dying, i),
                         sizeof(struct pl_task_exit));
    return e->ready.oom || e->dying.oom ? PL_NOMEM : PL_OK;
}

static enum pl_status add_reports(struct pl_process_ended *e,
                                  struct pl_source *s, size_t from, size_t to,
                                  struct pl_buf *room)
{
    enum pl_status status = PL_OK;

    for (size_t i = from; i < to && !status; i++)
        status = add_one(e, s, report(&e->ready, i), room);
    return status;
}

/* ---- all of them ------------------------------------------------------------------- */

enum pl_status pl_process_add_ended(struct pl_process_ended *e,
                                    struct pl_source *s, struct pl_buf *room)
{
    enum pl_status status = PL_OK;

    if (e->tick != s->machine->tick) {
        e->live_before = e->live;
        e->missed_at_before = e->missed_at;
        e->tick = s->machine->tick;
        status = make_ready(e, &s->machine->tasks->ends);
    }
    e->live = s->rows.num;
    e->num_alone = e->num_names = 0;
    memset(e->names, 0, sizeof e->names);
    if (!status)
        status = add_reports(e, s, 0, e->num_final, room);
    e->missed_at = s->rows.num;
    if (!status)
        status = add_reports(e, s, e->num_final, num_of(&e->ready), room);
    return status ? status : repeat_missed(e, s);
}

void pl_process_ended_release(struct pl_process_ended *e)
{
    pl_buf_release(&e->ready);
    pl_buf_release(&e->dying);
}
