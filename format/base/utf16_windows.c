/* Texts, paths and errors of Windows. */
#include "format/base/utf16_windows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { OLD_LIMIT = 248 }; /* of a folder's path; a file's is 260 */

static wchar_t *widen(const char *text)
{
    int n =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide;

    if (!n) {
        errno = EINVAL;
        return NULL;
    }
    wide = malloc((size_t)n * sizeof *wide);
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, n);
    return wide;
}

/* \\?\C:\... or \\?\UNC\SERVER\..., which has no limit. */
static wchar_t *unlimited(const wchar_t *wide, size_t len)
{
    static const wchar_t drive[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
    size_t cap = len + sizeof share / sizeof *share;
    wchar_t *full = malloc(2 * cap * sizeof *full), *out = full + cap;
    DWORD n = full ? GetFullPathNameW(wide, (DWORD)cap, full, NULL) : 0;

    if (!n || n >= cap) {
        free(full);
        return NULL;
    }
    if (full[0] == L'\\' && full[1] == L'\\') {
        wcscpy(out, share);
        wcscat(out, full + 1);
    } else {
        wcscpy(out, drive);
        wcscat(out, full);
    }
    memmove(full, out, (wcslen(out) + 1) * sizeof *out);
    return full;
}

static bool is_verbatim(const wchar_t *path)
{
    return !wcsncmp(path, L"\\\\?\\", 4) || !wcsncmp(path, L"\\\\.\\", 4);
}

wchar_t *pl_utf16_path(const char *path)
{
    wchar_t *wide = widen(path), *longer;
    DWORD len = wide ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;

    if (!wide || len < OLD_LIMIT || is_verbatim(wide))
        return wide;
    longer = unlimited(wide, len);
    free(wide);
    if (!longer)
        errno = ENOMEM;
    return longer;
}

char *pl_utf16_narrow(const wchar_t *text)
{
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = malloc((size_t)n);

    if (narrow)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, n, NULL, NULL);
    return narrow;
}

static const struct {
    DWORD windows;
    int posix;
} errors[] = {
    { ERROR_FILE_NOT_FOUND, ENOENT },
    { ERROR_PATH_NOT_FOUND, ENOENT },
    { ERROR_INVALID_NAME, ENOENT },
    { ERROR_BAD_PATHNAME, ENOENT },
    { ERROR_BAD_NETPATH, ENOENT },
    { ERROR_BAD_NET_NAME, ENOENT },
    { ERROR_INVALID_DRIVE, ENOENT },
    { ERROR_ACCESS_DENIED, EACCES },
    { ERROR_SHARING_VIOLATION, EBUSY },
    { ERROR_LOCK_VIOLATION, EBUSY },
    { ERROR_FILE_EXISTS, EEXIST },
    { ERROR_ALREADY_EXISTS, EEXIST },
    { ERROR_DISK_FULL, ENOSPC },
    { ERROR_HANDLE_DISK_FULL, ENOSPC },
    { 1295 /* a quota */, ENOSPC },
    { ERROR_FILE_TOO_LARGE, EFBIG },
    { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
    { ERROR_OUTOFMEMORY, ENOMEM },
    { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
    { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
    { ERROR_WRITE_PROTECT, EROFS },
    { ERROR_NOT_SAME_DEVICE, EXDEV },
    { ERROR_BROKEN_PIPE, EPIPE },
    { ERROR_NO_DATA, EPIPE },
    { ERROR_DIRECTORY, ENOTDIR },
    { ERROR_CANT_RESOLVE_FILENAME, ELOOP },
};

enum pl_status pl_windows_failure(DWORD error)
{
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].windows == error)
            errno = errors[i].posix;
    return errno == ENOMEM ? PL_NOMEM : PL_IO;
}

enum pl_status pl_last_failure(void)
{
    return pl_windows_failure(GetLastError());
}
