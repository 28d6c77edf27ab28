/* One region: opens, validates, maps and removes it. */
#include "logger/linux/published/region_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_PER_WORK = 1024 }; /* of definitions, in r->work */

/* ---- one region --------------------------------------------------------- */

static void release_copy(struct pl_regions *r, struct pl_region *g)
{
    pl_region_unwatch(r, g);
    if (g->image.map)
        munmap(g->image.map, g->size);
    if (g->fd >= 0)
        close(g->fd);
    pl_region_image_release(&g->image);
    pl_publisher_give(&r->publishers, g->publisher, PL_SHARE_MEMORY, g->memory);
    if (g->table)
        pl_published_unref(g->table);
    g->image.map = NULL;
    g->memory = 0;
    g->fd = -1;
    g->table = NULL;
}

void pl_region_free(struct pl_regions *r, struct pl_region *g)
{
    release_copy(r, g);
    pl_publisher_give(&r->publishers, g->publisher, PL_SHARE_PLACES, 1);
    pl_publisher_give(&r->publishers, g->publisher, PL_SHARE_UNVALIDATED,
                      g->unvalidated);
    free(g->file);
    free(g);
}

void pl_region_set_state(struct pl_regions *r, struct pl_region *g,
                         enum pl_region_state state,
                         enum pl_region_reason reason)
{
    g->state = state;
    g->reason = reason;
    if (state == PL_STATE_INVALID || state == PL_STATE_HIDDEN)
        release_copy(r, g);
}

/* True while a process holds the lock, which lasts as long as its mapping. */
bool pl_region_is_held(struct pl_regions *r, int fd)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };

    r->machine->system_calls++;
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Remove a file without an owner process, if it is still the same. */
bool pl_region_sweep(struct pl_regions *r, const struct pl_region *g)
{
    int dir = r->folders[g->dir].fd;
    struct stat st;

    r->machine->system_calls += 2;
    if (fstatat(dir, g->file, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT;
    return st.st_ino != g->inode || st.st_dev != g->device ||
           unlinkat(dir, g->file, 0) == 0;
}

/* ---- opening ------------------------------------------------------------ */

/* The file's creation time (statx); if unknown, the present. */
static int64_t birth_of(struct pl_regions *r, int fd)
{
    struct timespec now = { 0, 0 };
    struct statx st;

    r->machine->system_calls++;
    if (!statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) &&
        (st.stx_mask & STATX_BTIME))
        return st.stx_btime.tv_sec * INT64_C(1000000000) + st.stx_btime.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Does the process belong to that user?  The number in a file name is the
 * choice of the file's owner.  (The owner of /proc/PID is no answer: for a
 * process that is not dumpable it is root.  proc(5), /proc/PID/status.) */
static bool is_process_of(struct pl_regions *r, uint32_t pid, uid_t uid)
{
    char text[1024], path[32];
    const char *line;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "%u/status", (unsigned)pid);
    r->machine->system_calls += 3;
    fd = openat(r->machine->proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    line = strstr(text, "\nUid:\t");
    return line && strtoul(line + strlen("\nUid:\t"), NULL, 10) == uid;
}

/* Asked once per sample for files in a row that name the same process. */
static bool is_publishers_process(struct pl_regions *r,
                                  struct pl_publisher *who, uint32_t pid)
{
    if (!pid || who->asked_pid != pid) {
        who->owns_asked_pid = is_process_of(r, pid, who->uid);
        who->asked_pid = pid;
    }
    return who->owns_asked_pid;
}

static void label(struct pl_regions *r, struct pl_region *g)
{
    const char *called = g->called.label;

    if (g->publisher->untrusted &&
        !is_publishers_process(r, g->publisher, g->called.pid))
        snprintf(g->label, sizeof g->label, "%s of user %u", called,
                 (unsigned)g->uid);
    else
        snprintf(g->label, sizeof g->label, "%s", called);
}

static enum pl_region_reason check_file(struct pl_regions *r,
                                        struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstat(g->fd, &st))
        return PL_REASON_PERMISSION;
    if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_ino != g->inode ||
        st.st_uid != g->uid)
        return PL_REASON_FILE;
    if (st.st_mode & 022)
        return PL_REASON_PERMISSION;
    if (st.st_size < (off_t)sizeof(struct pl_region_header))
        return PL_REASON_SHORT;
    if (st.st_size > PL_REGION_MAX_SIZE)
        return PL_REASON_SIZE;
    g->size = (size_t)st.st_size;
    /* Reading a hole of a mapping would allocate its page for the recorder. */
    if ((uint64_t)st.st_blocks * 512 < g->size)
        return PL_REASON_SPARSE;
    g->born_ns = birth_of(r, g->fd);
    return PL_REASON_NONE;
}

/* Read all of [at, at + n); false: the file is shorter than its header says. */
static bool read_at(struct pl_regions *r, int fd, void *p, size_t n, size_t at)
{
    r->machine->system_calls++;
    return pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

/* Owns 'definitions' from now on. */
static enum pl_status adopt(struct pl_regions *r, struct pl_region *g,
                            const struct pl_region_header *h,
                            uint8_t *definitions, enum pl_region_reason *reason)
{
    uint64_t memory = g->size + pl_region_image_size(h, definitions);
    enum pl_status s = PL_TOO_LARGE;

    g->limit = PL_SHARE_MEMORY;
    if (pl_publisher_take(&r->publishers, g->publisher, PL_SHARE_MEMORY,
                          memory)) {
        g->memory = memory;
        s = pl_published_get(&r->tables, h, definitions, g->publisher,
                             &g->table);
        g->limit = r->tables.exceeded;
    } else {
        free(definitions);
    }
    if (s == PL_TOO_LARGE || s == PL_USAGE) {
        *reason = s == PL_USAGE ? PL_REASON_NAME : PL_REASON_LIMIT;
        return PL_OK;
    }
    return s ? s : pl_region_image_init(&g->image, h, g->table->definitions);
}

/* An untrusted publisher's definitions are not read if they exceed its share.
 */
static bool is_too_long(struct pl_region *g, const struct pl_region_header *h)
{
    g->limit = PL_SHARE_TABLES;
    if (!pl_publisher_may_ever_take(g->publisher, PL_SHARE_TABLES, h->def_len))
        return true;
    g->limit = PL_SHARE_MEMORY;
    return !pl_publisher_may_ever_take(g->publisher, PL_SHARE_MEMORY, g->size);
}

/* Copy the structure, validate the copy, use the copy.  PL_OK or PL_NOMEM. */
static enum pl_status believe(struct pl_regions *r, struct pl_region *g,
                              enum pl_region_reason *reason)
{
    uint8_t head[sizeof(struct pl_region_header)];
    struct pl_region_header h;
    uint8_t *definitions;

    *reason = check_file(r, g);
    if (!*reason)
        *reason = read_at(r, g->fd, head, sizeof head, 0)
                      ? pl_region_check_header(&h, head, sizeof head, g->size)
                      : PL_REASON_TRUNCATED;
    if (!*reason && h.region_id != g->called.region_id)
        *reason = PL_REASON_FILE;
    if (!*reason && is_too_long(g, &h))
        *reason = PL_REASON_LIMIT;
    if (*reason)
        return PL_OK;
    pl_regions_work(r, g->publisher, h.def_len / BYTES_PER_WORK);
    definitions = malloc(h.def_len);
    if (!definitions)
        return PL_NOMEM;
    *reason = read_at(r, g->fd, definitions, h.def_len, h.def_at)
                  ? pl_region_check_definitions(&h, definitions)
                  : PL_REASON_TRUNCATED;
    if (*reason) {
        free(definitions);
        return PL_OK;
    }
    return adopt(r, g, &h, definitions, reason);
}

static enum pl_region_reason map_region(struct pl_regions *r,
                                        struct pl_region *g)
{
    void *map = mmap(NULL, g->size, PROT_READ, MAP_SHARED, g->fd, 0);

    r->machine->system_calls++;
    g->limit = PL_SHARE_MEMORY;
    if (map == MAP_FAILED)
        return PL_REASON_LIMIT;
    g->image.map = map;
    pl_region_watch(r, g);
    pl_region_guard();
    return PL_REASON_NONE;
}

void pl_region_reject(struct pl_regions *r, struct pl_region *g,
                      enum pl_region_reason reason)
{
    pl_region_set_state(r, g,
                        reason == PL_REASON_LIMIT ? PL_STATE_OVER_LIMIT
                                                  : PL_STATE_INVALID,
                        reason);
    release_copy(r, g);
    if (reason == PL_REASON_LIMIT)
        pl_publisher_refuse(&r->publishers, g->publisher, g->limit);
}

void pl_region_open(struct pl_regions *r, struct pl_region *g)
{
    enum pl_region_reason reason = PL_REASON_NONE;

    label(r, g);
    r->machine->system_calls++;
    g->fd = openat(r->folders[g->dir].fd, g->file,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (g->fd < 0 && errno == ENOENT) { /* withdrawn since it was listed */
        g->state = PL_STATE_HIDDEN;
        g->last = true;
        return;
    }
    if (g->fd < 0) {
        pl_region_reject(r, g,
                         errno == ELOOP ? PL_REASON_FILE
                         : errno == EMFILE || errno == ENFILE
                             ? PL_REASON_LIMIT
                             : PL_REASON_PERMISSION);
        return;
    }
    if (believe(r, g, &reason)) { /* no memory */
        g->limit = PL_SHARE_MEMORY;
        reason = PL_REASON_LIMIT;
    }
    if (!reason)
        reason = map_region(r, g);
    if (reason) {
        pl_region_reject(r, g, reason);
        return;
    }
    pl_publisher_give(&r->publishers, g->publisher, PL_SHARE_UNVALIDATED, 1);
    g->unvalidated = false;
}

/* An invalid file, or one that cannot be removed, is kept while it exists. */
void pl_region_look_at_file(struct pl_regions *r, struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstatat(r->folders[g->dir].fd, g->file, &st, AT_SYMLINK_NOFOLLOW) ||
        st.st_ino != g->inode)
        g->last = true;
}

/* An unfinished file is removed if it is found unlocked twice. */
void pl_region_look_at_half_made(struct pl_regions *r, struct pl_region *g)
{
    int fd;

    pl_region_look_at_file(r, g);
    if (g->last)
        return;
    r->machine->system_calls++;
    fd = openat(r->folders[g->dir].fd, g->file,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    g->chances = pl_region_is_held(r, fd) ? 0 : g->chances + 1;
    close(fd);
    if (g->chances > 1)
        g->last = pl_region_sweep(r, g);
}
