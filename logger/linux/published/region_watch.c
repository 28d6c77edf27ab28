/*
 * Watches folders and regions with inotify.  The kernel reports every new file
 * of a folder, every change of a region's length or holes, and its owner's end:
 * the owner's mapping holds the file open, and IN_CLOSE_WRITE is reported just
 * before the lock is released (__fput() in fs/file_table.c).  So one call per
 * sample, which usually finds nothing, replaces a check of each folder and each
 * region.
 *
 * Files are watched, not their names: a file that was linked, moved or
 * unlinked is still the same.  Without a watch everything is checked.
 */
#include "logger/linux/published/region_parts.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    HEARD_SIZE = 4096, /* bytes of events per read */
    MIN_READS = 3, /* per sample, as one event may be a trusted publisher's */
    MAX_GONE =
        64, /* files gone by then, after which no more are read for that */
    MAX_READS = 32,
    LONGEST = sizeof(struct inotify_event) + 256,
    RECHECKS = 2, /* samples in which all are checked */
};

void pl_regions_watch_begin(struct pl_regions *r)
{
    r->machine->system_calls++;
    r->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

/* Watch by descriptor: a name might be another file's by now. */
static int watch(struct pl_regions *r, int fd, uint32_t events)
{
    char path[32];

    if (r->watch < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    r->machine->system_calls++;
    return inotify_add_watch(r->watch, path, events);
}

/* Repeated requests for the same folder give the same watch. */
int pl_regions_watch_parent(struct pl_regions *r, const char *path)
{
    int wd;

    if (r->watch < 0 || r->num_parents == MAX_PARENTS)
        return -1;
    r->machine->system_calls++;
    wd = inotify_add_watch(r->watch, path,
                           IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF |
                               IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD);
    for (unsigned i = 0; i < r->num_parents && wd >= 0; i++)
        if (r->parents[i] == wd)
            return wd;
    if (wd >= 0)
        r->parents[r->num_parents++] = wd;
    return wd;
}

int pl_regions_watch_folder(struct pl_regions *r, int fd)
{
    return watch(r, fd, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

/* The kernel answers with IN_IGNORED. */
static void unwatch(struct pl_regions *r, int wd)
{
    if (wd < 0)
        return;
    r->machine->system_calls++;
    inotify_rm_watch(r->watch, wd);
}

void pl_regions_unwatch_folder(struct pl_regions *r, struct folder *f)
{
    unwatch(r, f->watch);
    f->watch = -1;
}

void pl_region_watch(struct pl_regions *r, struct pl_region *g)
{
    g->watch = watch(r, g->fd, IN_MODIFY | IN_CLOSE_WRITE);
}

void pl_region_unwatch(struct pl_regions *r, struct pl_region *g)
{
    g->verified = false;
    unwatch(r, g->watch);
    g->watch = -1;
}

/* The file is handled at once, regardless of the others to be listed; a
 * half-made one when it has its name, which is another event. */
static void handle_folder(struct pl_regions *r, unsigned d,
                          const struct inotify_event *e)
{
    struct folder *f = &r->folders[d];

    pl_regions_relist(f);
    if (e->mask & IN_IGNORED)
        f->watch = -1; /* no more events */
    if (e->len &&
        strncmp(e->name, PL_REGION_HALF_MADE, strlen(PL_REGION_HALF_MADE)) != 0)
        pl_regions_handle_file(r, d, e->name);
}

/* A folder that may have regions was created, or its parent.  Of a parent that
 * was moved the path is another's now; its user might move many. */
static void handle_parent(struct pl_regions *r, unsigned i,
                          const struct inotify_event *e)
{
    if (e->mask & IN_IGNORED) {
        r->parents[i] = r->parents[--r->num_parents];
        return;
    }
    if (e->mask & IN_MOVE_SELF) {
        unwatch(r, e->wd);
        r->search_again = true;
        return;
    }
    if (!(e->mask & IN_ISDIR))
        return;
    for (unsigned k = 0; k < NUM_HOMES; k++)
        if (r->homes[k] == e->wd && e->len) {
            pl_regions_handle_home(r, k, e->name);
            return;
        }
    r->search_again = true;
}

/*
 * The lock may be held a moment longer than the event, and an untrusted user
 * may cause many events: the region is not watched any more, but checked in
 * every sample.  Regions of one file share a watch; its removal is an event.
 */
static void handle_event(struct pl_regions *r, const struct inotify_event *e)
{
    for (unsigned i = r->num_parents; i-- > 0;)
        if (r->parents[i] == e->wd)
            handle_parent(r, i, e);
    for (unsigned d = 0; d < r->num_folders; d++)
        if (r->folders[d].watch == e->wd)
            handle_folder(r, d, e);
    for (size_t i = 0; i < r->num && !e->len; i++) /* files have no names */
        if (r->regions[i]->watch == e->wd)
            pl_region_unwatch(r, r->regions[i]);
}

/* Events may have been lost: rescan all regions. */
static void rescan_all(struct pl_regions *r)
{
    for (unsigned d = 0; d < r->num_folders; d++)
        pl_regions_relist(&r->folders[d]);
    r->recheck_until = r->pass + RECHECKS;
}

/* One read of events; *more: there may be others. */
static void read_some_events(struct pl_regions *r, bool *more)
{
    alignas(struct inotify_event) char heard[HEARD_SIZE];
    ssize_t n;

    r->machine->system_calls++;
    n = read(r->watch, heard, sizeof heard);
    *more = n > HEARD_SIZE - LONGEST;
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *e = (const void *)(heard + at);

        at += (ssize_t)(sizeof *e + e->len);
        if (e->mask & IN_Q_OVERFLOW) {
            rescan_all(r);
            r->search_again = true;
        } else {
            handle_event(r, e);
        }
    }
}

void pl_regions_read_events(struct pl_regions *r)
{
    bool more = r->watch >= 0;

    r->gone = 0;
    pl_regions_begin_search(r);
    for (int n = 0; more && n < MAX_READS &&
                    ((n < MIN_READS && r->gone < MAX_GONE) ||
                     !pl_regions_have_searched(r));
         n++)
        read_some_events(r, &more);
    if (more)
        rescan_all(r);
}
