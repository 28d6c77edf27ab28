/*
 * The trees of control groups: one of version 2, and of version 1 one for each
 * controller or a few of them.  Groups with the same path are one group, whose
 * files are in several trees.  Paths are relative to the roots.
 */
#include "logger/linux/sources/cgroups.h"

#include "logger/linux/tables/counter_filter.h"
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

enum { MAX_DEVICES = 256 };

struct device {
    uint64_t number; /* major << 32 | minor */
    bool counts;
};

/* Files whose texts change whenever a group is made or removed. */
enum { STAT_V2, COUNTS_V1, NUM_STATES };

struct state {
    int fd;             /* -1: not open */
    struct pl_buf text; /* when the trees were walked */
};

struct cgroups {
    struct pl_member_files_source family;
    int roots[PL_NUM_CGROUP_TREES];
    struct state states[NUM_STATES];
    struct pl_buf text;
    uint8_t tree;   /* being walked */
    size_t usual;   /* groups found in it within the usual depth */
    size_t earlier; /* groups of the trees walked before */
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

    if (depth >= MAX_DEPTH || c->family.next.num - c->earlier >= MAX_GROUPS)
        return true;
    return (depth >= USUAL_DEPTH || c->usual >= USUAL_GROUPS) &&
           (!filter || !filter->num);
}

static enum pl_status add(struct cgroups *c, struct pl_text name,
                          struct pl_text path, uint64_t inode)
{
    struct pl_members *list = &c->family.next;
    enum pl_status s =
        pl_member_files_add(&c->family, name, path, 0, inode, PL_SHOWN);

    if (!s)
        list->list[list->num - 1].tree = c->tree;
    return s;
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
        s = add(c, name, below, st.st_ino);
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

/* True if an earlier tree is the same folder: controllers share a mount. */
static bool is_walked(const struct cgroups *c, unsigned tree)
{
    struct stat st, other;

    if (fstat(c->roots[tree], &st))
        return false;
    for (unsigned i = 0; i < tree; i++)
        if (c->roots[i] >= 0 && !fstat(c->roots[i], &other) &&
            st.st_dev == other.st_dev && st.st_ino == other.st_ino)
            return true;
    return false;
}

static enum pl_status walk_tree(struct cgroups *c, unsigned tree)
{
    char path[PATH_ROOM] = "";

    c->family.base.machine->system_calls += 1 + tree;
    if (c->roots[tree] < 0 || is_walked(c, tree))
        return PL_OK;
    c->tree = (uint8_t)tree;
    c->usual = 0;
    c->earlier = c->family.next.num;
    return walk(c, c->roots[tree], ".", path, 0, 0);
}

/* One group of each path: that of the first tree that has it. */
static void join_trees(struct pl_members *list)
{
    size_t n = 0;

    pl_members_settle(list);
    for (size_t i = 0; i < list->num; i++) {
        struct pl_member *last = n ? &list->list[n - 1] : NULL;

        if (!last || !pl_text_equal(last->path, list->list[i].path))
            list->list[n++] = list->list[i];
        else if (list->list[i].tree < last->tree)
            *last = list->list[i];
    }
    list->num = n;
}

/*
 * Read cgroup.stat of version 2's root, or the numbers of groups that
 * /proc/cgroups has of version 1 (kernel/cgroup/cgroup-v1.c,
 * proc_cgroupstats_show), into c->text.
 */
static bool read_state(struct cgroups *c, unsigned i)
{
    struct pl_machine *m = c->family.base.machine;
    struct state *state = &c->states[i];

    if (state->fd < 0)
        state->fd = i == STAT_V2
                        ? pl_proc_open(m, c->roots[PL_CGROUP_V2], "cgroup.stat")
                        : pl_proc_open(m, m->proc, "cgroups");
    return state->fd >= 0 && !pl_proc_read(m, state->fd, &c->text);
}

static bool has_version_1(const struct cgroups *c)
{
    for (unsigned i = PL_CGROUP_V2 + 1; i < PL_NUM_CGROUP_TREES; i++)
        if (c->roots[i] >= 0)
            return true;
    return false;
}

static bool uses_state(const struct cgroups *c, unsigned i)
{
    return i == STAT_V2 ? c->roots[PL_CGROUP_V2] >= 0 : has_version_1(c);
}

static enum pl_status list_groups(struct pl_member_files_source *f)
{
    struct cgroups *c = (struct cgroups *)f;
    enum pl_status s = PL_OK;

    for (unsigned i = 0; i < NUM_STATES; i++)
        if (uses_state(c, i) && read_state(c, i))
            pl_buf_swap(&c->text, &c->states[i].text);
    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES && !s; i++)
        s = walk_tree(c, i);
    if (!s && has_version_1(c))
        join_trees(&f->next);
    return s;
}

static bool state_has_changed(struct cgroups *c, unsigned i)
{
    const struct pl_buf *known = &c->states[i].text;

    return uses_state(c, i) &&
           (!read_state(c, i) || c->text.len != known->len ||
            (known->len && memcmp(c->text.p, known->p, known->len) != 0));
}

/* A changed text means a changed tree. */
static bool has_changed(struct pl_member_files_source *f)
{
    struct cgroups *c = (struct cgroups *)f;

    return f->base.machine->now.monotonic_ns - f->listed_ns >= WALK_EVERY_NS ||
           state_has_changed(c, STAT_V2) || state_has_changed(c, COUNTS_V1);
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

/* Version 1 has no word for "no limit": the largest number of pages. */
#define NO_LIMIT_V1 ((UINT64_C(1) << 63) - (UINT64_C(1) << 20))

static uint64_t bit(unsigned field)
{
    return UINT64_C(1) << field;
}

static void set_limit(uint64_t *values, uint64_t *seen)
{
    uint64_t quota = values[PL_CG_QUOTA], period = values[PL_CG_PERIOD];

    if (!pl_seen(*seen, PL_CG_QUOTA) || !period)
        return;
    values[PL_CG_LIMIT] =
        quota > UINT32_MAX ? UINT32_MAX : quota * 1000 / period;
    *seen |= bit(PL_CG_LIMIT);
}

static void finish(struct pl_member_files_source *f, size_t member,
                   uint64_t *values, uint64_t *seen)
{
    const struct cgroups *c = (const struct cgroups *)f;
    const struct pl_member *m = &f->now.list[member];

    values[PL_CG_INODE] = m->inode;
    *seen |= bit(PL_CG_INODE) | bit(PL_CG_DATA_FLAGS);
    set_limit(values, seen);
    if (values[PL_CG_MEM_MAX] >= NO_LIMIT_V1)
        values[PL_CG_MEM_MAX] = 0;
    if (!m->path.n && c->roots[PL_CGROUP_V2] >= 0 &&
        !pl_seen(*seen, PL_CG_POPULATED)) {
        values[PL_CG_POPULATED] = 1; /* the root has no such file */
        *seen |= bit(PL_CG_POPULATED);
    }
}

static const struct pl_member_files family = {
    .parts = pl_cgroup_parts,
    .num_parts = PL_NUM_CGROUP_PARTS,
    .list = list_groups,
    .changed = has_changed,
    .finish = finish,
    .counts = device_counts,
    .flags_field = PL_CG_DATA_FLAGS,
};

/* ---- the source --------------------------------------------------------- */

bool pl_cgroups_explain(const struct pl_source *s, char *why, size_t size)
{
    const struct cgroups *c = (const struct cgroups *)s;
    char names[64] = "";
    size_t n = 0;

    if (s->kind->family != &family || !has_version_1(c))
        return false;
    for (unsigned i = PL_CGROUP_V2 + 1; i < PL_NUM_CGROUP_TREES; i++)
        if (c->roots[i] >= 0)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                                  n ? ", " : "", pl_cgroup_controllers[i]);
    snprintf(why, size, "control groups are of version 1 here (%s); none has ",
             names);
    return true;
}

static void cgroups_close(struct pl_source *s)
{
    struct cgroups *c = (struct cgroups *)s;

    for (unsigned i = 0; i < NUM_STATES; i++) {
        if (c->states[i].fd >= 0)
            close(c->states[i].fd);
        pl_buf_release(&c->states[i].text);
    }
    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES; i++)
        if (c->roots[i] >= 0)
            close(c->roots[i]);
    pl_buf_release(&c->text);
    pl_member_files_close(s);
}

static enum pl_status find_trees(struct cgroups *c, struct pl_machine *m)
{
    enum pl_status s;

    for (unsigned i = 0; i < NUM_STATES; i++)
        c->states[i].fd = -1;
    s = pl_cgroup_roots(m, c->roots);
    c->family.trees = c->roots;
    /* Version 1 has it only in a file that takes the kernel long to write. */
    if (c->roots[PL_CGROUP_MEMORY] >= 0)
        c->family.base.fields[PL_CG_SWAP].costly = true;
    return s;
}

static enum pl_status cgroups_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct pl_member_files_source *f;
    enum pl_status s =
        pl_member_files_init(&f, sizeof(struct cgroups), m, kind);

    if (s)
        return s;
    s = find_trees((struct cgroups *)f, m);
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
    .fields = pl_cgroup_fields,
    .num_fields = PL_NUM_CGROUP_FIELDS,
    .family = &family,
};
