/*
 * Processes read from /proc: 'stat' always, other files only if counters need
 * them.
 */
#include "format/time/time_text.h"
#include "format/block/winperf.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/exit_events.h"
#include "logger/linux/processes/own_io.h"
#include "logger/linux/processes/proc_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/process_more.h"
#include "logger/linux/processes/process_text.h"
#include "logger/linux/machine/proctext.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct pl_process_proc {
    struct pl_source *source;
    struct pl_proc_files files;
    struct pl_process_more more;
    struct pl_exit_events *exits; /* NULL: no threads are seen to end */
    bool needs_more;
    bool has_clocks;    /* /proc has the pids that clock_gettime uses */
    bool size_is_count; /* of /proc/PID/fd, since Linux 6.2 */
    bool needed[PL_NUM_PROC_FILES];
    struct pl_buf name;
};

static struct pl_text text_of(const struct pl_process_proc *p)
{
    return (struct pl_text){ (const char *)p->files.text.p, p->files.text.len };
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

static enum pl_outcome read_open_files(struct pl_process_proc *p,
                                       const struct pl_proc_entry *e,
                                       uint64_t *v)
{
    struct pl_machine *m = p->source->machine;
    char room[PL_PROC_PATH_ROOM];
    const char *path = pl_proc_thread_path(room, e->pid, e->holder, "fd");
    struct stat st;

    if (!p->size_is_count)
        return pl_count_entries(m, m->proc, path, &v[PL_P_OPEN_FILES])
                   ? PL_GOOD
                   : pl_proc_reason(m, e->pid);
    m->system_calls++;
    if (fstatat(m->proc, path, &st, 0))
        return pl_proc_reason(m, e->pid);
    v[PL_P_OPEN_FILES] = (uint64_t)st.st_size;
    return PL_GOOD;
}

/* A file other than 'stat'; if unreadable its fields stay 0, flagged. */
static enum pl_outcome read_file(struct pl_process_proc *p,
                                 struct pl_proc_entry *e,
                                 enum pl_proc_file file, uint64_t *v)
{
    const struct pl_conversion *units = p->source->machine->units;
    enum pl_outcome o;

    if (!p->needed[file])
        return PL_GOOD;
    o = pl_proc_files_read(&p->files, e, file);
    if (o == PL_GONE || o == PL_NO_MEMORY)
        return o;
    if (o == PL_REFUSED || !pl_process_text_take(units, file, text_of(p), v))
        v[PL_P_DATA_FLAGS] |= 1u << pl_process_text_group(file);
    return PL_GOOD;
}

/* ---- its own I/O --------------------------------------------------------- */

/* The words of one file; those in 'v' are overwritten. */
static enum pl_outcome take_words(struct pl_process_proc *p,
                                  struct pl_text text, uint64_t *v,
                                  uint64_t words[PL_IO_WORDS])
{
    const struct pl_conversion *units = p->source->machine->units;

    if (!pl_process_text_take(units, PL_PROC_IO, text, v))
        return PL_REFUSED;
    pl_process_text_keep_io(words, v);
    return PL_GOOD;
}

static enum pl_outcome read_words(struct pl_process_proc *p,
                                  struct pl_proc_entry *e,
                                  enum pl_proc_file file, uint64_t *v,
                                  uint64_t words[PL_IO_WORDS])
{
    enum pl_outcome o = pl_proc_files_read(&p->files, e, file);

    return o == PL_GOOD ? take_words(p, text_of(p), v, words) : o;
}

/* Add what one thread did; nothing if it has ended. */
static enum pl_outcome add_thread(struct pl_process_proc *p, uint32_t tid,
                                  uint64_t *v, uint64_t sum[PL_IO_WORDS])
{
    uint64_t words[PL_IO_WORDS] = { 0 };
    struct pl_text text;
    enum pl_outcome o = pl_task_dir_read(&p->more.dir, tid, "io", &text);

    if (o == PL_GOOD)
        o = take_words(p, text, v, words);
    for (int i = 0; i < PL_IO_WORDS; i++)
        sum[i] += words[i];
    return o == PL_GONE ? PL_GOOD : o;
}

static enum pl_outcome sum_threads(struct pl_process_proc *p,
                                   struct pl_proc_entry *e, uint64_t *v,
                                   uint64_t sum[PL_IO_WORDS])
{
    struct pl_task_dir *dir = &p->more.dir;
    enum pl_outcome o;

    if (v[PL_P_THREADS] == 1)
        return read_words(p, e, PL_PROC_TASK_IO, v, sum);
    memset(sum, 0, PL_IO_WORDS * sizeof *sum);
    o = pl_task_dir_open(dir, e->pid);
    if (o != PL_GOOD)
        return o;
    for (size_t i = 0; i < dir->threads.num && o == PL_GOOD; i++)
        o = add_thread(p, dir->threads.pid[i], v, sum);
    pl_task_dir_close(dir);
    return o;
}

/* A child may have been reaped after 'stat' was read, and be in the sum: read
 * it again if that matters, and the sum after it, as it may have been reaped
 * between the two as well. */
static enum pl_outcome check_children(struct pl_process_proc *p,
                                      struct pl_proc_entry *e,
                                      struct pl_io_owner *who, uint64_t *v,
                                      uint64_t sum[PL_IO_WORDS])
{
    uint64_t unused[PL_NUM_PROCESS_FIELDS] = { 0 };
    struct pl_process_stat again;
    enum pl_outcome o = pl_proc_files_read(&p->files, e, PL_PROC_STAT);

    if (o != PL_GOOD ||
        !pl_process_stat_scan(p->source->machine->units, text_of(p), unused,
                              &again) ||
        again.child_faults == who->child_faults)
        return o;
    who->child_faults = again.child_faults;
    return read_words(p, e, PL_PROC_IO, v, sum);
}

/* NULL: they are not seen to end. */
static const struct pl_ended_threads *
ended_threads(const struct pl_process_proc *p, const struct pl_proc_entry *e)
{
    static const struct pl_ended_threads none;
    const struct pl_ended_threads *ended =
        p->exits ? pl_exit_events_of_threads(p->exits, e->pid, e->main_ended)
                 : NULL;

    return p->exits && !ended ? &none : ended;
}

static struct pl_io_owner owner_of(const struct pl_process_proc *p,
                                   const struct pl_proc_entry *e,
                                   const uint64_t *v)
{
    const struct pl_ended_threads *ended = ended_threads(p, e);

    return (struct pl_io_owner){
        .started = v[PL_P_STARTED],
        .child_faults = e->child_faults,
        .has_one_thread = v[PL_P_THREADS] == 1,
        .is_seen_from_start =
            p->exits && v[PL_P_STARTED] > pl_exit_events_since(p->exits),
        .reaps_unseen = ended && ended->reaps_unseen,
        .num_ended = ended ? ended->num : 0,
        .ended = ended ? (const uint64_t *)ended->sums.io : NULL,
    };
}

static enum pl_outcome measure(struct pl_process_proc *p,
                               struct pl_proc_entry *e, struct pl_io_owner *who,
                               uint64_t *v)
{
    uint64_t sum[PL_IO_WORDS], threads[PL_IO_WORDS];
    unsigned needs = pl_own_io_needs(&e->own, who);
    enum pl_outcome o = PL_GOOD;

    if (needs & PL_NEEDS_SUM)
        o = read_words(p, e, PL_PROC_IO, v, sum);
    if (o == PL_GOOD && needs & PL_NEEDS_SUM &&
        pl_own_io_has_grown(&e->own, who, sum)) {
        o = check_children(p, e, who, v, sum);
        needs |= pl_own_io_needs(&e->own, who);
    }
    if (o == PL_GOOD && needs & PL_NEEDS_THREADS)
        o = sum_threads(p, e, v, threads);
    if (needs & PL_NEEDS_SUM && who->has_one_thread)
        pl_proc_files_close(&p->files, e, PL_PROC_IO);
    if (o == PL_GOOD)
        pl_own_io_take(&e->own, who, needs & PL_NEEDS_SUM ? sum : NULL,
                       needs & PL_NEEDS_THREADS ? threads : NULL);
    return o;
}

static void put_inherited(const struct pl_own_io *o, uint64_t *v)
{
    enum { READ_BYTES = 4, WRITE_BYTES = 5 };

    v[PL_P_REAPED_READ_BYTES] = o->inherited[READ_BYTES];
    v[PL_P_REAPED_WRITE_BYTES] = o->inherited[WRITE_BYTES];
    v[PL_P_REAPED_BYTES] = o->inherited[0] + o->inherited[1];
}

/* Files of a saved tree are as they are: there is no second reading of them. */
static enum pl_outcome read_io(struct pl_process_proc *p,
                               struct pl_proc_entry *e, uint64_t *v)
{
    struct pl_io_owner who = owner_of(p, e, v);
    enum pl_outcome o;

    if (!p->source->machine->live || !p->needed[PL_PROC_IO])
        return read_file(p, e, PL_PROC_IO, v);
    o = measure(p, e, &who, v);
    if (o == PL_GONE || o == PL_NO_MEMORY)
        return o;
    if (o == PL_REFUSED)
        v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_IO;
    pl_process_text_put_io(e->own.own, v);
    put_inherited(&e->own, v);
    return PL_GOOD;
}

/* Read the files that change only when the process runs. */
static enum pl_outcome read_own(struct pl_process_proc *p,
                                struct pl_proc_entry *e, uint64_t *v)
{
    enum pl_outcome o = read_io(p, e, v);

    if (o == PL_GOOD && p->source->fields[PL_P_UID].wanted)
        o = read_owner(p, e->pid, v);
    return o;
}

/* As clock_getcpuclockid(), which would make a system call each time. */
static clockid_t clock_of(uint32_t pid)
{
    enum { OF_TIME_RUN = 2 };

    return (clockid_t)(~pid << 3 | OF_TIME_RUN);
}

/*
 * The run time of a sleeping process of one thread; false: unknown.  If its
 * number was reused meanwhile, the new process's time causes one unnecessary
 * read.
 */
static bool time_run(struct pl_process_proc *p, uint32_t pid, const uint64_t *v,
                     uint64_t *ns)
{
    struct timespec t;

    if (!p->has_clocks || !p->needed[PL_PROC_IO] || v[PL_P_THREADS] != 1 ||
        v[PL_P_STATE] == 'R')
        return false;
    p->source->machine->system_calls++;
    if (clock_gettime(clock_of(pid), &t))
        return false;
    *ns = (uint64_t)(t.tv_sec * PL_NS_PER_SEC + t.tv_nsec);
    return *ns != 0;
}

/*
 * Most processes sleep most of the time.  Their CPU clock shows exactly whether
 * they ran, at a third of the cost of a small file; if not, files that change
 * only when they run are not read, and closed after some samples.
 */
static enum pl_outcome read_own_if_run(struct pl_process_proc *p,
                                       struct pl_proc_entry *e, uint64_t *v)
{
    struct pl_proc_quiet *q = &e->quiet;
    uint64_t run_time = 0;
    enum pl_outcome o;

    if (!time_run(p, e->pid, v, &run_time)) {
        q->known = false;
        q->samples = 0;
        return read_own(p, e, v);
    }
    if (!q->known || q->started != v[PL_P_STARTED] || q->run_time != run_time ||
        pl_own_io_has_new_ends(&e->own, owner_of(p, e, v).num_ended)) {
        bool first = !q->known;

        o = read_own(p, e, v);
        q->samples = first ? PL_PROC_KEPT - 1 : 0;
        q->known = o == PL_GOOD;
        q->started = v[PL_P_STARTED];
        q->run_time = run_time;
        q->uid = (uint32_t)v[PL_P_UID];
        q->flags = (uint32_t)v[PL_P_DATA_FLAGS] & 1u << PL_GROUP_IO;
        pl_process_text_keep_io(q->io, v);
        return o;
    }
    if (q->samples < PL_PROC_KEPT && ++q->samples == PL_PROC_KEPT)
        pl_proc_files_close(&p->files, e, PL_PROC_TASK_IO);
    v[PL_P_UID] = q->uid;
    v[PL_P_DATA_FLAGS] |= q->flags;
    pl_process_text_put_io(q->io, v);
    put_inherited(&e->own, v);
    return PL_GOOD;
}

/* Read values for counters requested by name. */
static enum pl_outcome read_costly(struct pl_process_proc *p,
                                   struct pl_proc_entry *e, uint64_t *v)
{
    const struct pl_field *fields = p->source->fields;
    enum pl_outcome o = read_file(p, e, PL_PROC_STATUS, v);

    if (o == PL_GOOD)
        o = read_file(p, e, PL_PROC_OOM, v);
    if (o == PL_GOOD && fields[PL_P_OPEN_FILES].wanted) {
        o = read_open_files(p, e, v);
        if (o == PL_REFUSED)
            v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_FD;
    }
    if (o != PL_GONE && o != PL_NO_MEMORY && p->needs_more) {
        o = pl_process_more_read(&p->more, fields, e->pid, v);
        if (o == PL_REFUSED)
            v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_THREADS;
    }
    return o == PL_REFUSED ? PL_GOOD : o;
}

/* ---- memory --------------------------------------------------------------- */

/* Its virtual memory; 0: it has none, or has ended. */
static enum pl_outcome read_virtual(struct pl_process_proc *p, uint32_t tid,
                                    uint64_t *v)
{
    uint64_t values[PL_NUM_PROCESS_FIELDS] = { 0 };
    struct pl_process_stat unused;
    struct pl_text text;
    enum pl_outcome o = pl_task_dir_read(&p->more.dir, tid, "stat", &text);

    if (o == PL_GOOD &&
        pl_process_stat_scan(p->source->machine->units, text, values, &unused))
        v[PL_P_VIRTUAL] = values[PL_P_VIRTUAL];
    return o;
}

/* The first thread that has memory holds it and the open files, as a main thread
 * that has ended does not. */
static enum pl_outcome find_holder(struct pl_process_proc *p,
                                   struct pl_proc_entry *e, uint64_t *v)
{
    struct pl_task_dir *dir = &p->more.dir;
    enum pl_outcome o = pl_task_dir_open(dir, e->pid);
    uint32_t holder = 0;

    if (o != PL_GOOD)
        return o;
    for (size_t i = 0; i < dir->threads.num && !holder && o != PL_NO_MEMORY;
         i++) {
        o = read_virtual(p, dir->threads.pid[i], v);
        if (v[PL_P_VIRTUAL])
            holder = dir->threads.pid[i];
    }
    pl_task_dir_close(dir);
    pl_proc_files_hold(&p->files, e, holder);
    return o == PL_NO_MEMORY ? o : PL_GOOD;
}

static enum pl_outcome follow_holder(struct pl_process_proc *p,
                                     struct pl_proc_entry *e, uint64_t *v)
{
    enum pl_outcome o;

    if (!e->main_ended || v[PL_P_THREADS] < 2 || !p->source->machine->live) {
        pl_proc_files_hold(&p->files, e, 0);
        return PL_GOOD;
    }
    o = find_holder(p, e, v);
    if (o != PL_REFUSED)
        return o;
    v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_STATM | 1u << PL_GROUP_FD;
    return PL_GOOD;
}

/* Nothing to read without an address space, as for kernel threads. */
static enum pl_outcome read_resident(struct pl_process_proc *p,
                                     struct pl_proc_entry *e, uint64_t *v)
{
    if (p->source->machine->live && !v[PL_P_VIRTUAL])
        return PL_GOOD;
    return read_file(p, e, PL_PROC_STATM, v);
}

static enum pl_outcome read_rest(struct pl_process_proc *p,
                                 struct pl_proc_entry *e, uint64_t *v)
{
    enum pl_outcome o = follow_holder(p, e, v);

    if (o == PL_GOOD)
        o = read_resident(p, e, v);
    if (o == PL_GOOD)
        o = read_own_if_run(p, e, v);
    return o == PL_GOOD ? read_costly(p, e, v) : o;
}

static enum pl_status read_process(struct pl_process_proc *p,
                                   struct pl_proc_entry *e)
{
    struct pl_source *s = p->source;
    uint64_t stat[PL_NUM_PROCESS_FIELDS] = { 0 }, *v;
    struct pl_process_stat who;
    struct pl_text name;
    enum pl_outcome o = pl_proc_files_read(&p->files, e, PL_PROC_STAT);

    if (o == PL_NO_MEMORY)
        return PL_NOMEM;
    if (o != PL_GOOD ||
        !pl_process_stat_scan(s->machine->units, text_of(p), stat, &who)) {
        s->machine->read_errors += o != PL_GONE;
        return PL_OK;
    }
    name = pl_process_name(&p->name, who.comm, who.flags, stat[PL_P_PID]);
    if (p->name.oom)
        return PL_NOMEM;
    if (s->rows.num == PL_MAX_INSTANCES ||
        (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN)))
        return PL_OK;
    v = pl_source_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    memcpy(v, stat, sizeof stat);
    e->child_faults = who.child_faults;
    e->main_ended = (who.flags & PL_PF_EXITING) != 0;
    s->rows.row[s->rows.num - 1].ends = e->main_ended;
    o = read_rest(p, e, v);
    if (o == PL_GONE)
        pl_source_rows_drop(&s->rows);
    return o == PL_NO_MEMORY ? PL_NOMEM : PL_OK;
}

/* ---- all of them -------------------------------------------------------- */

static void find_needs(struct pl_process_proc *p)
{
    const struct pl_field *fields = p->source->fields;

    for (unsigned f = 0; f < PL_NUM_PROC_FILES; f++)
        p->needed[f] = pl_process_text_wanted(fields, f);
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

/* True if any process has the file; false only if none has. */
static bool exists(struct pl_machine *m, const char *name)
{
    char room[PL_PROC_PATH_ROOM];

    for (size_t i = 0; i < m->pids.num; i++)
        if (!faccessat(m->proc, pl_proc_path(room, m->pids.pid[i], name), F_OK,
                       0))
            return true;
    return !m->pids.num;
}

/*
 * True if /proc numbers processes as this process's own pid namespace does: it
 * lists this process's numbers from the namespace of /proc down to its own.
 */
static bool numbers_are_ours(struct pl_process_proc *p)
{
    struct pl_machine *m = p->source->machine;
    struct pl_buf *text = &p->files.text;
    int fd = m->live ? pl_proc_open(m, m->proc, "self/status") : -1;
    struct pl_proctext rest, line = { NULL, NULL };
    uint64_t first, second;

    if (fd < 0)
        return false;
    pl_buf_clear(text);
    pl_proc_read(m, fd, text);
    pl_proc_close(m, fd);
    rest = pl_proctext_of(text_of(p));
    while (pl_proctext_line(&rest, &line)) {
        struct pl_text key;

        if (pl_proctext_word(&line, &key) && key.n == strlen("NSpid:") &&
            !memcmp(key.p, "NSpid:", key.n))
            return pl_proctext_number(&line, &first) &&
                   !pl_proctext_number(&line, &second);
    }
    return false;
}

static void probe(struct pl_process_proc *p)
{
    struct pl_source *s = p->source;
    struct pl_machine *m = s->machine;
    bool has_group[PL_NUM_PROCESS_GROUPS] = { false };
    struct stat st;

    for (unsigned f = 0; f < PL_NUM_PROC_FILES; f++)
        has_group[pl_process_text_group(f)] |= exists(m, pl_proc_file_names[f]);
    has_group[PL_GROUP_FD] = exists(m, "fd");
    has_group[PL_GROUP_THREADS] = exists(m, "task");
    for (size_t i = 0; i < m->pids.num; i++)
        if (!pl_process_more_probe(&p->more, m->pids.pid[i]))
            break;
    for (size_t i = 0; i < s->num_fields; i++)
        if (s->fields[i].group != PL_NO_GROUP)
            s->fields[i].present = has_group[s->fields[i].group];
    s->fields[PL_P_RUN_TIME].present = false;
    if (!m->live || !has_group[PL_GROUP_IO])
        pl_process_mark_reaped_absent(s);
    if (!p->more.has_schedstat)
        s->fields[PL_P_RUN_DELAY].present = false;
    if (!p->more.has_cgroup)
        s->fields[PL_P_CGROUP].present = false;
    if (!pl_delays_are_counted(m))
        s->fields[PL_P_BLKIO_DELAY].present = false;
    p->has_clocks = numbers_are_ours(p);
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
    source->machine->process_files = &p->files;
    pl_process_more_init(&p->more, source->machine);
    s = pl_pids_read(source->machine);
    if (!s) {
        source->readable = source->machine->pids.readable;
        probe(p);
    }
    return s;
}

void pl_process_proc_use(struct pl_process_proc *p,
                         struct pl_exit_events *exits)
{
    p->exits = exits;
}

bool pl_process_proc_is_ours(const struct pl_process_proc *p)
{
    return p->has_clocks;
}

void pl_process_proc_close(struct pl_process_proc *p)
{
    if (!p)
        return;
    p->source->machine->process_files = NULL;
    pl_proc_files_release(&p->files);
    pl_process_more_release(&p->more);
    pl_buf_release(&p->name);
    free(p);
}
