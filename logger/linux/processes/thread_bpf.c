/* Threads from the records of the BPF program. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/tasks.h"
#include "logger/linux/processes/thread.h"

#include <string.h>

/* The state of a runnable thread: ready if it is on no processor; if the kernel
 * does not report this, the same as from /proc. */
static enum pl_nt_state runnable(const struct pl_task_thread *r)
{
    return r->parts & PL_PART_ON_CPU ? PL_NT_READY : PL_NT_RUNNING;
}

void pl_thread_bpf_fill(const struct pl_conversion units[PL_NUM_UNITS],
                        const struct pl_task_thread *r, uint64_t *v)
{
    enum { LOWEST = 139 };
    const struct pl_conversion *ns = &units[PL_NS];

    v[PL_T_PID] = r->pid;
    v[PL_T_TID] = r->tid;
    v[PL_T_STATE] = pl_task_letter(r->state, r->exit_state);
    v[PL_T_NT_STATE] = r->on_cpu
                           ? PL_NT_RUNNING
                           : pl_thread_nt_state(v[PL_T_STATE], runnable(r));
    v[PL_T_RUN_TIME] = pl_convert(ns, r->run_time);
    v[PL_T_UTIME] = pl_convert(ns, r->utime);
    v[PL_T_STIME] = pl_convert(ns, r->stime);
    v[PL_T_STARTED] = pl_task_started(r->start_ns);
    v[PL_T_PRIORITY_NOW] = (uint64_t)(int64_t)(LOWEST - (int32_t)r->prio);
    v[PL_T_PRIORITY] = pl_task_priority(r->normal_prio, r->static_prio);
    v[PL_T_MINFLT] = r->minflt;
    v[PL_T_MAJFLT] = r->majflt;
    v[PL_T_PROCESSOR] = r->cpu;
    v[PL_T_RUN_DELAY] = pl_convert(ns, r->run_delay);
    v[PL_T_SLICES] = r->slices;
    v[PL_T_SWITCHES] = r->nvcsw + r->nivcsw;
    v[PL_T_READ_BYTES] = r->read_bytes;
    v[PL_T_WRITE_BYTES] = r->write_bytes;
}

/* clang-format off */
static const struct pl_part_field part_fields[] = {
    { PL_PART_STATE, PL_T_STATE },
    { PL_PART_STATE, PL_T_NT_STATE },
    { PL_PART_RUN_TIME, PL_T_RUN_TIME },
    { PL_PART_USER_TIME, PL_T_UTIME },
    { PL_PART_SYSTEM_TIME, PL_T_STIME },
    { PL_PART_PRIORITY_NOW, PL_T_PRIORITY_NOW },
    { PL_PART_PRIORITY, PL_T_PRIORITY },
    { PL_PART_FAULTS, PL_T_MINFLT },
    { PL_PART_FAULTS, PL_T_MAJFLT },
    { PL_PART_PROCESSOR, PL_T_PROCESSOR },
    { PL_PART_RUN_DELAY, PL_T_RUN_DELAY },
    { PL_PART_SLICES, PL_T_SLICES },
    { PL_PART_SWITCHES, PL_T_SWITCHES },
    { PL_PART_IO, PL_T_READ_BYTES },
    { PL_PART_IO, PL_T_WRITE_BYTES },
};
/* clang-format on */

void pl_thread_bpf_mark(struct pl_source *s, uint32_t parts)
{
    pl_tasks_mark(s, parts, part_fields,
                  sizeof part_fields / sizeof *part_fields);
}

/* ---- their order -------------------------------------------------------- */

/* The row of process 'pid'; rows ascend.  PL_NO_ROW if there is none. */
static size_t find_process(const struct pl_source_rows *rows, size_t num,
                           uint64_t pid)
{
    size_t from = 0, to = num;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        uint64_t here = pl_source_rows_values(rows, middle)[PL_P_PID];

        if (here == pid)
            return middle;
        if (here < pid)
            from = middle + 1;
        else
            to = middle;
    }
    return PL_NO_ROW;
}

static const struct pl_kept_thread *kept(const struct pl_threads *t, size_t i)
{
    const void *p = t->base.machine->tasks->threads.p;

    return (const struct pl_kept_thread *)p + i;
}

static const struct pl_task_thread *record(const struct pl_threads *t, size_t i)
{
    return &kept(t, i)->task;
}

static size_t parent_of(const struct pl_threads *t,
                        const struct pl_task_thread *r)
{
    const struct pl_source_rows *rows = &t->processes->rows;
    size_t row = find_process(rows, t->base.machine->live_processes, r->pid);

    if (row != PL_NO_ROW && pl_source_rows_values(rows, row)[PL_P_STARTED] !=
                                pl_task_started(r->process_start_ns))
        return PL_NO_ROW; /* the number was reused */
    return row;
}

/*
 * Records come in the order of the threads' numbers; they are sorted by process
 * here, keeping that order, in memory that is reused.
 */
struct order {
    uint32_t *parent; /* of each record; NO_PARENT: its process is missing */
    uint32_t *record; /* sorted */
    uint32_t *first;  /* of each process in 'record', and one more */
    size_t num;
};

#define NO_PARENT UINT32_MAX

static bool make_room(struct pl_threads *t, struct order *o, size_t records)
{
    size_t processes = t->processes->rows.num;
    void *room;

    pl_buf_clear(&t->order);
    room = pl_buf_zeros(&t->order,
                        (2 * records + processes + 1) * sizeof *o->parent);
    o->parent = room;
    if (!room)
        return false;
    o->record = o->parent + records;
    o->first = o->record + records;
    return true;
}

static bool sort(struct pl_threads *t, struct order *o)
{
    size_t records = t->base.machine->tasks->threads.len / sizeof *kept(t, 0);
    size_t processes = t->processes->rows.num;

    if (!make_room(t, o, records))
        return false;
    for (size_t i = 0; i < records; i++) {
        size_t row = parent_of(t, record(t, i));

        o->parent[i] = row == PL_NO_ROW ? NO_PARENT : (uint32_t)row;
        if (row != PL_NO_ROW)
            o->first[row + 1]++;
    }
    for (size_t i = 0; i < processes; i++)
        o->first[i + 1] += o->first[i];
    o->num = o->first[processes];
    for (size_t i = 0; i < records; i++)
        if (o->parent[i] != NO_PARENT)
            o->record[o->first[o->parent[i]]++] = (uint32_t)i;
    return true;
}

enum pl_status pl_thread_bpf_read(struct pl_threads *t)
{
    enum pl_status s = PL_OK;
    struct order o;

    if (!sort(t, &o))
        return PL_NOMEM;
    for (size_t i = 0; i < o.num && !s; i++) {
        const struct pl_task_thread *r = record(t, o.record[i]);
        struct pl_text comm = { r->comm, strnlen(r->comm, sizeof r->comm) };
        uint64_t *v;

        s = pl_thread_add(t, o.parent[o.record[i]], comm, r->flags, r->tid, &v);
        if (!v)
            continue;
        pl_thread_bpf_fill(t->base.machine->units, r, v);
        /* Its identity: it is another thread, whose counts may be lower. */
        v[PL_T_STARTED] += kept(t, o.record[i])->heirs;
    }
    return s;
}
