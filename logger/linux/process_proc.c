/*
 * Processes read from /proc: 'stat' always, the other files only as far as
 * counters want them.  Descriptors are kept from sample to sample where the
 * limit on open files allows, which saves opening and closing; the kernel
 * answers ESRCH on those of a process that ended, even if its number lives
 * on.
 */
#include "logger/linux/choice.h"
#include "logger/linux/machine.h"
#include "logger/linux/process.h"
#include "logger/linux/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where each field comes from ------------------------------------------- */

enum file { STAT, STATM, IO, STATUS, OOM, NUM_FILES };

static const struct {
    const char *name;
    enum pl_process_group group;
} files[NUM_FILES] = {
    [STAT] = { "stat", PL_GROUP_STAT },
    [STATM] = { "statm", PL_GROUP_STATM },
    [IO] = { "io", PL_GROUP_IO },
    [STATUS] = { "status", PL_GROUP_STATUS },
    [OOM] = { "oom_score_adj", PL_GROUP_STATUS },
};

/* Columns of stat that decide something rather than being stored. */
enum {
    COLUMN_PID = 0,
    COLUMN_STATE = 2,
    FIRST_NUMBER = 3,
    COLUMN_FLAGS = 8,
    COLUMN_NICE = 18,
    COLUMN_REALTIME = 39,
    COLUMN_POLICY = 40,
    NUM_COLUMNS = 43,
};

struct place {
    unsigned column; /* 0-based */
    enum pl_process_field field;
    enum pl_unit unit;
};

static const struct place stat_places[] = {
    { COLUMN_PID, PL_P_PID, PL_PLAIN },
    { COLUMN_STATE, PL_P_STATE, PL_PLAIN },
    { 3, PL_P_PARENT, PL_PLAIN },
    { 9, PL_P_MINFLT, PL_PLAIN },
    { 11, PL_P_MAJFLT, PL_PLAIN },
    { 13, PL_P_UTIME, PL_TICKS },
    { 14, PL_P_STIME, PL_TICKS },
    { 15, PL_P_CUTIME, PL_TICKS },
    { 16, PL_P_CSTIME, PL_TICKS },
    { 19, PL_P_THREADS, PL_PLAIN },
    { 21, PL_P_STARTED, PL_TICKS },
    { 22, PL_P_VIRTUAL, PL_PLAIN },
    { 41, PL_P_BLKIO_DELAY, PL_TICKS },
    { 42, PL_P_GUEST_TIME, PL_TICKS },
};

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

static const struct key io_keys[] = {
    { "rchar", PL_P_RCHAR, PL_PLAIN },
    { "wchar", PL_P_WCHAR, PL_PLAIN },
    { "syscr", PL_P_SYSCR, PL_PLAIN },
    { "syscw", PL_P_SYSCW, PL_PLAIN },
    { "read_bytes", PL_P_READ_BYTES, PL_PLAIN },
    { "write_bytes", PL_P_WRITE_BYTES, PL_PLAIN },
    { "cancelled_write_bytes", PL_P_CANCELLED_WRITE_BYTES, PL_PLAIN },
};

static const struct key status_keys[] = {
    { "VmPeak", PL_P_VM_PEAK, PL_KIB },
    { "VmLck", PL_P_VM_LCK, PL_KIB },
    { "VmHWM", PL_P_VM_HWM, PL_KIB },
    { "RssAnon", PL_P_RSS_ANON, PL_KIB },
    { "VmPTE", PL_P_VM_PTE, PL_KIB },
    { "VmSwap", PL_P_VM_SWAP, PL_KIB },
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- descriptors -------------------------------------------------------------- */

enum {
    SPARE_DESCRIPTORS = 128, /* for the log, the other sources, the caller */
    MAX_DESCRIPTORS = 16384,
};

struct held {
    uint32_t pid;
    int fd[NUM_FILES]; /* -1: not open */
};

struct pl_process_proc {
    struct pl_source *source;
    struct held *held; /* one per process, ascending */
    size_t num_held;
    struct held *next; /* the same, being made */
    size_t cap;        /* of both */
    size_t budget;     /* descriptors that may still be kept */
    bool size_is_count; /* of /proc/PID/fd, since Linux 6.2 */
    bool needed[NUM_FILES];
    struct pl_buf text;
    struct pl_buf name;
};

static void let_go(struct pl_process_proc *p, struct held *h)
{
    for (unsigned f = 0; f < NUM_FILES; f++) {
        if (h->fd[f] < 0)
            continue;
        pl_proc_close(p->source->machine, h->fd[f]);
        h->fd[f] = -1;
        p->budget++;
    }
}

/* There are fewer descriptors than we thought: keep none from now on. */
static void let_all_go(struct pl_process_proc *p)
{
    for (size_t i = 0; i < p->num_held; i++)
        let_go(p, &p->held[i]);
    p->budget = 0;
}

static bool make_room(struct pl_process_proc *p, size_t num)
{
    struct held *held, *next;
    size_t cap = num + num / 4;

    if (num <= p->cap)
        return true;
    held = realloc(p->held, cap * sizeof *held);
    if (held)
        p->held = held;
    next = realloc(p->next, cap * sizeof *next);
    if (next)
        p->next = next;
    if (!held || !next)
        return false;
    p->cap = cap;
    return true;
}

/* Both lists ascend: carry over what lives on, close what ended. */
static void carry_over(struct pl_process_proc *p, const struct pl_pids *pids)
{
    struct held *t = p->held;
    size_t old = 0;

    for (size_t i = 0; i < pids->num; i++) {
        struct held *h = &p->next[i];

        while (old < p->num_held && p->held[old].pid < pids->pid[i])
            let_go(p, &p->held[old++]);
        if (old < p->num_held && p->held[old].pid == pids->pid[i]) {
            *h = p->held[old++];
            continue;
        }
        h->pid = pids->pid[i];
        for (unsigned f = 0; f < NUM_FILES; f++)
            h->fd[f] = -1;
    }
    while (old < p->num_held)
        let_go(p, &p->held[old++]);
    p->held = p->next;
    p->next = t;
    p->num_held = pids->num;
}

/* ---- one file of one process ---------------------------------------------------- */

enum outcome {
    GOOD,
    GONE,    /* the process ended while we looked */
    REFUSED, /* its file cannot be read, or says nothing we know */
    NO_MEMORY,
};

enum { PATH_ROOM = 48 };

static const char *path_in(char room[PATH_ROOM], uint32_t pid,
                           const char *name)
{
    char *p = room + PATH_ROOM - strlen(name) - 1;

    memcpy(p, name, strlen(name) + 1);
    if (*name)
        *--p = '/';
    do {
        *--p = (char)('0' + pid % 10);
        pid /= 10;
    } while (pid);
    return p;
}

/* Why a call on a process's file failed. */
static enum outcome reason(struct pl_process_proc *p, const struct held *h)
{
    struct pl_machine *m = p->source->machine;
    char room[PATH_ROOM];

    if (errno == ESRCH)
        return GONE;
    if (errno != ENOENT)
        return REFUSED;
    m->system_calls++;
    if (faccessat(m->proc, path_in(room, h->pid, "stat"), F_OK, 0))
        return GONE;
    return REFUSED;
}

static int open_one(struct pl_process_proc *p, const struct held *h,
                    enum file file)
{
    struct pl_machine *m = p->source->machine;
    char room[PATH_ROOM];
    const char *path = path_in(room, h->pid, files[file].name);
    int fd = pl_proc_open(m, m->proc, path);

    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
        let_all_go(p);
        fd = pl_proc_open(m, m->proc, path);
    }
    return fd;
}

/* Its text in p->text. */
static enum outcome read_one(struct pl_process_proc *p, struct held *h,
                             enum file file)
{
    struct pl_machine *m = p->source->machine;
    enum pl_status s = PL_IO;
    int fd = h->fd[file], error;

    if (fd >= 0) {
        s = pl_proc_read(m, fd, &p->text);
        if (!s)
            return GOOD;
        error = errno;
        let_go(p, h); /* all of them: the number may have a new owner */
        if (s == PL_NOMEM || error != ESRCH)
            return s == PL_NOMEM ? NO_MEMORY : REFUSED;
    }
    fd = open_one(p, h, file);
    if (fd < 0)
        return reason(p, h);
    s = pl_proc_read(m, fd, &p->text);
    error = errno;
    if (!s && p->budget) {
        h->fd[file] = fd;
        p->budget--;
        return GOOD;
    }
    pl_proc_close(m, fd);
    errno = error;
    if (s == PL_NOMEM)
        return NO_MEMORY;
    return s ? reason(p, h) : GOOD;
}

/* ---- what the files say ----------------------------------------------------------- */

static void store(const struct pl_process_proc *p, const struct place *places,
                  size_t num, const uint64_t *columns, uint64_t *v)
{
    const struct pl_conversion *units = p->source->machine->units;

    for (size_t i = 0; i < num; i++)
        v[places[i].field] = pl_convert(&units[places[i].unit],
                                        columns[places[i].column]);
}

/* "4711 (name) S 1 ...": the name may hold anything, ')' and blanks too. */
static bool scan_stat(struct pl_text text, uint64_t columns[NUM_COLUMNS],
                      struct pl_text *comm)
{
    struct pl_scan line = pl_scan_of(text);
    const char *open = memchr(text.p, '(', text.n);
    const char *close = memrchr(text.p, ')', text.n);
    struct pl_text state;

    if (!open || !close || close < open ||
        !pl_scan_number(&line, &columns[COLUMN_PID]))
        return false;
    *comm = (struct pl_text){ open + 1, (size_t)(close - open - 1) };
    line.p = close + 1;
    if (!pl_scan_word(&line, &state))
        return false;
    columns[COLUMN_STATE] = (unsigned char)*state.p;
    for (unsigned i = FIRST_NUMBER; i < NUM_COLUMNS; i++)
        if (!pl_scan_number(&line, &columns[i]))
            return false;
    return true;
}

static bool take_statm(const struct pl_process_proc *p, uint64_t *v)
{
    struct pl_scan line = { (const char *)p->text.p,
                            (const char *)p->text.p + p->text.len };
    uint64_t columns[NUM_STATM_COLUMNS];

    for (unsigned i = 0; i < NUM_STATM_COLUMNS; i++)
        if (!pl_scan_number(&line, &columns[i]))
            return false;
    store(p, statm_places, LENGTH(statm_places), columns, v);
    if (v[PL_P_RESIDENT] > v[PL_P_SHARED])
        v[PL_P_ANONYMOUS] = v[PL_P_RESIDENT] - v[PL_P_SHARED];
    return true;
}

/* Lines "key: number"; the keys are tried in the order they have here. */
static size_t take_keys(const struct pl_process_proc *p,
                        const struct key *keys, size_t num, uint64_t *v)
{
    const struct pl_conversion *units = p->source->machine->units;
    struct pl_scan line, rest = { (const char *)p->text.p,
                                  (const char *)p->text.p + p->text.len };
    size_t next = 0, found = 0;

    while (pl_scan_line(&rest, &line)) {
        for (size_t i = 0; i < num; i++) {
            const struct key *k = &keys[(next + i) % num];
            size_t n = strlen(k->key);
            uint64_t number;

            if ((size_t)(line.end - line.p) <= n || line.p[n] != ':' ||
                memcmp(line.p, k->key, n))
                continue;
            line.p += n + 1;
            if (pl_scan_number(&line, &number)) {
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
    struct pl_scan line = { (const char *)p->text.p,
                            (const char *)p->text.p + p->text.len };

    return pl_scan_number(&line, &v[PL_P_OOM_SCORE_ADJ]);
}

/* False if the text is not what it should be. */
static bool take(const struct pl_process_proc *p, enum file file, uint64_t *v)
{
    switch (file) {
    case STATM:
        return take_statm(p, v);
    case IO:
        return take_keys(p, io_keys, LENGTH(io_keys), v) == LENGTH(io_keys);
    case STATUS: /* kernel threads have no memory, and no such lines */
        take_keys(p, status_keys, LENGTH(status_keys), v);
        return true;
    case OOM:
        return take_oom(p, v);
    default:
        return false;
    }
}

/* ---- one process -------------------------------------------------------------------- */

static enum outcome read_owner(struct pl_process_proc *p,
                               const struct held *h, uint64_t *v)
{
    struct pl_machine *m = p->source->machine;
    char room[PATH_ROOM];
    struct stat st;

    m->system_calls++;
    if (fstatat(m->proc, path_in(room, h->pid, ""), &st, 0))
        return GONE;
    v[PL_P_UID] = st.st_uid;
    return GOOD;
}

static enum outcome read_open_files(struct pl_process_proc *p,
                                    const struct held *h, uint64_t *v)
{
    struct pl_machine *m = p->source->machine;
    char room[PATH_ROOM];
    const char *path = path_in(room, h->pid, "fd");
    struct stat st;

    if (!p->size_is_count)
        return pl_count_entries(m, m->proc, path, &v[PL_P_OPEN_FILES])
                   ? GOOD
                   : reason(p, h);
    m->system_calls++;
    if (fstatat(m->proc, path, &st, 0))
        return reason(p, h);
    v[PL_P_OPEN_FILES] = (uint64_t)st.st_size;
    return GOOD;
}

/* What is beside 'stat'; groups that cannot be read stay 0 and are flagged. */
static enum outcome read_rest(struct pl_process_proc *p, struct held *h,
                              uint64_t *v)
{
    const struct pl_field *fields = p->source->fields;
    enum outcome o = GOOD;

    for (unsigned f = STATM; f < NUM_FILES; f++) {
        if (!p->needed[f])
            continue;
        o = read_one(p, h, f);
        if (o == GONE || o == NO_MEMORY)
            return o;
        if (o == REFUSED || !take(p, f, v))
            v[PL_P_DATA_FLAGS] |= 1u << files[f].group;
    }
    o = GOOD;
    if (fields[PL_P_OPEN_FILES].wanted)
        o = read_open_files(p, h, v);
    if (o == REFUSED)
        v[PL_P_DATA_FLAGS] |= 1u << PL_GROUP_FD;
    if (o != GONE && fields[PL_P_UID].wanted)
        o = read_owner(p, h, v);
    return o == GONE ? GONE : GOOD;
}

static enum pl_status read_process(struct pl_process_proc *p, struct held *h)
{
    struct pl_source *s = p->source;
    uint64_t columns[NUM_COLUMNS];
    struct pl_text comm, name;
    enum outcome o = read_one(p, h, STAT);
    uint64_t *v;

    if (o == NO_MEMORY)
        return PL_NOMEM;
    if (o != GOOD ||
        !scan_stat((struct pl_text){ (const char *)p->text.p, p->text.len },
                   columns, &comm)) {
        s->machine->read_errors += o != GONE;
        return PL_OK;
    }
    name = pl_process_name(&p->name, comm, columns[COLUMN_FLAGS],
                           columns[COLUMN_PID]);
    if (p->name.oom)
        return PL_NOMEM;
    if (s->filter && !pl_filter_allows(s->filter, name, PL_SHOWN))
        return PL_OK;
    v = pl_rows_add(&s->rows, name);
    if (!v)
        return PL_NOMEM;
    store(p, stat_places, LENGTH(stat_places), columns, v);
    v[PL_P_PRIORITY] =
        pl_process_priority(columns[COLUMN_POLICY], columns[COLUMN_NICE],
                            columns[COLUMN_REALTIME]);
    o = read_rest(p, h, v);
    if (o == GONE)
        pl_rows_drop(&s->rows);
    return o == NO_MEMORY ? PL_NOMEM : PL_OK;
}

/* ---- all of them ---------------------------------------------------------------------- */

static void find_needs(struct pl_process_proc *p)
{
    const struct pl_field *fields = p->source->fields;

    memset(p->needed, 0, sizeof p->needed);
    for (size_t i = 0; i < LENGTH(statm_places); i++)
        p->needed[STATM] |= fields[statm_places[i].field].wanted;
    p->needed[STATM] |= fields[PL_P_ANONYMOUS].wanted;
    for (size_t i = 0; i < LENGTH(io_keys); i++)
        p->needed[IO] |= fields[io_keys[i].field].wanted;
    for (size_t i = 0; i < LENGTH(status_keys); i++)
        p->needed[STATUS] |= fields[status_keys[i].field].wanted;
    p->needed[OOM] = fields[PL_P_OOM_SCORE_ADJ].wanted;
}

enum pl_status pl_process_proc_read(struct pl_process_proc *p)
{
    struct pl_machine *m = p->source->machine;
    enum pl_status s = pl_pids_read(m);

    if (s)
        return s;
    pl_source_set_readable(p->source, m->pids.readable);
    if (!make_room(p, m->pids.num))
        return PL_NOMEM;
    carry_over(p, &m->pids);
    find_needs(p);
    for (size_t i = 0; i < p->num_held && !s; i++)
        s = read_process(p, &p->held[i]);
    return s;
}

/* ---- opening ---------------------------------------------------------------------------- */

/* True if some process has the file; false only if none has. */
static bool exists(struct pl_machine *m, const char *name)
{
    char room[PATH_ROOM];

    for (size_t i = 0; i < m->pids.num; i++)
        if (!faccessat(m->proc, path_in(room, m->pids.pid[i], name), F_OK, 0))
            return true;
    return !m->pids.num;
}

static bool delays_are_counted(struct pl_machine *m)
{
    char c = '1'; /* before Linux 5.14 there was no switch */
    int fd = openat(m->proc, "sys/kernel/task_delayacct",
                    O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0) {
        if (read(fd, &c, 1) != 1)
            c = '0';
        close(fd);
    }
    return c != '0';
}

static void probe(struct pl_process_proc *p)
{
    struct pl_source *s = p->source;
    struct pl_machine *m = s->machine;
    bool has_group[PL_NUM_PROCESS_GROUPS] = { false };
    struct stat st;

    for (unsigned f = 0; f < NUM_FILES; f++)
        has_group[files[f].group] |= exists(m, files[f].name);
    has_group[PL_GROUP_FD] = exists(m, "fd");
    for (size_t i = 0; i < s->num_fields; i++)
        if (s->fields[i].group != PL_NO_GROUP)
            s->fields[i].present = has_group[s->fields[i].group];
    if (!delays_are_counted(m))
        s->fields[PL_P_BLKIO_DELAY].present = false;
    p->size_is_count = m->live && !fstatat(m->proc, "self/fd", &st, 0) &&
                       st.st_size > 0;
}

static size_t descriptor_budget(const struct pl_machine *m)
{
    struct rlimit limit;

    if (!m->live || getrlimit(RLIMIT_NOFILE, &limit) ||
        limit.rlim_cur <= SPARE_DESCRIPTORS)
        return 0; /* files of a saved tree may be replaced by others */
    if (limit.rlim_cur - SPARE_DESCRIPTORS > MAX_DESCRIPTORS)
        return MAX_DESCRIPTORS;
    return (size_t)(limit.rlim_cur - SPARE_DESCRIPTORS);
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
    p->budget = descriptor_budget(source->machine);
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
    for (size_t i = 0; i < p->num_held; i++)
        let_go(p, &p->held[i]);
    free(p->held);
    free(p->next);
    pl_buf_release(&p->text);
    pl_buf_release(&p->name);
    free(p);
}
