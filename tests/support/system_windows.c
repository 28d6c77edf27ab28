/* What tests ask of Windows: folders that go away, files to be damaged. */
#include "format/base/file.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

static char dir_name[64];

static void delete_files(const char *folder)
{
    char path[MAX_PATH], **names;
    size_t num;

    if (pl_dir_list(folder, &names, &num))
        return;
    for (size_t i = 0; i < num; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        pl_file_delete(path);
    }
    pl_dir_list_free(names, num);
}

/* Delete what is in a folder, what is in its folders first. */
static void empty_folder(const char *folder)
{
    char path[MAX_PATH];
    struct _finddata_t found;
    intptr_t search;

    delete_files(folder);
    snprintf(path, sizeof path, "%s/*", folder);
    search = _findfirst(path, &found);
    if (search == -1)
        return;
    do {
        snprintf(path, sizeof path, "%s/%s", folder, found.name);
        if (found.attrib & _A_SUBDIR && *found.name != '.') {
            empty_folder(path);
            pl_dir_delete(path);
        }
    } while (!_findnext(search, &found));
    _findclose(search);
}

static void remove_dir(void)
{
    empty_folder(dir_name);
    pl_dir_delete(dir_name);
}

/* In the build folder.  All tests of a program are one process, so each finds
 * what the one before left; see forget_files(). */
const char *temp_dir(void)
{
    if (!*dir_name) {
        snprintf(dir_name, sizeof dir_name, "perflog-test-%016llx",
                 (unsigned long long)pl_random());
        ck_assert_int_eq(pl_dir_make(dir_name), PL_OK);
        atexit(remove_dir);
    }
    return dir_name;
}

void forget_files(void)
{
    if (*dir_name)
        empty_folder(dir_name);
}

void cut_file(const char *path, uint64_t size)
{
    int fd = _open(path, _O_RDWR | _O_BINARY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(_chsize_s(fd, (int64_t)size), 0);
    _close(fd);
}

void set_default(const char *name, const char *value)
{
    if (!getenv(name))
        _putenv_s(name, value);
}

static double seconds_in(const FILETIME *t)
{
    return (double)((uint64_t)t->dwHighDateTime << 32 | t->dwLowDateTime) / 1e7;
}

double cpu_seconds(void)
{
    FILETIME begun, ended, kernel, user;

    ck_assert(
        GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user));
    return seconds_in(&kernel) + seconds_in(&user);
}

/* ---- a file to be damaged ------------------------------------------------------ */

/* Millions of times: no ck_assert, which leaves a mark each time it holds. */

void scratch_open(struct scratch *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", temp_dir(), name);
    s->fd =
        _open(s->path, _O_RDWR | _O_CREAT | _O_BINARY, _S_IREAD | _S_IWRITE);
    ck_assert_int_ge(s->fd, 0);
}

void scratch_close(struct scratch *s)
{
    _close(s->fd);
    remove(s->path);
}

void scratch_write(struct scratch *s, uint64_t at, const void *p, size_t n)
{
    if (_lseeki64(s->fd, (int64_t)at, SEEK_SET) < 0 ||
        _write(s->fd, p, (unsigned)n) != (int)n)
        ck_abort_msg("%s: cannot be written", s->path);
}

void scratch_set(struct scratch *s, const void *p, size_t n)
{
    scratch_write(s, 0, p, n);
    scratch_cut(s, n);
}

void scratch_poke(struct scratch *s, uint64_t at, uint8_t byte)
{
    scratch_write(s, at, &byte, 1);
}

void scratch_cut(struct scratch *s, uint64_t size)
{
    if (_chsize_s(s->fd, (int64_t)size))
        ck_abort_msg("%s: cannot be cut", s->path);
}
