/* Finds regions: searches folders and lists their files. */
#include "logger/linux/published/region_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MAX_ENTRIES = 16384,  /* read of a folder per sample */
    MAX_LOOKED_AT = 4096, /* read when folders are searched */
    OPENING = 16,         /* costs as much as so many checks of a file */
    TMPFS_MAGIC = 0x01021994,
};

/* ---- folders ------------------------------------------------------------ */

static bool is_known_folder(const struct pl_regions *r, const struct stat *st)
{
    for (unsigned i = 0; i < r->num_folders; i++)
        if (r->folders[i].fd >= 0 && r->folders[i].device == st->st_dev &&
            r->folders[i].inode == st->st_ino)
            return true;
    return false;
}

/* A free slot or a new one; MAX_FOLDERS: there is none. */
static unsigned free_place(const struct pl_regions *r)
{
    unsigned i = 0;

    while (i < r->num_folders && r->folders[i].fd >= 0)
        i++;
    return i;
}

/*
 * Open a folder below 'base', which is opened by its path.  Folders below may
 * belong to a stranger, who might redirect the path with a symbolic link.
 * Without openat2(2) (Linux 5.6; or refused by a seccomp filter) to forbid
 * links, each component is opened on its own.
 */
static int open_below(struct pl_regions *r, const char *base, const char *below)
{
    const struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
    };
    char part[NAME_MAX + 1];
    int at, fd;

    r->machine->system_calls += 3;
    at = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fd = at < 0 ? -1 : (int)syscall(SYS_openat2, at, below, &how, sizeof how);
    if (at < 0 || fd >= 0 || (errno != ENOSYS && errno != EPERM)) {
        if (at >= 0)
            close(at);
        return fd;
    }
    while (at >= 0 && *below) {
        size_t n = strcspn(below, "/");
        int flags = below[n] ? O_PATH : O_RDONLY;

        if (n > NAME_MAX) {
            close(at);
            return -1;
        }
        memcpy(part, below, n);
        part[n] = 0;
        below += n + (below[n] == '/');
        r->machine->system_calls += 2;
        fd = openat(at, part, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = fd;
    }
    return at;
}

/* Fill 'f' from its open descriptor; false: it is not to be used. */
static bool learn_folder(struct pl_regions *r, struct folder *f,
                         const uid_t *owner)
{
    struct statfs fs;
    struct stat st;

    r->machine->system_calls += 2;
    if (fstat(f->fd, &st) || fstatfs(f->fd, &fs) || fs.f_type != TMPFS_MAGIC ||
        (owner && st.st_uid != *owner) || is_known_folder(r, &st))
        return false;
    f->owner = pl_publishers_find(&r->publishers, st.st_uid);
    if (!f->owner ||
        !pl_publisher_take(&r->publishers, f->owner, PL_SHARE_FOLDERS, 1))
        return false;
    f->device = st.st_dev;
    f->inode = st.st_ino;
    return true;
}

/* Add folder 'below' of 'base' if it is new, on tmpfs and the owner's. */
static void add_folder(struct pl_regions *r, const char *base,
                       const char *below, const uid_t *owner)
{
    unsigned place = free_place(r);
    struct folder f = { .fd = -1 };
    char path[PATH_MAX];

    if (place == MAX_FOLDERS ||
        snprintf(path, sizeof path, "%s/%s", base, below) >= PATH_MAX)
        return;
    f.fd = open_below(r, base, below);
    if (f.fd < 0)
        return;
    f.path = strdup(path);
    if (!f.path || !learn_folder(r, &f, owner)) {
        close(f.fd);
        free(f.path);
        return;
    }
    f.watch = pl_regions_watch_folder(r, f.fd);
    r->folders[place] = f;
    if (place == r->num_folders)
        r->num_folders++;
}

void pl_regions_close_folder(struct pl_regions *r, struct folder *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        pl_publisher_give(&r->publishers, f->owner, PL_SHARE_FOLDERS, 1);
    }
    free(f->path);
    *f = (struct folder){ .fd = -1, .watch = -1 };
}

/* Close folders that were removed and have no regions left: users log in and
 * out, and an open descriptor keeps a file system mounted. */
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
        pl_regions_close_folder(r, f);
    }
}

/* Watch 'base' and all folders on the path, then search. */
static void look_for(struct pl_regions *r, const char *base, const char *below,
                     const uid_t *owner)
{
    char path[PATH_MAX];
    size_t at = strlen(base), n = strlen(below);

    if (at + 1 + n >= sizeof path)
        return;
    memcpy(path, base, at + 1);
    pl_regions_watch_parent(r, path);
    for (size_t i = 0; i < n; i++)
        if (below[i] == '/') {
            snprintf(path + at, sizeof path - at, "/%.*s", (int)i, below);
            pl_regions_watch_parent(r, path);
        }
    add_folder(r, base, below, owner);
}

/* The user of "PREFIXuser" or "PREFIXuser.anything". */
static bool parse_user(const char *name, const char *prefix, uid_t *uid)
{
    size_t skip = strlen(prefix);
    const char *user = name + skip;
    size_t digits;

    if (strncmp(name, prefix, skip) != 0)
        return false;
    digits = strspn(user, "0123456789");
    *uid = (uid_t)strtoul(user, NULL, 10);
    return digits && (!user[digits] || (*prefix && user[digits] == '.'));
}

/*
 * Search 'below' in each "PREFIXuser" of 'path' that belongs to this user: of
 * all users for root, else of the recorder's own user.  A large folder is
 * continued in the next sample from *place (telldir).
 */
static void look_for_all(struct pl_regions *r, const char *path,
                         const char *prefix, const char *below, long *place)
{
    DIR *dir = opendir(path);
    const uid_t own = geteuid();
    struct dirent *e = NULL;
    char found[PATH_MAX];

    pl_regions_watch_parent(r, path);
    if (dir && *place)
        seekdir(dir, *place);
    for (int n = 0; dir && n < MAX_LOOKED_AT && (e = readdir(dir)); n++) {
        uid_t uid;

        if (!parse_user(e->d_name, prefix, &uid) || (own && uid != own))
            continue;
        if (snprintf(found, sizeof found, "%s%s", e->d_name, below) < PATH_MAX)
            look_for(r, path, found, &uid);
    }
    *place = dir && e ? telldir(dir) : 0;
    if (dir)
        closedir(dir);
}

/* The folder named by PERFLOG_PROVIDER_DIR. */
static void look_for_named(struct pl_regions *r, const char *named)
{
    char path[PATH_MAX];
    char *last;
    size_t n = strlen(named);

    while (n > 1 && named[n - 1] == '/')
        n--;
    if (snprintf(path, sizeof path, "%.*s", (int)n, named) >= PATH_MAX)
        return;
    last = strrchr(path, '/');
    if (last)
        *last = 0;
    if (!last)
        look_for(r, ".", path, NULL);
    else
        look_for(r, last > path ? path : "/", last + 1, NULL);
}

void pl_regions_look_for_folders(struct pl_regions *r)
{
    const char *named = secure_getenv("PERFLOG_PROVIDER_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    const uid_t uid = geteuid();
    char shm[32];

    r->listed_ns = pl_regions_clock();
    drop_folders(r);
    for (unsigned d = 0; d < r->num_folders; d++)
        r->folders[d].settled = false; /* in case an event was missed */
    if (named && *named) {
        look_for_named(r, named);
        return;
    }
    look_for(r, PL_REGION_RUN, PL_REGION_SYSTEM, NULL);
    if (runtime && *runtime == '/')
        look_for(r, runtime, PL_REGION_RUNTIME_DIR, &uid);
    snprintf(shm, sizeof shm, PL_REGION_SHM_PREFIX "%u", (unsigned)uid);
    look_for(r, PL_REGION_SHM, shm, &uid);
    if (uid == 0)
        look_for_all(r, "/run/user", "", "/" PL_REGION_RUNTIME_DIR,
                     &r->users_at);
    look_for_all(r, PL_REGION_SHM, PL_REGION_SHM_PREFIX, "", &r->shm_at);
}

/* ---- listing ------------------------------------------------------------ */

static struct pl_region *known(struct pl_regions *r, unsigned dir,
                               uint64_t inode, const char *file)
{
    struct pl_region *g = *pl_regions_list_of(r, inode);

    while (g && (g->inode != inode || g->dir != dir || strcmp(g->file, file)))
        g = g->next;
    return g;
}

/* Older: met in an earlier pass, or created earlier if met in the same one.
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

static enum pl_status open_met(struct pl_regions *r, struct pl_region *g,
                               bool is_regular)
{
    snprintf(g->called.label, sizeof g->called.label, "unnamed");
    if (pl_region_is_half_made(g)) {
        g->state = PL_STATE_HIDDEN;
        return PL_OK;
    }
    if (pl_region_parse_name(&g->called, g->file) && is_regular)
        return pl_region_open(r, g);
    snprintf(g->label, sizeof g->label, "%s", g->called.label);
    pl_region_doubt(r, g, PL_REASON_FILE);
    return PL_OK;
}

/* Take a place and a doubted place; the latter is given back when the file is
 * valid.  So a user of invalid files has few, and most are not even opened. */
static struct pl_publisher *find_place(struct pl_regions *r,
                                       const struct stat *st)
{
    struct pl_publishers *p = &r->publishers;
    struct pl_publisher *who = pl_publishers_find(p, st->st_uid);

    r->work += !who || who->stranger;
    if (!who)
        return NULL;
    if (pl_publisher_take(p, who, PL_SHARE_PLACES, 1)) {
        if (pl_publisher_take(p, who, PL_SHARE_DOUBTED, 1))
            return who;
        pl_publisher_give(p, who, PL_SHARE_PLACES, 1);
    }
    who->refused = true;
    return NULL;
}

static enum pl_status meet_file(struct pl_regions *r, unsigned dir,
                                const struct stat *st, const char *file)
{
    struct pl_publisher *who;
    struct pl_region *g;
    enum pl_status s;

    if (known(r, dir, st->st_ino, file))
        return PL_OK;
    who = find_place(r, st);
    if (!who)
        return PL_OK;
    g = new_region(dir, st, file);
    if (!g)
        return PL_NOMEM; /* ends the recording */
    g->publisher = who;
    g->doubted = true;
    g->seen = r->pass;
    r->work += who->stranger ? OPENING : 0;
    s = open_met(r, g, S_ISREG(st->st_mode));
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

enum pl_status pl_regions_meet(struct pl_regions *r, unsigned dir,
                               const char *file)
{
    struct stat st;

    if (!is_region_name(file))
        return PL_OK;
    r->machine->system_calls++;
    if (fstatat(r->folders[dir].fd, file, &st, AT_SYMLINK_NOFOLLOW))
        return PL_OK; /* withdrawn */
    return meet_file(r, dir, &st, file);
}

/* Continue a folder where the last sample stopped. */
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
            if (!is_region_name(e->d_name) ||
                known(r, dir, e->d_ino, e->d_name))
                continue;
            s = pl_regions_meet(r, dir, e->d_name);
            if (s)
                return s;
            num++;
            /* The remaining entries wait for the next sample. */
            if (r->work >= MAX_WORK ||
                (num % CLOCK_STRIDE == 0 && pl_regions_are_late(r))) {
                r->machine->system_calls++;
                lseek(f->fd, e->d_off, SEEK_SET);
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
