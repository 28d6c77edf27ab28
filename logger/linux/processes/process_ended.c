/*
 * Processes that ended since the previous sample.  Each appears once more, with
 * its final values, also if it lived only between two samples.  If more than
 * MAX_ALONE did, the rest is summed by the program's name, under the process
 * number 0.
 *
 * A process is reported when its last thread ends, and its final values shortly
 * after it has left the list of processes, later on a busy machine.  A sample
 * in between shows the first values, and repeats them until the second report,
 * so that the final values can be compared with the previous sample's.  Where
 * too many wait, or for too long, the first values are counted as they are
 * (process_counted.h), and what is left is added to the sum of the name.
 *
 * The reports are taken after the walk.  One of a process that the walk met
 * waits for the next sample: the row has the values of this one.  Taken before
 * it, those of processes that end in between would be missed by both, and what
 * they did be counted a sample late.
 *
 * From /proc and taskstats it is the other way round: the report is final, and
 * comes while the walk may have the process still, as it is about to end or not
 * waited for.  Its row gets the report's values then, and keeps them.
 */
#include "format/block/winperf.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended_parts.h"
#include "logger/linux/processes/process_rows.h"
#include "logger/linux/processes/process_text.h"
#include "logger/linux/processes/tasks.h"

#include <string.h>

enum {
    MAX_ALONE = 1024, /* rows of those between samples; 0.3 MiB of a block */
    MAX_NAMES = 256,
    MAX_REPEATED = 256,  /* rows that are shown again until there is one */
    MAX_MISSED = 16,     /* samples that they wait */
    MAX_MISSED_PROC = 2, /* likewise: the report comes by the next one */
    LEAST_PLACES = 64,   /* of the table of first reports */
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* True if the walk does not say who has ended. */
static bool is_of_proc(const struct pl_source *s)
{
    return !s->machine->tasks;
}

/* ---- rows of the previous sample ---------------------------------------- */

/* The process's row in the previous sample; PL_NO_ROW: none. */
static size_t row_before(const struct pl_process_ended *e,
                         const struct pl_source_rows *before, const uint64_t *v)
{
    size_t i = pl_walk_row(before, e->live_before, v);

    if (i != PL_NO_ROW)
        return i;
    for (i = e->missed_at_before; i < before->num; i++)
        if (pl_is_row_of(before, i, v[PL_P_PID], v[PL_P_STARTED]))
            return i;
    return PL_NO_ROW;
}

/* ---- summed up by name -------------------------------------------------- */

/* Fields without a meaning in a sum of processes. */
static const enum pl_process_field not_summed[] = {
    PL_P_PARENT,      PL_P_PRIORITY,   PL_P_UID,
    PL_P_VM_HWM,      PL_P_CGROUP,     PL_P_OOM_SCORE_ADJ,
    PL_P_EXIT_STATUS, PL_P_DATA_FLAGS, PL_P_VM_PEAK,
};

/* The slot of the sum of that name, used or free. */
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
    /* Number and start are its identity: unique per sample and name. */
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

/* ---- one process -------------------------------------------------------- */

/* Fields that an ended process does not have. */
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

/* Scale as for live processes; 'before': the row shown before, or NULL. */
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

static void raise_to(uint64_t *v, const uint64_t *before)
{
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        if (v[i] < before[i])
            v[i] = before[i];
}

/* A first report may be older than the last row of the process. */
static void not_below(uint64_t *v, const uint64_t *before)
{
    raise_to(v, before);
    let_go(v);
}

/* What taskstats does not say stays as it was shown. */
static void complete(uint64_t *v, const uint64_t *before)
{
    static const enum pl_process_field facts[] = {
        PL_P_PARENT, PL_P_PRIORITY, PL_P_UID,           PL_P_STARTED,
        PL_P_CGROUP, PL_P_PROGRAM,  PL_P_OOM_SCORE_ADJ, PL_P_DATA_FLAGS,
    };

    for (size_t i = 0; i < LENGTH(facts); i++)
        v[facts[i]] = before[facts[i]];
}

/* The row of a process that the walk has: it keeps its state and what it has
 * not given back. */
static void show_end(uint64_t *row, const uint64_t *v)
{
    uint64_t state = row[PL_P_STATE];

    raise_to(row, v);
    row[PL_P_STATE] = state;
}

/* A process shown as ended or vanished that the walk has: it was interrupted
 * before the state that the walk takes for an end.  An end stays an end. */
static void keep_end(const struct pl_process_ended *e, struct pl_source *s,
                     size_t i)
{
    const uint64_t *was = pl_source_rows_values(&s->before, i);
    size_t row = pl_walk_row(&s->rows, e->live, was);
    uint64_t *v;

    if (row == PL_NO_ROW)
        return;
    s->before.row[i].gone = true; /* no need to repeat it */
    v = pl_source_rows_values(&s->rows, row);
    if (was[PL_P_EXITS] && !v[PL_P_EXITS])
        is_of_proc(s) ? show_end(v, was) : not_below(v, was);
}

static void keep_ends(const struct pl_process_ended *e, struct pl_source *s)
{
    for (size_t i = 0; i < s->before.num; i++)
        if (i >= e->missed_at_before ||
            pl_source_rows_values(&s->before, i)[PL_P_EXITS])
            keep_end(e, s, i);
}

static enum pl_status add_row(struct pl_source *s, const uint64_t *values,
                              struct pl_text name)
{
    uint64_t *v = pl_source_rows_add(&s->rows, name);

    if (!v)
        return PL_NOMEM;
    memcpy(v, values, PL_NUM_PROCESS_FIELDS * sizeof *v);
    return PL_OK;
}

static enum pl_status add_end(struct pl_source *s, const uint64_t *values,
                              struct pl_text name)
{
    enum pl_status status = add_row(s, values, name);

    if (!status)
        s->rows.row[s->rows.num - 1].has_ended = true;
    return status;
}

/* What a process did since it was counted. */
static enum pl_status add_rest(struct pl_process_ended *e, struct pl_source *s,
                               const struct pl_task_exit *x, uint64_t *v,
                               const uint64_t *counted, struct pl_buf *room)
{
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        v[i] -= v[i] < counted[i] ? v[i] : counted[i];
    return add_to_sum(e, s, x->head.comm, v, room);
}

/* True if the report says nothing that is not in the log already: one that only
 * precedes the final one, or values of a process that was forgotten. */
static bool is_vain(const struct pl_task_exit *x, const uint64_t *counted)
{
    return counted ? !x->end.final : x->end.final == PL_FINAL_AGAIN;
}

/* A process that has no row in the previous sample. */
static enum pl_status add_new(struct pl_process_ended *e, struct pl_source *s,
                              const struct pl_task_exit *x, uint64_t *v,
                              struct pl_text name, struct pl_buf *room)
{
    if (e->num_alone++ < MAX_ALONE)
        return add_end(s, v, name);
    if (!x->end.final)
        pl_process_counted_put(&e->counted, e->tick, v);
    return add_to_sum(e, s, x->head.comm, v, room);
}

/* The walk of /proc has met it: its row says from now on that it has ended. */
static void end_row(uint64_t *row, uint64_t *v)
{
    scale_times(v, row);
    complete(v, row);
    show_end(row, v);
    row[PL_P_UTIME] = v[PL_P_UTIME];
    row[PL_P_STIME] = v[PL_P_STIME];
}

/* The walk of BPF has met it, alive or as a zombie, before the report came: the
 * report waits, unless the row says all that it does. */
static enum pl_status let_wait(struct pl_process_ended *e, const uint64_t *row,
                               const struct pl_task_exit *x)
{
    struct pl_task_exit later = *x;

    if (!x->end.final && row[PL_P_EXITS])
        return PL_OK;
    if (x->end.final)
        later.end.final = row[PL_P_EXITS] ? PL_FINAL_AGAIN : PL_FINAL;
    pl_buf_bytes(&e->met, &later, sizeof later);
    return e->met.oom ? PL_NOMEM : PL_OK;
}

static enum pl_status add_met(struct pl_process_ended *e, struct pl_source *s,
                              const struct pl_task_exit *x, uint64_t *row,
                              uint64_t *v)
{
    if (!is_of_proc(s))
        return let_wait(e, row, x);
    end_row(row, v);
    return PL_OK;
}

static enum pl_status add_one(struct pl_process_ended *e, struct pl_source *s,
                              const struct pl_task_exit *x, struct pl_buf *room)
{
    struct pl_text comm = { x->head.comm, strnlen(x->head.comm, PL_TASK_COMM) };
    struct pl_text name =
        pl_process_name(room, comm, x->head.flags, x->head.pid);
    uint64_t v[PL_NUM_PROCESS_FIELDS] = { 0 };
    const uint64_t *was;
    size_t before, row;

    if (room->oom)
        return PL_NOMEM;
    fill(s->machine->units, x, v);
    row = pl_walk_row(&s->rows, e->live, v);
    if (row != PL_NO_ROW)
        return add_met(e, s, x, pl_source_rows_values(&s->rows, row), v);
    before = row_before(e, &s->before, v);
    if (before != PL_NO_ROW) {
        s->before.row[before].gone = true;
        was = pl_source_rows_values(&s->before, before);
    } else {
        was = pl_process_counted_find(&e->counted, e->tick, v);
        if (is_vain(x, was) || (!was && pl_process_is_of_before(e, s, x)))
            return PL_OK;
    }
    if (is_of_proc(s) || s->machine->tasks->parts & PL_PART_RUN_TIME)
        scale_times(v, was);
    if (was && is_of_proc(s))
        complete(v, was);
    if (was && (is_of_proc(s) || !x->end.final))
        not_below(v, was);
    if (s->rows.num == PL_MAX_INSTANCES ||
        (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN)))
        return PL_OK;
    if (before != PL_NO_ROW)
        return before < e->live_before ? add_end(s, v, name)
                                       : add_row(s, v, name);
    return was ? add_rest(e, s, x, v, was, room)
               : add_new(e, s, x, v, name, room);
}

/* ---- processes without a report ----------------------------------------- */

static enum pl_status repeat(struct pl_process_ended *e, struct pl_source *s,
                             size_t i)
{
    const struct pl_source_row *was = &s->before.row[i];
    const uint64_t *shown = pl_source_rows_values(&s->before, i);
    uint8_t most = is_of_proc(s) ? MAX_MISSED_PROC : MAX_MISSED;
    uint64_t *v;

    if (was->gone || was->missed == most || !shown[PL_P_PID]) /* a sum */
        return PL_OK;
    if (is_of_proc(s) && shown[PL_P_EXITS])
        return PL_OK;
    if (e->num_repeated >= MAX_REPEATED || was->missed + 1 == most ||
        s->rows.num == PL_MAX_INSTANCES) {
        pl_process_counted_put(&e->counted, e->tick, shown);
        return PL_OK;
    }
    e->num_repeated++;
    v = pl_source_rows_add(&s->rows, pl_source_rows_name(&s->before, i));
    if (!v)
        return PL_NOMEM;
    memcpy(v, shown, PL_NUM_PROCESS_FIELDS * sizeof *v);
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
        if (now == e->live ||
            !pl_is_row_of(&s->rows, now, v[PL_P_PID], v[PL_P_STARTED]))
            status = repeat(e, s, i);
    }
    for (size_t i = e->missed_at_before; i < s->before.num && !status; i++)
        status = repeat(e, s, i);
    return status;
}

/* ---- first and final reports -------------------------------------------- */

static bool is_same(const struct pl_task_head *a, const struct pl_task_head *b)
{
    return a->pid == b->pid && a->start_ns == b->start_ns;
}

static void take_firsts(struct pl_process_ended *e, const struct pl_buf *ends)
{
    for (size_t i = 0; i < pl_num_reports(ends); i++)
        if (!pl_report_at(ends, i)->end.final)
            pl_buf_bytes(&e->dying, pl_report_at(ends, i),
                         sizeof(struct pl_task_exit));
}

/* The place in the table e->firsts at which looking for a process begins. */
static size_t first_place(const struct pl_task_head *head)
{
    return (head->pid ^ head->start_ns) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* Make the table: a place of e->dying plus 1, or 0; at most half is used. */
static enum pl_status index_firsts(struct pl_process_ended *e)
{
    size_t num = pl_num_reports(&e->dying), places = LEAST_PLACES, i;
    uint32_t *table;

    while (places < 2 * num)
        places *= 2;
    pl_buf_clear(&e->firsts);
    table = (uint32_t *)(void *)pl_buf_room(&e->firsts, places * sizeof *table);
    if (!table)
        return PL_NOMEM;
    memset(table, 0, places * sizeof *table);
    e->first_mask = places - 1;
    for (uint32_t k = 0; k < num; k++) {
        i = first_place(&pl_report_at(&e->dying, k)->head);
        while (table[i & e->first_mask])
            i++;
        table[i & e->first_mask] = k + 1;
    }
    return PL_OK;
}

/* Remove the first report.  False if it came in an earlier sample, or never. */
static bool forget_first(struct pl_process_ended *e,
                         const struct pl_task_head *head)
{
    const uint32_t *table = (const uint32_t *)(const void *)e->firsts.p;
    uint32_t at;

    for (size_t i = first_place(head); (at = table[i & e->first_mask]); i++) {
        struct pl_task_head *first = &pl_report_at(&e->dying, at - 1)->head;

        if (!is_same(first, head))
            continue;
        first->pid = 0;
        return true;
    }
    return false;
}

/* 'since': who was started earlier and is released without a first report had
 * ended when ends began to be seen; what it did before is no part of the log. */
static void take_finals(struct pl_process_ended *e, const struct pl_buf *ends,
                        uint64_t since)
{
    for (size_t i = 0; i < pl_num_reports(ends); i++) {
        struct pl_task_exit x = *pl_report_at(ends, i);

        if (!x.end.final)
            continue;
        if (forget_first(e, &x.head))
            x.end.final = PL_FINAL;
        else if (x.head.start_ns < since)
            x.end.final = PL_FINAL_AGAIN;
        pl_buf_bytes(&e->ready, &x, sizeof x);
    }
}

/* The final reports, then first ones without a final one. */
static enum pl_status make_ready(struct pl_process_ended *e,
                                 struct pl_source *s, const struct pl_buf *ends)
{
    pl_buf_clear(&e->ready);
    pl_buf_clear(&e->dying);
    take_firsts(e, &e->met_before);
    take_firsts(e, ends);
    if (e->dying.oom || index_firsts(e))
        return PL_NOMEM;
    take_finals(e, &e->met_before, 0);
    take_finals(e, ends, is_of_proc(s) ? 0 : s->machine->tasks->since_ns);
    e->num_final = pl_num_reports(&e->ready);
    if (is_of_proc(s) && !e->ready.oom) {
        pl_process_find_starts(e, s);
        if (pl_reaped_times_add(&e->reaped, s, e->live_before, &e->ready,
                                e->num_final))
            return PL_NOMEM;
    }
    for (size_t i = 0; i < pl_num_reports(&e->dying); i++)
        if (pl_report_at(&e->dying, i)->head.pid)
            pl_buf_bytes(&e->ready, pl_report_at(&e->dying, i),
                         sizeof(struct pl_task_exit));
    return e->ready.oom ? PL_NOMEM : PL_OK;
}

static enum pl_status add_reports(struct pl_process_ended *e,
                                  struct pl_source *s, size_t from, size_t to,
                                  struct pl_buf *room)
{
    enum pl_status status = PL_OK;

    for (size_t i = from; i < to && !status; i++)
        status = add_one(e, s, pl_report_at(&e->ready, i), room);
    return status;
}

/* ---- all of them -------------------------------------------------------- */

static void swap_met(struct pl_process_ended *e)
{
    struct pl_buf met = e->met;

    e->met = e->met_before;
    e->met_before = met;
}

static void begin_sample(struct pl_process_ended *e, const struct pl_machine *m)
{
    if (!e->first_tick) {
        e->first_tick = m->tick;
        e->first_ns = (uint64_t)m->now.boot_ns;
    }
    swap_met(e);
    e->live_before = e->live;
    e->missed_at_before = e->missed_at;
    e->tick = m->tick;
}

enum pl_status pl_process_add_ended(struct pl_process_ended *e,
                                    struct pl_source *s,
                                    const struct pl_buf *reports,
                                    struct pl_buf *room)
{
    bool is_new = e->tick != s->machine->tick;
    enum pl_status status = PL_OK;

    if (is_new)
        begin_sample(e, s->machine);
    if (is_new || !is_of_proc(s)) /* of BPF there may be more by now */
        status = make_ready(e, s, reports);
    pl_buf_clear(&e->met);
    e->live = s->rows.num;
    e->num_alone = e->num_names = e->num_repeated = 0;
    keep_ends(e, s);
    memset(e->names, 0, sizeof e->names);
    if (!status)
        status = add_reports(e, s, 0, e->num_final, room);
    e->missed_at = s->rows.num;
    if (!status)
        status =
            add_reports(e, s, e->num_final, pl_num_reports(&e->ready), room);
    return status ? status : repeat_missed(e, s);
}

void pl_process_ended_skip(struct pl_process_ended *e)
{
    e->live = e->missed_at = 0;
}

void pl_process_ended_undo(struct pl_process_ended *e, struct pl_source *s)
{
    for (size_t i = 0; i < s->rows.num; i++)
        s->rows.row[i].gone = false;
    if (e->tick != s->machine->tick)
        return;
    if (e->first_tick == e->tick)
        e->first_tick = 0;
    swap_met(e);
    e->live = e->live_before;
    e->missed_at = e->missed_at_before;
    pl_process_counted_undo(&e->counted, e->tick);
    pl_reaped_times_undo(&e->reaped, e->tick);
}

void pl_process_ended_release(struct pl_process_ended *e)
{
    pl_buf_release(&e->ready);
    pl_buf_release(&e->dying);
    pl_buf_release(&e->firsts);
    pl_buf_release(&e->met);
    pl_buf_release(&e->met_before);
    pl_reaped_times_release(&e->reaped);
}
