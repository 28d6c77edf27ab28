/* Families: sources whose rows (members) have files of their own. */
#include "logger/linux/sources/member_files.h"

#include "logger/linux/sources/member_files_text.h"
#include "logger/linux/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NOT_OPEN = -1,
    NOT_THERE = -2, /* tried again from time to time */
    MAX_KEPT = 4096,
    PATH_ROOM = 4096,
};

#define LIST_EVERY_NS INT64_C(60000000000)
#define ASK_EVERY_NS INT64_C(30000000000)

/* ---- files of members --------------------------------------------------- */

static void close_member(struct pl_member_files_source *f,
                         struct pl_member *member)
{
    for (size_t i = 0; i < f->family->num_parts; i++) {
        if (member->fd[i] >= 0) {
            pl_proc_close(f->base.machine, member->fd[i]);
            f->budget++;
        }
        member->fd[i] = NOT_OPEN;
    }
}

/* A quarter of the process's limit; none in a saved tree, which may change. */
static size_t descriptor_budget(const struct pl_machine *m)
{
    struct rlimit limit;

    if (!m->live || getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    return limit.rlim_cur / 4 > MAX_KEPT ? MAX_KEPT
                                         : (size_t)(limit.rlim_cur / 4);
}

static void leave_folder(struct pl_member_files_source *f)
{
    if (f->folder >= 0)
        pl_proc_close(f->base.machine, f->folder);
    f->folder = NOT_OPEN;
}

static int dir_of(const struct pl_member_files_source *f, unsigned tree)
{
    return f->trees ? f->trees[tree] : f->dir;
}

/*
 * Open the folder of a member in a tree until it has been read.  A folder that
 * was removed and created again under its name is another member.
 */
static bool enter_folder(struct pl_member_files_source *f,
                         const struct pl_member *member, uint8_t tree)
{
    const char *path = *member->path.p ? member->path.p : ".";
    struct stat st;

    if (f->folder != NOT_OPEN && f->in_tree == tree) {
        if (f->folder == NOT_THERE)
            errno = ENOENT;
        return f->folder != NOT_THERE;
    }
    leave_folder(f);
    f->base.machine->system_calls += 2;
    f->in_tree = tree;
    f->folder =
        openat(dir_of(f, tree), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->folder < 0 && errno == ENOENT && tree == member->tree)
        errno = ENODEV; /* the member has gone, not only its file */
    if (f->folder < 0) {
        f->folder = errno == ENOENT ? NOT_THERE : NOT_OPEN;
        return false;
    }
    if (tree != member->tree ||
        (!fstat(f->folder, &st) && st.st_ino == member->inode))
        return true;
    leave_folder(f);
    errno = ENODEV;
    return false;
}

static int open_part(struct pl_member_files_source *f,
                     const struct pl_member *member, const struct pl_part *part)
{
    char path[PATH_ROOM];

    if (member->inode)
        return enter_folder(f, member, part->tree)
                   ? pl_proc_open(f->base.machine, f->folder, part->file)
                   : -1;
    if ((size_t)snprintf(path, sizeof path, "%s%s", member->path.p,
                         part->file) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return pl_proc_open(f->base.machine, f->dir, path);
}

/* Read a part into f->text; false and errno if it cannot be read. */
static bool read_part(struct pl_member_files_source *f,
                      struct pl_member *member, size_t i)
{
    struct pl_machine *m = f->base.machine;
    int *fd = &member->fd[i];
    bool kept = *fd >= 0;
    enum pl_status s;

    if (*fd == NOT_THERE || dir_of(f, f->family->parts[i].tree) < 0) {
        errno = ENXIO;
        return false;
    }
    if (!kept)
        *fd = open_part(f, member, &f->family->parts[i]);
    if (*fd < 0) {
        *fd = errno == ENOENT ? NOT_THERE : NOT_OPEN;
        return false;
    }
    s = pl_proc_read(m, *fd, &f->text);
    if (s || (!kept && !f->budget)) {
        pl_proc_close(m, *fd);
        *fd = NOT_OPEN;
        f->budget += kept;
    } else if (!kept) {
        f->budget--;
    }
    return !s;
}

/* ---- the list ----------------------------------------------------------- */

static bool same(const struct pl_member *a, const struct pl_member *b)
{
    return a->inode == b->inode && a->tree == b->tree && a->order == b->order &&
           pl_text_equal(a->path, b->path) && pl_text_equal(a->name, b->name);
}

/* Try missing files again: the member may have got them. */
static void ask_again(struct pl_member_files_source *f, struct pl_member *m)
{
    for (size_t p = 0; p < f->family->num_parts; p++)
        if (m->fd[p] == NOT_THERE)
            m->fd[p] = NOT_OPEN;
    m->asked = false;
}

/* Both lists ascend: members that remain keep their files open. */
static void carry_over(struct pl_member_files_source *f)
{
    struct pl_members *old = &f->now, *new = &f->next;
    size_t k = 0;

    for (size_t i = 0; i < old->num; i++) {
        struct pl_member *m = &old->list[i];

        while (k < new->num && pl_member_compare(&new->list[k], m) < 0)
            k++;
        if (k == new->num || !same(&new->list[k], m)) {
            close_member(f, m);
            continue;
        }
        memcpy(new->list[k].fd, m->fd, sizeof m->fd);
        new->list[k].seen = m->seen;
        new->list[k++].asked = m->asked;
    }
}

/* Without memory the list stays as it was. */
static enum pl_status make_list(struct pl_member_files_source *f)
{
    struct pl_members t = f->now;
    enum pl_status s;

    f->next.num = 0;
    pl_buf_clear(&f->next.texts);
    s = f->family->list ? f->family->list(f)
                        : pl_member_files_add(f, pl_text_of(""), pl_text_of(""),
                                              0, 0, PL_SHOWN);
    if (s)
        return s;
    pl_members_settle(&f->next);
    carry_over(f);
    f->now = f->next;
    f->next = t;
    f->stale = false;
    f->listed_ns = f->base.machine->now.monotonic_ns;
    return PL_OK;
}

/* Rate-limited: the list may be made often, with many missing files. */
static void ask_all_again(struct pl_member_files_source *f)
{
    for (size_t i = 0; i < f->now.num; i++)
        ask_again(f, &f->now.list[i]);
    f->asked_ns = f->base.machine->now.monotonic_ns;
}

static bool is_due(struct pl_member_files_source *f)
{
    const struct pl_machine *m = f->base.machine;

    if (!f->listed)
        return true;
    if (!f->family->list)
        return false;
    return f->stale || !m->live ||
           (f->family->changed && f->family->changed(f)) ||
           m->now.monotonic_ns - f->listed_ns >= LIST_EVERY_NS;
}

/* ---- reading ------------------------------------------------------------ */

/* The lowest 'n' bits, 'n' below 64. */
static uint64_t bits(size_t n)
{
    return (UINT64_C(1) << n) - 1;
}

static uint64_t bits_of(const struct pl_part *part)
{
    return bits(part->num_fields) << part->first_field;
}

static uint64_t wanted_fields(const struct pl_member_files_source *f)
{
    uint64_t wanted = 0;

    for (size_t i = 0; i < f->base.num_fields; i++)
        if (f->base.fields[i].wanted)
            wanted |= UINT64_C(1) << i;
    return wanted;
}

static uint64_t present_fields(const struct pl_member_files_source *f)
{
    uint64_t present = 0;

    for (size_t i = 0; i < f->base.num_fields; i++)
        if (f->base.fields[i].present)
            present |= UINT64_C(1) << i;
    return present;
}

/* Take the part's fields from the sample before, where they cannot differ. */
static bool repeat_part(const struct pl_member_files_source *f,
                        const struct pl_member *member,
                        const struct pl_part *part, uint64_t *values,
                        uint64_t *seen)
{
    if (!part->rule || !f->before ||
        !pl_seen(member->seen, part->first_field) ||
        !f->family->unchanged(f, member, part))
        return false;
    memcpy(values + part->first_field, f->before + part->first_field,
           part->num_fields * sizeof *values);
    *seen |= member->seen & bits_of(part);
    return true;
}

/* False if the member is left out, perhaps because it has gone. */
static bool read_parts(struct pl_member_files_source *f,
                       struct pl_member *member, uint64_t wanted,
                       uint64_t *values, uint64_t *seen)
{
    const struct pl_member_files *family = f->family;

    for (size_t i = 0; i < family->num_parts; i++) {
        const struct pl_part *part = &family->parts[i];
        uint64_t fields = bits_of(part);

        if (!(fields & wanted) || (part->otherwise && (*seen & fields)) ||
            repeat_part(f, member, part, values, seen))
            continue;
        if (read_part(f, member, i)) {
            *seen |= pl_member_files_scan(f, part, values);
        } else if (errno == ENODEV || part->essential) {
            f->stale = f->stale || errno == ENODEV || errno == ENOENT;
            return false;
        }
    }
    return true;
}

static bool read_member(struct pl_member_files_source *f,
                        struct pl_member *member, uint64_t wanted,
                        uint64_t *values, uint64_t *seen)
{
    bool good = read_parts(f, member, wanted, values, seen);

    if (f->family->flags_field)
        *seen |= UINT64_C(1) << f->family->flags_field;
    leave_folder(f);
    return good;
}

static void flag_unseen(struct pl_member_files_source *f, uint64_t missing,
                        uint64_t *values)
{
    for (size_t i = 0; missing >> i; i++)
        if (pl_seen(missing, i) && f->base.fields[i].group != PL_NO_GROUP)
            values[f->family->flags_field] |= 1u << f->base.fields[i].group;
}

static const uint64_t *row_before(const struct pl_member_files_source *f,
                                  uint64_t wanted)
{
    size_t row;

    if (!f->family->unchanged || wanted != f->wanted)
        return NULL;
    row = pl_source_before(&f->base, f->base.rows.num - 1);
    return row == PL_NO_ROW ? NULL
                            : pl_source_rows_values(&f->base.before, row);
}

static bool read_row(struct pl_member_files_source *f, struct pl_member *member,
                     uint64_t wanted, uint64_t *values, uint64_t *seen)
{
    bool good;

    f->before = row_before(f, wanted);
    good = read_member(f, member, wanted, values, seen);
    f->before = NULL;
    member->seen = good ? *seen : 0;
    return good;
}

/* Fill the row of every member; *seen: fields that at least one has. */
static enum pl_status read_members(struct pl_member_files_source *f,
                                   uint64_t wanted, uint64_t *seen)
{
    struct pl_source_rows *rows = &f->base.rows;
    uint64_t present = present_fields(f);

    *seen = 0;
    for (size_t i = 0; i < f->now.num; i++) {
        struct pl_member *member = &f->now.list[i];
        uint64_t *values = pl_source_rows_add(rows, member->name);
        uint64_t mine = 0;

        if (!values)
            return PL_NOMEM;
        rows->row[rows->num - 1].show = member->show;
        if (!read_row(f, member, wanted, values, &mine)) {
            pl_source_rows_drop(rows);
            continue;
        }
        if (f->family->finish)
            f->family->finish(f, i, values, &mine);
        if (f->family->flags_field)
            flag_unseen(f, wanted & present & ~mine, values);
        *seen |= mine;
    }
    f->wanted = wanted;
    return PL_OK;
}

static void set_present(struct pl_member_files_source *f, uint64_t of,
                        uint64_t seen)
{
    for (size_t i = 0; i < f->base.num_fields; i++)
        if (pl_seen(of, i))
            pl_source_set_present(&f->base, i, pl_seen(seen, i));
}

/* Fields that no member had so far: try the members not yet tried. */
static enum pl_status probe(struct pl_member_files_source *f)
{
    uint64_t all = bits(f->base.num_fields), seen = 0;
    uint64_t missing = all & ~present_fields(f);
    uint64_t *values = pl_source_rows_add(&f->base.rows, pl_text_of(""));
    bool not_all = false;

    if (!values)
        return PL_NOMEM;
    for (size_t i = 0; i < f->now.num && missing; i++) {
        struct pl_member *member = &f->now.list[i];
        uint64_t mine = 0;

        not_all = not_all || member->asked;
        if (!member->asked && read_member(f, member, missing, values, &mine)) {
            if (f->family->finish)
                f->family->finish(f, i, values, &mine);
            seen |= mine;
        }
        member->asked = true;
    }
    pl_source_rows_clear(&f->base.rows);
    set_present(f, missing, seen);
    if (not_all && (missing & seen))
        ask_all_again(f); /* other members may have it, too */
    return PL_OK;
}

static enum pl_status list_anew(struct pl_member_files_source *f)
{
    const struct pl_machine *m = f->base.machine;
    enum pl_status s = make_list(f);

    if (!m->live || m->now.monotonic_ns - f->asked_ns >= ASK_EVERY_NS)
        ask_all_again(f);
    if (!s)
        s = probe(f);
    f->listed = !s;
    return s;
}

enum pl_status pl_member_files_read(struct pl_source *s)
{
    struct pl_member_files_source *f = (struct pl_member_files_source *)s;
    uint64_t wanted = wanted_fields(f), seen = 0;
    enum pl_status status = PL_OK;

    if (!f->begun)
        f->budget = descriptor_budget(s->machine);
    f->begun = true;
    if (is_due(f))
        status = list_anew(f);
    if (!status)
        status = read_members(f, wanted, &seen);
    if (!status && f->stale && f->family->list) {
        pl_source_rows_clear(&s->rows); /* a member has gone: list again */
        pl_member_files_forget(f);
        status = list_anew(f);
        if (!status)
            status = read_members(f, wanted, &seen);
        f->stale = false;
    }
    if (f->now.num && !status)
        set_present(f, wanted, seen);
    return status;
}

/* ---- opening and closing ------------------------------------------------ */

enum pl_status pl_member_files_init(struct pl_member_files_source **out,
                                    size_t size, struct pl_machine *m,
                                    const struct pl_source_kind *kind)
{
    struct pl_member_files_source *f = calloc(1, size);
    enum pl_status s;

    if (!f)
        return PL_NOMEM;
    f->family = kind->family;
    f->dir = kind->family->in_sys ? m->sys : m->proc;
    f->folder = NOT_OPEN;
    s = pl_source_init(&f->base, m, kind);
    if (s) {
        pl_member_files_close(&f->base);
        return s;
    }
    for (size_t i = 0; i < f->base.num_fields; i++)
        f->base.fields[i].present = false;
    *out = f;
    return PL_OK;
}

enum pl_status pl_member_files_begin(struct pl_member_files_source *f)
{
    enum pl_status s = f->dir < 0 ? PL_OK : list_anew(f);

    f->base.num_known = (unsigned)f->now.num;
    return s;
}

enum pl_status pl_member_files_open(struct pl_source **out,
                                    struct pl_machine *m,
                                    const struct pl_source_kind *kind)
{
    struct pl_member_files_source *f;
    enum pl_status s = pl_member_files_init(&f, sizeof *f, m, kind);

    if (s)
        return s;
    s = pl_member_files_begin(f);
    if (s) {
        pl_member_files_close(&f->base);
        return s;
    }
    *out = &f->base;
    return PL_OK;
}

void pl_member_files_forget(struct pl_member_files_source *f)
{
    for (size_t i = 0; i < f->now.num; i++)
        f->now.list[i].seen = 0;
}

void pl_member_files_close(struct pl_source *s)
{
    struct pl_member_files_source *f = (struct pl_member_files_source *)s;

    for (size_t i = 0; i < f->now.num; i++)
        close_member(f, &f->now.list[i]);
    free(f->now.list);
    free(f->next.list);
    pl_buf_release(&f->now.texts);
    pl_buf_release(&f->next.texts);
    pl_buf_release(&f->text);
    pl_source_release(s);
    free(f);
}
