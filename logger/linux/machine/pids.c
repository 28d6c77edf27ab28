/* Lists the processes that exist: getdents64 on /proc. */
#include "logger/linux/machine/pids.h"

#include "format/base/array.h"
#include "logger/linux/machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_SIZE = 32768 };

/* Called for each entry of a directory; false ends the walk. */
typedef bool take_entry(void *to, const struct dirent64 *e);

/* False (and errno) if 'fd' cannot be listed or 'take' ended it. */
static bool walk(struct pl_machine *m, int fd, take_entry *take, void *to)
{
    char *entries = m->pids.entries;

    for (;;) {
        ssize_t n;

        m->system_calls++;
        n = getdents64(fd, entries, ENTRIES_SIZE);
        if (n <= 0)
            return n == 0;
        for (ssize_t at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(entries + at);

            if (!take(to, e))
                return false;
            at += e->d_reclen;
        }
    }
}

/* 0 if 'name' is not a positive decimal; process numbers have 22 bits. */
static uint32_t number_of(const char *name)
{
    uint32_t v = 0;

    for (unsigned i = 0; name[i]; i++) {
        if (name[i] < '0' || name[i] > '9' || i == 9)
            return 0;
        v = v * 10 + (uint32_t)(name[i] - '0');
    }
    return v;
}

/* True for "." and "..". */
static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool add_pid(void *to, const struct dirent64 *e)
{
    struct pl_pids *p = to;
    uint32_t pid = number_of(e->d_name);

    if (!pid) {
        p->num_folders += e->d_type == DT_DIR && !is_dots(e->d_name);
        return true;
    }
    if (!pl_array_grow((void **)&p->pid, &p->cap, p->num, sizeof *p->pid))
        return false;
    p->pid[p->num++] = pid;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The kernel lists them in order; a saved tree need not. */
static void sort(struct pl_pids *p)
{
    for (size_t i = 1; i < p->num; i++) {
        if (p->pid[i - 1] > p->pid[i]) {
            qsort(p->pid, p->num, sizeof *p->pid, by_number);
            return;
        }
    }
}

enum pl_status pl_pids_list(struct pl_machine *m, int fd, struct pl_pids *p)
{
    p->num = 0;
    p->num_folders = 0;
    if (!m->pids.entries)
        m->pids.entries = malloc(ENTRIES_SIZE);
    if (!m->pids.entries)
        return PL_NOMEM;
    errno = 0;
    p->readable = walk(m, fd, add_pid, p);
    if (!p->readable && errno == ENOMEM)
        return PL_NOMEM;
    sort(p);
    return PL_OK;
}

enum pl_status pl_pids_read(struct pl_machine *m)
{
    struct pl_pids *p = &m->pids;
    enum pl_status s = PL_OK;

    if (p->tick == m->tick)
        return PL_OK;
    p->tick = m->tick;
    m->system_calls++;
    p->num = 0;
    p->readable = lseek(m->proc, 0, SEEK_SET) == 0;
    if (p->readable)
        s = pl_pids_list(m, m->proc, p);
    if (!p->readable)
        m->read_errors++;
    return s;
}

void pl_pids_release(struct pl_pids *p)
{
    free(p->pid);
    free(p->entries);
}

static bool count_one(void *to, const struct dirent64 *e)
{
    uint64_t *n = to;

    *n += !is_dots(e->d_name);
    return true;
}

bool pl_count_entries(struct pl_machine *m, int dir, const char *path,
                      uint64_t *n)
{
    int fd;
    bool good;

    *n = 0;
    m->system_calls++;
    fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    good = walk(m, fd, count_one, n);
    pl_proc_close(m, fd);
    return good;
}
