/* Reads files of processes, and keeps some of them open. */
#include "logger/linux/processes/proc_files.h"

#include "format/base/array.h"
#include "logger/linux/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    SPARE_DESCRIPTORS = 128, /* for the log, the other sources, the caller */
    MAX_DESCRIPTORS = 16384,
};

const char *const pl_proc_file_names[PL_NUM_PROC_FILES] = {
    [PL_PROC_STAT] = "stat",
    [PL_PROC_STATM] = "statm",
    [PL_PROC_IO] = "io",
    [PL_PROC_STATUS] = "status",
    [PL_PROC_OOM] = "oom_score_adj",
    [PL_PROC_TASK_IO] = "io",
};

/* ---- descriptors -------------------------------------------------------- */

/*
 * How many descriptors may be kept.  The soft limit is only a default for
 * programs that use select(); it is raised as far as the hard limit allows.
 */
static size_t descriptor_budget(const struct pl_machine *m)
{
    const rlim_t most = MAX_DESCRIPTORS + SPARE_DESCRIPTORS;
    struct rlimit limit;

    if (!m->live || getrlimit(RLIMIT_NOFILE, &limit))
        return 0; /* files of a saved tree may be replaced */
    if (limit.rlim_cur < most && limit.rlim_cur < limit.rlim_max) {
        struct rlimit more = limit;

        more.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
        if (!setrlimit(RLIMIT_NOFILE, &more))
            limit = more;
    }
    if (limit.rlim_cur <= SPARE_DESCRIPTORS)
        return 0;
    if (limit.rlim_cur > most)
        return MAX_DESCRIPTORS;
    return (size_t)(limit.rlim_cur - SPARE_DESCRIPTORS);
}

void pl_proc_files_init(struct pl_proc_files *f, struct pl_machine *m)
{
    *f = (struct pl_proc_files){
        .machine = m,
        .budget = descriptor_budget(m),
    };
}

void pl_proc_files_close(struct pl_proc_files *f, struct pl_proc_entry *e,
                         enum pl_proc_file file)
{
    if (e->fd[file] < 0)
        return;
    pl_proc_close(f->machine, e->fd[file]);
    e->fd[file] = -1;
    f->budget++;
}

static void close_files(struct pl_proc_files *f, struct pl_proc_entry *e)
{
    for (unsigned i = 0; i < PL_NUM_PROC_FILES; i++)
        pl_proc_files_close(f, e, (enum pl_proc_file)i);
}

/* Fewer descriptors than expected: keep none from now on. */
static void let_all_go(struct pl_proc_files *f)
{
    for (size_t i = 0; i < f->num; i++)
        close_files(f, &f->list[i]);
    f->budget = 0;
}

void pl_proc_files_release(struct pl_proc_files *f)
{
    let_all_go(f);
    free(f->list);
    pl_buf_release(&f->text);
}

static bool make_room(struct pl_proc_files *f, size_t num)
{
    return pl_array_reserve((void **)&f->list, &f->cap, num, sizeof *f->list);
}

/* Both lists ascend: close files of ended processes, and close the gaps. */
static void drop_ended(struct pl_proc_files *f, const struct pl_pids *pids)
{
    size_t kept = 0, next = 0;

    for (size_t i = 0; i < f->num; i++) {
        while (next < pids->num && pids->pid[next] < f->list[i].pid)
            next++;
        if (next < pids->num && pids->pid[next] == f->list[i].pid) {
            f->list[kept++] = f->list[i];
            next++;
        } else {
            close_files(f, &f->list[i]);
        }
    }
    f->num = kept;
}

enum pl_status pl_proc_files_follow(struct pl_proc_files *f,
                                    const struct pl_pids *pids)
{
    size_t old;

    drop_ended(f, pids);
    if (!make_room(f, pids->num))
        return PL_NOMEM;
    /* From the end, so that entries move before new ones replace them. */
    old = f->num;
    for (size_t i = pids->num; i-- > 0;) {
        struct pl_proc_entry *e = &f->list[i];

        if (old && f->list[old - 1].pid == pids->pid[i]) {
            *e = f->list[--old];
            continue;
        }
        *e = (struct pl_proc_entry){ .pid = pids->pid[i] };
        for (unsigned k = 0; k < PL_NUM_PROC_FILES; k++)
            e->fd[k] = -1;
    }
    f->num = pids->num;
    return PL_OK;
}

/* ---- one file ----------------------------------------------------------- */

const char *pl_proc_path(char room[PL_PROC_PATH_ROOM], uint32_t pid,
                         const char *name)
{
    size_t n = strlen(name) + 1;
    char *p = room + PL_PROC_PATH_ROOM - n;

    memcpy(p, name, n);
    if (*name)
        *--p = '/';
    do {
        *--p = (char)('0' + pid % 10);
        pid /= 10;
    } while (pid);
    return p;
}

enum pl_outcome pl_proc_reason(struct pl_machine *m, uint32_t pid)
{
    char room[PL_PROC_PATH_ROOM];

    if (errno == ESRCH)
        return PL_GONE;
    if (errno != ENOENT)
        return PL_REFUSED;
    m->system_calls++;
    if (faccessat(m->proc, pl_proc_path(room, pid, "stat"), F_OK, 0))
        return PL_GONE;
    return PL_REFUSED;
}

const char *pl_proc_thread_path(char room[PL_PROC_PATH_ROOM], uint32_t pid,
                                uint32_t tid, const char *name)
{
    static const char task[] = "task/";
    char inner[PL_PROC_PATH_ROOM], rest[PL_PROC_PATH_ROOM];

    if (!tid)
        return pl_proc_path(room, pid, name);
    memcpy(rest, task, sizeof task);
    strncat(rest, pl_proc_path(inner, tid, name), sizeof rest - sizeof task);
    return pl_proc_path(room, pid, rest);
}

/* The thread whose file it is; 0: the file is that of the process. */
static uint32_t thread_of(const struct pl_proc_entry *e, enum pl_proc_file file)
{
    switch (file) {
    case PL_PROC_TASK_IO:
        return e->pid;
    case PL_PROC_STATM:
    case PL_PROC_STATUS:
        return e->holder;
    default:
        return 0;
    }
}

static int open_one(struct pl_proc_files *f, const struct pl_proc_entry *e,
                    enum pl_proc_file file)
{
    struct pl_machine *m = f->machine;
    char room[PL_PROC_PATH_ROOM];
    const char *path = pl_proc_thread_path(room, e->pid, thread_of(e, file),
                                           pl_proc_file_names[file]);
    int fd = pl_proc_open(m, m->proc, path);

    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
        let_all_go(f);
        fd = pl_proc_open(m, m->proc, path);
    }
    return fd;
}

/* Open it, read it, keep it open if the budget allows. */
static enum pl_outcome read_anew(struct pl_proc_files *f,
                                 struct pl_proc_entry *e,
                                 enum pl_proc_file file)
{
    struct pl_machine *m = f->machine;
    int fd = open_one(f, e, file), error;
    enum pl_status s;

    if (fd < 0)
        return pl_proc_reason(m, e->pid);
    s = pl_proc_read(m, fd, &f->text);
    if (!s && f->budget) {
        e->fd[file] = fd;
        f->budget--;
        return PL_GOOD;
    }
    error = errno;
    pl_proc_close(m, fd);
    errno = error;
    if (s == PL_IO)
        return pl_proc_reason(m, e->pid);
    if (s == PL_NOMEM)
        return PL_NO_MEMORY;
    return s ? PL_REFUSED : PL_GOOD;
}

enum pl_outcome pl_proc_files_read(struct pl_proc_files *f,
                                   struct pl_proc_entry *e,
                                   enum pl_proc_file file)
{
    enum pl_status s;
    bool ended;

    if (e->fd[file] < 0)
        return read_anew(f, e, file);
    s = pl_proc_read(f->machine, e->fd[file], &f->text);
    if (!s)
        return PL_GOOD;
    ended = s == PL_IO && errno == ESRCH;
    close_files(f, e); /* all of them: the number may be reused */
    if (ended)
        return read_anew(f, e, file);
    return s == PL_NOMEM ? PL_NO_MEMORY : PL_REFUSED;
}

static struct pl_proc_entry *find_entry(const struct pl_proc_files *f,
                                        uint32_t pid)
{
    size_t low = 0, high = f->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (f->list[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < f->num && f->list[low].pid == pid ? &f->list[low] : NULL;
}

bool pl_proc_files_has_number(struct pl_proc_files *f, uint32_t pid)
{
    const struct pl_proc_entry *e = find_entry(f, pid);

    return e && e->fd[PL_PROC_STAT] >= 0 &&
           !pl_proc_read(f->machine, e->fd[PL_PROC_STAT], &f->text);
}

void pl_proc_files_hold(struct pl_proc_files *f, struct pl_proc_entry *e,
                        uint32_t tid)
{
    if (e->holder == tid)
        return;
    pl_proc_files_close(f, e, PL_PROC_STATM);
    pl_proc_files_close(f, e, PL_PROC_STATUS);
    e->holder = tid;
}
