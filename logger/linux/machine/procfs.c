/* Files of /proc and /sys, held open and read again. */
#include "logger/linux/machine/procfs.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE_ROOM = 4000, /* the kernel returns at most a page per read */
    FIRST_ROOM = 1000, /* for files read in one piece: most are small */
    MAX_TEXT = 64 << 20,
};

struct pl_procfile {
    struct pl_procfile *next;
    struct pl_machine *machine;
    char *path;
    enum pl_procfile_kind kind;
    int fd;
    struct pl_buf text;
    bool good;     /* 'text' is that of 'tick' */
    uint64_t tick; /* when it was last tried */
};

int pl_proc_open(struct pl_machine *m, int dir, const char *path)
{
    m->system_calls++;
    /* O_NONBLOCK: a FIFO in a saved tree must not block the recorder. */
    return openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

void pl_proc_close(struct pl_machine *m, int fd)
{
    PL_KEEP_ERRNO;

    m->system_calls++;
    close(fd);
}

/* Append one read of at least 'room' bytes; *n is 0 at the end of the file. */
static enum pl_status read_on(struct pl_machine *m, int fd, struct pl_buf *out,
                              size_t room, size_t *n)
{
    ssize_t got;

    if (out->cap - out->len < room && !pl_buf_room(out, room))
        return PL_NOMEM;
    do {
        m->system_calls++;
        got =
            pread(fd, out->p + out->len, out->cap - out->len, (off_t)out->len);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return PL_IO;
    m->bytes_read += (uint64_t)got;
    *n = (size_t)got;
    return PL_OK;
}

enum pl_status pl_proc_read(struct pl_machine *m, int fd, struct pl_buf *out)
{
    for (;;) {
        enum pl_status s;
        size_t n;

        pl_buf_clear(out);
        s = read_on(m, fd, out, FIRST_ROOM, &n);
        if (s)
            return s;
        if (n < out->cap) {
            out->len = n;
            return PL_OK;
        }
        /* Perhaps cut: a larger buffer gets the text generated again. */
        if (n > MAX_TEXT)
            return PL_TOO_LARGE;
        if (!pl_buf_room(out, 2 * n))
            return PL_NOMEM;
    }
}

static enum pl_status read_pieces(struct pl_machine *m, int fd,
                                  struct pl_buf *out)
{
    enum pl_status s;
    size_t n;

    pl_buf_clear(out);
    do {
        s = read_on(m, fd, out, PIECE_ROOM, &n);
        if (s)
            return s;
        out->len += n;
        if (out->len > MAX_TEXT)
            return PL_TOO_LARGE;
    } while (n);
    return PL_OK;
}

enum pl_status pl_procfile_open(struct pl_procfile **out, struct pl_machine *m,
                                const char *path, enum pl_procfile_kind kind)
{
    struct pl_procfile *f;

    for (f = m->files; f; f = f->next)
        if (!strcmp(f->path, path))
            break;
    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return PL_NOMEM;
        f->path = strdup(path);
        if (!f->path) {
            free(f);
            return PL_NOMEM;
        }
        f->machine = m;
        f->kind = kind;
        f->fd = pl_proc_open(m, m->proc, path);
        f->next = m->files;
        m->files = f;
    }
    *out = f;
    return PL_OK;
}

static enum pl_status reread(struct pl_procfile *f)
{
    struct pl_machine *m = f->machine;

    if (f->fd < 0)
        f->fd = pl_proc_open(m, m->proc, f->path);
    if (f->fd < 0)
        return PL_IO;
    return f->kind == PL_IN_ONE_PIECE ? pl_proc_read(m, f->fd, &f->text)
                                      : read_pieces(m, f->fd, &f->text);
}

struct pl_text pl_procfile_read(struct pl_procfile *f)
{
    struct pl_machine *m = f->machine;

    if (f->tick != m->tick) {
        f->tick = m->tick;
        f->good = reread(f) == PL_OK;
        if (!f->good) {
            m->read_errors++;
            if (f->fd >= 0)
                pl_proc_close(m, f->fd);
            f->fd = -1;
        }
    }
    if (!f->good)
        return (struct pl_text){ NULL, 0 };
    return (struct pl_text){ (const char *)f->text.p, f->text.len };
}

int pl_procfile_descriptor(const struct pl_procfile *f)
{
    return f->fd;
}

void pl_procfiles_close(struct pl_procfile *f)
{
    while (f) {
        struct pl_procfile *next = f->next;

        if (f->fd >= 0)
            close(f->fd);
        pl_buf_release(&f->text);
        free(f->path);
        free(f);
        f = next;
    }
}

bool pl_sys_number(struct pl_machine *m, const char *path, uint64_t *v)
{
    char text[64];
    struct pl_proctext scan;
    ssize_t n;
    int fd;

    *v = 0;
    if (m->sys < 0)
        return false;
    fd = pl_proc_open(m, m->sys, path);
    if (fd < 0)
        return false;
    m->system_calls++;
    n = read(fd, text, sizeof text);
    pl_proc_close(m, fd);
    if (n <= 0)
        return false;
    scan = (struct pl_proctext){ text, text + n };
    return pl_proctext_number(&scan, v);
}

bool pl_sys_has_entries(struct pl_machine *m, const char *path)
{
    alignas(struct dirent64) char entries[1024]; /* "..", "." and a name */
    int fd = m->sys < 0 ? -1 : pl_proc_open(m, m->sys, path);
    ssize_t n, at = 0;

    if (fd < 0)
        return false;
    m->system_calls++;
    n = getdents64(fd, entries, sizeof entries);
    pl_proc_close(m, fd);
    while (at < n) {
        const struct dirent64 *e = (const void *)(entries + at);

        if (e->d_name[0] != '.')
            return true;
        at += e->d_reclen;
    }
    return false;
}

bool pl_sys_exists(struct pl_machine *m, const char *path)
{
    m->system_calls++;
    return m->sys >= 0 && faccessat(m->sys, path, F_OK, 0) == 0;
}
