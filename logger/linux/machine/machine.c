/* Opens and closes the state shared by all sources of one sampler. */
#include "logger/linux/machine/machine.h"

#include "format/time/time_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PROCFS_MAGIC = 0x9fa0 };

static int open_dir(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Set the origins of the clocks in a block. */
static void set_clocks(struct pl_machine *m)
{
    struct pl_tick t;

    pl_sampler_clocks(&t);
    m->boot_100ns = PL_FILETIME_OF_1970 + (t.utc_ns - t.boot_ns) / 100;
    m->wall_100ns = PL_FILETIME_OF_1970 + (t.utc_ns - t.monotonic_ns) / 100;
    m->start_100ns = m->boot_100ns + t.boot_ns / 100;
}

enum pl_status pl_machine_open(struct pl_machine *m,
                               const struct pl_sampler_options *options,
                               const struct pl_source_kind *const *kinds)
{
    struct statfs fs;

    *m = (struct pl_machine){ .all_disks = options->all_disks,
                              .way = options->processes,
                              .kinds = kinds };
    m->sys = open_dir(options->sys ? options->sys : "/sys");
    m->proc = open_dir(options->proc ? options->proc : "/proc");
    if (m->proc < 0)
        return PL_IO;
    m->live = fstatfs(m->proc, &fs) == 0 && fs.f_type == PROCFS_MAGIC;
    if (!m->live && !options->proc) {
        m->why = "/proc is not mounted: there is nothing to record";
        errno = ENOENT;
        return PL_IO;
    }
    m->tick = 1; /* opening counts as a sample: files probed are read once */
    set_clocks(m);
    pl_units_fill(m->units, (uint64_t)m->boot_100ns);
    return PL_OK;
}

void pl_machine_close(struct pl_machine *m)
{
    for (size_t i = 0; i < PL_NUM_SOURCES; i++)
        pl_source_close(m->sources[i]);
    pl_procfiles_close(m->files);
    pl_pids_release(&m->pids);
    if (m->sys >= 0)
        close(m->sys);
    if (m->proc >= 0)
        close(m->proc);
}
