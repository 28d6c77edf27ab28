/* Processes from the records of the BPF program. */
#include "format/block/winperf.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended.h"
#include "logger/linux/processes/stat_line.h"
#include "logger/linux/processes/tasks.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { NS_100 = 100 };

/* ---- from a record to a row --------------------------------------------- */

struct member {
    size_t offset; /* of a 64-bit number in its structure */
    enum pl_process_field field;
};

#define HEAD(name) offsetof(struct pl_task_head, name)
#define SUMS(name) offsetof(struct pl_task_sums, name)
#define IO(i) (offsetof(struct pl_task_sums, io) + (i) * sizeof(uint64_t))

/* clang-format off */
static const struct member head_times[] = {
    { HEAD(cutime), PL_P_CUTIME },
    { HEAD(cstime), PL_P_CSTIME },
    { HEAD(blkio_delay), PL_P_BLKIO_DELAY },
};

static const struct member sums_times[] = {
    { SUMS(run_time), PL_P_RUN_TIME },
    { SUMS(utime), PL_P_UTIME },
    { SUMS(stime), PL_P_STIME },
    { SUMS(gtime), PL_P_GUEST_TIME },
    { SUMS(run_delay), PL_P_RUN_DELAY },
};

static const struct member sums_counts[] = {
    { SUMS(minflt), PL_P_MINFLT },
    { SUMS(majflt), PL_P_MAJFLT },
    { SUMS(nvcsw), PL_P_NVCSW },
    { SUMS(nivcsw), PL_P_NIVCSW },
    { IO(0), PL_P_RCHAR },
    { IO(1), PL_P_WCHAR },
    { IO(2), PL_P_SYSCR },
    { IO(3), PL_P_SYSCW },
    { IO(4), PL_P_READ_BYTES },
    { IO(5), PL_P_WRITE_BYTES },
    { IO(6), PL_P_CANCELLED_WRITE_BYTES },
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static uint64_t member_of(const void *from, const struct member *m)
{
    uint64_t x;

    memcpy(&x, (const uint8_t *)from + m->offset, sizeof x);
    return x;
}

static inline void fill_counts(const void *from, const struct member *members,
                               size_t num, uint64_t *v)
{
    for (size_t i = 0; i < num; i++)
        v[members[i].field] = member_of(from, &members[i]);
}

/* From ns to 100 ns, by a number that compilers know: they make no division. */
static inline void fill_times(const void *from, const struct member *members,
                              size_t num, uint64_t *v)
{
    for (size_t i = 0; i < num; i++)
        v[members[i].field] = member_of(from, &members[i]) / NS_100;
}

/* Sums over processors that count meanwhile may be below 0. */
static uint64_t not_below_0(int64_t n)
{
    return n > 0 ? (uint64_t)n : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void fill_memory(const struct pl_conversion *pages,
                        const struct pl_task_memory *m, uint64_t *v)
{
    uint64_t anon = not_below_0(m->anon);
    uint64_t shared = not_below_0(m->file) + not_below_0(m->shmem);

    v[PL_P_VIRTUAL] = pl_convert(pages, m->total_vm);
    v[PL_P_VM_LCK] = pl_convert(pages, m->locked_vm);
    v[PL_P_VM_PTE] = m->pgtables_bytes;
    v[PL_P_ANONYMOUS] = v[PL_P_RSS_ANON] = pl_convert(pages, anon);
    v[PL_P_SHARED] = pl_convert(pages, shared);
    v[PL_P_RESIDENT] = pl_convert(pages, anon + shared);
    v[PL_P_VM_SWAP] = pl_convert(pages, not_below_0(m->swap));
    v[PL_P_VM_PEAK] = pl_convert(pages, larger(m->hiwater_vm, m->total_vm));
    v[PL_P_VM_HWM] = pl_convert(pages, larger(m->hiwater_rss, anon + shared));
}

/* A difference: a thread that ends may be in the process' own sum while the
 * kernel has not added it to its own yet. */
static uint64_t reaped(const struct pl_task_end *e, int word)
{
    return not_below_0((int64_t)e->reaped_io[word]);
}

/* How it ended; the exit status of a signal is 128 + signal, as in shells. */
static void fill_end(const struct pl_task_end *e, uint64_t *v)
{
    enum { SIGNALLED = 128, READ_BYTES = 4, WRITE_BYTES = 5 };
    uint32_t signal = e->status & 0x7f, code = e->status >> 8 & 0xff;

    v[PL_P_REAPED_BYTES] = reaped(e, 0) + reaped(e, 1);
    v[PL_P_REAPED_READ_BYTES] = reaped(e, READ_BYTES);
    v[PL_P_REAPED_WRITE_BYTES] = reaped(e, WRITE_BYTES);
    if (!e->ended)
        return;
    v[PL_P_EXITS] = 1;
    v[PL_P_FAILED] = !signal && code;
    v[PL_P_KILLED] = signal != 0;
    v[PL_P_OOM_VICTIMS] = e->oom_victim;
    v[PL_P_EXIT_STATUS] = signal ? SIGNALLED + signal : code;
}

/* As get_task_state() in fs/proc/array.c: the highest bit decides. */
uint64_t pl_task_letter(uint32_t state, uint32_t exit_state)
{
    static const char letters[] = "RSDTtXZPI";
    enum { REPORTED = 0x7f, IDLE = 0x402, LOCK_WAIT = 0x1000, FROZEN = 0x8000 };
    uint32_t bits = (state | exit_state) & REPORTED;
    unsigned i = 0;

    if (state & (LOCK_WAIT | FROZEN))
        return 'D';
    if ((state & IDLE) == IDLE)
        return 'I';
    while (bits) {
        bits >>= 1;
        i++;
    }
    return (unsigned char)letters[i];
}

/* The kernel counts downwards: 139 is nice 19, 99 the lowest real time. */
uint64_t pl_task_priority(int32_t normal_prio, uint32_t static_prio)
{
    enum { LOWEST = 139, NUM_REALTIME = 100 };

    if (normal_prio < 0) /* deadline */
        return LOWEST + 1;
    if (normal_prio < NUM_REALTIME)
        return (uint64_t)(LOWEST - normal_prio);
    return static_prio < LOWEST ? LOWEST - static_prio : 0;
}

uint64_t pl_task_started(uint64_t ns)
{
    return ns / NS_100;
}

uint64_t pl_task_started_in_proc(const struct pl_conversion units[PL_NUM_UNITS],
                                 uint64_t started)
{
    const struct pl_conversion *ticks = &units[PL_TICKS];
    /* Mostly whole hundreds of ns: reduced, there is nothing to divide by. */
    uint64_t tick_100ns =
        ticks->divide > 1 ? ticks->multiply / ticks->divide : ticks->multiply;

    return tick_100ns ? started - started % tick_100ns : started;
}

void pl_process_bpf_fill(const struct pl_conversion units[PL_NUM_UNITS],
                         const struct pl_task *t, uint64_t *v)
{
    const struct pl_task_head *h = t->process;

    fill_times(h, head_times, LENGTH(head_times), v);
    fill_times(t->sums, sums_times, LENGTH(sums_times), v);
    fill_counts(t->sums, sums_counts, LENGTH(sums_counts), v);
    if (t->memory)
        fill_memory(&units[PL_PAGES], t->memory, v);
    if (t->end)
        fill_end(t->end, v);
    v[PL_P_PID] = h->pid;
    v[PL_P_PARENT] = h->parent;
    v[PL_P_STATE] = pl_task_letter(h->state, h->exit_state);
    v[PL_P_THREADS] = h->threads;
    v[PL_P_PRIORITY] = pl_task_priority(h->normal_prio, h->static_prio);
    v[PL_P_STARTED] = pl_task_started(h->start_ns);
    v[PL_P_UID] = h->uid;
    v[PL_P_PROGRAM] = h->program;
    v[PL_P_OOM_SCORE_ADJ] = (uint64_t)(int64_t)h->oom_score_adj;
    v[PL_P_OPEN_FILES] = h->open_files;
    v[PL_P_CGROUP] = h->cgroup;
}

/* ---- all of them -------------------------------------------------------- */

/* Scale in the row's unit, so that the two add up exactly. */
static enum pl_status scale_times(struct pl_tasks *tasks, uint64_t start_ns,
                                  uint64_t *v)
{
    struct pl_cpu_time t = { .id = v[PL_P_PID],
                             .start = start_ns,
                             .user = v[PL_P_UTIME],
                             .system = v[PL_P_STIME] };
    enum pl_status s =
        pl_cpu_times_scale(&tasks->process_times, v[PL_P_RUN_TIME], &t);

    v[PL_P_UTIME] = t.user;
    v[PL_P_STIME] = t.system;
    return s;
}

static enum pl_status add_row(struct pl_source *s, const struct pl_task *t,
                              struct pl_buf *room)
{
    const struct pl_task_head *h = t->process;
    struct pl_text comm = { h->comm, strnlen(h->comm, sizeof h->comm) };
    struct pl_text name = pl_process_name(room, comm, h->flags, h->pid);
    uint64_t *v;

    if (room->oom)
        return PL_NOMEM;
    if (s->rows.num == PL_MAX_INSTANCES ||
        (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN)))
        return PL_OK;
    v = pl_source_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    pl_process_bpf_fill(s->machine->units, t, v);
    return s->machine->tasks->parts & PL_PART_RUN_TIME
               ? scale_times(s->machine->tasks, h->start_ns, v)
               : PL_OK;
}

/* Keep the record for the object Thread, read after all processes. */
static enum pl_status keep_thread(struct pl_tasks *tasks,
                                  const struct pl_task *t)
{
    struct pl_kept_thread kept = { .task = *t->thread };
    struct pl_task_thread *r = &kept.task;
    struct pl_cpu_time times = {
        .id = r->tid, .start = r->start_ns, .user = r->utime, .system = r->stime
    };
    enum pl_status s = PL_OK;

    tasks->thread_times.may_be_inherited = true;
    if (tasks->parts & PL_PART_RUN_TIME)
        s = pl_cpu_times_scale(&tasks->thread_times, r->run_time, &times);
    r->utime = times.user;
    r->stime = times.system;
    kept.heirs = times.heirs;
    pl_buf_bytes(&tasks->threads, &kept, sizeof kept);
    return tasks->threads.oom ? PL_NOMEM : s;
}

/* clang-format off */
static const struct {
    enum pl_process_field field;
    uint32_t want;
} on_request[] = {
    { PL_P_OPEN_FILES, PL_WANT_OPEN_FILES },
    { PL_P_BLKIO_DELAY, PL_WANT_BLKIO_DELAY },
    { PL_P_CGROUP, PL_WANT_CGROUP },
    { PL_P_RUN_DELAY, PL_WANT_RUN_DELAY },
    { PL_P_OOM_SCORE_ADJ, PL_WANT_OOM_SCORE },
    { PL_P_VM_PTE, PL_WANT_PAGE_TABLES },
};
/* clang-format on */

static uint32_t wants(const struct pl_source *s)
{
    uint32_t want = 0;

    for (size_t i = 0; i < LENGTH(on_request); i++)
        if (s->fields[on_request[i].field].wanted)
            want |= on_request[i].want;
    return want;
}

enum pl_status pl_process_bpf_read(struct pl_source *s, struct pl_buf *name,
                                   struct pl_process_ended *ended)
{
    struct pl_machine *m = s->machine;
    enum pl_status status = PL_OK, drained;
    struct pl_task t;

    m->tasks->want |= wants(s);
    pl_buf_clear(&m->tasks->threads);
    pl_tasks_begin(m);
    while (!status && !(status = pl_tasks_next(m, &t)))
        status = t.process ? add_row(s, &t, name) : keep_thread(m->tasks, &t);
    pl_tasks_end(m);
    drained = pl_tasks_drain(m);
    if (status == PL_END)
        status = drained;
    if (!m->tasks->readable) {
        pl_source_rows_clear(&s->rows);
        pl_buf_clear(&m->tasks->threads);
        pl_process_ended_skip(ended);
    }
    pl_source_set_readable(s, m->tasks->readable);
    m->live_processes = s->rows.num;
    if (status || !m->tasks->readable || !m->tasks->sees_ends)
        return status;
    return pl_process_add_ended(ended, s, &m->tasks->ends, name);
}

/* ---- opening ------------------------------------------------------------ */

/* Find this process's record; *found false if the walk does not have it. */
static enum pl_status find_self(struct pl_machine *m, struct pl_task_head *self,
                                bool *found)
{
    uint32_t pid = (uint32_t)getpid();
    enum pl_status s;
    struct pl_task t;

    *found = false;
    pl_tasks_begin(m);
    while (!(s = pl_tasks_next(m, &t))) {
        if (t.process && t.process->pid == pid) {
            *self = *t.process;
            *found = true;
        }
    }
    pl_tasks_end(m);
    return s == PL_END ? PL_OK : s;
}

/*
 * True if BPF and /proc give this process the same number and start.  They
 * differ if /proc belongs to another pid namespace, or the clocks to another
 * time namespace.
 */
static bool both_agree(struct pl_machine *m, const struct pl_task_head *self)
{
    uint64_t columns[PL_STAT_NUM_COLUMNS];
    struct pl_buf text = { 0 };
    struct pl_text comm;
    int fd = pl_proc_open(m, m->proc, "self/stat");
    bool good =
        fd >= 0 && !pl_proc_read(m, fd, &text) &&
        pl_stat_line_scan((struct pl_text){ (const char *)text.p, text.len },
                          columns, &comm);

    if (fd >= 0)
        pl_proc_close(m, fd);
    pl_buf_release(&text);
    return good && columns[PL_STAT_PID] == self->pid &&
           pl_convert(&m->units[PL_TICKS], columns[PL_STAT_STARTED]) ==
               pl_task_started_in_proc(m->units,
                                       pl_task_started(self->start_ns));
}

/* clang-format off */
static const struct pl_part_field part_fields[] = {
    { PL_PART_IO, PL_P_SYSCR },
    { PL_PART_IO, PL_P_SYSCW },
    { PL_PART_IO, PL_P_RCHAR },
    { PL_PART_IO, PL_P_WCHAR },
    { PL_PART_IO, PL_P_READ_BYTES },
    { PL_PART_IO, PL_P_WRITE_BYTES },
    { PL_PART_IO, PL_P_CANCELLED_WRITE_BYTES },
    { PL_PART_RUN_DELAY, PL_P_RUN_DELAY },
    { PL_PART_CGROUP, PL_P_CGROUP },
    { PL_PART_RUN_TIME, PL_P_RUN_TIME },
    { PL_PART_USER_TIME, PL_P_UTIME },
    { PL_PART_SYSTEM_TIME, PL_P_STIME },
    { PL_PART_GUEST_TIME, PL_P_GUEST_TIME },
    { PL_PART_REAPED_TIME, PL_P_CUTIME },
    { PL_PART_REAPED_TIME, PL_P_CSTIME },
    { PL_PART_FAULTS, PL_P_MINFLT },
    { PL_PART_FAULTS, PL_P_MAJFLT },
    { PL_PART_SWITCHES, PL_P_NVCSW },
    { PL_PART_SWITCHES, PL_P_NIVCSW },
    { PL_PART_THREADS, PL_P_THREADS },
    { PL_PART_STATE, PL_P_STATE },
    { PL_PART_PRIORITY, PL_P_PRIORITY },
    { PL_PART_PARENT, PL_P_PARENT },
    { PL_PART_USER, PL_P_UID },
    { PL_PART_OOM_SCORE, PL_P_OOM_SCORE_ADJ },
    { PL_PART_OPEN_FILES, PL_P_OPEN_FILES },
    { PL_PART_BLKIO_DELAY, PL_P_BLKIO_DELAY },
    { PL_PART_VIRTUAL, PL_P_VIRTUAL },
    { PL_PART_VIRTUAL | PL_PART_VIRTUAL_PEAK, PL_P_VM_PEAK },
    { PL_PART_LOCKED, PL_P_VM_LCK },
    { PL_PART_PAGE_TABLES, PL_P_VM_PTE },
    { PL_PART_RESIDENT, PL_P_RESIDENT },
    { PL_PART_RESIDENT, PL_P_SHARED },
    { PL_PART_RESIDENT, PL_P_RSS_ANON },
    { PL_PART_RESIDENT, PL_P_VM_SWAP },
    { PL_PART_RESIDENT | PL_PART_RESIDENT_PEAK, PL_P_VM_HWM },
};
/* clang-format on */

void pl_tasks_mark(struct pl_source *s, uint32_t parts,
                   const struct pl_part_field *table, size_t num)
{
    for (size_t i = 0; i < num; i++)
        s->fields[table[i].field].present =
            (parts & table[i].parts) == table[i].parts;
}

void pl_process_bpf_mark(struct pl_source *s, uint32_t parts)
{
    pl_tasks_mark(s, parts, part_fields, LENGTH(part_fields));
}

static enum pl_status try_it(struct pl_source *s, const char **why)
{
    struct pl_machine *m = s->machine;
    struct pl_task_head self = { 0 };
    bool found;
    enum pl_status status = find_self(m, &self, &found);

    if (status)
        return status;
    *why = "the kernel refuses to run the program";
    if (!m->tasks->readable)
        return PL_UNSUPPORTED;
    *why = "this is a namespace whose /proc, processes and clocks do not "
           "belong together";
    if (!found || !both_agree(m, &self))
        return PL_UNSUPPORTED;
    m->tasks->parts = self.parts;
    pl_process_bpf_mark(s, self.parts);
    if (!m->tasks->sees_ends) {
        pl_process_mark_ends_absent(s);
        pl_process_mark_reaped_absent(s);
    }
    if (!pl_delays_are_counted(m))
        s->fields[PL_P_BLKIO_DELAY].present = false;
    return PL_OK;
}

enum pl_status pl_process_bpf_open(struct pl_source *s, const char **why)
{
    struct pl_machine *m = s->machine;
    enum pl_status status;

    *why = "--proc names a saved tree";
    if (!m->live)
        return PL_UNSUPPORTED;
    status = pl_tasks_open(m, why);
    if (!status)
        status = try_it(s, why);
    if (status) {
        pl_tasks_close(m->tasks);
        m->tasks = NULL;
    }
    return status;
}
