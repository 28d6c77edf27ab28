/* The fields of Thread, and its rows, for BPF and /proc. */
#include "logger/linux/processes/thread.h"

#include "format/block/winperf.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"
#include "logger/linux/processes/tasks.h"

#include <stdlib.h>

#define STAT(text) PL_GROUPED(text, PL_GROUP_STAT)
#define SCHEDSTAT(text) PL_GROUPED(text, PL_GROUP_THREADS)

static const struct pl_field fields[PL_NUM_THREAD_FIELDS] = {
    [PL_T_PID] = STAT("pid"),
    [PL_T_TID] = STAT("tid"),
    [PL_T_STATE] = STAT("state"),
    [PL_T_NT_STATE] = STAT("nt_state"),
    [PL_T_RUN_TIME] = SCHEDSTAT("run_time"),
    [PL_T_UTIME] = STAT("utime"),
    [PL_T_STIME] = STAT("stime"),
    [PL_T_STARTED] = STAT("started"), /* 100 ns since boot */
    [PL_T_PRIORITY_NOW] = STAT("priority_now"),
    [PL_T_PRIORITY] = STAT("priority"),
    [PL_T_MINFLT] = STAT("minflt"),
    [PL_T_MAJFLT] = STAT("majflt"),
    [PL_T_PROCESSOR] = STAT("processor"),
    [PL_T_RUN_DELAY] = SCHEDSTAT("run_delay"),
    [PL_T_SLICES] = SCHEDSTAT("slices"),
    [PL_T_SWITCHES] = PL_COSTLY("switches", PL_GROUP_STATUS),
    [PL_T_READ_BYTES] = PL_COSTLY("read_bytes", PL_GROUP_IO),
    [PL_T_WRITE_BYTES] = PL_COSTLY("write_bytes", PL_GROUP_IO),
    [PL_T_DATA_FLAGS] = PL_FIELD("data_flags"),
};

/* ---- rows --------------------------------------------------------------- */

/* The filter matches "process/thread". */
static bool is_chosen(struct pl_threads *t, size_t parent, struct pl_text name)
{
    struct pl_text process = pl_source_rows_name(&t->processes->rows, parent);

    if (!t->base.filter)
        return true;
    pl_buf_clear(&t->path);
    pl_buf_bytes(&t->path, process.p, process.n);
    pl_buf_u8(&t->path, '/');
    pl_buf_bytes(&t->path, name.p, name.n);
    return pl_filter_allows(
        t->base.filter,
        (struct pl_text){ (const char *)t->path.p, t->path.len }, PL_SHOWN);
}

enum pl_status pl_thread_add(struct pl_threads *t, size_t parent,
                             struct pl_text comm, uint64_t task_flags,
                             uint64_t tid, uint64_t **v)
{
    struct pl_source_rows *rows = &t->base.rows;
    struct pl_text name = pl_process_name(&t->name, comm, task_flags, tid);

    *v = NULL;
    if (rows->num == PL_MAX_INSTANCES || !is_chosen(t, parent, name))
        return t->path.oom ? PL_NOMEM : PL_OK;
    if (t->name.oom)
        return PL_NOMEM;
    *v = pl_source_rows_add(rows, name);
    if (!*v)
        return PL_NOMEM;
    rows->row[rows->num - 1].parent = (uint32_t)parent;
    return PL_OK;
}

uint64_t pl_thread_nt_state(uint64_t letter, enum pl_nt_state runnable)
{
    switch (letter) {
    case 'R':
        return runnable;
    case 'Z':
    case 'X':
        return PL_NT_TERMINATED;
    default:
        return PL_NT_WAITING;
    }
}

/* ---- the source --------------------------------------------------------- */

static enum pl_status thread_read(struct pl_source *s)
{
    struct pl_threads *t = (struct pl_threads *)s;
    enum pl_status status = pl_source_read(t->processes);

    pl_source_set_readable(s, t->processes->readable);
    if (status || !s->readable)
        return status;
    return s->machine->tasks ? pl_thread_bpf_read(t) : pl_thread_proc_read(t);
}

static void thread_close(struct pl_source *s)
{
    struct pl_threads *t = (struct pl_threads *)s;

    pl_task_dir_release(&t->dir);
    pl_buf_release(&t->name);
    pl_buf_release(&t->path);
    pl_buf_release(&t->order);
    pl_source_release(s);
    free(t);
}

static void mark_bpf(struct pl_threads *t)
{
    struct pl_tasks *tasks = t->base.machine->tasks;

    tasks->want |= PL_WANT_THREADS;
    pl_thread_bpf_mark(&t->base, tasks->parts);
}

/* All 0 where an older kernel does not count. */
static bool has_run(struct pl_text schedstat)
{
    struct pl_proctext line = pl_proctext_of(schedstat);
    uint64_t ns;

    return pl_proctext_number(&line, &ns) && ns;
}

/* Whether threads of this kernel have schedstat. */
static void probe_proc(struct pl_threads *t)
{
    struct pl_machine *m = t->base.machine;
    struct pl_text text;
    bool readable = false;

    for (size_t i = 0; i < m->pids.num && !readable; i++) {
        if (pl_task_dir_open(&t->dir, m->pids.pid[i]) != PL_GOOD)
            continue;
        readable = t->dir.threads.num &&
                   pl_task_dir_read(&t->dir, t->dir.threads.pid[0], "schedstat",
                                    &text) == PL_GOOD &&
                   has_run(text);
        pl_task_dir_close(&t->dir);
    }
    for (size_t i = 0; i < PL_NUM_THREAD_FIELDS; i++)
        if (t->base.fields[i].group == PL_GROUP_THREADS)
            t->base.fields[i].present = readable;
}

static enum pl_status thread_open(struct pl_source **out, struct pl_machine *m,
                                  const struct pl_source_kind *kind)
{
    struct pl_threads *t = calloc(1, sizeof *t);
    enum pl_status s;

    if (!t)
        return PL_NOMEM;
    t->dir = (struct pl_task_dir){ .machine = m, .fd = -1 };
    s = pl_source_init(&t->base, m, kind);
    if (!s)
        s = pl_source_open(&t->processes, m, PL_PROCESS);
    if (s) {
        thread_close(&t->base);
        return s;
    }
    if (m->tasks)
        mark_bpf(t);
    else
        probe_proc(t);
    t->base.readable = t->processes->readable;
    *out = &t->base;
    return PL_OK;
}

const struct pl_source_kind pl_thread_kind = {
    .name = "thread",
    .open = thread_open,
    .read = thread_read,
    .close = thread_close,
    .forgets = true,
    .fields = fields,
    .num_fields = PL_NUM_THREAD_FIELDS,
};
