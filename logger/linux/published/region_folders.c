/* Searches folders of regions: those of the system, and of each user. */
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
    LOOK_AGAIN_S = 10,
    PER_EVENT = 4, /* costs as much as so many checks of a file */
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
 * belong to an untrusted publisher, who might redirect the path with a symbolic
 * link.  Without openat2(2) (Linux 5.6; or refused by a seccomp filter) to
 * forbid links, each component is opened on its own.
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
        pl_regions_unwatch_folder(r, f);
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

/* Where users have folders: 'below' in each "PREFIXuser" of 'path'. */
static const struct homes {
    const char *path, *prefix, *below;
    bool root_only; /* no other recorder can enter its folders */
} homes[NUM_HOMES] = {
    { "/run/user", "", "/" PL_REGION_RUNTIME_DIR, true },
    { PL_REGION_KEPT_DIR, "", "", false },
    { PL_REGION_SHM, PL_REGION_SHM_PREFIX, "", false },
};

/* Does this recorder record the regions of all users?  Of root; else of whom
 * root has given the system's folder. */
static bool serves_all(struct pl_regions *r)
{
    struct stat st;

    if (geteuid() == 0)
        return true;
    r->machine->system_calls++;
    return !stat(PL_REGION_SYSTEM_DIR, &st) && st.st_uid == geteuid();
}

/*
 * May a name be that of a user's folder, else of the recorder's own user?
 * Anybody can make many folders in /dev/shm, so most are rejected by one system
 * call.
 */
static bool is_candidate(struct pl_regions *r, const struct homes *h, int at,
                         const char *name, uid_t *uid)
{
    struct pl_publisher *who;
    struct stat st;

    if (!parse_user(name, h->prefix, uid) ||
        (!r->serves_all && *uid != geteuid()))
        return false;
    r->machine->system_calls++;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode) ||
        (!*h->below && st.st_uid != *uid) || is_known_folder(r, &st))
        return false;
    who = pl_publishers_find(&r->publishers, *uid);
    if (!who || pl_publisher_has_room(&r->publishers, who, PL_SHARE_FOLDERS, 1))
        return who;
    pl_publisher_refuse(&r->publishers, who, PL_SHARE_FOLDERS);
    return false;
}

static void look_at_home(struct pl_regions *r, const struct homes *h, int at,
                         const char *name)
{
    char found[PATH_MAX];
    uid_t uid;

    if (is_candidate(r, h, at, name, &uid) &&
        snprintf(found, sizeof found, "%s%s", name, h->below) < PATH_MAX)
        look_for(r, h->path, found, &uid);
}

/*
 * Search the folders of all users.  What is not searched until the deadline is
 * continued in the next sample from homes_at (telldir).
 */
static void look_for_all(struct pl_regions *r, unsigned i)
{
    const struct homes *h = &homes[i];
    DIR *dir = opendir(h->path);
    struct dirent *e = NULL;
    bool late = false;

    r->homes[i] = pl_regions_watch_parent(r, h->path);
    if (dir && r->homes_at[i])
        seekdir(dir, r->homes_at[i]);
    for (unsigned n = 1; dir && !late && (e = readdir(dir)); n++) {
        look_at_home(r, h, dirfd(dir), e->d_name);
        late = n % CLOCK_STRIDE == 0 && pl_regions_have_searched(r);
    }
    r->homes_at[i] = late ? telldir(dir) : 0;
    if (dir)
        closedir(dir);
}

void pl_regions_handle_home(struct pl_regions *r, unsigned i, const char *name)
{
    int at;

    r->work += PER_EVENT;
    if (r->work > MAX_WORK) {
        r->search_again = true;
        return;
    }
    r->machine->system_calls += 2;
    at = open(homes[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return;
    look_at_home(r, &homes[i], at, name);
    close(at);
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

/* The folders of the system, and of the recorder's own user. */
static void look_for_own(struct pl_regions *r)
{
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    const uid_t uid = geteuid();
    char shm[32], kept[32];

    r->serves_all = serves_all(r);
    look_for(r, PL_REGION_RUN, PL_REGION_SYSTEM, NULL);
    snprintf(kept, sizeof kept, PL_REGION_KEPT "/%u", (unsigned)uid);
    look_for(r, PL_REGION_RUN, kept, &uid);
    if (runtime && *runtime == '/')
        look_for(r, runtime, PL_REGION_RUNTIME_DIR, &uid);
    snprintf(shm, sizeof shm, PL_REGION_SHM_PREFIX "%u", (unsigned)uid);
    look_for(r, PL_REGION_SHM, shm, &uid);
}

/* Begin a search.  True: only the named folder is to be searched. */
static bool begin_search(struct pl_regions *r, bool due)
{
    const char *named = secure_getenv("PERFLOG_PROVIDER_DIR");

    r->search_again = false;
    if (due) {
        r->listed_ns = pl_regions_clock();
        for (unsigned d = 0; d < r->num_folders; d++)
            r->folders[d].is_listed = false; /* in case an event was missed */
    }
    drop_folders(r);
    if (named && *named)
        look_for_named(r, named);
    else
        look_for_own(r);
    if (due)
        pl_regions_begin_census(r);
    return named && *named;
}

void pl_regions_look_for_folders(struct pl_regions *r)
{
    const bool due =
        pl_regions_clock() - r->listed_ns > LOOK_AGAIN_S * INT64_C(1000000000);
    const bool goes_on = pl_regions_are_searching(r);

    if (!goes_on && ((!due && !r->search_again) || begin_search(r, due)))
        return;
    for (unsigned i = 0; i < NUM_HOMES; i++)
        if ((!homes[i].root_only || geteuid() == 0) &&
            (!goes_on || r->homes_at[i]))
            look_for_all(r, i);
}
