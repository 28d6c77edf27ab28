/* The list of a family's members, and helpers to build it. */
#include "logger/linux/sources/member_files.h"

#include "logger/linux/machine/machine.h"
#include "format/base/array.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum pl_status pl_member_files_add(struct pl_member_files_source *f,
                                   struct pl_text name, struct pl_text path,
                                   uint64_t order, uint64_t inode,
                                   enum pl_show show)
{
    struct pl_members *list = &f->next;
    struct pl_member *m;

    if (!pl_array_grow((void **)&list->list, &list->cap, list->num,
                       sizeof *list->list))
        return PL_NOMEM;
    m = &list->list[list->num];
    *m = (struct pl_member){
        .name_at = list->texts.len, .order = order, .inode = inode, .show = show
    };
    pl_buf_bytes(&list->texts, name.p, name.n);
    m->path_at = list->texts.len;
    pl_buf_bytes(&list->texts, path.p, path.n);
    pl_buf_u8(&list->texts, 0);
    m->name.n = name.n;
    m->path.n = path.n;
    for (size_t i = 0; i < PL_MAX_PARTS; i++)
        m->fd[i] = -1;
    if (list->texts.oom)
        return PL_NOMEM; /* it has no name */
    list->num++;
    return PL_OK;
}

int pl_member_compare(const void *a, const void *b)
{
    const struct pl_member *x = a, *y = b;
    size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)x->name.p[i];
        unsigned char d = (unsigned char)y->name.p[i];

        if (c != d)
            return (c == '/' ? 0 : c) < (d == '/' ? 0 : d) ? -1 : 1;
    }
    return x->name.n < y->name.n ? -1 : x->name.n > y->name.n;
}

void pl_members_settle(struct pl_members *list)
{
    for (size_t i = 0; i < list->num; i++) {
        struct pl_member *m = &list->list[i];

        m->name.p = (const char *)list->texts.p + m->name_at;
        m->path.p = (const char *)list->texts.p + m->path_at;
    }
    if (list->num)
        qsort(list->list, list->num, sizeof *list->list, pl_member_compare);
}

/* "cpu12" with the stem "cpu" is 12; without a stem any name matches. */
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

enum pl_status pl_member_files_each(struct pl_member_files_source *f,
                                    const char *path, const char *stem,
                                    pl_found *found)
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

struct pl_text pl_member_files_word(struct pl_member_files_source *f,
                                    const char *path, char *room, size_t size)
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
