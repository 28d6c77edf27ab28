/* Where a region lies: folders on tmpfs, and files that appear when whole. */
#include "logger/provider/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- folders ---------------------------------------------------------------*/

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

/* The n-th folder to try; false behind the last.  *ours: as above. */
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
        mkdir(f->folder, 0700); /* if not, opening tells why */
        snprintf(f->folder, size, "%s/" PL_REGION_RUNTIME_DIR, runtime);
        mkdir(f->folder, 0700);
    } else {
        snprintf(f->folder, size, PL_REGION_SHM "/" PL_REGION_SHM_PREFIX "%u",
                 (unsigned)geteuid());
        mkdir(f->folder, 0700);
    }
    return n < 3;
}

/* ---- the file --------------------------------------------------------------*/

static int make_in(struct pl_prov_file *f, mode_t mode, size_t size,
                   uint64_t region_id, char why[PL_PROV_WHY])
{
    int error;

    snprintf(f->name, sizeof f->name, ".tmp-%016llx",
             (unsigned long long)region_id);
    f->fd = openat(f->dir, f->name,
                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f->fd < 0)
        return fail(why, "no file can be made there", f->folder, errno);
    /* What is not there now would be a signal to the application later. */
    do
        error = posix_fallocate(f->fd, 0, (off_t)size);
    while (error == EINTR);
    if (error)
        return fail(why, "has no place for the counters", f->folder, error);
    if (fchmod(f->fd, mode))
        return fail(why, "rights cannot be set there", f->folder, errno);
    return 0;
}

void pl_prov_file_drop(struct pl_prov_file *f)
{
    if (f->fd >= 0) {
        unlinkat(f->dir, f->name, 0);
        close(f->fd);
    }
    if (f->dir >= 0)
        close(f->dir);
    f->dir = f->fd = -1;
}

int pl_prov_file_make(struct pl_prov_file *f, const char *dir, mode_t mode,
                      size_t size, uint64_t region_id, char why[PL_PROV_WHY])
{
    int error = ENOTSUP;
    bool ours;

    *f = (struct pl_prov_file){ .dir = -1, .fd = -1 };
    snprintf(why, PL_PROV_WHY, "there is no folder on tmpfs for counters");
    for (unsigned n = 0; error && folder(f, dir, n, &ours); n++) {
        if (*f->folder != '/') {
            error = fail(why, "is no absolute path", f->folder, EINVAL);
            continue;
        }
        error = open_folder(f, ours, why);
        if (!error)
            error = make_in(f, mode, size, region_id, why);
        if (error)
            pl_prov_file_drop(f);
    }
    return error;
}

int pl_prov_file_show(struct pl_prov_file *f, const char *name,
                      char why[PL_PROV_WHY])
{
    if (renameat2(f->dir, f->name, f->dir, name, RENAME_NOREPLACE)) {
        int error = fail(why, "the file cannot be named", f->folder, errno);

        pl_prov_file_drop(f);
        return error;
    }
    close(f->fd);
    close(f->dir);
    return 0;
}
