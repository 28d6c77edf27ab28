/* A region's file: folders on tmpfs, and files that appear when complete. */
#include "logger/provider/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { TMPFS_MAGIC = 0x01021994 };

static int fail(char why[PL_PROV_WHY], const char *what, const char *where,
                int error)
{
    snprintf(why, PL_PROV_WHY, "%.160s: %s: %s", where, what, strerror(error));
    return error;
}

/* ---- folders ------------------------------------------------------------ */

/*
 * Open a folder that is on tmpfs; 'ours': only if no other user can write
 * there.  0 or an errno value.
 */
static int open_folder(struct pl_prov_file *f, bool ours, char why[PL_PROV_WHY])
{
    struct stat st;
    struct statfs fs;

    f->dir = open(f->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0 && errno == EACCES) /* one may create there, but not list */
        f->dir = open(f->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0)
        return fail(why, "cannot be opened", f->folder, errno);
    if (fstatfs(f->dir, &fs) || fs.f_type != TMPFS_MAGIC)
        return fail(why, "is not on tmpfs", f->folder, ENOTSUP);
    if (ours &&
        (fstat(f->dir, &st) || st.st_uid != geteuid() || (st.st_mode & 022)))
        return fail(why, "belongs to somebody else", f->folder, EPERM);
    return 0;
}

/* The n-th folder to try; false after the last.  *ours: as above. */
static bool folder(struct pl_prov_file *f, const char *dir, unsigned n,
                   bool *ours)
{
    const char *named = dir ? dir : secure_getenv("PERFLOG_PROVIDER_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    size_t size = sizeof f->folder;

    if (named && *named) {
        snprintf(f->folder, size, "%s", named);
        *ours = false;
        return n == 0;
    }
    *ours = n > 0;
    if (n == 0) {
        snprintf(f->folder, size, PL_REGION_SYSTEM_DIR);
    } else if (n == 1 && runtime && *runtime == '/' &&
               strlen(runtime) < size - sizeof "/" PL_REGION_RUNTIME_DIR) {
        snprintf(f->folder, size, "%s/perflog", runtime);
        mkdir(f->folder, 0700); /* if it fails, opening reports why */
        snprintf(f->folder, size, "%s/" PL_REGION_RUNTIME_DIR, runtime);
        mkdir(f->folder, 0700);
    } else if (n < 3) {
        snprintf(f->folder, size, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
                 (unsigned)geteuid());
        mkdir(f->folder, 0700);
    } else if (n == 3) { /* another user may have created that one */
        snprintf(f->folder, size,
                 PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u.XXXXXX",
                 (unsigned)geteuid());
        f->alone = mkdtemp(f->folder) != NULL;
    }
    return n < 4;
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

int pl_prov_file_make(struct pl_prov_file *f, const char *dir, mode_t mode,
                      size_t size, const char *name, char why[PL_PROV_WHY])
{
    int error = ENOTSUP;
    bool ours;

    *f = (struct pl_prov_file){ .size = size, .dir = -1, .fd = -1 };
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->hidden, sizeof f->hidden, ".tmp-%s", name);
    snprintf(why, PL_PROV_WHY, "there is no folder on tmpfs for counters");
    for (unsigned n = 0; error && folder(f, dir, n, &ours); n++) {
        if (*f->folder != '/') {
            error = fail(why, "is no absolute path", f->folder, EINVAL);
            continue;
        }
        error = open_folder(f, ours, why);
        if (!error)
            error = make_in(f, mode, why);
        if (!error)
            error = map_file(f, why);
        if (error)
            drop(f);
    }
    return error;
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
