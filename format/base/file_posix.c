/* Files of POSIX systems: read, appended to, streams. */
#include "format/base/file.h"

#include "format/base/file_rights_posix.h"
#include "format/base/folder_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct pl_file {
    int fd;
    bool stream;
    bool made; /* created by this open */
};

enum { LOCK_TRIES = 10, LOCK_PAUSE_MS = 20, SYNCS_INTERRUPTED = 100 };

static enum pl_status adopt(struct pl_file **out, int fd, bool stream)
{
    struct pl_file *f = malloc(sizeof *f);

    if (!f) {
        if (fd > STDIN_FILENO)
            close(fd);
        return PL_NOMEM;
    }
    *f = (struct pl_file){ .fd = fd, .stream = stream };
    *out = f;
    return PL_OK;
}

static enum pl_status fail(int fd, int error)
{
    close(fd);
    errno = error;
    return PL_IO;
}

enum pl_status pl_file_open(struct pl_file **out, const char *path)
{
    struct stat st;
    int fd;

    if (!strcmp(path, "-")) {
        if (fstat(STDIN_FILENO, &st))
            return PL_IO;
        return adopt(out, STDIN_FILENO, !S_ISREG(st.st_mode));
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return PL_IO;
    if (fstat(fd, &st))
        return fail(fd, errno);
    if (S_ISDIR(st.st_mode))
        return fail(fd, EISDIR);
    /* O_NONBLOCK was only for the open: reads wait. */
    if (!S_ISREG(st.st_mode) && fcntl(fd, F_SETFL, O_RDONLY))
        return fail(fd, errno);
    return adopt(out, fd, !S_ISREG(st.st_mode));
}

void pl_file_close(struct pl_file *f)
{
    PL_KEEP_ERRNO;

    if (!f)
        return;
    if (f->fd != STDIN_FILENO)
        close(f->fd);
    free(f);
}

enum pl_status pl_file_read(struct pl_file *f, uint64_t offset, void *p,
                            size_t n, size_t *got)
{
    char *to = p;

    *got = 0;
    while (*got < n) {
        ssize_t part = f->stream ? read(f->fd, to + *got, n - *got)
                                 : pread(f->fd, to + *got, n - *got,
                                         (off_t)(offset + *got));

        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return PL_IO;
        if (!part)
            break;
        *got += (size_t)part;
    }
    return PL_OK;
}

bool pl_file_is_stream(const struct pl_file *f)
{
    return f->stream;
}

bool pl_path_is_stream(const char *path)
{
    struct stat st;

    if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
        return false;
    return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

const char *pl_path_stream_word(const char *path)
{
    struct stat st;

    if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
        return "pipe";
    return S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ? "device" : "pipe";
}

enum pl_status pl_file_size(struct pl_file *f, uint64_t *size)
{
    struct stat st;

    *size = UINT64_MAX;
    if (f->stream)
        return PL_OK;
    if (fstat(f->fd, &st))
        return PL_IO;
    *size = (uint64_t)st.st_size;
    return PL_OK;
}

enum pl_file_use pl_file_use(struct pl_file *f)
{
    if (f->stream)
        return PL_FILE_NOT_KNOWN;
    if (flock(f->fd, LOCK_SH | LOCK_NB))
        return errno == EWOULDBLOCK ? PL_FILE_WRITTEN : PL_FILE_NOT_KNOWN;
    flock(f->fd, LOCK_UN);
    return PL_FILE_FREE;
}

bool pl_file_is_locked(struct pl_file *f)
{
    return pl_file_use(f) == PL_FILE_WRITTEN;
}

/* ---- writing ------------------------------------------------------------- */

/* True for a folder in which any user could replace our file. */
static bool folder_is_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat st;
    bool bad;
    char *folder;

    if (!slash)
        folder = strdup(".");
    else
        folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder)
        return true;
    bad =
        !stat(folder, &st) && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX);
    free(folder);
    return bad;
}

const char pl_has_links[] = "it has several hard links";

static const char *why_unsafe(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "it is no regular file";
    if (st->st_uid != geteuid())
        return "it belongs to another user";
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "others can write to it";
    if (st->st_nlink != 1)
        return pl_has_links;
    return NULL;
}

/*
 * A reader that checks whether a recorder is running holds the lock for an
 * instant, so a refused lock is tried again.
 */
static enum pl_status take_lock(int fd, int lock)
{
    int error = 0;

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (!flock(fd, lock | LOCK_NB))
            return PL_OK;
        error = errno;
        if (error != EWOULDBLOCK && error != EINTR)
            return PL_IO;
        pl_sleep((uint64_t)LOCK_PAUSE_MS * 1000000);
    }
    errno = error;
    return error == EINTR ? PL_IO : PL_BUSY;
}

static bool is_at(const struct stat *file, const char *path)
{
    struct stat st;

    return !lstat(path, &st) && st.st_dev == file->st_dev &&
           st.st_ino == file->st_ino;
}

/* Delete the file if it has that name still: by now it may be another one's. */
static void delete_own(int fd, const char *path)
{
    struct stat st;
    PL_KEEP_ERRNO;

    if (!fstat(fd, &st) && is_at(&st, path))
        unlink(path);
}

/* Check whether the file may be written to, and lock it. */
static enum pl_status check_and_lock(int fd, const char *path, int lock,
                                     const char **why)
{
    struct stat st;
    enum pl_status s;

    if (fstat(fd, &st))
        return PL_IO;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return PL_IO;
    }
    if (!st.st_nlink) /* by a packer for which it was a part that was left */
        return PL_BUSY;
    *why = why_unsafe(&st);
    if (*why)
        return PL_UNSAFE;
    s = take_lock(fd, lock);
    if (s)
        return s;
    /* The file may have been unlinked, linked or renamed during the wait. */
    if (fstat(fd, &st))
        return PL_IO;
    if (!st.st_nlink) /* by a recorder that gave way to this one */
        return PL_BUSY;
    if (!is_at(&st, path)) /* by a packer, as which it is the log now */
        return PL_BUSY;
    if (st.st_nlink != 1)
        *why = pl_has_links; /* since then */
    return *why ? PL_UNSAFE : PL_OK;
}

static int open_log(const char *path, int more, mode_t mode)
{
    return open(path,
                O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
                    O_NONBLOCK | more,
                mode);
}

/* Why a file was not opened. */
static enum pl_status not_opened(const char **why)
{
    if (errno != ELOOP && errno != ENXIO)
        return PL_IO;
    *why = errno == ELOOP ? "it is a symbolic link" : "it is no regular file";
    return PL_UNSAFE;
}

enum pl_status pl_file_hold(struct pl_file **out, const char *path,
                            const char **why)
{
    int fd = open_log(path, 0, 0);
    enum pl_status s;

    if (fd < 0)
        return not_opened(why);
    s = check_and_lock(fd, path, LOCK_SH, why);
    if (!s)
        return adopt(out, fd, false);
    {
        PL_KEEP_ERRNO;

        close(fd);
    }
    return s;
}

/*
 * Lock what was opened, or close it.  'made': it was created.  'is_new': it had
 * to be, and is deleted again if it is of no use; PL_BUSY says that another
 * program has it by now, or that its name is another file's.
 */
static enum pl_status lock_opened(struct pl_file **out, int fd,
                                  const char *path, bool made, bool is_new,
                                  const char **why)
{
    struct pl_file *f = NULL;
    enum pl_status s = check_and_lock(fd, path, LOCK_EX, why);

    if (!s)
        s = (f = malloc(sizeof *f)) ? PL_OK : PL_NOMEM;
    if (s) {
        PL_KEEP_ERRNO;

        if (is_new && s != PL_BUSY)
            delete_own(fd, path);
        close(fd);
        return s;
    }
    *f = (struct pl_file){ .fd = fd, .made = made };
    if (made)
        pl_folder_sync(path);
    *out = f;
    return PL_OK;
}

static enum pl_status check_folder(const char *path, const char **why)
{
    if (!folder_is_open(path))
        return PL_OK;
    *why = "everybody can write to its folder, which is not sticky";
    return PL_UNSAFE;
}

enum pl_status pl_file_open_append(struct pl_file **out, const char *path,
                                   enum pl_file_new how, const char **why)
{
    enum pl_status s = check_folder(path, why);
    bool made = true;
    int fd;

    if (s)
        return s;
    fd = open_log(path, O_CREAT | O_EXCL,
                  how == PL_NEW_AND_PRIVATE ? 0600 : 0640);
    if (fd < 0 && errno == EEXIST && how == PL_MAY_EXIST) {
        made = false;
        fd = open_log(path, 0, 0);
        if (fd < 0 && errno == ENOENT) /* deleted in between */
            return PL_BUSY;
    }
    if (fd < 0)
        return not_opened(why);
    return lock_opened(out, fd, path, made, how != PL_MAY_EXIST, why);
}

/* What an earlier try left, if no other program uses it. */
static enum pl_status delete_left(const char *path, const char **why)
{
    int fd = open_log(path, 0, 0);
    enum pl_status s;

    if (fd < 0)
        return errno == ENOENT ? PL_OK : not_opened(why);
    s = check_and_lock(fd, path, LOCK_EX, why);
    if (!s && unlink(path))
        s = PL_IO;
    {
        PL_KEEP_ERRNO;

        close(fd);
    }
    return s;
}

enum pl_status pl_file_open_private(struct pl_file **out, const char *path,
                                    const char **why)
{
    enum pl_status s = check_folder(path, why);
    int fd;

    if (!s)
        s = delete_left(path, why);
    if (s)
        return s;
    fd = open_log(path, O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return errno == EEXIST ? PL_BUSY : not_opened(why);
    return lock_opened(out, fd, path, true, true, why);
}

bool pl_file_is_full(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

bool pl_file_is_new(const struct pl_file *f)
{
    return f->made;
}

bool pl_file_is_at(struct pl_file *f, const char *path)
{
    struct stat st;

    return !fstat(f->fd, &st) && is_at(&st, path);
}

bool pl_file_is_as_left(struct pl_file *f, uint64_t size)
{
    struct stat st;

    return fstat(f->fd, &st) ||
           (st.st_nlink > 0 && (uint64_t)st.st_size == size);
}

bool pl_file_is_deleted(struct pl_file *f)
{
    struct stat st;

    return !fstat(f->fd, &st) && !st.st_nlink;
}

enum pl_status pl_file_append(struct pl_file *f, const void *p, size_t n)
{
    const char *from = p;

    while (n) {
        ssize_t part = write(f->fd, from, n);

        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return PL_IO;
        if (!part) {
            errno = ENOSPC; /* write() returned 0 without an error */
            return PL_IO;
        }
        from += part;
        n -= (size_t)part;
    }
    return PL_OK;
}

enum pl_status pl_file_reserve(struct pl_file *f, uint64_t from, uint64_t n)
{
#ifdef FALLOC_FL_KEEP_SIZE
    while (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)n))
        if (errno != EINTR)
            return pl_file_is_full(errno) ? PL_IO : PL_UNSUPPORTED;
    return PL_OK;
#else
    (void)f;
    (void)from;
    (void)n;
    return PL_UNSUPPORTED;
#endif
}

enum pl_status pl_file_truncate(struct pl_file *f, uint64_t size)
{
    while (ftruncate(f->fd, (off_t)size))
        if (errno != EINTR)
            return PL_IO;
    return PL_OK;
}

enum pl_status pl_file_sync(struct pl_file *f)
{
    for (int tries = 0; fdatasync(f->fd); tries++) {
        if (errno == EINVAL || errno == ENOTSUP) /* it has no such thing */
            return PL_OK;
        if (errno != EINTR || tries >= SYNCS_INTERRUPTED)
            return PL_IO;
    }
    return PL_OK;
}

enum pl_status pl_file_space(struct pl_file *f, uint64_t *available,
                             uint64_t *total)
{
    struct statvfs v;

    if (fstatvfs(f->fd, &v))
        return PL_IO;
    *available = (uint64_t)v.f_bavail * v.f_frsize;
    *total = (uint64_t)v.f_blocks * v.f_frsize;
    return PL_OK;
}

/* ---- streams -------------------------------------------------------------- */

FILE *pl_file_stream(const char *path, const char *mode)
{
    return fopen(path, mode);
}

FILE *pl_file_stream_new(const char *path, unsigned rights)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  (mode_t)(rights & 0666));
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

    if (fd >= 0 && !f)
        close(fd);
    return f;
}

enum pl_status pl_file_rights(const char *path, unsigned *rights)
{
    struct stat st;

    if (stat(path, &st))
        return PL_IO;
    *rights = (unsigned)st.st_mode & PL_ALL_RIGHTS;
    return PL_OK;
}

enum pl_status pl_file_stream_set_rights(FILE *f, unsigned rights)
{
    return fchmod(fileno(f), (mode_t)(rights & PL_ALL_RIGHTS)) ? PL_IO : PL_OK;
}

enum pl_status pl_file_copy_rights(struct pl_file *from, struct pl_file *to)
{
    return pl_copy_rights(from->fd, to->fd);
}

enum pl_status pl_file_open_special(FILE **out, const char *path)
{
    struct stat st;
    int fd;

    *out = NULL;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return !lstat(path, &st) && S_ISLNK(st.st_mode) ? PL_UNSAFE : PL_OK;
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return PL_IO;
    /* Opened without O_CREAT and O_TRUNC: it may be another file by now. */
    if (fstat(fd, &st))
        return fail(fd, errno);
    if (S_ISREG(st.st_mode)) {
        close(fd);
        return PL_UNSAFE;
    }
    *out = fdopen(fd, "wb");
    return *out ? PL_OK : fail(fd, errno);
}
