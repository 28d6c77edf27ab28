/* What those who list the members of a family need. */
#include "logger/linux/family.h"

#include "logger/linux/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* "cpu12" with the stem "cpu" is 12; without a stem any name will do. */
static bool scan_number(const char *entry, const char *stem, uint64_t *n)
{
    const char *p = entry + (stem ? strlen(stem) : 0);

    *n = 0;
    if (!stem)
        return *entry != '.';
    if (strncmp(entry, stem, strlen(stem)) != 0 || !*p)
        return false;
    for (; *p; p++) {
        if (*p < '0' || *p > '9' || *n > UINT32_MAX)
            return false;
        *n = 10 * *n + (uint64_t)(*p - '0');
    }
    return true;
}

enum pl_status pl_family_each(struct pl_family_source *f, const char *path,
                              const char *stem, pl_found *found)
{
    int fd = openat(f->dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    enum pl_status s = PL_OK;
    struct dirent *e;
    uint64_t n;

    f->base.machine->system_calls += 4;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return PL_OK;
    }
    while (!s && (e = readdir(dir)))
        if (scan_number(e->d_name, stem, &n))
            s = found(f, path, e->d_name, n);
    closedir(dir);
    return s;
}

struct pl_text pl_family_word(struct pl_family_source *f, const char *path,
                              char *room, size_t size)
{
    int fd = pl_proc_open(f->base.machine, f->dir, path);
    ssize_t n;
    char *end;

    if (fd < 0)
        return (struct pl_text){ room, 0 };
    f->base.machine->system_calls++;
    n = read(fd, room, size);
    pl_proc_close(f->base.machine, fd);
    end = n > 0 ? memchr(room, '\n', (size_t)n) : NULL;
    return (struct pl_text){ room, end     ? (size_t)(end - room)
                                   : n > 0 ? (size_t)n
                                           : 0 };
}
