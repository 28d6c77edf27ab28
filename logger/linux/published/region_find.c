/* Lists folders, and meets the files in them. */
#include "logger/linux/published/region_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_ENTRY = 512,
    MAX_ENTRIES = 16384, /* read of a folder per sample */
    OPENING = 16,        /* costs as much as so many checks of a file */
};

/* ---- listing ------------------------------------------------------------ */

static struct pl_region *known(struct pl_regions *r, unsigned dir,
                               uint64_t inode, const char *file)
{
    struct pl_region *g = *pl_regions_list_of(r, inode);

    while (g && (g->inode != inode || g->dir != dir || strcmp(g->file, file)))
        g = g->next;
    return g;
}

/* Older: found in an earlier pass, or created earlier if found in the same one.
 * The inode number decides between equal creation times. */
static bool is_older(const struct pl_region *a, const struct pl_region *b)
{
    if (a->seen != b->seen)
        return a->seen < b->seen;
    return a->born_ns != b->born_ns ? a->born_ns < b->born_ns
                                    : a->inode < b->inode;
}

/* Sorted by age, as objects without instances show the oldest. */
static void insert(struct pl_regions *r, struct pl_region *g)
{
    struct pl_region **list = pl_regions_list_of(r, g->inode);
    size_t at = r->num++;

    for (; at && is_older(g, r->regions[at - 1]); at--)
        r->regions[at] = r->regions[at - 1];
    r->regions[at] = g;
    g->next = *list;
    *list = g;
}

void pl_regions_find_again(struct pl_regions *r, const struct pl_region *g)
{
    r->noted[g->inode % NUM_NOTED] =
        (struct noted){ g->device, g->inode, g->noted, g->times };
    pl_regions_relist(&r->folders[g->dir]);
}

static void recall_notes(struct pl_regions *r, struct pl_region *g)
{
    struct noted *n = &r->noted[g->inode % NUM_NOTED];

    if (n->device != g->device || n->inode != g->inode)
        return;
    g->noted = n->noted;
    g->times = n->times;
    *n = (struct noted){ 0 };
}

static struct pl_region *new_region(unsigned dir, const struct stat *st,
                                    const char *file)
{
    struct pl_region *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->fd = -1;
    g->watch = -1;
    g->dir = dir;
    g->inode = st->st_ino;
    g->device = st->st_dev;
    g->uid = st->st_uid;
    g->file = strdup(file);
    if (!g->file) {
        free(g);
        return NULL;
    }
    return g;
}

static void open_found(struct pl_regions *r, struct pl_region *g,
                       bool is_regular)
{
    snprintf(g->called.label, sizeof g->called.label, "unnamed");
    if (pl_region_is_half_made(g)) {
        g->state = PL_STATE_HIDDEN;
    } else if (pl_region_parse_name(&g->called, g->file) && is_regular) {
        pl_region_open(r, g);
    } else {
        snprintf(g->label, sizeof g->label, "%s", g->called.label);
        pl_region_reject(r, g, PL_REASON_FILE);
    }
}

/* Opening an untrusted publisher's file takes time; each of them has a part of
 * it. */
static bool has_worked_enough(const struct pl_regions *r,
                              const struct pl_publisher *who)
{
    return who->untrusted &&
           (r->work >= MAX_WORK || who->work >= MAX_WORK_OF_ONE);
}

static struct pl_region *oldest_unvalidated(struct pl_regions *r,
                                            const struct pl_publisher *who)
{
    for (size_t i = 0; i < r->num; i++)
        if (r->regions[i]->publisher == who && r->regions[i]->unvalidated)
            return r->regions[i];
    return NULL;
}

/* Drop an invalid file of the user with most for one who has none: a user may
 * have many numbers (subuid(5)), and use up those of all. */
static void drop_unvalidated(struct pl_regions *r)
{
    struct pl_publishers *p = &r->publishers;
    struct pl_publisher *most = pl_publishers_largest(p, PL_SHARE_UNVALIDATED);
    struct pl_region *g = oldest_unvalidated(r, most);

    if (!g)
        return;
    pl_publisher_give(p, most, PL_SHARE_UNVALIDATED, 1);
    pl_publisher_refuse(p, most, PL_SHARE_UNVALIDATED);
    g->unvalidated = false;
    g->state = PL_STATE_HIDDEN;
    g->last = true;
}

static bool take_unvalidated(struct pl_regions *r, struct pl_publisher *who)
{
    struct pl_publishers *p = &r->publishers;

    if (!pl_publisher_has_room(p, who, PL_SHARE_UNVALIDATED, 1) &&
        who->untrusted && !who->taken[PL_SHARE_UNVALIDATED])
        drop_unvalidated(r);
    return pl_publisher_take(p, who, PL_SHARE_UNVALIDATED, 1);
}

/*
 * Take a place and a place for an unvalidated file; the latter is given back
 * when the file is valid.  So a user of invalid files has few, and most are not
 * even opened.
 */
static struct pl_publisher *find_place(struct pl_regions *r, unsigned dir,
                                       const struct stat *st)
{
    struct pl_publishers *p = &r->publishers;
    struct pl_publisher *who = pl_publishers_find(p, st->st_uid);

    if (who && has_worked_enough(r, who)) {
        pl_regions_relist(&r->folders[dir]);
        r->unfinished = true;
        return NULL;
    }
    if (!who)
        return NULL;
    if (pl_publisher_take(p, who, PL_SHARE_PLACES, 1)) {
        if (take_unvalidated(r, who))
            return who;
        pl_publisher_give(p, who, PL_SHARE_PLACES, 1);
        pl_publisher_refuse(p, who, PL_SHARE_UNVALIDATED);
    } else {
        pl_publisher_refuse(p, who, PL_SHARE_PLACES);
    }
    who->refused = true;
    return NULL;
}

/* There is no memory for the file now. */
static void find_later(struct pl_regions *r, unsigned dir,
                       struct pl_publisher *who)
{
    pl_publisher_give(&r->publishers, who, PL_SHARE_PLACES, 1);
    pl_publisher_give(&r->publishers, who, PL_SHARE_UNVALIDATED, 1);
    pl_regions_relist(&r->folders[dir]);
    r->unfinished = true;
}

static void handle_file(struct pl_regions *r, unsigned dir,
                        const struct stat *st, const char *file)
{
    struct pl_publisher *who;
    struct pl_region *g;
    int64_t before_ns;

    if (known(r, dir, st->st_ino, file))
        return;
    who = find_place(r, dir, st);
    if (!who)
        return;
    g = new_region(dir, st, file);
    if (!g) {
        find_later(r, dir, who);
        return;
    }
    recall_notes(r, g);
    g->publisher = who;
    g->unvalidated = true;
    g->seen = r->pass;
    pl_regions_work(r, who, OPENING);
    before_ns = pl_regions_cpu_clock();
    open_found(r, g, S_ISREG(st->st_mode));
    /* The work limits it, and not the time for those still to be found. */
    r->search_end_ns += pl_regions_cpu_clock() - before_ns;
    insert(r, g);
    if (pl_region_is_half_made(g))
        pl_region_look_at_half_made(r, g);
}

static bool is_region_name(const char *name)
{
    size_t n = strlen(name), end = strlen(PL_REGION_SUFFIX);

    if (!strncmp(name, PL_REGION_HALF_MADE, strlen(PL_REGION_HALF_MADE)))
        return true;
    return n > end && *name != '.' && !strcmp(name + n - end, PL_REGION_SUFFIX);
}

void pl_regions_handle_file(struct pl_regions *r, unsigned dir,
                            const char *file)
{
    struct stat st;

    if (!is_region_name(file))
        return;
    r->machine->system_calls++;
    if (fstatat(r->folders[dir].fd, file, &st, AT_SYMLINK_NOFOLLOW)) {
        r->gone++; /* withdrawn */
        return;
    }
    handle_file(r, dir, &st, file);
}

/* Continue a folder where the last sample stopped. */
void pl_regions_list_folder(struct pl_regions *r, unsigned dir)
{
    struct folder *f = &r->folders[dir];
    int num = 0;
    ssize_t n;

    for (;;) {
        r->machine->system_calls++;
        n = getdents64(f->fd, r->entries, ENTRIES_SIZE);
        if (n <= 0)
            break;
        for (ssize_t at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(r->entries + at);

            at += e->d_reclen;
            if (!is_region_name(e->d_name) ||
                known(r, dir, e->d_ino, e->d_name))
                continue;
            pl_regions_handle_file(r, dir, e->d_name);
            num++;
            /* The remaining entries wait for the next sample. */
            if (num % CLOCK_STRIDE == 0 && pl_regions_have_searched(r)) {
                r->machine->system_calls++;
                lseek(f->fd, e->d_off, SEEK_SET);
                r->unfinished = true;
                return;
            }
        }
        /* A part that is not full is the last one. */
        if (n > ENTRIES_SIZE - LONGEST_ENTRY &&
            (num > MAX_ENTRIES || pl_regions_have_searched(r))) {
            r->unfinished = true;
            return;
        }
    }
    r->machine->system_calls++;
    lseek(f->fd, 0, SEEK_SET);
    f->is_listed = f->watch >= 0 && !f->missed;
    f->missed = false;
}
