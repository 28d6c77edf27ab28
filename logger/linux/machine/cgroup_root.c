/*
 * Where control groups of version 2 are mounted: /proc/self/mountinfo
 * (fs/proc_namespace.c, show_mountinfo).
 */
#include "logger/linux/machine/cgroup_root.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <fcntl.h>

/* The mount point in 'line' if it is of a cgroup2, "" and a 0 otherwise. */
static bool scan_mount(struct pl_proctext line, struct pl_buf *point)
{
    struct pl_text word, path = { NULL, 0 };

    for (unsigned i = 0; i < 5; i++)
        if (!pl_proctext_word(&line, &path))
            return false;
    do {
        if (!pl_proctext_word(&line, &word))
            return false;
    } while (word.n != 1 || *word.p != '-');
    if (!pl_proctext_word(&line, &word) ||
        !pl_text_equal(word, pl_text_of("cgroup2")))
        return false;
    pl_buf_clear(point);
    pl_proctext_unescape(path, point);
    pl_buf_u8(point, 0);
    return true;
}

/* A mount below /sys is looked up in 'sys', as a saved tree has it too. */
static int open_folder(struct pl_machine *m, const char *path)
{
    static const char sys[] = "/sys/";
    size_t n = sizeof sys - 1;

    m->system_calls++;
    if (!strncmp(path, sys, n))
        return openat(m->sys, path + n, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return m->live ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

enum pl_status pl_cgroup_root(struct pl_machine *m, int *fd)
{
    struct pl_procfile *file;
    struct pl_buf point = { 0 };
    struct pl_proctext rest, line;
    enum pl_status s =
        pl_procfile_open(&file, m, "self/mountinfo", PL_IN_PIECES);

    *fd = -1;
    if (s)
        return s;
    rest = pl_proctext_of(pl_procfile_read(file));
    while (*fd < 0 && pl_proctext_line(&rest, &line))
        if (scan_mount(line, &point) && !point.oom)
            *fd = open_folder(m, (const char *)point.p);
    pl_buf_release(&point);
    return PL_OK;
}
