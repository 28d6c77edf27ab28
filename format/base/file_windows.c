/*
 * Files of Windows: read, and appended to under a lock.  The lock is one byte
 * far beyond any end of file, so that it does not prevent reading.
 */
#include "format/base/file.h"

#include "format/base/utf16_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct pl_file {
    HANDLE handle;
    bool stream;
    bool borrowed;   /* standard input's */
    bool made;       /* created by this open */
    wchar_t *folder; /* of a log being written, for its free space */
};

enum {
    LOCK_TRIES = 10,
    LOCK_PAUSE_MS = 20,
    LOCK_AT_HIGH = 0x40000000,
    PART = 1 << 30, /* most bytes of one call */
    SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
};

static enum pl_status adopt(struct pl_file **out, const struct pl_file *from)
{
    struct pl_file *f = malloc(sizeof *f);

    if (!f) {
        if (!from->borrowed)
            CloseHandle(from->handle);
        free(from->folder);
        return PL_NOMEM;
    }
    *f = *from;
    *out = f;
    return PL_OK;
}

/* Windows reports "access denied" for opening a folder. */
static enum pl_status opening_failed(const wchar_t *path)
{
    DWORD error = GetLastError(), attributes = GetFileAttributesW(path);

    if (error == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES &&
        attributes & FILE_ATTRIBUTE_DIRECTORY) {
        errno = EISDIR;
        return PL_IO;
    }
    return pl_windows_failure(error);
}

static enum pl_status open_stdin(struct pl_file **out)
{
    struct pl_file f = { .handle = GetStdHandle(STD_INPUT_HANDLE),
                         .borrowed = true };

    if (!f.handle || f.handle == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return PL_IO;
    }
    f.stream = GetFileType(f.handle) != FILE_TYPE_DISK;
    return adopt(out, &f);
}

enum pl_status pl_file_open(struct pl_file **out, const char *path)
{
    struct pl_file f = { 0 };
    enum pl_status s = PL_OK;
    wchar_t *wide;

    if (!strcmp(path, "-"))
        return open_stdin(out);
    wide = pl_utf16_path(path);
    if (!wide)
        return errno == ENOMEM ? PL_NOMEM : PL_IO;
    f.handle = CreateFileW(wide, GENERIC_READ, SHARE_ALL, NULL, OPEN_EXISTING,
                           FILE_ATTRIBUTE_NORMAL, NULL);
    if (f.handle == INVALID_HANDLE_VALUE)
        s = opening_failed(wide);
    free(wide);
    if (s)
        return s;
    f.stream = GetFileType(f.handle) != FILE_TYPE_DISK;
    return adopt(out, &f);
}

void pl_file_close(struct pl_file *f)
{
    PL_KEEP_ERRNO;

    if (!f)
        return;
    if (!f->borrowed)
        CloseHandle(f->handle);
    free(f->folder);
    free(f);
}

static DWORD part_of(size_t n)
{
    return n < PART ? (DWORD)n : PART;
}

static OVERLAPPED place(uint64_t offset)
{
    return (OVERLAPPED){ .Offset = (DWORD)offset,
                         .OffsetHigh = (DWORD)(offset >> 32) };
}

enum pl_status pl_file_read(struct pl_file *f, uint64_t offset, void *p,
                            size_t n, size_t *got)
{
    char *to = p;

    *got = 0;
    while (*got < n) {
        OVERLAPPED at = place(offset + *got);
        DWORD part = 0;
        BOOL good = ReadFile(f->handle, to + *got, part_of(n - *got), &part,
                             f->stream ? NULL : &at);
        DWORD error = good ? 0 : GetLastError();

        if (error && error != ERROR_HANDLE_EOF && error != ERROR_BROKEN_PIPE)
            return pl_windows_failure(error);
        if (error || !part)
            break;
        *got += part;
    }
    return PL_OK;
}

bool pl_file_is_stream(const struct pl_file *f)
{
    return f->stream;
}

/* Named pipes have paths of their own kind: \\.\pipe\NAME. */
bool pl_path_is_stream(const char *path)
{
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE);

    if (strcmp(path, "-") != 0)
        return !strncmp(path, "\\\\.\\pipe\\", 9);
    return in && in != INVALID_HANDLE_VALUE &&
           GetFileType(in) != FILE_TYPE_DISK;
}

const char *pl_path_stream_word(const char *path)
{
    return !strcmp(path, "-") &&
                   GetFileType(GetStdHandle(STD_INPUT_HANDLE)) == FILE_TYPE_CHAR
               ? "device"
               : "pipe";
}

enum pl_status pl_file_size(struct pl_file *f, uint64_t *size)
{
    LARGE_INTEGER bytes;

    *size = UINT64_MAX;
    if (f->stream)
        return PL_OK;
    if (!GetFileSizeEx(f->handle, &bytes))
        return pl_last_failure();
    *size = (uint64_t)bytes.QuadPart;
    return PL_OK;
}

/* ---- the lock ------------------------------------------------------------- */

/* Returns 0 or the error. */
static DWORD try_lock(HANDLE handle, DWORD flags)
{
    OVERLAPPED at = { .OffsetHigh = LOCK_AT_HIGH };

    return LockFileEx(handle, flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
               ? 0
               : GetLastError();
}

enum pl_file_use pl_file_use(struct pl_file *f)
{
    OVERLAPPED at = { .OffsetHigh = LOCK_AT_HIGH };
    DWORD error;

    if (f->stream)
        return PL_FILE_NOT_KNOWN;
    error = try_lock(f->handle, 0);
    if (error)
        return error == ERROR_LOCK_VIOLATION ? PL_FILE_WRITTEN
                                             : PL_FILE_NOT_KNOWN;
    UnlockFileEx(f->handle, 0, 1, 0, &at);
    return PL_FILE_FREE;
}

bool pl_file_is_locked(struct pl_file *f)
{
    return pl_file_use(f) == PL_FILE_WRITTEN;
}

/*
 * A reader that checks whether a recorder is running holds the lock for an
 * instant, so a refused lock is tried again.
 */
static enum pl_status take_lock(HANDLE handle, DWORD flags)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        DWORD error = try_lock(handle, flags);

        if (!error)
            return PL_OK;
        if (error != ERROR_LOCK_VIOLATION)
            return pl_windows_failure(error);
        pl_sleep((uint64_t)LOCK_PAUSE_MS * 1000000);
    }
    return PL_BUSY;
}

/* ---- writing ------------------------------------------------------------- */

const char pl_has_links[] = "it has several hard links";

static const char *why_unsafe(HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION info;

    if (GetFileType(handle) != FILE_TYPE_DISK ||
        !GetFileInformationByHandle(handle, &info))
        return "it is no regular file";
    if (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
        return "it is a symbolic link";
    if (info.nNumberOfLinks != 1)
        return pl_has_links;
    return NULL;
}

static HANDLE open_for_append(const wchar_t *path, DWORD disposition)
{
    return CreateFileW(
        path, GENERIC_READ | GENERIC_WRITE, SHARE_ALL, NULL, disposition,
        FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
}

static wchar_t *folder_of(const wchar_t *path)
{
    size_t n = wcslen(path);
    wchar_t *folder;

    while (n && path[n - 1] != L'\\' && path[n - 1] != L'/' &&
           path[n - 1] != L':')
        n--;
    folder = malloc((n + 2) * sizeof *folder);
    if (!folder)
        return NULL;
    memcpy(folder, path, n * sizeof *folder);
    if (!n)
        folder[n++] = L'.';
    folder[n] = 0;
    return folder;
}

enum pl_status pl_file_open_append(struct pl_file **out, const char *path,
                                   enum pl_file_new how, const char **why)
{
    wchar_t *wide = pl_utf16_path(path);
    struct pl_file f = { .made = true };
    enum pl_status s = PL_OK;

    if (!wide)
        return errno == ENOMEM ? PL_NOMEM : PL_IO;
    f.handle = open_for_append(wide, CREATE_NEW);
    if (f.handle == INVALID_HANDLE_VALUE && how == PL_MAY_EXIST &&
        GetLastError() == ERROR_FILE_EXISTS) {
        f.made = false;
        f.handle = open_for_append(wide, OPEN_EXISTING);
    }
    if (f.handle == INVALID_HANDLE_VALUE) {
        s = opening_failed(wide);
        free(wide);
        return s;
    }
    f.folder = folder_of(wide);
    free(wide);
    *why = why_unsafe(f.handle);
    if (*why)
        s = PL_UNSAFE;
    else if (!f.folder)
        s = PL_NOMEM;
    else
        s = take_lock(f.handle, LOCKFILE_EXCLUSIVE_LOCK);
    if (!s)
        return adopt(out, &f);
    CloseHandle(f.handle);
    free(f.folder);
    return s;
}

enum pl_status pl_file_hold(struct pl_file **out, const char *path,
                            const char **why)
{
    wchar_t *wide = pl_utf16_path(path);
    struct pl_file f = { 0 };
    enum pl_status s;

    if (!wide)
        return errno == ENOMEM ? PL_NOMEM : PL_IO;
    f.handle = open_for_append(wide, OPEN_EXISTING);
    if (f.handle == INVALID_HANDLE_VALUE) {
        s = opening_failed(wide);
        free(wide);
        return s;
    }
    f.folder = folder_of(wide);
    free(wide);
    *why = why_unsafe(f.handle);
    s = *why ? PL_UNSAFE : f.folder ? take_lock(f.handle, 0) : PL_NOMEM;
    if (!s)
        return adopt(out, &f);
    CloseHandle(f.handle);
    free(f.folder);
    return s;
}

enum pl_status pl_file_open_private(struct pl_file **out, const char *path,
                                    const char **why)
{
    enum pl_status s = pl_file_open_append(out, path, PL_MAY_EXIST, why);

    if (s || pl_file_is_new(*out))
        return s;
    s = pl_file_delete(path); /* its access list is not the folder's, perhaps */
    pl_file_close(*out);
    return s ? s : pl_file_open_append(out, path, PL_NEW_AND_PRIVATE, why);
}

bool pl_file_is_full(int error)
{
    return error == ENOSPC || error == EFBIG;
}

bool pl_file_is_new(const struct pl_file *f)
{
    return f->made;
}

bool pl_file_is_at(struct pl_file *f, const char *path)
{
    BY_HANDLE_FILE_INFORMATION own, there;
    wchar_t *wide = pl_utf16_path(path);
    HANDLE handle = INVALID_HANDLE_VALUE;
    bool same;

    if (wide)
        handle = CreateFileW(wide, 0, SHARE_ALL, NULL, OPEN_EXISTING,
                             FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    same = GetFileInformationByHandle(f->handle, &own) &&
           GetFileInformationByHandle(handle, &there) &&
           own.dwVolumeSerialNumber == there.dwVolumeSerialNumber &&
           own.nFileIndexHigh == there.nFileIndexHigh &&
           own.nFileIndexLow == there.nFileIndexLow;
    CloseHandle(handle);
    return same;
}

bool pl_file_is_as_left(struct pl_file *f, uint64_t size)
{
    BY_HANDLE_FILE_INFORMATION info;

    return !GetFileInformationByHandle(f->handle, &info) ||
           (info.nNumberOfLinks > 0 &&
            ((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow) == size);
}

bool pl_file_is_deleted(struct pl_file *f)
{
    BY_HANDLE_FILE_INFORMATION info;

    return GetFileInformationByHandle(f->handle, &info) && !info.nNumberOfLinks;
}

enum pl_status pl_file_append(struct pl_file *f, const void *p, size_t n)
{
    const char *from = p;

    while (n) {
        OVERLAPPED end = place(UINT64_MAX); /* means: append at the end */
        DWORD part = 0;

        if (!WriteFile(f->handle, from, part_of(n), &part, &end))
            return pl_last_failure();
        if (!part)
            return pl_windows_failure(ERROR_DISK_FULL);
        from += part;
        n -= part;
    }
    return PL_OK;
}

enum pl_status pl_file_reserve(struct pl_file *f, uint64_t from, uint64_t n)
{
    (void)f;
    (void)from;
    (void)n;
    return PL_UNSUPPORTED;
}

enum pl_status pl_file_truncate(struct pl_file *f, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = (LONGLONG)size };

    if (!SetFileInformationByHandle(f->handle, FileEndOfFileInfo, &end,
                                    sizeof end))
        return pl_last_failure();
    return PL_OK;
}

/* Windows needs a handle with write access, which a reader does not have. */
enum pl_status pl_file_sync(struct pl_file *f)
{
    HANDLE handle = f->handle;
    BOOL good;

    if (!f->folder)
        handle = ReOpenFile(f->handle, GENERIC_WRITE, SHARE_ALL, 0);
    if (handle == INVALID_HANDLE_VALUE)
        return pl_last_failure();
    good = FlushFileBuffers(handle);
    if (handle != f->handle)
        CloseHandle(handle);
    return good ? PL_OK : pl_last_failure();
}

enum pl_status pl_file_space(struct pl_file *f, uint64_t *available,
                             uint64_t *total)
{
    ULARGE_INTEGER ours, all;

    if (!GetDiskFreeSpaceExW(f->folder, &ours, &all, NULL))
        return pl_last_failure();
    *available = ours.QuadPart;
    *total = all.QuadPart;
    return PL_OK;
}
