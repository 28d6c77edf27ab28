/*
 * A region's file on Windows: no other process can open it for writing while
 * its owner lives, which is how readers detect that it lives.  After a close or
 * the owner's end the file, with its last counts, is left to the reader, which
 * removes it; files that no reader removed are removed by the next publisher.
 */
#include "logger/provider/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <sddl.h>

/*
 * The owner, the system and administrators have all rights; the group
 * Performance Log Users may read.  Other users have no access: a count of
 * keystrokes reveals their times.
 */
#define REGION_RIGHTS                                                          \
    L"D:P(A;;FA;;;OW)(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;S-1-5-32-559)"

/* A closed region waits so long for a reader. */
#define KEEP_100NS (60 * INT64_C(10000000))

static int error_of(DWORD windows)
{
    static const struct {
        DWORD windows;
        int error;
    } known[] = {
        { ERROR_ACCESS_DENIED, EACCES },    { ERROR_DISK_FULL, ENOSPC },
        { ERROR_HANDLE_DISK_FULL, ENOSPC }, { ERROR_PATH_NOT_FOUND, ENOENT },
        { ERROR_FILE_NOT_FOUND, ENOENT },   { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
        { ERROR_FILE_EXISTS, EEXIST },      { ERROR_WRITE_PROTECT, EROFS },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].windows == windows)
            return known[i].error;
    return EIO;
}

static int fail(char why[PL_PROV_WHY], const char *what, const char *where,
                int error)
{
    snprintf(why, PL_PROV_WHY, "%.160s: %s: %s", where, what, strerror(error));
    return error;
}

/* ---- names in UTF-8 and UTF-16 ------------------------------------------ */

static bool widen(const char *text, wchar_t out[PL_PROV_PATH])
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out,
                               PL_PROV_PATH) > 0;
}

static bool narrow(const wchar_t *text, char out[PL_PROV_PATH])
{
    return WideCharToMultiByte(CP_UTF8, 0, text, -1, out, PL_PROV_PATH, NULL,
                               NULL) > 0;
}

/* An environment variable; false: not set, or empty. */
static bool get_variable(const wchar_t *name, char out[PL_PROV_PATH])
{
    wchar_t value[PL_PROV_PATH];
    DWORD n = GetEnvironmentVariableW(name, value, PL_PROV_PATH);

    return n && n < PL_PROV_PATH && narrow(value, out);
}

/* ---- the folder --------------------------------------------------------- */

static bool is_absolute(const char *path)
{
    return ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z')) &&
           path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

/* The named folder, else that of all applications, which is created. */
static int find_folder(struct pl_prov_file *f, const char *dir,
                       char why[PL_PROV_WHY])
{
    wchar_t wide[PL_PROV_PATH];
    size_t end;

    if (dir && *dir) {
        snprintf(f->folder, sizeof f->folder, "%s", dir);
        return 0;
    }
    if (get_variable(L"PERFLOG_PROVIDER_DIR", f->folder))
        return 0;
    if (!get_variable(L"ProgramData", f->folder)) {
        snprintf(why, PL_PROV_WHY,
                 "there is no folder for counters: "
                 "ProgramData is not set");
        return ENOTSUP;
    }
    end = strlen(f->folder);
    for (const char *part = PL_REGION_WINDOWS_DIR; *part;) {
        size_t n = strcspn(part, "\\");

        end += (size_t)snprintf(f->folder + end, sizeof f->folder - end,
                                "\\%.*s", (int)n, part);
        if (end < sizeof f->folder && widen(f->folder, wide))
            CreateDirectoryW(wide, NULL); /* if it fails, opening reports why */
        part += n + (part[n] == '\\');
    }
    return 0;
}

/* A mapping over a network is not shared with readers elsewhere. */
static bool is_remote(const char *folder)
{
    const wchar_t root[] = { (wchar_t)*folder, L':', L'\\', 0 };

    return GetDriveTypeW(root) == DRIVE_REMOTE;
}

/* ---- what others left --------------------------------------------------- */

static int64_t in_100ns(const FILETIME *t)
{
    return (int64_t)((uint64_t)t->dwHighDateTime << 32 | t->dwLowDateTime);
}

/* True if it is not open for writing (its owner ended), for long enough. */
static bool is_left(const wchar_t *path)
{
    HANDLE h = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL,
                           OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    FILETIME now, written;
    bool left;

    if (h == INVALID_HANDLE_VALUE)
        return false;
    GetSystemTimeAsFileTime(&now);
    left = GetFileTime(h, NULL, NULL, &written) &&
           in_100ns(&now) - in_100ns(&written) > KEEP_100NS;
    CloseHandle(h);
    return left;
}

static void remove_left(const char *folder)
{
    char text[PL_PROV_PATH];
    wchar_t path[PL_PROV_PATH];
    WIN32_FIND_DATAW found;
    HANDLE search;

    snprintf(text, sizeof text, "%.3800s\\*" PL_REGION_SUFFIX, folder);
    if (!widen(text, path))
        return;
    search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE)
        return;
    path[wcslen(path) - strlen("*" PL_REGION_SUFFIX)] = 0;
    do {
        size_t end = wcslen(path);

        wcscat(path, found.cFileName);
        if (is_left(path))
            DeleteFileW(path);
        path[end] = 0;
    } while (FindNextFileW(search, &found));
    FindClose(search);
}

/* ---- the file ----------------------------------------------------------- */

static int create(struct pl_prov_file *f, char why[PL_PROV_WHY])
{
    wchar_t path[PL_PROV_PATH];
    SECURITY_ATTRIBUTES rights = { .nLength = sizeof rights };
    HANDLE h = INVALID_HANDLE_VALUE;

    snprintf(f->path, sizeof f->path, "%.3900s\\%s", f->folder, f->name);
    if (!widen(f->path, path))
        return fail(why, "is no path", f->folder, EINVAL);
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(
            REGION_RIGHTS, SDDL_REVISION_1, &rights.lpSecurityDescriptor, NULL))
        return fail(why, "rights cannot be set there", f->folder,
                    error_of(GetLastError()));
    h = CreateFileW(
        path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, &rights,
        CREATE_NEW,
        FILE_ATTRIBUTE_TEMPORARY | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, NULL);
    LocalFree(rights.lpSecurityDescriptor);
    if (h == INVALID_HANDLE_VALUE)
        return fail(why, "no file can be made there", f->folder,
                    error_of(GetLastError()));
    f->handle = h;
    return 0;
}

static int map_file(struct pl_prov_file *f, char why[PL_PROV_WHY])
{
    LARGE_INTEGER size = { .QuadPart = (LONGLONG)f->size };
    HANDLE section;

    /* A block not allocated now would raise an exception later. */
    if (!SetFilePointerEx(f->handle, size, NULL, FILE_BEGIN) ||
        !SetEndOfFile(f->handle))
        return fail(why, "has no place for the counters", f->folder,
                    error_of(GetLastError()));
    section = CreateFileMappingW(f->handle, NULL, PAGE_READWRITE, 0, 0, NULL);
    if (section) {
        f->map = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, f->size);
        CloseHandle(section);
    }
    return f->map ? 0
                  : fail(why, "cannot be mapped", f->folder,
                         error_of(GetLastError()));
}

int pl_prov_file_make(struct pl_prov_file *f, const char *dir, mode_t mode,
                      size_t size, const char *name, char why[PL_PROV_WHY])
{
    wchar_t path[PL_PROV_PATH];
    int error;

    (void)mode; /* REGION_RIGHTS are all there are */
    *f = (struct pl_prov_file){ .size = size };
    snprintf(f->name, sizeof f->name, "%s", name);
    error = find_folder(f, dir, why);
    if (!error && !is_absolute(f->folder))
        error = fail(why, "is no absolute path", f->folder, EINVAL);
    if (!error && is_remote(f->folder))
        error = fail(why, "is on another machine", f->folder, ENOTSUP);
    if (error)
        return error;
    remove_left(f->folder);
    error = create(f, why);
    if (!error)
        error = map_file(f, why);
    if (error && f->handle) {
        CloseHandle(f->handle);
        if (widen(f->path, path))
            DeleteFileW(path);
        f->handle = NULL;
    }
    if (error)
        *f->path = 0;
    return error;
}

/* It has its name from the start: readers ignore it until its state is live. */
int pl_prov_file_show(struct pl_prov_file *f, char why[PL_PROV_WHY])
{
    (void)f;
    (void)why;
    return 0;
}

/* A reader removes it; from now on it waits for one. */
void pl_prov_file_withdraw(struct pl_prov_file *f)
{
    FILETIME now;

    GetSystemTimeAsFileTime(&now);
    SetFileTime(f->handle, NULL, NULL, &now);
    *f->path = 0;
}

void pl_prov_file_release(struct pl_prov_file *f)
{
    if (f->map)
        UnmapViewOfFile(f->map);
    if (f->handle)
        CloseHandle(f->handle);
    f->map = NULL;
    f->handle = NULL;
}

bool pl_prov_file_detach(struct pl_prov_file *f)
{
    *f->path = 0; /* there is no fork */
    return true;
}
