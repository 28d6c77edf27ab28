/* Names, folders and streams of Windows. */
#include "format/base/array.h"
#include "format/base/file.h"

#include "format/base/utf16_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* ---- names ---------------------------------------------------------------- */

bool pl_path_is_separator(char c)
{
    return c == '/' || c == '\\';
}

const char *pl_path_name(const char *path)
{
    const char *name = path;

    if (*path && path[1] == ':') /* a drive letter */
        name = path += 2;
    for (; *path; path++)
        if (pl_path_is_separator(*path))
            name = path + 1;
    return name;
}

static DWORD attributes_of(const char *path)
{
    wchar_t *wide = pl_utf16_path(path);
    DWORD attributes =
        wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;

    free(wide);
    return attributes;
}

bool pl_dir_exists(const char *path)
{
    DWORD attributes = attributes_of(path);

    return attributes != INVALID_FILE_ATTRIBUTES &&
           attributes & FILE_ATTRIBUTE_DIRECTORY;
}

bool pl_path_exists(const char *path)
{
    return attributes_of(path) != INVALID_FILE_ATTRIBUTES;
}

/* The status of a call with one path: 'good' or GetLastError().  Frees it. */
static enum pl_status outcome(wchar_t *wide, BOOL good)
{
    enum pl_status s = PL_OK;

    if (!wide)
        return errno == ENOMEM ? PL_NOMEM : PL_IO;
    if (!good)
        s = pl_last_failure();
    free(wide);
    return s;
}

enum pl_status pl_dir_make(const char *path)
{
    wchar_t *wide = pl_utf16_path(path);

    return outcome(wide, wide && CreateDirectoryW(wide, NULL));
}

enum pl_status pl_dir_delete(const char *path)
{
    wchar_t *wide = pl_utf16_path(path);

    return outcome(wide, wide && RemoveDirectoryW(wide));
}

enum pl_status pl_file_delete(const char *path)
{
    wchar_t *wide = pl_utf16_path(path);

    return outcome(wide, wide && DeleteFileW(wide));
}

static enum pl_status move(const char *from, const char *to, DWORD flags)
{
    wchar_t *wide = pl_utf16_path(from), *target = pl_utf16_path(to);
    BOOL good = wide && target &&
                MoveFileExW(wide, target, flags | MOVEFILE_WRITE_THROUGH);
    enum pl_status s = outcome(target, good);

    free(wide);
    return wide ? s : PL_NOMEM;
}

enum pl_status pl_file_rename_new(const char *from, const char *to)
{
    return move(from, to, 0);
}

enum pl_status pl_file_replace(const char *from, const char *to)
{
    return move(from, to, MOVEFILE_REPLACE_EXISTING);
}

enum pl_status pl_file_replace_open(const char *from,
                                    struct pl_file **open_from, const char *to,
                                    struct pl_file **open_to)
{
    pl_file_close(*open_from);
    pl_file_close(*open_to);
    *open_from = *open_to = NULL;
    return pl_file_replace(from, to);
}

void pl_file_sync_name(const char *path)
{
    (void)path; /* NTFS has a journal of names */
}

static HANDLE open_to_ask(const char *path)
{
    wchar_t *wide = pl_utf16_path(path);
    HANDLE handle = INVALID_HANDLE_VALUE;

    if (wide)
        handle = CreateFileW(wide, 0, SHARE_ALL, NULL, OPEN_EXISTING,
                             FILE_FLAG_BACKUP_SEMANTICS, NULL);
    free(wide);
    return handle;
}

static bool identity_of(const char *path, BY_HANDLE_FILE_INFORMATION *info)
{
    HANDLE handle = open_to_ask(path);
    BOOL good = handle != INVALID_HANDLE_VALUE &&
                GetFileInformationByHandle(handle, info);

    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    return good;
}

bool pl_file_is_same(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION x, y;

    return identity_of(a, &x) && identity_of(b, &y) &&
           x.dwVolumeSerialNumber == y.dwVolumeSerialNumber &&
           x.nFileIndexHigh == y.nFileIndexHigh &&
           x.nFileIndexLow == y.nFileIndexLow;
}

/* ---- folders ------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

struct list {
    char **names;
    size_t num, cap;
};

static bool add(struct list *list, const wchar_t *name)
{
    if (!pl_array_grow((void **)&list->names, &list->cap, list->num,
                       sizeof *list->names))
        return false;
    list->names[list->num] = pl_utf16_narrow(name);
    return list->names[list->num] && ++list->num;
}

static HANDLE find_first(const char *path, WIN32_FIND_DATAW *found)
{
    static const char all[] = "/*";
    size_t n = strlen(path);
    char *pattern = malloc(n + sizeof all);
    wchar_t *wide = NULL;
    HANDLE search = INVALID_HANDLE_VALUE;

    if (pattern) {
        memcpy(pattern, path, n);
        memcpy(pattern + n, all, sizeof all);
        wide = pl_utf16_path(pattern);
    }
    if (wide)
        search = FindFirstFileW(wide, found);
    else
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    free(pattern);
    free(wide);
    return search;
}

enum pl_status pl_dir_list(const char *path, char ***names, size_t *num)
{
    WIN32_FIND_DATAW found;
    HANDLE search = find_first(path, &found);
    struct list list = { 0 };
    enum pl_status s = PL_OK;
    bool good = true;

    if (search == INVALID_HANDLE_VALUE)
        return pl_last_failure();
    do {
        if (!(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
            good = add(&list, found.cFileName);
    } while (good && FindNextFileW(search, &found));
    if (!good)
        s = PL_NOMEM;
    else if (GetLastError() != ERROR_NO_MORE_FILES)
        s = pl_last_failure(); /* there are more, but they cannot be listed */
    FindClose(search);
    if (s) {
        pl_dir_list_free(list.names, list.num);
        return s;
    }
    if (list.num)
        qsort(list.names, list.num, sizeof *list.names, by_bytes);
    *names = list.names;
    *num = list.num;
    return PL_OK;
}

void pl_dir_list_free(char **names, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(names[i]);
    free(names);
}

enum pl_status pl_file_make_temporary(char **path)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 32];
    DWORD n = GetTempPathW(MAX_PATH + 1, folder);
    HANDLE handle;

    if (!n || n > MAX_PATH)
        return pl_last_failure();
    swprintf(name, sizeof name / sizeof *name, L"%lsperflog-%llx", folder,
             (unsigned long long)pl_random());
    handle = CreateFileW(name, GENERIC_WRITE, 0, NULL, CREATE_NEW,
                         FILE_ATTRIBUTE_TEMPORARY, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return pl_last_failure();
    CloseHandle(handle);
    *path = pl_utf16_narrow(name);
    return *path ? PL_OK : PL_NOMEM;
}

/* ---- streams -------------------------------------------------------------- */

static const struct mode {
    const char *name;
    DWORD access, disposition;
    int flags;
    const char *as; /* for fdopen */
} modes[] = {
    { "rb", GENERIC_READ, OPEN_EXISTING, _O_RDONLY, "rb" },
    { "wb", GENERIC_WRITE, CREATE_ALWAYS, _O_WRONLY, "wb" },
    { "ab", FILE_APPEND_DATA | SYNCHRONIZE, OPEN_ALWAYS, _O_APPEND, "ab" },
    { "wbx", GENERIC_WRITE, CREATE_NEW, _O_WRONLY, "wb" },
};

FILE *pl_handle_stream(HANDLE handle, int flags, const char *mode)
{
    int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY);
    FILE *f = fd < 0 ? NULL : _fdopen(fd, mode);

    if (fd < 0)
        CloseHandle(handle);
    else if (!f)
        _close(fd);
    return f;
}

FILE *pl_file_stream_new(const char *path, unsigned rights)
{
    (void)rights;
    return pl_file_stream(path, "wbx");
}

enum pl_status pl_file_rights(const char *path, unsigned *rights)
{
    *rights = PL_ALL_RIGHTS;
    return pl_path_exists(path) ? PL_OK : PL_IO;
}

enum pl_status pl_file_stream_set_rights(FILE *f, unsigned rights)
{
    (void)f;
    (void)rights;
    return PL_OK;
}

enum pl_status pl_file_copy_rights(struct pl_file *from, struct pl_file *to)
{
    (void)from;
    (void)to;
    return PL_OK;
}

FILE *pl_file_stream(const char *path, const char *mode)
{
    const struct mode *m = modes;
    wchar_t *wide = pl_utf16_path(path);
    HANDLE handle;

    if (!wide)
        return NULL;
    while (strcmp(m->name, mode) != 0)
        m++;
    handle = CreateFileW(wide, m->access, SHARE_ALL, NULL, m->disposition,
                         FILE_ATTRIBUTE_NORMAL, NULL);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        pl_last_failure();
        return NULL;
    }
    return pl_handle_stream(handle, m->flags, m->as);
}

static bool is_pipe_name(const char *path)
{
    return !strncmp(path, "\\\\.\\pipe\\", 9);
}

/* Devices are known by their names: NUL, CON, COM1; a pipe is opened once. */
static bool is_special(const char *path)
{
    HANDLE handle;
    bool special;

    if (is_pipe_name(path))
        return true;
    handle = open_to_ask(path);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    special = GetFileType(handle) != FILE_TYPE_DISK;
    CloseHandle(handle);
    return special;
}

enum pl_status pl_file_open_special(FILE **out, const char *path)
{
    DWORD attributes;
    wchar_t *wide;
    HANDLE handle;

    *out = NULL;
    if (!is_special(path)) {
        attributes = attributes_of(path);
        return attributes != INVALID_FILE_ATTRIBUTES &&
                       attributes & FILE_ATTRIBUTE_REPARSE_POINT
                   ? PL_UNSAFE
                   : PL_OK;
    }
    wide = pl_utf16_path(path);
    if (!wide)
        return PL_NOMEM;
    handle = CreateFileW(wide, GENERIC_WRITE, SHARE_ALL, NULL, OPEN_EXISTING, 0,
                         NULL);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return pl_last_failure();
    *out = pl_handle_stream(handle, _O_WRONLY, "wb");
    return *out ? PL_OK : PL_IO;
}
