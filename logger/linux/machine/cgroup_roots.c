/*
 * Where control groups are mounted: /proc/self/mountinfo
 * (fs/proc_namespace.c, show_mountinfo; kernel/cgroup/cgroup-v1.c,
 * cgroup1_show_options).
 */
#include "logger/linux/machine/cgroup_roots.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <fcntl.h>

const char *const pl_cgroup_controllers[PL_NUM_CGROUP_TREES] = {
    [PL_CGROUP_CPU] = "cpu",       [PL_CGROUP_CPUACCT] = "cpuacct",
    [PL_CGROUP_MEMORY] = "memory", [PL_CGROUP_BLKIO] = "blkio",
    [PL_CGROUP_PIDS] = "pids",
};

/* What a line says of a mount. */
struct mount {
    struct pl_text point, type, options;
};

static bool scan_mount(struct pl_proctext line, struct mount *out)
{
    struct pl_text word;

    for (unsigned i = 0; i < 5; i++)
        if (!pl_proctext_word(&line, &out->point))
            return false;
    do {
        if (!pl_proctext_word(&line, &word))
            return false;
    } while (word.n != 1 || *word.p != '-');
    return pl_proctext_word(&line, &out->type) &&
           pl_proctext_word(&line, &word) &&
           pl_proctext_word(&line, &out->options);
}

/* True if 'name' is between the commas of 'list'. */
static bool has_option(struct pl_text list, const char *name)
{
    size_t n = strlen(name);

    for (size_t at = 0; at < list.n;) {
        size_t end = at;

        while (end < list.n && list.p[end] != ',')
            end++;
        if (end - at == n && !memcmp(list.p + at, name, n))
            return true;
        at = end + 1;
    }
    return false;
}

static bool is_of(const struct mount *mount, enum pl_cgroup_tree tree)
{
    const char *name = pl_cgroup_controllers[tree];

    if (!name)
        return pl_text_equal(mount->type, pl_text_of("cgroup2"));
    return pl_text_equal(mount->type, pl_text_of("cgroup")) &&
           has_option(mount->options, name);
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

/* Open the trees that the mount is the first of. */
static void open_mount(struct pl_machine *m, const struct mount *mount,
                       struct pl_buf *path, int fd[PL_NUM_CGROUP_TREES])
{
    pl_buf_clear(path);
    pl_proctext_unescape(mount->point, path);
    pl_buf_u8(path, 0);
    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES; i++)
        if (fd[i] < 0 && !path->oom && is_of(mount, i))
            fd[i] = open_folder(m, (const char *)path->p);
}

enum pl_status pl_cgroup_roots(struct pl_machine *m,
                               int fd[PL_NUM_CGROUP_TREES])
{
    struct pl_procfile *file;
    struct pl_buf path = { 0 };
    struct pl_proctext rest, line;
    struct mount mount;
    enum pl_status s;

    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES; i++)
        fd[i] = -1;
    s = pl_procfile_open(&file, m, "self/mountinfo", PL_IN_PIECES);
    if (s)
        return s;
    rest = pl_proctext_of(pl_procfile_read(file));
    while (pl_proctext_line(&rest, &line))
        if (scan_mount(line, &mount))
            open_mount(m, &mount, &path, fd);
    s = path.oom ? PL_NOMEM : PL_OK;
    pl_buf_release(&path);
    return s;
}
