/* Where regions are: folders, and the files in them. */
#include "logger/linux/published/region_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MAX_ENTRIES = 16384, /* looked at in a folder per sample */
    TMPFS_MAGIC = 0x01021994,
};

/* ---- folders -----------------------------------------------------------------*/

static bool is_known_folder(const struct pl_regions *r, const struct stat *st)
{
    for (unsigned i = 0; i < r->num_folders; i++)
        if (r->folders[i].fd >= 0 && r->folders[i].device == st->st_dev &&
            r->folders[i].inode == st->st_ino)
            return true;
    return false;
}

/* The place of one that is gone, or a new one; MAX_FOLDERS: there is none. */
static unsigned free_place(const struct pl_regions *r)
{
    unsigned i = 0;

    while (i < r->num_folders && r->folders[i].fd >= 0)
        i++;
    return i;
}

/* Remember a folder, if it is one, on tmpfs, the owner's, and new. */
static void add_folder(struct pl_regions *r, const char *path,
                       const uid_t *owner)
{
    unsigned place = free_place(r);
    struct folder f = { .device = 0 };
    struct statfs fs;
    struct stat st;

    if (place == MAX_FOLDERS)
        return;
    r->machine->system_calls++;
    f.fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f.fd < 0)
        return;
    r->machine->system_calls += 2;
    if (fstat(f.fd, &st) || fstatfs(f.fd, &fs) || fs.f_type != TMPFS_MAGIC ||
        (owner && st.st_uid != *owner) || is_known_folder(r, &st) ||
        !(f.path = strdup(path))) {
        close(f.fd);
        return;
    }
    f.device = st.st_dev;
    f.inode = st.st_ino;
    f.watch = pl_regions_watch_folder(r, f.fd);
    r->folders[place] = f;
    if (place == r->num_folders)
        r->num_folders++;
}

void pl_regions_close_folder(struct folder *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    *f = (struct folder){ .fd = -1, .watch = -1 };
}

/* Those that are not where they were are let go when nothing of theirs is left:
 * users come and go, and what is held open keeps its file system. */
static void drop_folders(struct pl_regions *r)
{
    bool used[MAX_FOLDERS] = { false };

    for (size_t i = 0; i < r->num; i++)
        used[r->regions[i]->dir] = true;
    for (unsigned d = 0; d < r->num_folders; d++) {
        struct folder *f = &r->folders[d];
        struct stat st;

        if (used[d] || f->fd < 0)
            continue;
        r->machine->system_calls++;
        if (!fstatat(AT_FDCWD, f->path, &st, AT_SYMLINK_NOFOLLOW) &&
            st.st_dev == f->device && st.st_ino == f->inode)
            continue;
        pl_regions_close_folder(f);
    }
}

/* Root sees those of all users: 'below' in each "PREFIXuser" of 'path'. */
static void add_folders_of_all(struct pl_regions *r, const char *path,
                               const char *prefix, const char *below)
{
    DIR *dir = opendir(path);
    size_t skip = strlen(prefix);
    struct dirent *e;
    char found[PATH_MAX];

    for (int n = 0; dir && n < MAX_ENTRIES && (e = readdir(dir)); n++) {
        const char *user = e->d_name + skip;
        uid_t uid;

        if (strncmp(e->d_name, prefix, skip) || !*user ||
            user[strspn(user, "0123456789")])
            continue;
        uid = (uid_t)strtoul(user, NULL, 10);
        if (snprintf(found, sizeof found, "%s/%s%s", path, e->d_name, below) <
            PATH_MAX)
            add_folder(r, found, &uid);
    }
    if (dir)
        closedir(dir);
}

void pl_regions_look_for_folders(struct pl_regions *r)
{
    const char *named = secure_getenv("PERFLOG_PROVIDER_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    const uid_t uid = geteuid();
    char path[PATH_MAX];

    r->listed_ns = pl_regions_clock();
    drop_folders(r);
    for (unsigned d = 0; d < r->num_folders; d++)
        r->folders[d].settled = false; /* for whatever was not told */
    if (named && *named) {
        add_folder(r, named, NULL);
        return;
    }
    add_folder(r, PL_REGION_SYSTEM_DIR, NULL);
    if (runtime && snprintf(path, sizeof path, "%s/" PL_REGION_RUNTIME_DIR,
                            runtime) < PATH_MAX)
        add_folder(r, path, &uid);
    snprintf(path, sizeof path, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
             (unsigned)uid);
    add_folder(r, path, &uid);
    if (uid == 0) {
        add_folders_of_all(r, "/run/user", "", "/" PL_REGION_RUNTIME_DIR);
        add_folders_of_all(r, PL_REGION_SHM, PL_REGION_SHM_PREFIX, "");
    }
}

/* ---- listing -------------------------------------------------------------------*/

static struct pl_region *known(struct pl_regions *r, unsigned dir,
                               uint64_t inode, const char *file)
{
    struct pl_region *g = *pl_regions_list_of(r, inode);

    while (g && (g->inode != inode || g->dir != dir || strcmp(g->file, file)))
        g = g->next;
    return g;
}

/* By age, so that the oldest is shown where there is place for one. */
static void insert(struct pl_regions *r, struct pl_region *g)
{
    struct pl_region **list = pl_regions_list_of(r, g->inode);
    size_t at = r->num++;

    for (; at && r->regions[at - 1]->created_ns > g->created_ns; at--)
        r->regions[at] = r->regions[at - 1];
    r->regions[at] = g;
    g->next = *list;
    *list = g;
}

/* A stranger's crowd of files takes no more places than it may have. */
static bool has_place(const struct pl_regions *r, const struct stat *st)
{
    size_t num = 0;

    if (!pl_regions_is_stranger(st->st_uid))
        return true;
    for (size_t i = 0; i < r->num; i++)
        num += r->regions[i]->uid == st->st_uid;
    return num <= MAX_USER_REGIONS;
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

static enum pl_status meet_file(struct pl_regions *r, unsigned dir,
                                uint64_t inode, const char *file)
{
    struct pl_region *g;
    struct stat st;
    enum pl_status s = PL_OK;

    if (known(r, dir, inode, file))
        return PL_OK;
    r->machine->system_calls++;
    if (r->num == MAX_REGIONS ||
        fstatat(r->folders[dir].fd, file, &st, AT_SYMLINK_NOFOLLOW) ||
        !has_place(r, &st)) {
        r->folders[dir].missed = true;
        return PL_OK;
    }
    g = new_region(dir, &st, file);
    if (!g)
        return PL_NOMEM;
    snprintf(g->called.label, sizeof g->called.label, "unnamed");
    if (pl_region_is_half_made(g))
        g->state = PL_STATE_HIDDEN;
    else if (!pl_region_parse_name(&g->called, g->file) || !S_ISREG(st.st_mode))
        pl_region_doubt(r, g, PL_REASON_FILE);
    else
        s = pl_region_open(r, g);
    insert(r, g);
    if (pl_region_is_half_made(g))
        pl_region_look_at_half_made(r, g);
    return s;
}

static bool is_region_name(const char *name)
{
    size_t n = strlen(name), end = strlen(PL_REGION_SUFFIX);

    if (!strncmp(name, ".tmp-", 5))
        return true;
    return n > end && *name != '.' && !strcmp(name + n - end, PL_REGION_SUFFIX);
}

/* Go on in a folder where the last sample stopped. */
enum pl_status pl_regions_list_folder(struct pl_regions *r, unsigned dir)
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
            enum pl_status s;

            at += e->d_reclen;
            if (!is_region_name(e->d_name))
                continue;
            s = meet_file(r, dir, e->d_ino, e->d_name);
            if (s)
                return s;
            num++;
            /* The rest of these entries waits for the next round. */
            if (pl_regions_are_late(r)) {
                f->missed = true;
                return PL_OK;
            }
        }
        if (pl_regions_are_late(r))
            return PL_OK;
        if (num > MAX_ENTRIES)
            return PL_OK;
    }
    r->machine->system_calls++;
    lseek(f->fd, 0, SEEK_SET);
    f->settled = f->watch >= 0 && !f->missed;
    f->missed = false;
    return PL_OK;
}
