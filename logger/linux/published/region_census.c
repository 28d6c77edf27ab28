/* Whose files fill a folder, so that programs that begin cannot publish. */
#include "logger/linux/published/region_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    FULL = 32,      /* full: less than 1/32 of bytes or files is left */
    MAX_NOTES = 8,  /* of a folder */
    PART_LEN = 4096 /* of the folder's list, between two looks at the clock */
};

/* More than half of what is used must be seen in the folder's own files: it
 * may share its file system, and files without a name are in no list. */
static bool is_most(uint64_t seen, uint64_t all, uint64_t left)
{
    return all && left < all / FULL && seen > (all - left) / 2;
}

static bool is_full(struct pl_regions *r, const struct folder *f)
{
    struct statfs fs;

    r->machine->system_calls++;
    return !fstatfs(f->fd, &fs) &&
           ((fs.f_blocks && fs.f_bavail < fs.f_blocks / FULL) ||
            (fs.f_files && fs.f_ffree < fs.f_files / FULL));
}

void pl_regions_begin_census(struct pl_regions *r)
{
    struct census *c = &r->census;

    for (unsigned d = 0; d < r->num_folders && c->fd < 0; d++) {
        struct folder *f = &r->folders[d];

        if (f->fd < 0 || f->owner->untrusted || f->fillers == MAX_NOTES)
            continue;
        if (!is_full(r, f)) {
            f->is_full = false;
            continue;
        }
        if (f->is_full)
            continue;
        f->is_full = true;
        r->machine->system_calls++;
        *c = (struct census){
            .fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
            .folder = d,
        };
    }
}

static void count(struct census *c, const struct stat *st)
{
    unsigned i = 0;

    while (i < c->num && c->uses[i].uid != st->st_uid)
        i++;
    if (i == MAX_CENSUS)
        return;
    if (i == c->num)
        c->uses[c->num++] = (struct use){ .uid = st->st_uid };
    c->uses[i].blocks += (uint64_t)st->st_blocks;
    c->uses[i].files++;
}

/* Keep the user that has most of what the folder lacks. */
static void end_census(struct pl_regions *r)
{
    struct census *c = &r->census;
    struct folder *f = &r->folders[c->folder];
    struct statfs fs;

    r->machine->system_calls += 2;
    for (unsigned i = 0; !fstatfs(c->fd, &fs) && i < c->num; i++) {
        const struct use *u = &c->uses[i];
        uint64_t bytes = u->blocks * 512;

        if (is_most(bytes, fs.f_blocks * (uint64_t)fs.f_bsize,
                    fs.f_bavail * (uint64_t)fs.f_bsize) ||
            is_most(u->files, fs.f_files, fs.f_ffree)) {
            f->filler = u->uid;
            f->fillers++;
            f->is_to_note = true;
            r->publishers.refusals[PL_LIMIT_FULL_FOLDERS]++;
        }
    }
    close(c->fd);
    c->fd = -1;
}

void pl_regions_take_census(struct pl_regions *r)
{
    struct census *c = &r->census;
    ssize_t n = 1;

    pl_regions_begin_search(r);
    while (c->fd >= 0 && n > 0 && !pl_regions_have_searched(r)) {
        r->machine->system_calls++;
        n = getdents64(c->fd, r->entries, PART_LEN);
        for (ssize_t at = 0; at < n;) {
            struct dirent64 *e = (struct dirent64 *)(void *)(r->entries + at);
            struct stat st;

            at += e->d_reclen;
            r->machine->system_calls++;
            if (!fstatat(c->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
                !S_ISDIR(st.st_mode))
                count(c, &st);
        }
    }
    if (c->fd >= 0 && n <= 0)
        end_census(r);
    r->unfinished = r->unfinished || c->fd >= 0;
}

bool pl_regions_note_filler(struct pl_regions *r, char *text, size_t size)
{
    for (unsigned d = 0; d < r->num_folders; d++) {
        struct folder *f = &r->folders[d];

        if (f->fd < 0 || !f->is_to_note)
            continue;
        f->is_to_note = false;
        snprintf(text, size,
                 "user %u: files of this user fill %s: no further program can "
                 "publish there",
                 (unsigned)f->filler, f->path);
        return true;
    }
    return false;
}
