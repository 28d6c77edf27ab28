/*
 * The tree of control groups, version 2: where it is mounted, its groups, and
 * the files of each, which are written by kernel/cgroup/ (cpu.stat, pids.*,
 * *.pressure), mm/memcontrol.c (memory.*) and block/blk-cgroup.c (io.stat).
 * Paths are relative to the root.
 */
#include "logger/linux/machine/cgroup_root.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/sources/member_files.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Recorded by default: no deeper, and no more than these. */
enum { USUAL_DEPTH = 3, USUAL_GROUPS = 200 };

/* Limits of the walk; the kernel's own limits are off by default. */
enum { MAX_DEPTH = 64, MAX_GROUPS = 16384, PATH_ROOM = 4096 };

/* Link count of a folder without folders; 1 where they are not counted. */
enum { LINKS_OF_LEAF = 2 };

#define WALK_EVERY_NS INT64_C(30000000000)

/* Bits of Data Flags. */
enum { CPU, MEMORY, IO, PIDS, MEMORY_STAT, PRESSURE, CPU_LIMIT };

/* clang-format off */
enum {
    USAGE, USER, SYSTEM, PERIODS, THROTTLED, THROTTLED_US,
    QUOTA, PERIOD, LIMIT,
    MEM_CURRENT, MEM_MAX, MEM_HIGH, SWAP,
    EV_MAX, EV_HIGH, EV_OOM, EV_OOM_KILL,
    ANON, FILE_BYTES, KERNEL, KERNEL_STACK, PAGETABLES, PERCPU, SOCK, SHMEM,
    FILE_DIRTY, INACTIVE_FILE, SLAB, REFAULT_ANON, REFAULT_FILE, PGSCAN,
    PGSTEAL, PGFAULT, PGMAJFAULT,
    RBYTES, WBYTES, RIOS, WIOS, DBYTES,
    PIDS_CURRENT, PIDS_MAX,
    CPU_SOME, CPU_FULL, MEMORY_SOME, MEMORY_FULL, IO_SOME, IO_FULL,
    POPULATED, DYING, INODE, DATA_FLAGS, NUM_FIELDS
};

static const struct pl_field fields[NUM_FIELDS] = {
    [USAGE] = PL_GROUPED("usage_usec", CPU),
    [USER] = PL_GROUPED("user_usec", CPU),
    [SYSTEM] = PL_GROUPED("system_usec", CPU),
    [PERIODS] = PL_GROUPED("nr_periods", CPU_LIMIT),
    [THROTTLED] = PL_GROUPED("nr_throttled", CPU_LIMIT),
    [THROTTLED_US] = PL_GROUPED("throttled_usec", CPU_LIMIT),
    [QUOTA] = PL_GROUPED("quota", CPU_LIMIT), /* us, as the next */
    [PERIOD] = PL_GROUPED("period", CPU_LIMIT),
    [LIMIT] = PL_GROUPED("processor_limit", CPU_LIMIT), /* thousandths */
    [MEM_CURRENT] = PL_GROUPED("memory_current", MEMORY),
    [MEM_MAX] = PL_GROUPED("memory_max", MEMORY),
    [MEM_HIGH] = PL_GROUPED("memory_high", MEMORY),
    [SWAP] = PL_GROUPED("swap_current", MEMORY),
    [EV_MAX] = PL_GROUPED("events_max", MEMORY),
    [EV_HIGH] = PL_GROUPED("events_high", MEMORY),
    [EV_OOM] = PL_GROUPED("events_oom", MEMORY),
    [EV_OOM_KILL] = PL_GROUPED("events_oom_kill", MEMORY),
    [ANON] = PL_COSTLY("anon", MEMORY_STAT),
    [FILE_BYTES] = PL_COSTLY("file", MEMORY_STAT),
    [KERNEL] = PL_COSTLY("kernel", MEMORY_STAT),
    [KERNEL_STACK] = PL_COSTLY("kernel_stack", MEMORY_STAT),
    [PAGETABLES] = PL_COSTLY("pagetables", MEMORY_STAT),
    [PERCPU] = PL_COSTLY("percpu", MEMORY_STAT),
    [SOCK] = PL_COSTLY("sock", MEMORY_STAT),
    [SHMEM] = PL_COSTLY("shmem", MEMORY_STAT),
    [FILE_DIRTY] = PL_COSTLY("file_dirty", MEMORY_STAT),
    [INACTIVE_FILE] = PL_COSTLY("inactive_file", MEMORY_STAT),
    [SLAB] = PL_COSTLY("slab", MEMORY_STAT),
    [REFAULT_ANON] = PL_COSTLY("workingset_refault_anon", MEMORY_STAT),
    [REFAULT_FILE] = PL_COSTLY("workingset_refault_file", MEMORY_STAT),
    [PGSCAN] = PL_COSTLY("pgscan", MEMORY_STAT),
    [PGSTEAL] = PL_COSTLY("pgsteal", MEMORY_STAT),
    [PGFAULT] = PL_COSTLY("pgfault", MEMORY_STAT),
    [PGMAJFAULT] = PL_COSTLY("pgmajfault", MEMORY_STAT),
    [RBYTES] = PL_GROUPED("rbytes", IO),
    [WBYTES] = PL_GROUPED("wbytes", IO),
    [RIOS] = PL_GROUPED("rios", IO),
    [WIOS] = PL_GROUPED("wios", IO),
    [DBYTES] = PL_GROUPED("dbytes", IO),
    [PIDS_CURRENT] = PL_GROUPED("pids_current", PIDS),
    [PIDS_MAX] = PL_GROUPED("pids_events_max", PIDS),
    [CPU_SOME] = PL_COSTLY("cpu_some_total", PRESSURE),
    [CPU_FULL] = PL_COSTLY("cpu_full_total", PRESSURE),
    [MEMORY_SOME] = PL_COSTLY("memory_some_total", PRESSURE),
    [MEMORY_FULL] = PL_COSTLY("memory_full_total", PRESSURE),
    [IO_SOME] = PL_COSTLY("io_some_total", PRESSURE),
    [IO_FULL] = PL_COSTLY("io_full_total", PRESSURE),
    [POPULATED] = PL_FIELD("populated"),
    [DYING] = PL_FIELD("nr_dying_descendants"),
    [INODE] = PL_FIELD("inode"),
    [DATA_FLAGS] = PL_FIELD("data_flags"),
};

static const struct pl_part parts[] = {
    PL_PART("cpu.stat", PL_KEYS, USAGE, 6),
    PL_PART("cpu.max", PL_NUMBERS, QUOTA, 3), /* the third is computed from them */
    PL_PART("memory.current", PL_NUMBERS, MEM_CURRENT, 1),
    PL_PART("memory.max", PL_NUMBERS, MEM_MAX, 1),
    PL_PART("memory.high", PL_NUMBERS, MEM_HIGH, 1),
    PL_PART("memory.swap.current", PL_NUMBERS, SWAP, 1),
    PL_PART("memory.events", PL_KEYS, EV_MAX, 4, .prefix = "events_"),
    PL_PART("memory.stat", PL_KEYS, ANON, PGMAJFAULT - ANON + 1),
    PL_PART("io.stat", PL_SUMS, RBYTES, 5),
    PL_PART("pids.current", PL_NUMBERS, PIDS_CURRENT, 1),
    PL_PART("pids.events", PL_KEYS, PIDS_MAX, 1, .prefix = "pids_events_"),
    PL_PART("cpu.pressure", PL_PAIRS, CPU_SOME, 2, .prefix = "cpu_"),
    PL_PART("memory.pressure", PL_PAIRS, MEMORY_SOME, 2, .prefix = "memory_"),
    PL_PART("io.pressure", PL_PAIRS, IO_SOME, 2, .prefix = "io_"),
    PL_PART("cgroup.events", PL_KEYS, POPULATED, 1),
    PL_PART("cgroup.stat", PL_KEYS, DYING, 1),
};
/* clang-format on */

_Static_assert(sizeof parts / sizeof *parts <= PL_MAX_PARTS, "parts");
_Static_assert(NUM_FIELDS <= (int)PL_MAX_FAMILY_FIELDS, "bits of fields");

enum { MAX_DEVICES = 256 };

struct device {
    uint64_t number; /* major << 32 | minor */
    bool counts;
};

struct cgroups {
    struct pl_member_files_source family;
    int stat;            /* cgroup.stat of the root, -1: not open */
    struct pl_buf state; /* its text when the tree was walked */
    struct pl_buf text;
    size_t usual; /* groups found within the usual depth */
    struct device devices[MAX_DEVICES];
    size_t num_devices;
};

/* ---- the tree ----------------------------------------------------------- */

static enum pl_show show_of(struct cgroups *c, struct pl_text name,
                            unsigned depth)
{
    const struct pl_filter *filter = c->family.base.filter;

    if (depth <= USUAL_DEPTH && c->usual < USUAL_GROUPS)
        return PL_SHOWN;
    return filter && pl_filter_names(filter, name) ? PL_SHOWN : PL_HIDDEN;
}

static bool is_deep_enough(const struct cgroups *c, unsigned depth)
{
    const struct pl_filter *filter = c->family.base.filter;

    if (depth >= MAX_DEPTH || c->family.next.num >= MAX_GROUPS)
        return true;
    return (depth >= USUAL_DEPTH || c->usual >= USUAL_GROUPS) &&
           (!filter || !filter->num);
}

/* All groups below the one whose folder is 'dir'. */
static enum pl_status walk_below(struct cgroups *c, int dir, char *path,
                                 size_t len, unsigned depth);

/* The group "ENTRY" of the folder 'dir' and all below it. */
static enum pl_status walk(struct cgroups *c, int dir, const char *entry,
                           char *path, size_t len, unsigned depth)
{
    struct pl_text name = len ? (struct pl_text){ path, len } : pl_text_of("/");
    struct pl_text below = len ? (struct pl_text){ path + 1, len - 1 }
                               : (struct pl_text){ path, 0 };
    enum pl_show show = show_of(c, name, depth);
    enum pl_status s = PL_OK;
    struct stat st;
    int fd;

    c->family.base.machine->system_calls++;
    if (fstatat(dir, entry, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
        return PL_OK;
    c->usual += show == PL_SHOWN;
    if (show == PL_SHOWN)
        s = pl_member_files_add(&c->family, name, below, 0, st.st_ino, show);
    if (s || st.st_nlink == LINKS_OF_LEAF || is_deep_enough(c, depth))
        return s;
    fd = openat(dir, entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 ? PL_OK : walk_below(c, fd, path, len, depth);
}

static enum pl_status walk_below(struct cgroups *c, int dir, char *path,
                                 size_t len, unsigned depth)
{
    DIR *d = fdopendir(dir);
    enum pl_status s = PL_OK;
    struct dirent *e;

    c->family.base.machine->system_calls += 5;
    if (!d) {
        close(dir);
        return PL_OK;
    }
    while (!s && !is_deep_enough(c, depth) && (e = readdir(d))) {
        size_t n = strlen(e->d_name);

        if ((e->d_type != DT_DIR && e->d_type != DT_UNKNOWN) ||
            e->d_name[0] == '.' || len + n + 2 > PATH_ROOM)
            continue;
        path[len] = '/';
        memcpy(path + len + 1, e->d_name, n + 1);
        s = walk(c, dir, e->d_name, path, len + 1 + n, depth + 1);
    }
    closedir(d);
    return s;
}

/* Read cgroup.stat of the root; a changed text means a changed tree. */
static bool read_state(struct cgroups *c)
{
    struct pl_machine *m = c->family.base.machine;

    if (c->stat < 0)
        c->stat = pl_proc_open(m, c->family.dir, "cgroup.stat");
    return c->stat >= 0 && !pl_proc_read(m, c->stat, &c->text);
}

static enum pl_status list_groups(struct pl_member_files_source *f)
{
    struct cgroups *c = (struct cgroups *)f;
    char path[PATH_ROOM] = "";

    c->usual = 0;
    if (f->dir < 0)
        return PL_OK;
    if (read_state(c))
        pl_buf_swap(&c->text, &c->state);
    return walk(c, f->dir, ".", path, 0, 0);
}

static bool has_changed(struct pl_member_files_source *f)
{
    struct cgroups *c = (struct cgroups *)f;

    if (f->base.machine->now.monotonic_ns - f->listed_ns >= WALK_EVERY_NS)
        return true;
    return !read_state(c) || c->text.len != c->state.len ||
           (c->text.len && memcmp(c->text.p, c->state.p, c->text.len) != 0);
}

/* ---- devices ------------------------------------------------------------ */

/*
 * "8:0" of io.stat.  With stacked devices each layer counts a request: only
 * hardware devices are summed, as in PhysicalDisk.
 */
static bool device_counts(struct pl_member_files_source *f, struct pl_text word)
{
    struct cgroups *c = (struct cgroups *)f;
    struct pl_proctext line = { word.p, word.p + word.n };
    uint64_t major, minor, number;
    char path[64];
    bool counts;

    if (!pl_proctext_number(&line, &major) || !pl_proctext_skip(&line, ':') ||
        !pl_proctext_number(&line, &minor))
        return false;
    number = major << 32 | (uint32_t)minor;
    for (size_t i = 0; i < c->num_devices; i++)
        if (c->devices[i].number == number)
            return c->devices[i].counts;
    snprintf(path, sizeof path, "dev/block/%llu:%llu/device",
             (unsigned long long)major, (unsigned long long)minor);
    counts = pl_sys_exists(f->base.machine, path);
    if (c->num_devices < MAX_DEVICES)
        c->devices[c->num_devices++] = (struct device){ number, counts };
    return counts;
}

/* ---- computed fields ---------------------------------------------------- */

static uint64_t bit(unsigned field)
{
    return UINT64_C(1) << field;
}

static void finish(struct pl_member_files_source *f, size_t member,
                   uint64_t *values, uint64_t *seen)
{
    const struct pl_member *m = &f->now.list[member];

    values[INODE] = m->inode;
    *seen |= bit(INODE) | bit(DATA_FLAGS);
    if (pl_seen(*seen, QUOTA) && values[PERIOD]) {
        values[LIMIT] = values[QUOTA] > UINT32_MAX
                            ? UINT32_MAX
                            : values[QUOTA] * 1000 / values[PERIOD];
        *seen |= bit(LIMIT);
    }
    if (!m->path.n && !pl_seen(*seen, POPULATED)) {
        values[POPULATED] = 1; /* the root has no such file */
        *seen |= bit(POPULATED);
    }
}

static const struct pl_member_files family = {
    .parts = parts,
    .num_parts = sizeof parts / sizeof *parts,
    .list = list_groups,
    .changed = has_changed,
    .finish = finish,
    .counts = device_counts,
    .flags_field = DATA_FLAGS,
};

static void cgroups_close(struct pl_source *s)
{
    struct cgroups *c = (struct cgroups *)s;

    if (c->stat >= 0)
        close(c->stat);
    if (c->family.dir >= 0)
        close(c->family.dir);
    pl_buf_release(&c->state);
    pl_buf_release(&c->text);
    pl_member_files_close(s);
}

static enum pl_status cgroups_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct pl_member_files_source *f;
    enum pl_status s =
        pl_member_files_init(&f, sizeof(struct cgroups), m, kind);

    if (s)
        return s;
    ((struct cgroups *)f)->stat = -1;
    s = pl_cgroup_root(m, &f->dir);
    if (!s)
        s = pl_member_files_begin(f);
    if (s) {
        cgroups_close(&f->base);
        return s;
    }
    *out = &f->base;
    return PL_OK;
}

const struct pl_source_kind pl_cgroups_kind = {
    .name = "cgroups",
    .open = cgroups_open,
    .read = pl_member_files_read,
    .close = cgroups_close,
    .path = "self/mountinfo",
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .family = &family,
};
