/* Threads read from /proc/PID/task (fs/proc/array.c, fs/proc/base.c). */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"
#include "logger/linux/processes/stat_line.h"
#include "logger/linux/processes/thread.h"

#include <string.h>

/* ---- parsing ------------------------------------------------------------ */

/* clang-format off */
static const struct {
    enum pl_stat_column column;
    enum pl_thread_field field;
    enum pl_unit unit;
} places[] = {
    { PL_STAT_PID, PL_T_TID, PL_PLAIN },
    { PL_STAT_STATE, PL_T_STATE, PL_PLAIN },
    { PL_STAT_UTIME, PL_T_UTIME, PL_TICKS },
    { PL_STAT_STIME, PL_T_STIME, PL_TICKS },
    { PL_STAT_STARTED, PL_T_STARTED, PL_TICKS },
    { PL_STAT_MINFLT, PL_T_MINFLT, PL_PLAIN },
    { PL_STAT_MAJFLT, PL_T_MAJFLT, PL_PLAIN },
    { PL_STAT_PROCESSOR, PL_T_PROCESSOR, PL_PLAIN },
};
/* clang-format on */

static void take_stat(const struct pl_conversion *units,
                      const uint64_t *columns, uint64_t *v)
{
    enum { LOWEST = 39 };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        v[places[i].field] =
            pl_convert(&units[places[i].unit], columns[places[i].column]);
    v[PL_T_NT_STATE] =
        pl_thread_nt_state(columns[PL_STAT_STATE], PL_NT_RUNNING);
    v[PL_T_PRIORITY_NOW] = LOWEST - columns[PL_STAT_PRIORITY];
    v[PL_T_PRIORITY] =
        pl_process_priority(columns[PL_STAT_POLICY], columns[PL_STAT_NICE],
                            columns[PL_STAT_REALTIME]);
}

/* "run_ns wait_ns slices" */
static bool take_schedstat(const struct pl_conversion *units,
                           struct pl_text text, uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text);
    uint64_t run, wait;

    if (!pl_proctext_number(&line, &run) || !pl_proctext_number(&line, &wait) ||
        !pl_proctext_number(&line, &v[PL_T_SLICES]))
        return false;
    v[PL_T_RUN_TIME] = pl_convert(&units[PL_NS], run);
    v[PL_T_RUN_DELAY] = pl_convert(&units[PL_NS], wait);
    return true;
}

static bool take_switches(const struct pl_conversion *units,
                          struct pl_text text, uint64_t *v)
{
    uint64_t voluntary, forced;

    (void)units;
    if (!pl_proctext_key(text, "voluntary_ctxt_switches", &voluntary) ||
        !pl_proctext_key(text, "nonvoluntary_ctxt_switches", &forced))
        return false;
    v[PL_T_SWITCHES] = voluntary + forced;
    return true;
}

static bool take_io(const struct pl_conversion *units, struct pl_text text,
                    uint64_t *v)
{
    (void)units;
    return pl_proctext_key(text, "read_bytes", &v[PL_T_READ_BYTES]) &&
           pl_proctext_key(text, "write_bytes", &v[PL_T_WRITE_BYTES]);
}

/* The files other than stat, and one of the fields that each fills. */
static const struct {
    const char *name;
    enum pl_process_group group;
    enum pl_thread_field fields[3];
    bool (*take)(const struct pl_conversion *units, struct pl_text text,
                 uint64_t *v);
} files[] = {
    { "schedstat",
      PL_GROUP_THREADS,
      { PL_T_RUN_TIME, PL_T_RUN_DELAY, PL_T_SLICES },
      take_schedstat },
    { "status",
      PL_GROUP_STATUS,
      { PL_T_SWITCHES, PL_T_SWITCHES, PL_T_SWITCHES },
      take_switches },
    { "io",
      PL_GROUP_IO,
      { PL_T_READ_BYTES, PL_T_WRITE_BYTES, PL_T_WRITE_BYTES },
      take_io },
};

enum { NUM_FILES = sizeof files / sizeof *files };

/* ---- one thread --------------------------------------------------------- */

static bool is_wanted(const struct pl_threads *t, size_t file)
{
    bool wanted = false;

    for (size_t i = 0; i < 3; i++)
        wanted |= t->base.fields[files[file].fields[i]].wanted;
    return wanted;
}

/* Fields of unreadable files stay 0 and are flagged. */
static enum pl_outcome read_rest(struct pl_threads *t, uint32_t tid,
                                 uint64_t *v)
{
    const struct pl_conversion *units = t->base.machine->units;

    for (size_t f = 0; f < NUM_FILES; f++) {
        enum pl_outcome o;
        struct pl_text text;

        if (!is_wanted(t, f))
            continue;
        o = pl_task_dir_read(&t->dir, tid, files[f].name, &text);
        if (o == PL_GONE || o == PL_NO_MEMORY)
            return o;
        if (o == PL_REFUSED || !files[f].take(units, text, v))
            v[PL_T_DATA_FLAGS] |= 1u << files[f].group;
    }
    return PL_GOOD;
}

static enum pl_outcome read_thread(struct pl_threads *t, size_t parent,
                                   uint32_t tid)
{
    const uint64_t *process =
        pl_source_rows_values(&t->processes->rows, parent);
    const struct pl_conversion *units = t->base.machine->units;
    uint64_t columns[PL_STAT_NUM_COLUMNS], *v;
    struct pl_text text, comm;
    enum pl_outcome o = pl_task_dir_read(&t->dir, tid, "stat", &text);

    if (o != PL_GOOD || !pl_stat_line_scan(text, columns, &comm))
        return o == PL_NO_MEMORY ? o : PL_GONE;
    /* The number may have been reused since the process was read. */
    if (tid == process[PL_P_PID] &&
        pl_convert(&units[PL_TICKS], columns[PL_STAT_STARTED]) !=
            process[PL_P_STARTED])
        return PL_REFUSED;
    if (pl_thread_add(t, parent, comm, columns[PL_STAT_FLAGS], tid, &v))
        return PL_NO_MEMORY;
    if (!v)
        return PL_GOOD;
    take_stat(units, columns, v);
    v[PL_T_PID] = process[PL_P_PID];
    o = read_rest(t, tid, v);
    if (o == PL_GONE)
        pl_source_rows_drop(&t->base.rows);
    return o;
}

/* ---- all of them -------------------------------------------------------- */

static enum pl_outcome read_process(struct pl_threads *t, size_t parent)
{
    const uint64_t *process =
        pl_source_rows_values(&t->processes->rows, parent);
    size_t before = t->base.rows.num;
    enum pl_outcome o = pl_task_dir_open(&t->dir, (uint32_t)process[PL_P_PID]);

    if (o != PL_GOOD)
        return o;
    for (size_t i = 0; i < t->dir.threads.num; i++) {
        o = read_thread(t, parent, t->dir.threads.pid[i]);
        if (o == PL_NO_MEMORY || o == PL_REFUSED)
            break;
    }
    while (o == PL_REFUSED && t->base.rows.num > before)
        pl_source_rows_drop(&t->base.rows);
    pl_task_dir_close(&t->dir);
    return o;
}

enum pl_status pl_thread_proc_read(struct pl_threads *t)
{
    for (size_t i = 0; i < t->base.machine->live_processes; i++)
        if (read_process(t, i) == PL_NO_MEMORY)
            return PL_NOMEM;
    return PL_OK;
}
