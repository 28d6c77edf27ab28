/*
 * The trees of control groups: one of version 2, and of version 1 one for each
 * controller or a few of them.  Groups with the same path are one group, whose
 * files are in several trees.  Paths are relative to the roots.
 */
#include "logger/linux/sources/cgroups.h"

#include "logger/linux/sources/disks.h"
#include "logger/linux/sources/kills.h"
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

/* Recorded by default: no deeper, and no more than these of the top level, and
 * below it. */
enum { TOP_DEPTH = 1, USUAL_DEPTH = 3, USUAL_GROUPS = 200 };

/* Limits of the walk of a tree, as the kernel's own are off by default: of groups
 * that no path names, and of those that one does or may be below. */
enum { MAX_GROUPS = 16384, MAX_NAMED = 1 << 18, PATH_ROOM = 4096 };

/* Link count of a folder without folders; 1 where they are not counted. */
enum { LINKS_OF_LEAF = 2 };

#define WALK_EVERY_NS INT64_C(30000000000)

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
    uint8_t tree;    /* being walked */
    size_t earlier;  /* groups of the trees walked before */
    size_t overflow; /* groups beyond the limits of the walk */
    size_t left_out; /* these, and within the usual depth, for lack of places */
    bool too_many;   /* a group that a path names may be among them */
    bool said;       /* that some were left out */
    struct pl_source *disks;
    size_t disk;                        /* row of the device of the last line */
    bool is_whole[PL_NUM_CGROUP_TREES]; /* it begins with the first group */
    struct pl_kills kills;
};

/* ---- the tree ----------------------------------------------------------- */

static bool is_named(const struct cgroups *c, struct pl_text name)
{
    const struct pl_filter *filter = c->family.base.filter;

    return filter && pl_filter_names(filter, name);
}

/* Are there paths that may name a group? */
static bool has_names(const struct cgroups *c)
{
    const struct pl_filter *filter = c->family.base.filter;

    return filter && filter->num;
}

/* True if no group below 'depth' can be recorded. */
static bool is_deep_enough(const struct cgroups *c, uint64_t depth)
{
    return depth >= USUAL_DEPTH && !has_names(c);
}

/* True if there is no place for a group of its tree, that a path may name. */
static bool is_full(const struct cgroups *c, bool may_be_named)
{
    return c->family.next.num - c->earlier >=
           (may_be_named ? MAX_NAMED : MAX_GROUPS);
}

static enum pl_status leave_out(struct cgroups *c, bool may_be_named)
{
    c->overflow++;
    c->too_many |= may_be_named;
    return PL_OK;
}

/*
 * Add the group "ENTRY" of the folder 'dir' if it, or one below it, may be
 * recorded.  While the list is made members ascend by depth, and those that
 * only choose() decides about are hidden.
 */
static enum pl_status add(struct cgroups *c, int dir, const char *entry,
                          struct pl_text path, uint64_t depth)
{
    struct pl_text name = path.n ? path : pl_text_of("/");
    struct pl_text below = { path.p + (path.n > 0), path.n - (path.n > 0) };
    struct pl_members *list = &c->family.next;
    bool named = is_named(c, name), is_leaf;
    enum pl_status s;
    struct stat st;

    if (is_full(c, has_names(c)))
        return leave_out(c, has_names(c));
    c->family.base.machine->system_calls++;
    if (fstatat(dir, entry, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
        return PL_OK;
    is_leaf = st.st_nlink == LINKS_OF_LEAF;
    if (!named && is_leaf && depth > USUAL_DEPTH)
        return PL_OK;
    if (!named && is_leaf && is_full(c, false))
        return leave_out(c, false);
    s = pl_member_files_add(&c->family, name, below, depth, st.st_ino,
                            named ? PL_SHOWN : PL_HIDDEN);
    if (s)
        return s;
    list->list[list->num - 1].tree = c->tree;
    list->list[list->num - 1].has_folders = !is_leaf;
    return PL_OK;
}

/* The groups in the folder 'd', whose path is the first 'len' bytes. */
static enum pl_status add_entries(struct cgroups *c, DIR *d,
                                  char path[PATH_ROOM], size_t len,
                                  uint64_t depth)
{
    enum pl_status s = PL_OK;
    struct dirent *e;

    while (!s && (e = readdir(d))) {
        size_t n = strlen(e->d_name);

        if ((e->d_type != DT_DIR && e->d_type != DT_UNKNOWN) ||
            e->d_name[0] == '.' || len + n + 2 > PATH_ROOM)
            continue;
        path[len] = '/';
        memcpy(path + len + 1, e->d_name, n + 1);
        s = add(c, dirfd(d), e->d_name, (struct pl_text){ path, len + 1 + n },
                depth);
    }
    return s;
}

/* The groups in that of member 'i', behind all others. */
static enum pl_status add_below(struct cgroups *c, size_t i)
{
    const struct pl_member *m = &c->family.next.list[i];
    const char *below = (const char *)c->family.next.texts.p + m->path_at;
    size_t len = m->path.n ? m->path.n + 1 : 0;
    char path[PATH_ROOM];
    enum pl_status s;
    int fd;
    DIR *d;

    path[0] = '/';
    memcpy(path + 1, below, m->path.n);
    c->family.base.machine->system_calls += 5;
    fd = openat(c->roots[c->tree], m->path.n ? below : ".",
                O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return PL_OK;
    }
    s = add_entries(c, d, path, len, m->order + 1);
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

/* All groups of a tree, level by level: the list is the queue. */
static enum pl_status walk_tree(struct cgroups *c, unsigned tree)
{
    struct pl_members *list = &c->family.next;
    enum pl_status s;

    c->family.base.machine->system_calls += 1 + tree;
    if (c->roots[tree] < 0 || is_walked(c, tree))
        return PL_OK;
    c->tree = (uint8_t)tree;
    c->earlier = list->num;
    s = add(c, c->roots[tree], ".", pl_text_of(""), 0);
    for (size_t i = c->earlier;
         !s && i < list->num && !is_full(c, has_names(c)); i++)
        if (list->list[i].has_folders &&
            !is_deep_enough(c, list->list[i].order))
            s = add_below(c, i);
    return s;
}

/* One group of each path: that of the first tree that has it. */
static void join_trees(struct pl_members *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->num; i++) {
        struct pl_member *last = n ? &list->list[n - 1] : NULL;

        if (!last || !pl_text_equal(last->path, list->list[i].path))
            list->list[n++] = list->list[i];
        else if (list->list[i].tree < last->tree)
            *last = list->list[i];
    }
    list->num = n;
}

/* ---- the choice --------------------------------------------------------- */

static bool is_recorded(const struct cgroups *c, const struct pl_member *m)
{
    const struct pl_members *now = &c->family.now;
    struct pl_member key = *m;

    key.order = 0;
    return now->num &&
           bsearch(&key, now->list, now->num, sizeof key, pl_member_compare);
}

/*
 * Give places to groups that no path names: first to those that have one, as a
 * group that lives must not seem to have ended, then to the others.
 */
static void give_places(const struct cgroups *c, struct pl_members *list)
{
    size_t root = 1, top = USUAL_GROUPS, below = USUAL_GROUPS;

    for (int others = 0; others <= 1; others++)
        for (size_t i = 0; i < list->num; i++) {
            struct pl_member *m = &list->list[i];
            size_t *places = m->order == 0           ? &root
                             : m->order <= TOP_DEPTH ? &top
                                                     : &below;

            if (m->show != PL_HIDDEN || m->order > USUAL_DEPTH || !*places ||
                (!others && !is_recorded(c, m)))
                continue;
            m->show = PL_SHOWN;
            --*places;
        }
}

/* Keep what is recorded of the list, which ascends by depth, then by name. */
static void choose(struct cgroups *c, struct pl_members *list)
{
    size_t n = 0;

    give_places(c, list);
    c->left_out = c->overflow;
    for (size_t i = 0; i < list->num; i++) {
        struct pl_member *m = &list->list[i];

        c->left_out += m->show == PL_HIDDEN && m->order <= USUAL_DEPTH;
        m->order = 0;
        if (m->show == PL_SHOWN)
            list->list[n++] = *m;
    }
    list->num = n;
}

/* ---- changes ------------------------------------------------------------ */

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
    c->overflow = 0;
    c->too_many = false;
    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES && !s; i++)
        s = walk_tree(c, i);
    if (s)
        return s;
    pl_members_settle(&f->next);
    if (has_version_1(c))
        join_trees(&f->next);
    choose(c, &f->next);
    return PL_OK;
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
 * "8:0" of io.stat.  With stacked devices each layer counts a request: those
 * are summed that the total of PhysicalDisk has.
 */
static bool device_counts(struct pl_member_files_source *f, struct pl_text word)
{
    struct cgroups *c = (struct cgroups *)f;
    struct pl_proctext line = { word.p, word.p + word.n };
    uint64_t major, minor;
    size_t row;

    if (!pl_proctext_number(&line, &major) || !pl_proctext_skip(&line, ':') ||
        !pl_proctext_number(&line, &minor))
        return false;
    row = pl_disk_row(&c->disks->rows, major, minor, c->disk);
    if (row == PL_NO_ROW)
        return false;
    c->disk = row;
    return pl_disk_is_summed(&c->disks->rows, row);
}

/* ---- computed fields ---------------------------------------------------- */

/* Version 1 has no word for "no limit": the largest number of pages. */
#define NO_LIMIT_V1 ((UINT64_C(1) << 63) - (UINT64_C(1) << 20))

static uint64_t bit(unsigned field)
{
    return UINT64_C(1) << field;
}

/* Of devices: those from the first to the last. */
static const uint64_t io_fields =
    (UINT64_C(2) << PL_CG_WIOS) - (UINT64_C(1) << PL_CG_RBYTES);

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
    *seen |= bit(PL_CG_INODE);
    if (!c->disks->readable)
        *seen &= ~io_fields; /* which devices count is not known */
    set_limit(values, seen);
    if (values[PL_CG_MEM_MAX] >= NO_LIMIT_V1)
        values[PL_CG_MEM_MAX] = 0;
    if (!m->path.n && c->roots[PL_CGROUP_V2] >= 0 &&
        !pl_seen(*seen, PL_CG_POPULATED)) {
        values[PL_CG_POPULATED] = 1; /* the root has no such file */
        *seen |= bit(PL_CG_POPULATED);
    }
}

/* ---- what cannot have changed ------------------------------------------- */

/* Version 1 has this file in the first group alone (CFTYPE_ONLY_ON_ROOT), which
 * in a namespace is not the one mounted. */
static bool begins_whole(const struct cgroups *c, unsigned tree)
{
    c->family.base.machine->system_calls++;
    return !faccessat(c->roots[tree], "release_agent", F_OK, 0);
}

static bool is_unchanged(const struct pl_member_files_source *f,
                         const struct pl_member *member,
                         const struct pl_part *part)
{
    const struct cgroups *c = (const struct cgroups *)f;

    if (part->rule == PL_CG_WITH_KILLS)
        return pl_kills_are_none(&c->kills);
    return !member->path.n && c->is_whole[part->tree];
}

static void cgroups_undo(struct pl_source *s)
{
    struct cgroups *c = (struct cgroups *)s;

    c->kills.steady = 0;
    pl_member_files_forget(&c->family);
}

static const struct pl_member_files family = {
    .parts = pl_cgroup_parts,
    .num_parts = PL_NUM_CGROUP_PARTS,
    .list = list_groups,
    .changed = has_changed,
    .finish = finish,
    .unchanged = is_unchanged,
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

bool pl_cgroups_left_out(const struct pl_source *s, char *text, size_t size)
{
    const struct cgroups *c = (const struct cgroups *)s;
    const struct pl_filter *filter = s ? s->filter : NULL;

    if (!s || s->kind->family != &family || !c->left_out ||
        (filter && !filter->all && !c->too_many))
        return false;
    snprintf(text, size,
             "%zu control group%s left out: at most %d of the first level and "
             "%d below it are recorded, and those that -c names",
             c->left_out, c->left_out == 1 ? " is" : "s are", USUAL_GROUPS,
             USUAL_GROUPS);
    return true;
}

bool pl_cgroups_news(struct pl_source *s, char *text, size_t size)
{
    struct cgroups *c = (struct cgroups *)s;

    if (!s || c->said || !pl_cgroups_left_out(s, text, size))
        return false;
    c->said = true;
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

static bool wants_disks(const struct cgroups *c)
{
    for (size_t f = 0; f < PL_NUM_CGROUP_FIELDS; f++)
        if (pl_seen(io_fields, f) && c->family.base.fields[f].wanted)
            return true;
    return false;
}

static enum pl_status cgroups_read(struct pl_source *s)
{
    struct cgroups *c = (struct cgroups *)s;
    enum pl_status status = wants_disks(c) ? pl_source_read(c->disks) : PL_OK;

    pl_kills_look(&c->kills, s->machine);
    return status ? status : pl_member_files_read(s);
}

static enum pl_status find_trees(struct cgroups *c, struct pl_machine *m)
{
    enum pl_status s;

    for (unsigned i = 0; i < NUM_STATES; i++)
        c->states[i].fd = -1;
    s = pl_cgroup_roots(m, c->roots);
    c->family.trees = c->roots;
    for (unsigned i = 0; i < PL_NUM_CGROUP_TREES; i++)
        c->is_whole[i] = c->roots[i] >= 0 && begins_whole(c, i);
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
        s = pl_source_open(&((struct cgroups *)f)->disks, m, PL_DISKSTATS);
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
    .read = cgroups_read,
    .close = cgroups_close,
    .undo = cgroups_undo,
    .path = "self/mountinfo",
    .fields = pl_cgroup_fields,
    .num_fields = PL_NUM_CGROUP_FIELDS,
    .family = &family,
};
