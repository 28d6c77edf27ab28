/*
 * Mounted file systems: /proc/self/mountinfo, statvfs, and the statistics of
 * the device below.  The list of mounts is made again only when the kernel
 * reports a change (poll on mountinfo).
 */
#include "logger/linux/sources/disks.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/sources/mount_list.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* The fields of diskstats come first, under the same numbers. */
enum {
    DEVICE = PL_NUM_DISK_COLUMNS,
    SIZE,
    FREE,
    AVAIL,
    FILES,
    FILES_FREE,
    FILES_AVAIL,
    READ_ONLY,
    DATA_FLAGS,
    NUM_FIELDS
};

enum { GROUP_TRANSFERS = 0, GROUP_SPACE = 1 };

static const struct pl_field own_fields[NUM_FIELDS] = {
    [DEVICE] = PL_FIELD("device"),
    [SIZE] = PL_GROUPED("size", GROUP_SPACE), /* bytes, as the next two */
    [FREE] = PL_GROUPED("free", GROUP_SPACE),
    [AVAIL] = PL_GROUPED("avail", GROUP_SPACE),
    [FILES] = PL_GROUPED("files", GROUP_SPACE),
    [FILES_FREE] = PL_GROUPED("files_free", GROUP_SPACE),
    [FILES_AVAIL] = PL_GROUPED("files_avail", GROUP_SPACE),
    [READ_ONLY] = PL_GROUPED("read_only", GROUP_SPACE),
    [DATA_FLAGS] = PL_FIELD("data_flags"),
};

#define LIST_EVERY_NS INT64_C(60000000000)

struct mounts {
    struct pl_source base;
    struct pl_source *disks;
    struct pl_procfile *file;
    struct pl_mount_list list;
    bool listed;
    bool ro_here;      /* one of them is */
    int64_t listed_ns; /* CLOCK_MONOTONIC */
};

/*
 * A saved tree does not report changes, and the kernel does not report that a
 * file system became read-only by itself; statvfs does, except for a mount that
 * is read-only anyway.
 */
static bool has_changed(struct mounts *s)
{
    struct pollfd p = { pl_procfile_descriptor(s->file), POLLPRI, 0 };
    const struct pl_machine *m = s->base.machine;

    if (!s->listed || p.fd < 0 || !m->live ||
        (s->ro_here && m->now.monotonic_ns - s->listed_ns >= LIST_EVERY_NS))
        return true;
    s->base.machine->system_calls++;
    return poll(&p, 1, 0) != 0;
}

static void read_space(struct mounts *s, const struct pl_mount *m, uint64_t *v)
{
    struct statvfs fs;

    s->base.machine->system_calls++;
    if (statvfs(pl_mount_path(&s->list, m).p, &fs)) {
        v[DATA_FLAGS] |= 1u << GROUP_SPACE;
        return;
    }
    v[SIZE] = (uint64_t)fs.f_blocks * fs.f_frsize;
    v[FREE] = (uint64_t)fs.f_bfree * fs.f_frsize;
    v[AVAIL] = (uint64_t)fs.f_bavail * fs.f_frsize;
    v[FILES] = fs.f_files;
    v[FILES_FREE] = fs.f_ffree;
    v[FILES_AVAIL] = fs.f_favail;
    v[READ_ONLY] = (fs.f_flag & ST_RDONLY) && !m->ro_here;
}

static void copy_transfers(const struct pl_source_rows *disks,
                           struct pl_mount *m, uint64_t *v)
{
    size_t i = m->disk_major ? pl_disk_row(disks, m->disk_major, m->disk_minor,
                                           m->disk_row)
                             : PL_NO_ROW;
    const uint64_t *disk;

    m->disk_row = i;
    if (i == PL_NO_ROW) {
        v[DATA_FLAGS] |= 1u << GROUP_TRANSFERS | 1u << PL_LEFT_OUT_OF_TOTAL;
        return;
    }
    disk = pl_source_rows_values(disks, i);
    memcpy(v, disk, PL_NUM_DISK_COLUMNS * sizeof *v);
    if (m->same_device || disk[PL_DISK_IN_FILE])
        v[DATA_FLAGS] |= 1u << PL_LEFT_OUT_OF_TOTAL;
}

/* 32-bit columns are widened only by the source that reads them. */
static void pass_on_widening(struct mounts *s)
{
    for (size_t f = 0; f < PL_NUM_DISK_COLUMNS; f++) {
        if (s->base.fields[f].widen)
            s->disks->fields[f].widen = true;
        s->base.fields[f].widen = false;
    }
}

static enum pl_status make_list(struct mounts *s)
{
    struct pl_text text = pl_procfile_read(s->file);
    enum pl_status status;

    pl_source_set_readable(&s->base, text.p != NULL);
    status = pl_mount_list_make(&s->list, s->base.machine, text);
    s->listed = text.p && !status;
    s->listed_ns = s->base.machine->now.monotonic_ns;
    s->ro_here = false;
    for (size_t i = 0; i < s->list.num; i++)
        s->ro_here |= s->list.mounts[i].ro_here;
    return status;
}

static enum pl_status mounts_read(struct pl_source *source)
{
    struct mounts *s = (struct mounts *)source;
    enum pl_status status;

    pass_on_widening(s);
    status = pl_source_read(s->disks);
    if (!status && has_changed(s))
        status = make_list(s);
    for (size_t i = 0; i < s->list.num && !status; i++) {
        struct pl_mount *m = &s->list.mounts[i];
        uint64_t *v =
            pl_source_rows_add(&source->rows, pl_mount_path(&s->list, m));

        if (!v)
            return PL_NOMEM;
        v[DEVICE] = (uint64_t)m->major << 32 | m->minor;
        copy_transfers(&s->disks->rows, m, v);
        read_space(s, m, v);
    }
    return status;
}

static void mounts_close(struct pl_source *source)
{
    struct mounts *s = (struct mounts *)source;

    pl_mount_list_release(&s->list);
    pl_source_release(source);
    free(s);
}

static enum pl_status mounts_open(struct pl_source **out, struct pl_machine *m,
                                  const struct pl_source_kind *kind)
{
    struct mounts *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    status = pl_source_init(&s->base, m, kind);
    if (!status)
        status = pl_procfile_open(&s->file, m, kind->path, kind->file_kind);
    if (!status)
        status = pl_source_open(&s->disks, m, PL_DISKSTATS);
    if (status) {
        mounts_close(&s->base);
        return status;
    }
    s->base.readable = pl_procfile_read(s->file).p != NULL;
    /* Columns that this kernel does not print are absent here, too. */
    for (size_t f = 0; f < PL_NUM_DISK_COLUMNS; f++) {
        s->base.fields[f] = s->disks->fields[f];
        s->base.fields[f].present =
            s->disks->readable && s->disks->fields[f].present;
    }
    *out = &s->base;
    return PL_OK;
}

const struct pl_source_kind pl_mounts_kind = {
    .name = "mounts",
    .open = mounts_open,
    .read = mounts_read,
    .close = mounts_close,
    .path = "self/mountinfo",
    .file_kind = PL_IN_PIECES,
    .fields = own_fields,
    .num_fields = NUM_FIELDS,
};
