/* A region's file: folders on tmpfs, and files that appear when complete. */
#include "logger/provider/internal.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { TMPFS_MAGIC = 0x01021994 };

/* Folders, in the order in which they are tried. */
enum {
    OF_SYSTEM, /* or the named one */
    KEPT_FOR_USER,
    OF_SESSION,
    OF_USER,
    OF_FILE, /* another user may have made the one before */
    NUM_FOLDERS
};

static int fail(char why[PL_PROV_WHY], const char *what, const char *where,
                int error)
{
    snprintf(why, PL_PROV_WHY, "%.160s: %s: %s", where, what, strerror(error));
    return error;
}

/* ---- folders ------------------------------------------------------------ */

/* The recorder has a user of its own, to whom a folder of ours is closed. */
static bool has_recorder(const struct pl_prov_file *f)
{
    return f->recorder && f->recorder != geteuid();
}

static struct posix_acl_xattr_entry right(uint16_t of, uint16_t what,
                                          uint32_t id)
{
    return (struct posix_acl_xattr_entry){ htole16(of), htole16(what),
                                           htole32(id) };
}

/* Set the rights of a folder (or of files made in it): of its owner, of the
 * recorder, of the owner's group, and of others, who have none. */
static bool set_rights(const struct pl_prov_file *f, const char *attribute,
                       uint16_t owner, uint16_t recorder, uint16_t group)
{
    const uint32_t none = UINT32_MAX;
    const struct {
        struct posix_acl_xattr_header head;
        struct posix_acl_xattr_entry entries[5];
    } list = { { htole32(POSIX_ACL_XATTR_VERSION) },
               { right(ACL_USER_OBJ, owner, none),
                 right(ACL_USER, recorder, f->recorder),
                 right(ACL_GROUP_OBJ, group, none),
                 right(ACL_MASK, recorder, none), right(ACL_OTHER, 0, none) } };

    return !fsetxattr(f->dir, attribute, &list, sizeof list, 0);
}

/* Let the recorder list our folder, read the regions that its group may read,
 * and remove those that were left.  Nobody else has rights then. */
static bool admit_recorder(const struct pl_prov_file *f)
{
    return set_rights(f, "system.posix_acl_default", 6, 4, 4) &&
           set_rights(f, "system.posix_acl_access", 7, 7, 0);
}

/* True if it is a folder of ours, in which no other user can write. */
static bool is_ours(const struct pl_prov_file *f)
{
    struct stat st;

    return !fstat(f->dir, &st) && st.st_uid == geteuid() &&
           ((has_recorder(f) && admit_recorder(f)) || !(st.st_mode & 022));
}

/* Make the folder of a user, unless it is there. */
static void make_folder(struct pl_prov_file *f)
{
    f->unmade = mkdir(f->folder, 0700) ? errno : 0;
}

/* Open a folder that is on tmpfs; 'ours': only if it is.  0 or an errno
 * value. */
static int open_folder(struct pl_prov_file *f, bool ours, char why[PL_PROV_WHY])
{
    struct statfs fs;

    f->dir = open(f->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0 && errno == EACCES) /* one may create there, but not list */
        f->dir = open(f->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0 && errno == ENOENT && f->unmade)
        return fail(why, "cannot be made", f->folder, f->unmade);
    if (f->dir < 0)
        return fail(why, "cannot be opened", f->folder, errno);
    if (fstatfs(f->dir, &fs) || fs.f_type != TMPFS_MAGIC)
        return fail(why, "is not on tmpfs", f->folder, ENOTSUP);
    if (ours && !is_ours(f))
        return fail(why, "belongs to another user", f->folder, EPERM);
    return 0;
}

/* The user of the recorder that serves all users owns the system's folder. */
static void find_recorder(struct pl_prov_file *f)
{
    struct stat st;

    f->recorder = stat(PL_REGION_SYSTEM_DIR, &st) ? 0 : st.st_uid;
}

/* A folder of the login session, which only its user and root can enter. */
static bool find_session(struct pl_prov_file *f)
{
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    size_t size = sizeof f->folder;

    if (!runtime || *runtime != '/' || has_recorder(f) ||
        strlen(runtime) >= size - sizeof "/" PL_REGION_RUNTIME_DIR)
        return false;
    snprintf(f->folder, size, "%s/perflog", runtime);
    make_folder(f);
    snprintf(f->folder, size, "%s/" PL_REGION_RUNTIME_DIR, runtime);
    make_folder(f);
    return true;
}

/* Find the n-th folder; false: there is none. */
static bool find_folder(struct pl_prov_file *f, unsigned n)
{
    const unsigned user = (unsigned)geteuid();
    size_t size = sizeof f->folder;

    f->unmade = 0;
    switch (n) {
    case OF_SYSTEM:
        find_recorder(f);
        snprintf(f->folder, size, PL_REGION_SYSTEM_DIR);
        return true;
    case KEPT_FOR_USER: /* made by the administrator; most users have none */
        snprintf(f->folder, size, PL_REGION_KEPT_DIR "/%u", user);
        return !access(f->folder, F_OK);
    case OF_SESSION:
        return find_session(f);
    case OF_USER:
        snprintf(f->folder, size, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
                 user);
        make_folder(f);
        return true;
    case OF_FILE:
        snprintf(f->folder, size,
                 PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u.XXXXXX", user);
        f->alone = mkdtemp(f->folder) != NULL;
        return f->alone; /* else it is as with the one before */
    }
    return false;
}

/* Only root can have made the system's folder and those kept for users. */
static bool is_to_be_ours(unsigned n)
{
    return n > KEPT_FOR_USER;
}

/* ---- the file ----------------------------------------------------------- */

/* Locked by a descriptor that is then closed: the lock lasts as the mapping. */
static int lock_file(int fd)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

    return fcntl(fd, F_OFD_SETLK, &all) ? errno : 0;
}

static int make_in(struct pl_prov_file *f, mode_t mode, char why[PL_PROV_WHY])
{
    struct rlimit most;
    int error;

    /* Beyond this the kernel sends SIGXFSZ, which ends the application. */
    if (!getrlimit(RLIMIT_FSIZE, &most) && f->size > most.rlim_cur)
        return fail(why, "files may not be so long", f->folder, EFBIG);
    f->fd = openat(f->dir, f->hidden,
                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f->fd < 0)
        return fail(why, "no file can be made there", f->folder, errno);
    error = lock_file(f->fd); /* first: the recorder removes unlocked files */
    if (error)
        return fail(why, "cannot be locked", f->folder, error);
    /* A block not allocated now would raise SIGBUS in the application later. */
    do
        error = posix_fallocate(f->fd, 0, (off_t)f->size);
    while (error == EINTR);
    if (error)
        return fail(why, "has no place for the counters", f->folder, error);
    if (fchmod(f->fd, mode))
        return fail(why, "rights cannot be set there", f->folder, errno);
    return 0;
}

static int map_file(struct pl_prov_file *f, char why[PL_PROV_WHY])
{
    void *at =
        mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);

    if (at == MAP_FAILED)
        return fail(why, "cannot be mapped", f->folder, errno);
    f->map = at;
    return 0;
}

static void drop(struct pl_prov_file *f)
{
    pl_prov_file_release(f);
    if (f->fd >= 0) {
        unlinkat(f->dir, f->hidden, 0);
        close(f->fd);
    }
    if (f->alone)
        rmdir(f->folder);
    f->alone = false;
    if (f->dir >= 0)
        close(f->dir);
    f->dir = f->fd = -1;
}

/* Make the file in f->folder, or leave nothing. */
static int try_folder(struct pl_prov_file *f, bool ours, mode_t mode,
                      char why[PL_PROV_WHY])
{
    int error = EINVAL;

    if (*f->folder != '/')
        return fail(why, "is no absolute path", f->folder, error);
    error = open_folder(f, ours, why);
    if (!error)
        error = make_in(f, mode, why);
    if (!error)
        error = map_file(f, why);
    if (error)
        drop(f);
    return error;
}

/* A folder that is not there says least, and one that is full most. */
static int weight(int error)
{
    return error == ENOENT ? 0 : error == ENOTSUP ? 1 : error == ENOSPC ? 3 : 2;
}

/* Try all folders; the error, and 'why', is the last of those that say most. */
static int try_folders(struct pl_prov_file *f, mode_t mode,
                       char why[PL_PROV_WHY])
{
    char reason[PL_PROV_WHY];
    int error = ENOTSUP, tried;

    for (unsigned n = 0; n < NUM_FOLDERS; n++) {
        if (!find_folder(f, n))
            continue;
        tried = try_folder(f, is_to_be_ours(n), mode, reason);
        if (!tried)
            return 0;
        if (weight(tried) < weight(error))
            continue;
        error = tried;
        memcpy(why, reason, PL_PROV_WHY);
    }
    return error;
}

int pl_prov_file_make(struct pl_prov_file *f, const char *dir, mode_t mode,
                      size_t size, const char *name, char why[PL_PROV_WHY])
{
    const char *named = dir ? dir : secure_getenv("PERFLOG_PROVIDER_DIR");

    *f = (struct pl_prov_file){ .size = size, .dir = -1, .fd = -1 };
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->hidden, sizeof f->hidden, PL_REGION_HALF_MADE "%s", name);
    snprintf(why, PL_PROV_WHY, "there is no folder on tmpfs for counters");
    if (named && *named) {
        snprintf(f->folder, sizeof f->folder, "%s", named);
        return try_folder(f, false, mode, why);
    }
    return try_folders(f, mode, why);
}

int pl_prov_file_show(struct pl_prov_file *f, char why[PL_PROV_WHY])
{

    if (renameat2(f->dir, f->hidden, f->dir, f->name, RENAME_NOREPLACE)) {
        int error = fail(why, "the file cannot be named", f->folder, errno);

        drop(f);
        return error;
    }
    close(f->fd);
    close(f->dir);
    f->dir = f->fd = -1;
    snprintf(f->path, sizeof f->path, "%.*s/%s",
             (int)(sizeof f->path - sizeof f->name - 1), f->folder, f->name);
    return 0;
}

void pl_prov_file_withdraw(struct pl_prov_file *f)
{
    unlink(f->path);
    if (f->alone)
        rmdir(f->folder);
    f->alone = false;
    *f->path = 0;
}

void pl_prov_file_release(struct pl_prov_file *f)
{
    if (f->map)
        munmap(f->map, f->size);
    f->map = NULL;
}

/* Not by MAP_FIXED, which may fail with neither the old memory nor the new. */
bool pl_prov_file_detach(struct pl_prov_file *f)
{
    void *own = mmap(NULL, f->size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *f->path = 0;
    f->alone = false;
    if (own == MAP_FAILED)
        return false;
    if (mremap(own, f->size, f->size, MREMAP_MAYMOVE | MREMAP_FIXED, f->map) !=
        MAP_FAILED)
        return true;
    munmap(own, f->size);
    return false;
}
