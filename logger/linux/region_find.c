/* Where regions are: folders, and the files in them. */
#include "logger/linux/region_parts.h"

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

/* Remember a folder, if it is one, on tmpfs, and new. */
static void add_folder(struct pl_regions *r, int dir, const char *path)
{
    struct folder *f = &r->folders[r->num_folders];
    struct statfs fs;
    struct stat st;
    int fd;

    if (r->num_folders == MAX_FOLDERS)
        return;
    r->machine->system_calls++;
    fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    r->machine->system_calls += 2;
    if (fstat(fd, &st) || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC) {
        close(fd);
        return;
    }
    for (unsigned i = 0; i < r->num_folders; i++) {
        if (r->folders[i].device == st.st_dev &&
            r->folders[i].inode == st.st_ino) {
            close(fd);
            return;
        }
    }
    f->path = strdup(path);
    if (!f->path) {
        close(fd);
        return;
    }
    f->fd = fd;
    f->device = st.st_dev;
    f->inode = st.st_ino;
    r->num_folders++;
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

        if (strncmp(e->d_name, prefix, skip) || !*user ||
            user[strspn(user, "0123456789")])
            continue;
        if (snprintf(found, sizeof found, "%s/%s%s", path, e->d_name, below) <
            PATH_MAX)
            add_folder(r, AT_FDCWD, found);
    }
    if (dir)
        closedir(dir);
}

void pl_regions_look_for_folders(struct pl_regions *r)
{
    const char *named = secure_getenv("PERFLOG_PROVIDER_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];

    r->listed_ns = pl_regions_clock();
    if (named && *named) {
        add_folder(r, AT_FDCWD, named);
        return;
    }
    add_folder(r, AT_FDCWD, PL_REGION_SYSTEM_DIR);
    if (runtime && snprintf(path, sizeof path, "%s/" PL_REGION_RUNTIME_DIR,
                            runtime) < PATH_MAX)
        add_folder(r, AT_FDCWD, path);
    snprintf(path, sizeof path, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
             (unsigned)geteuid());
    add_folder(r, AT_FDCWD, path);
    if (geteuid() == 0) {
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

    if (st->st_uid == 0 || st->st_uid == geteuid())
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

    if (known(r, dir, inode, file) || r->num == MAX_REGIONS)
        return PL_OK;
    r->machine->system_calls++;
    if (fstatat(r->folders[dir].fd, file, &st, AT_SYMLINK_NOFOLLOW) ||
        !has_place(r, &st))
        return PL_OK;
    g = new_region(dir, &st, file);
    if (!g)
        return PL_NOMEM;
    snprintf(g->called.label, sizeof g->called.label, "unnamed");
    if (pl_region_is_half_made(g))
        g->state = PL_STATE_HIDDEN;
    else if (!pl_region_parse_name(&g->called, g->file) || !S_ISREG(st.st_mode))
        pl_region_doubt(g, PL_REASON_FILE);
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
    int num = 0;
    ssize_t n;

    for (;;) {
        r->machine->system_calls++;
        n = getdents64(r->folders[dir].fd, r->entries, ENTRIES_SIZE);
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
            /* The rest of these entries waits for the next round. */
            if (++num % CLOCK_STRIDE == 0 && pl_regions_are_late(r))
                return PL_OK;
        }
        if (num > MAX_ENTRIES)
            return PL_OK;
    }
    r->machine->system_calls++;
    lseek(r->folders[dir].fd, 0, SEEK_SET);
    return PL_OK;
}
