/* Reads /etc/passwd. */
#include "logger/linux/identity/user_names.h"

#include "format/base/array.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, AT_ONCE = 16 << 10 };

void pl_user_names_release(struct pl_user_names *u)
{
    pl_buf_release(&u->text);
    free(u->list);
    *u = (struct pl_user_names){ .path = u->path };
}

static int by_uid(const void *a, const void *b)
{
    const struct pl_user_name *x = a, *y = b;

    if (x->uid != y->uid)
        return x->uid < y->uid ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at; /* the first one counts */
}

/* The number in the third field of "name:x:1000:..."; false: it has none. */
static bool parse_uid(const char *p, const char *end, uint32_t *uid)
{
    uint64_t n = 0;

    for (int fields = 0; fields < 2; fields++) {
        p = memchr(p, ':', (size_t)(end - p));
        if (!p++)
            return false;
    }
    if (p == end || *p < '0' || *p > '9')
        return false;
    while (p < end && *p >= '0' && *p <= '9' && n <= UINT32_MAX)
        n = n * 10 + (uint64_t)(*p++ - '0');
    *uid = (uint32_t)n;
    return n <= UINT32_MAX && p < end && *p == ':';
}

static void add_line(struct pl_user_names *u, const char *p, const char *end)
{
    const char *colon = memchr(p, ':', (size_t)(end - p));
    struct pl_user_name name = { .at = (size_t)(p - (char *)u->text.p) };

    if (!colon || colon == p || !parse_uid(p, end, &name.uid) ||
        !pl_array_grow((void **)&u->list, &u->cap, u->num, sizeof *u->list))
        return;
    name.n = (size_t)(colon - p);
    u->list[u->num++] = name;
}

static void parse(struct pl_user_names *u)
{
    const char *p = (const char *)u->text.p, *end = p + u->text.len;

    u->num = 0;
    while (p < end) {
        const char *line = memchr(p, '\n', (size_t)(end - p));

        if (!line)
            break; /* cut: its name or number may be, too */
        add_line(u, p, line);
        p = line + 1;
    }
    if (u->num)
        qsort(u->list, u->num, sizeof *u->list, by_uid);
}

static void load(struct pl_user_names *u, int fd)
{
    ssize_t got = 1;

    pl_buf_clear(&u->text);
    while (got > 0 && u->text.len < MOST_BYTES) {
        uint8_t *room = pl_buf_room(&u->text, AT_ONCE);

        got = room ? read(fd, room, AT_ONCE) : 0;
        u->text.len += got > 0 ? (size_t)got : 0;
    }
    parse(u);
}

void pl_user_names_refresh(struct pl_user_names *u)
{
    struct stat st;
    int fd;

    if (!u->path || stat(u->path, &st) || !S_ISREG(st.st_mode) ||
        (st.st_size == u->size && st.st_mtim.tv_sec == u->changed.tv_sec &&
         st.st_mtim.tv_nsec == u->changed.tv_nsec))
        return;
    fd = open(u->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    load(u, fd);
    close(fd);
    u->size = st.st_size;
    u->changed = st.st_mtim;
}

struct pl_text pl_user_names_find(const struct pl_user_names *u, uint32_t uid)
{
    size_t low = 0, high = u->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (u->list[mid].uid < uid)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == u->num || u->list[low].uid != uid)
        return (struct pl_text){ 0 };
    return (struct pl_text){ (const char *)u->text.p + u->list[low].at,
                             u->list[low].n };
}
