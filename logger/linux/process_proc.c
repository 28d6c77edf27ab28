/*
 * Processes read from /proc: 'stat' always, the other files only as far as
 * counters want them.
 */
#include "format/winperf.h"
#include "logger/linux/choice.h"
#include "logger/linux/machine.h"
#include "logger/linux/proc_files.h"
#include "logger/linux/process.h"
#include "logger/linux/process_more.h"
#include "logger/linux/proctext.h"
#include "logger/linux/stat_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where each field comes from ---------------------------------------- */

/* clang-format off */
/* The group of Data Flags that each file fills. */
static const enum pl_process_group groups[PL_NUM_PROC_FILES] = {
    [PL_PROC_STAT] = PL_GROUP_STAT,     [PL_PROC_STATM] = PL_GROUP_STATM,
    [PL_PROC_IO] = PL_GROUP_IO,         [PL_PROC_STATUS] = PL_GROUP_STATUS,
    [PL_PROC_OOM] = PL_GROUP_STATUS,
};
/* clang-format on */

struct place {
    unsigned column; /* 0-based */
    enum pl_process_field field;
    enum pl_unit unit;
};

/* clang-format off */
static const struct place stat_places[] = {
    { PL_STAT_PID, PL_P_PID, PL_PLAIN },
    { PL_STAT_STATE, PL_P_STATE, PL_PLAIN },
    { PL_STAT_PARENT, PL_P_PARENT, PL_PLAIN },
    { PL_STAT_MINFLT, PL_P_MINFLT, PL_PLAIN },
    { PL_STAT_MAJFLT, PL_P_MAJFLT, PL_PLAIN },
    { PL_STAT_UTIME, PL_P_UTIME, PL_TICKS },
    { PL_STAT_STIME, PL_P_STIME, PL_TICKS },
    { PL_STAT_CUTIME, PL_P_CUTIME, PL_TICKS },
    { PL_STAT_CSTIME, PL_P_CSTIME, PL_TICKS },
    { PL_STAT_THREADS, PL_P_THREADS, PL_PLAIN },
    { PL_STAT_STARTED, PL_P_STARTED, PL_TICKS },
    { PL_STAT_VIRTUAL, PL_P_VIRTUAL, PL_PLAIN },
    { PL_STAT_BLKIO_DELAY, PL_P_BLKIO_DELAY, PL_TICKS },
    { PL_STAT_GUEST_TIME, PL_P_GUEST_TIME, PL_TICKS },
};
/* clang-format on */

enum { NUM_STATM_COLUMNS = 3 };

static const struct place statm_places[] = {
    { 1, PL_P_RESIDENT, PL_PAGES },
    { 2, PL_P_SHARED, PL_PAGES },
};

struct key {
    const char *key;
    enum pl_process_field field;
    enum pl_unit unit;
};

/* clang-format off */
static const struct key io_keys[] = {
    { "rchar", PL_P_RCHAR, PL_PLAIN },
    { "wchar", PL_P_WCHAR, PL_PLAIN },
    { "syscr", PL_P_SYSCR, PL_PLAIN },
    { "syscw", PL_P_SYSCW, PL_PLAIN },
    { "read_bytes", PL_P_READ_BYTES, PL_PLAIN },
    { "write_bytes", PL_P_WRITE_BYTES, PL_PLAIN },
    { "cancelled_write_bytes", PL_P_CANCELLED_WRITE_BYTES, PL_PLAIN },
};
/* clang-format on */

/* clang-format off */
static const struct key status_keys[] = {
    { "VmPeak", PL_P_VM_PEAK, PL_KIB },
    { "VmLck", PL_P_VM_LCK, PL_KIB },
    { "VmHWM", PL_P_VM_HWM, PL_KIB },
    { "RssAnon", PL_P_RSS_ANON, PL_KIB },
    { "VmPTE", PL_P_VM_PTE, PL_KIB },
    { "VmSwap", PL_P_VM_SWAP, PL_KIB },
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

struct pl_process_proc {
    struct pl_source *source;
    struct pl_proc_files files;
    struct pl_process_more more;
    bool needs_more;
    bool size_is_count; /* of /proc/PID/fd, since Linux 6.2 */
    bool needed[PL_NUM_PROC_FILES];
    struct pl_buf name;
};

/* ---- what the files say ------------------------------------------------- */

static struct pl_text text_of(const struct pl_process_proc *p)
{
    return (struct pl_text){ (const char *)p->files.text.p, p->files.text.len };
}

static void store(const struct pl_process_proc *p, const struct place *places,
                  size_t num, const uint64_t *columns, uint64_t *v)
{
    const struct pl_conversion *units = p->source->machine->units;

    for (size_t i = 0; i < num; i++)
        v[places[i].field] =
            pl_convert(&units[places[i].unit], columns[places[i].column]);
}

static bool take_statm(const struct pl_process_proc *p, uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text_of(p));
    uint64_t columns[NUM_STATM_COLUMNS];

    for (unsigned i = 0; i < NUM_STATM_COLUMNS; i++)
        if (!pl_proctext_number(&line, &columns[i]))
            return false;
    store(p, statm_places, LENGTH(statm_places), columns, v);
    if (v[PL_P_RESIDENT] > v[PL_P_SHARED])
        v[PL_P_ANONYMOUS] = v[PL_P_RESIDENT] - v[PL_P_SHARED];
    return true;
}

/* Lines "key: number"; the keys are tried in the order they have here. */
static size_t take_keys(const struct pl_process_proc *p, const struct key *keys,
                        size_t num, uint64_t *v)
{
    const struct pl_conversion *units = p->source->machine->units;
    struct pl_proctext rest = pl_proctext_of(text_of(p)), line;
    size_t next = 0, found = 0;

    while (pl_proctext_line(&rest, &line)) {
        for (size_t i = 0; i < num; i++) {
            const struct key *k = &keys[(next + i) % num];
            size_t n = strlen(k->key);
            uint64_t number;

            if ((size_t)(line.end - line.p) <= n || line.p[n] != ':' ||
                memcmp(line.p, k->key, n) != 0)
                continue;
            line.p += n + 1;
            if (pl_proctext_number(&line, &number)) {
                v[k->field] = pl_convert(&units[k->unit], number);
                found++;
            }
            next += i + 1;
            break;
        }
    }
    return found;
}

static bool take_oom(const struct pl_process_proc *p, uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text_of(p));

    return pl_proctext_number(&line, &v[PL_P_OOM_SCORE_ADJ]);
}

/* False if the text is not what it should be. */
static bool take(const struct pl_process_proc *p, enum pl_proc_file file,
                 uint64_t *v)
{
    switch (file) {
    case PL_PROC_STATM:
        return take_statm(p, v);
    case PL_PROC_IO:
        return take_keys(p, io_keys, LENGTH(io_keys), v) == LENGTH(io_keys);
    case PL_PROC_STATUS: /* kernel threads have no memory, and no such lines */
        take_keys(p, status_keys, LENGTH(status_keys), v);
        return true;
    case PL_PROC_OOM:
        return take_oom(p, v);
    default:
        return false;
    }
}

/* ---- one process -------------------------------------------------------- */

static enum pl_outcome read_owner(struct pl_process_proc *p, uint32_t pid,
                                  uint64_t *v)
{
    struct pl_machine *m = p->source->machine;
    char room[PL_PROC_PATH_ROOM];
    struct stat st;

    m->system_calls++;
    if (fstatat(m->proc, pl_proc_path(room, pid, ""), &st, 0))
        return PL_GONE;
    v[PL_P_UID] = st.st_uid;
    return PL_GOOD;
}

static enum pl_outcome read_open_files(struct pl_process_proc *p, uint32_t pid,
                                       uint64_t *v)
{
    struct pl_machine *m = p->source->machine;
    char room[PL_PROC_PATH_ROOM];
    const char *path = pl_proc_path(room, pid, "fd");
    struct stat st;

    if (!p->size_is_count)
        return pl_count_entries(m, m->proc, path, &v[PL_P_OPEN_FILES])
                   ? PL_GOOD
                   : pl_proc_reason(m, pid);
    m->system_calls++;
    if (fstatat(m->proc, path, &st, 0))
        return pl_proc_reason(m, pid);
    v[PL_P_OPEN_FILES] = (uint64_t)st.st_size;
    return PL_GOOD;
}

/* What is beside 'stat'; groups that cannot be read stay 0 and are flagged. */
static enum pl_outcome read_rest(struct pl_process_proc *p,
                                 struct pl_proc_entry *e, uint64_t *v)
{
    const struct pl_field *fields = p->source->fields;
    enum pl_outcome o = PL_GOOD;

    for (unsigned f = PL_PROC_STATM; f < PL_NUM_PROC_FILES; f++) {
        if (!p->needed[f])
            continue;
        o = pl_proc_files_read(&p->files, e, f);
        if (o == PL_GONE || o == PL_NO_MEMORY)
            return o;
        if (o == PL_REFUSED || !take(p, f, v))
            v[PL_P_DATA_FLAGS] |= 1u << groups[f];
    }
    o = PL_GOOD;
    if (fields[PL_P_OPEN_FILES].wanted)
        o = read_open_files(p, e->pid, v);
    if (o == PL_REFUSED)
        v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_FD;
    if (o != PL_GONE && p->needs_more) {
        o = pl_process_more_read(&p->more, fields, e->pid, v);
        if (o == PL_NO_MEMORY)
            return o;
        if (o == PL_REFUSED)
            v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_THREADS;
    }
    if (o != PL_GONE && fields[PL_P_UID].wanted)
        o = read_owner(p, e->pid, v);
    return o == PL_GONE ? PL_GONE : PL_GOOD;
}

static enum pl_status read_process(struct pl_process_proc *p,
                                   struct pl_proc_entry *e)
{
    struct pl_source *s = p->source;
    uint64_t columns[PL_STAT_NUM_COLUMNS];
    struct pl_text comm, name;
    enum pl_outcome o = pl_proc_files_read(&p->files, e, PL_PROC_STAT);
    uint64_t *v;

    if (o == PL_NO_MEMORY)
        return PL_NOMEM;
    if (o != PL_GOOD || !pl_stat_line_scan(text_of(p), columns, &comm)) {
        s->machine->read_errors += o != PL_GONE;
        return PL_OK;
    }
    name = pl_process_name(&p->name, comm, columns[PL_STAT_FLAGS],
                           columns[PL_STAT_PID]);
    if (p->name.oom)
        return PL_NOMEM;
    if (s->rows.num == PL_MAX_INSTANCES ||
        (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN)))
        return PL_OK;
    v = pl_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    store(p, stat_places, LENGTH(stat_places), columns, v);
    v[PL_P_PRIORITY] =
        pl_process_priority(columns[PL_STAT_POLICY], columns[PL_STAT_NICE],
                            columns[PL_STAT_REALTIME]);
    o = read_rest(p, e, v);
    if (o == PL_GONE)
        pl_rows_drop(&s->rows);
    return o == PL_NO_MEMORY ? PL_NOMEM : PL_OK;
}

/* ---- all of them -------------------------------------------------------- */

static void find_needs(struct pl_process_proc *p)
{
    const struct pl_field *fields = p->source->fields;

    memset(p->needed, 0, sizeof p->needed);
    for (size_t i = 0; i < LENGTH(statm_places); i++)
        p->needed[PL_PROC_STATM] |= fields[statm_places[i].field].wanted;
    p->needed[PL_PROC_STATM] |= fields[PL_P_ANONYMOUS].wanted;
    for (size_t i = 0; i < LENGTH(io_keys); i++)
        p->needed[PL_PROC_IO] |= fields[io_keys[i].field].wanted;
    for (size_t i = 0; i < LENGTH(status_keys); i++)
        p->needed[PL_PROC_STATUS] |= fields[status_keys[i].field].wanted;
    p->needed[PL_PROC_OOM] = fields[PL_P_OOM_SCORE_ADJ].wanted;
    p->needs_more = false;
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        if (fields[i].group == PL_GROUP_THREADS && fields[i].wanted)
            p->needs_more = true;
}

enum pl_status pl_process_proc_read(struct pl_process_proc *p)
{
    struct pl_machine *m = p->source->machine;
    enum pl_status s = pl_pids_read(m);

    if (s)
        return s;
    pl_source_set_readable(p->source, m->pids.readable);
    s = pl_proc_files_follow(&p->files, &m->pids);
    find_needs(p);
    for (size_t i = 0; i < p->files.num && !s; i++)
        s = read_process(p, &p->files.list[i]);
    return s;
}

/* ---- opening ------------------------------------------------------------ */

/* True if some process has the file; false only if none has. */
static bool exists(struct pl_machine *m, const char *name)
{
    char room[PL_PROC_PATH_ROOM];

    for (size_t i = 0; i < m->pids.num; i++)
        if (!faccessat(m->proc, pl_proc_path(room, m->pids.pid[i], name), F_OK,
                       0))
            return true;
    return !m->pids.num;
}

static void probe(struct pl_process_proc *p)
{
    struct pl_source *s = p->source;
    struct pl_machine *m = s->machine;
    bool has_group[PL_NUM_PROCESS_GROUPS] = { false };
    struct stat st;

    for (unsigned f = 0; f < PL_NUM_PROC_FILES; f++)
        has_group[groups[f]] |= exists(m, pl_proc_file_names[f]);
    has_group[PL_GROUP_FD] = exists(m, "fd");
    has_group[PL_GROUP_THREADS] = exists(m, "task");
    for (size_t i = 0; i < m->pids.num && !p->more.has_schedstat; i++)
        pl_process_more_probe(&p->more, m->pids.pid[i]);
    for (size_t i = 0; i < s->num_fields; i++)
        if (s->fields[i].group != PL_NO_GROUP)
            s->fields[i].present = has_group[s->fields[i].group];
    s->fields[PL_P_RUN_TIME].present = false;
    if (!p->more.has_schedstat)
        s->fields[PL_P_RUN_DELAY].present = false;
    if (!p->more.has_cgroup)
        s->fields[PL_P_CGROUP].present = false;
    if (!pl_delays_are_counted(m))
        s->fields[PL_P_BLKIO_DELAY].present = false;
    p->size_is_count =
        m->live && !fstatat(m->proc, "self/fd", &st, 0) && st.st_size > 0;
}

enum pl_status pl_process_proc_open(struct pl_process_proc **out,
                                    struct pl_source *source)
{
    struct pl_process_proc *p = calloc(1, sizeof *p);
    enum pl_status s;

    if (!p)
        return PL_NOMEM;
    *out = p;
    p->source = source;
    pl_proc_files_init(&p->files, source->machine);
    pl_process_more_init(&p->more, source->machine);
    s = pl_pids_read(source->machine);
    if (!s) {
        source->readable = source->machine->pids.readable;
        probe(p);
    }
    return s;
}

void pl_process_proc_close(struct pl_process_proc *p)
{
    if (!p)
        return;
    pl_proc_files_release(&p->files);
    pl_process_more_release(&p->more);
    pl_buf_release(&p->name);
    free(p);
}
