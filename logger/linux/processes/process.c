/* The fields of Process, and the choice between BPF and /proc. */
#include "logger/linux/processes/process.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/exit_events.h"
#include "logger/linux/processes/process_ended.h"
#include "logger/linux/processes/tasks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT(text) PL_GROUPED(text, PL_GROUP_STAT)
#define STATM(text) PL_GROUPED(text, PL_GROUP_STATM)
#define IO(text) PL_GROUPED(text, PL_GROUP_IO)
#define STATUS(text) PL_COSTLY(text, PL_GROUP_STATUS)
#define THREADS(text) PL_COSTLY(text, PL_GROUP_THREADS)

static const struct pl_field fields[PL_NUM_PROCESS_FIELDS] = {
    [PL_P_PID] = STAT("pid"),
    [PL_P_PARENT] = STAT("parent"),
    [PL_P_STATE] = STAT("state"), /* the letter's code */
    [PL_P_UTIME] = STAT("utime"),
    [PL_P_STIME] = STAT("stime"),
    [PL_P_CUTIME] = STAT("cutime"),
    [PL_P_CSTIME] = STAT("cstime"),
    [PL_P_GUEST_TIME] = STAT("guest_time"),
    [PL_P_BLKIO_DELAY] = STAT("blkio_delay"),
    [PL_P_MINFLT] = STAT("minflt"),
    [PL_P_MAJFLT] = STAT("majflt"),
    [PL_P_THREADS] = STAT("threads"),
    [PL_P_PRIORITY] = STAT("priority"),
    [PL_P_STARTED] = STAT("started"), /* 100 ns since boot */
    [PL_P_VIRTUAL] = STAT("virtual"),
    [PL_P_UID] = STAT("uid"),
    [PL_P_RESIDENT] = STATM("resident"),
    [PL_P_SHARED] = STATM("shared"),
    [PL_P_ANONYMOUS] = STATM("anonymous"), /* without swap only, exact then */
    [PL_P_SWAPPED] = STATM("swapped"),     /* without swap only: 0 */
    [PL_P_SYSCR] = IO("syscr"),
    [PL_P_SYSCW] = IO("syscw"),
    [PL_P_RCHAR] = IO("rchar"),
    [PL_P_WCHAR] = IO("wchar"),
    [PL_P_READ_BYTES] = IO("read_bytes"),
    [PL_P_WRITE_BYTES] = IO("write_bytes"),
    [PL_P_CANCELLED_WRITE_BYTES] = IO("cancelled_write_bytes"),
    [PL_P_VM_PEAK] = STATUS("VmPeak"),
    [PL_P_VM_HWM] = STATUS("VmHWM"),
    [PL_P_RSS_ANON] = STATUS("RssAnon"),
    [PL_P_VM_SWAP] = STATUS("VmSwap"),
    [PL_P_VM_PTE] = STATUS("VmPTE"),
    [PL_P_VM_LCK] = STATUS("VmLck"),
    [PL_P_OOM_SCORE_ADJ] = STATUS("oom_score_adj"),
    [PL_P_OPEN_FILES] = PL_COSTLY("open_files", PL_GROUP_FD),
    [PL_P_NVCSW] = THREADS("nvcsw"),
    [PL_P_NIVCSW] = THREADS("nivcsw"),
    [PL_P_RUN_DELAY] = THREADS("run_delay"),
    [PL_P_CGROUP] = THREADS("cgroup"),
    [PL_P_RUN_TIME] = STAT("run_time"), /* by BPF only */
    [PL_P_EXITS] = PL_FIELD("exits"),   /* and so on: see of_ends */
    [PL_P_FAILED] = PL_FIELD("failed"),
    [PL_P_KILLED] = PL_FIELD("killed"),
    [PL_P_OOM_VICTIMS] = PL_FIELD("oom_victims"),
    [PL_P_EXIT_STATUS] = PL_FIELD("exit_status"),
    [PL_P_REAPED_READ_BYTES] = IO("reaped_read_bytes"),
    [PL_P_REAPED_WRITE_BYTES] = IO("reaped_write_bytes"),
    [PL_P_REAPED_BYTES] = IO("reaped_bytes"), /* of calls */
    [PL_P_PROGRAM] = STAT("program"),         /* for identity.h, no counter's */
    [PL_P_DATA_FLAGS] = PL_FIELD("data_flags"),
};

/* The fields that need a source of the ends of processes. */
/* clang-format off */
static const enum pl_process_field of_ends[] = {
    PL_P_EXITS, PL_P_FAILED, PL_P_KILLED, PL_P_OOM_VICTIMS, PL_P_EXIT_STATUS,
};

/* What the kernel adds to a process when it reaps a child. */
static const enum pl_process_field of_reaped[] = {
    PL_P_REAPED_READ_BYTES, PL_P_REAPED_WRITE_BYTES, PL_P_REAPED_BYTES,
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void mark_absent(struct pl_source *s, const enum pl_process_field *table,
                        size_t num)
{
    for (size_t i = 0; i < num; i++)
        s->fields[table[i]].present = false;
}

void pl_process_mark_ends_absent(struct pl_source *s)
{
    mark_absent(s, of_ends, LENGTH(of_ends));
}

void pl_process_mark_reaped_absent(struct pl_source *s)
{
    mark_absent(s, of_reaped, LENGTH(of_reaped));
}

static bool is_one_of(const char *field, const enum pl_process_field *table,
                      size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(field, fields[table[i]].name))
            return true;
    return false;
}

bool pl_process_is_of_ends(const char *field)
{
    return is_one_of(field, of_ends, LENGTH(of_ends));
}

bool pl_process_is_of_reaped(const char *field)
{
    return is_one_of(field, of_reaped, LENGTH(of_reaped));
}

enum { MAX_COMM = 15, MAX_PID_DIGITS = 20 };

struct processes {
    struct pl_source base;
    struct pl_source *meminfo;
    size_t swap_total;            /* field of meminfo */
    struct pl_process_proc *proc; /* NULL: read by BPF */
    struct pl_exit_events *exits; /* NULL: BPF, or none are seen */
    struct pl_buf name;
    struct pl_process_ended ended;
};

/*
 * The kernel appends the work queue to a worker's name, and may make names of
 * kernel threads longer than 15 characters: both parts change all the time.
 */
struct pl_text pl_process_name(struct pl_buf *room, struct pl_text comm,
                               uint64_t task_flags, uint64_t pid)
{
    char digits[MAX_PID_DIGITS + 1];
    char *p = digits + sizeof digits;

    if (task_flags & PL_PF_WQ_WORKER)
        for (size_t i = 0; i < comm.n; i++)
            if (comm.p[i] == '-' || comm.p[i] == '+')
                comm.n = i;
    if ((task_flags & PL_PF_KTHREAD) && comm.n > MAX_COMM)
        comm.n = MAX_COMM;
    do {
        *--p = (char)('0' + pid % 10);
        pid /= 10;
    } while (pid);
    *--p = ':';
    pl_buf_clear(room);
    pl_buf_bytes(room, comm.p, comm.n);
    pl_buf_bytes(room, p, (size_t)(digits + sizeof digits - p));
    return (struct pl_text){ (const char *)room->p, room->len };
}

uint64_t pl_process_priority(uint64_t policy, uint64_t nice, uint64_t realtime)
{
    enum { FIFO = 1, ROUND_ROBIN = 2, DEADLINE = 6 };

    if (policy == FIFO || policy == ROUND_ROBIN)
        return 40 + realtime;
    if (policy == DEADLINE)
        return 140;
    return 19 - nice; /* nice is -20 to 19, modulo 2^64 */
}

bool pl_delays_are_counted(struct pl_machine *m)
{
    char c = '1'; /* before Linux 5.14 there is no switch: it is on */
    int fd = openat(m->proc, "sys/kernel/task_delayacct",
                    O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0) {
        if (read(fd, &c, 1) != 1)
            c = '0';
        close(fd);
    }
    return c != '0';
}

/*
 * Without swap nothing is swapped out and all private memory is resident: two
 * counters then need no costly file.  Swap may be switched on and off.
 */
static enum pl_status look_for_swap(struct processes *p)
{
    enum pl_status s = PL_OK;
    bool none = false;

    if (p->swap_total != PL_NO_FIELD) {
        s = pl_source_read(p->meminfo);
        none = !s && p->meminfo->readable && p->meminfo->rows.num &&
               p->meminfo->fields[p->swap_total].present &&
               !p->meminfo->rows.values[p->swap_total];
    }
    none = none && p->base.fields[PL_P_RESIDENT].present;
    pl_source_set_present(&p->base, PL_P_ANONYMOUS, none);
    pl_source_set_present(&p->base, PL_P_SWAPPED, none);
    return s;
}

/* Processes that end later are still seen by the walk. */
static enum pl_status read_proc(struct processes *p)
{
    struct pl_source *s = &p->base;
    enum pl_status status = PL_OK;

    if (p->exits)
        status = pl_exit_events_drain(p->exits, s->machine);
    if (!status)
        status = pl_process_proc_read(p->proc);
    s->machine->live_processes = s->rows.num;
    if (status || !p->exits)
        return status;
    if (!s->readable) {
        pl_process_ended_skip(&p->ended);
        pl_exit_events_keep(p->exits, s->machine->tick);
        return PL_OK;
    }
    return pl_process_add_ended(&p->ended, s, pl_exit_events_ended(p->exits),
                                &p->name);
}

static enum pl_status process_read(struct pl_source *s)
{
    struct processes *p = (struct processes *)s;
    enum pl_status status = look_for_swap(p);

    if (status)
        return status;
    return p->proc ? read_proc(p) : pl_process_bpf_read(s, &p->name, &p->ended);
}

/* What ended is shown in the next sample, as if it had ended in that. */
static void process_undo(struct pl_source *s)
{
    struct processes *p = (struct processes *)s;

    pl_process_ended_undo(&p->ended, s);
    if (p->exits)
        pl_exit_events_keep(p->exits, s->machine->tick);
    if (s->machine->tasks)
        pl_tasks_undo(s->machine);
}

static void process_close(struct pl_source *s)
{
    struct processes *p = (struct processes *)s;

    pl_process_proc_close(p->proc);
    pl_exit_events_close(p->exits);
    pl_tasks_close(s->machine->tasks);
    s->machine->tasks = NULL;
    pl_buf_release(&p->name);
    pl_process_ended_release(&p->ended);
    pl_source_release(s);
    free(p);
}

/* /proc, and where it has the same processes as taskstats, that too. */
static enum pl_status open_proc(struct processes *p)
{
    struct pl_machine *m = p->base.machine;
    enum pl_status s = pl_process_proc_open(&p->proc, &p->base);

    if (s)
        return s;
    m->why_no_exits = "/proc is that of another pid namespace, or saved";
    s = pl_process_proc_is_ours(p->proc)
            ? pl_exit_events_open(&p->exits, &m->why_no_exits)
            : PL_UNSUPPORTED;
    m->sees_exits = !s;
    if (s) {
        pl_process_mark_ends_absent(&p->base);
    } else {
        m->why_no_exits = NULL;
        p->base.fields[PL_P_OOM_VICTIMS].present = false;
        pl_process_proc_use(p->proc, p->exits);
    }
    return s == PL_UNSUPPORTED ? PL_OK : s;
}

/* Use BPF if requested, or by default if available; else /proc. */
static enum pl_status open_a_way(struct processes *p)
{
    struct pl_machine *m = p->base.machine;
    enum pl_status s = PL_UNSUPPORTED;

    if (m->way != PL_PROCESSES_PROC)
        s = pl_process_bpf_open(&p->base, &m->why);
    if (s != PL_UNSUPPORTED || m->way == PL_PROCESSES_BPF)
        return s;
    return open_proc(p);
}

static enum pl_status process_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct processes *p = calloc(1, sizeof *p);
    enum pl_status s;

    if (!p)
        return PL_NOMEM;
    s = pl_source_init(&p->base, m, kind);
    if (!s)
        s = pl_source_open(&p->meminfo, m, PL_MEMINFO);
    if (!s)
        s = open_a_way(p);
    if (!s) {
        p->swap_total = pl_source_find(p->meminfo, pl_text_of("SwapTotal"));
        if (p->swap_total != PL_NO_FIELD)
            p->meminfo->fields[p->swap_total].wanted = true;
        s = look_for_swap(p);
    }
    if (s) {
        process_close(&p->base);
        return s;
    }
    *out = &p->base;
    return PL_OK;
}

const struct pl_source_kind pl_process_kind = {
    .name = "process",
    .open = process_open,
    .read = process_read,
    .undo = process_undo,
    .close = process_close,
    .fields = fields,
    .num_fields = PL_NUM_PROCESS_FIELDS,
};
