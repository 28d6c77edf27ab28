/* Names and folders of POSIX systems. */
#include "format/base/folder_posix.h"

#include "format/base/array.h"
#include "format/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---------------------------------------------------------------- */

bool pl_path_is_separator(char c)
{
    return c == '/';
}

const char *pl_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- folders ------------------------------------------------------------- */

bool pl_dir_exists(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool pl_path_exists(const char *path)
{
    struct stat st;

    return !lstat(path, &st);
}

enum pl_status pl_dir_make(const char *path)
{
    return mkdir(path, 0777) ? PL_IO : PL_OK;
}

enum pl_status pl_dir_delete(const char *path)
{
    return rmdir(path) ? PL_IO : PL_OK;
}

static int by_bytes(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

static bool is_regular(int folder, const char *name)
{
    struct stat st;

    return !fstatat(folder, name, &st, 0) && S_ISREG(st.st_mode);
}

enum pl_status pl_dir_list(const char *path, char ***names, size_t *num)
{
    DIR *dir = opendir(path);
    char **list = NULL;
    size_t n = 0, cap = 0;
    struct dirent *entry;

    if (!dir)
        return PL_IO;
    while ((entry = readdir(dir)) != NULL) {
        if (!is_regular(dirfd(dir), entry->d_name))
            continue;
        if (!pl_array_grow((void **)&list, &cap, n, sizeof *list))
            goto nomem;
        list[n] = strdup(entry->d_name);
        if (!list[n])
            goto nomem;
        n++;
    }
    closedir(dir);
    if (n)
        qsort(list, n, sizeof *list, by_bytes);
    *names = list;
    *num = n;
    return PL_OK;
nomem:
    closedir(dir);
    pl_dir_list_free(list, n);
    return PL_NOMEM;
}

void pl_dir_list_free(char **names, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(names[i]);
    free(names);
}

void pl_folder_sync(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    free(folder);
    if (fd < 0)
        return;
    fsync(fd); /* some file systems cannot; there is no other way */
    close(fd);
}

/* link() refuses an existing name; rename() would replace it. */
enum pl_status pl_file_rename_new(const char *from, const char *to)
{
    if (!link(from, to)) {
        unlink(from);
        pl_folder_sync(to);
        return PL_OK;
    }
#ifdef RENAME_NOREPLACE
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) {
        /* A file system without hard links, such as FAT. */
        if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
            return PL_IO;
        pl_folder_sync(to);
        return PL_OK;
    }
#endif
    return PL_IO;
}

enum pl_status pl_file_replace(const char *from, const char *to)
{
    return rename(from, to) ? PL_IO : PL_OK;
}

enum pl_status pl_file_replace_open(const char *from,
                                    struct pl_file **open_from, const char *to,
                                    struct pl_file **open_to)
{
    (void)open_from;
    (void)open_to;
    return pl_file_replace(from, to);
}

void pl_file_sync_name(const char *path)
{
    pl_folder_sync(path);
}

enum pl_status pl_file_delete(const char *path)
{
    return unlink(path) ? PL_IO : PL_OK;
}

enum pl_status pl_file_make_temporary(char **path)
{
    static const char name[] = "/perflog-XXXXXX";
    const char *folder = getenv("TMPDIR");
    int fd;

    if (!folder || !*folder)
        folder = "/tmp";
    *path = malloc(strlen(folder) + sizeof name);
    if (!*path)
        return PL_NOMEM;
    strcpy(*path, folder);
    strcat(*path, name);
    fd = mkostemp(*path, O_CLOEXEC);
    if (fd < 0) {
        free(*path);
        return PL_IO;
    }
    close(fd);
    return PL_OK;
}

bool pl_file_is_same(const char *a, const char *b)
{
    struct stat x, y;

    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}
