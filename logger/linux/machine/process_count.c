/* Counting processes by the links of /proc, or in a way that is given. */
#include "logger/linux/machine/process_count.h"

#include "logger/linux/machine/machine.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders may also appear without a module: list again after this time. */
#define LIST_EVERY_NS INT64_C(60000000000)

/* The link count; 0 if it cannot be read. */
static uint64_t links(struct pl_machine *m, int dir, const char *path)
{
    struct stat st;

    m->system_calls++;
    if (dir < 0 || (path ? fstatat(dir, path, &st, 0) : fstat(dir, &st)))
        return 0;
    return (uint64_t)st.st_nlink;
}

static bool is_due(const struct pl_machine *m, uint64_t modules)
{
    const struct pl_process_count *h = &m->head_count;

    return !h->agrees || h->modules != modules ||
           m->now.monotonic_ns - h->listed_ns >= LIST_EVERY_NS;
}

/* If a process starts or ends meanwhile, the next sample tries again. */
static enum pl_status compare(struct pl_machine *m, uint64_t modules)
{
    struct pl_process_count *h = &m->head_count;
    enum pl_status s = pl_pids_read(m);

    h->others = 2 + m->pids.num_folders;
    h->modules = modules;
    h->listed_ns = m->now.monotonic_ns;
    h->agrees = !s && m->pids.readable &&
                links(m, m->proc, NULL) == h->others + m->pids.num;
    return s;
}

static bool is_own(int proc)
{
    char text[32];
    ssize_t n = readlinkat(proc, "self", text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10) == getpid();
}

void pl_process_count_use(struct pl_machine *m, pl_process_counting *way,
                          void *of)
{
    if (!is_own(m->proc))
        return;
    m->head_count.way = way;
    m->head_count.way_of = of;
}

static bool was_counted(struct pl_machine *m, uint64_t *n)
{
    const struct pl_process_count *h = &m->head_count;

    m->system_calls += h->way ? 3 : 0;
    return h->way && h->way(h->way_of, n);
}

enum pl_status pl_process_count_read(struct pl_machine *m, uint64_t *n,
                                     bool *readable)
{
    uint64_t modules, now;
    enum pl_status s;

    *readable = true;
    if (was_counted(m, n))
        return PL_OK;
    modules = m->live ? links(m, m->sys, "module") : 0;
    if (!modules || is_due(m, modules)) {
        s = modules ? compare(m, modules) : pl_pids_read(m);
        *n = m->pids.num;
        *readable = m->pids.readable;
        return s;
    }
    now = links(m, m->proc, NULL);
    *readable = now > m->head_count.others;
    *n = *readable ? now - m->head_count.others : 0;
    return PL_OK;
}
