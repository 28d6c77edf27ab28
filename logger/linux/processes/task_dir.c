/* The threads of one process in /proc. */
#include "logger/linux/processes/task_dir.h"

#include "logger/linux/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum pl_outcome pl_task_dir_open(struct pl_task_dir *d, uint32_t pid)
{
    struct pl_machine *m = d->machine;
    char room[PL_PROC_PATH_ROOM];
    enum pl_status s;

    m->system_calls++;
    d->fd = openat(m->proc, pl_proc_path(room, pid, "task"),
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0)
        return pl_proc_reason(m, pid);
    s = pl_pids_list(m, d->fd, &d->threads);
    if (!s && d->threads.readable)
        return PL_GOOD;
    pl_task_dir_close(d);
    return s ? PL_NO_MEMORY : PL_GONE;
}

void pl_task_dir_close(struct pl_task_dir *d)
{
    pl_proc_close(d->machine, d->fd);
    d->fd = -1;
}

void pl_task_dir_release(struct pl_task_dir *d)
{
    pl_pids_release(&d->threads);
    pl_buf_release(&d->text);
}

static enum pl_outcome outcome_of(enum pl_status s)
{
    if (!s)
        return PL_GOOD;
    if (s == PL_NOMEM)
        return PL_NO_MEMORY;
    return s == PL_IO && (errno == ESRCH || errno == ENOENT) ? PL_GONE
                                                             : PL_REFUSED;
}

enum pl_outcome pl_task_dir_read(struct pl_task_dir *d, uint32_t tid,
                                 const char *name, struct pl_text *out)
{
    struct pl_machine *m = d->machine;
    char room[PL_PROC_PATH_ROOM];
    int fd = pl_proc_open(m, d->fd, pl_proc_path(room, tid, name));
    enum pl_outcome o;

    if (fd < 0)
        return outcome_of(PL_IO);
    o = outcome_of(pl_proc_read(m, fd, &d->text));
    pl_proc_close(m, fd);
    *out = (struct pl_text){ (const char *)d->text.p, d->text.len };
    return o;
}
