/*
 * Mounted file systems: /proc/self/mountinfo, statvfs, and the statistics of
 * the device below.  The list of mounts is made anew only when the kernel
 * says that it changed.  Whatever might wait for another machine or for a
 * program is left alone: statvfs on a dead server never returns.
 */
#include "logger/linux/disks.h"
#include "logger/linux/machine.h"
#include "logger/linux/scan.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

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

struct mount {
    uint64_t id, parent;
    uint32_t major, minor;           /* of the file system */
    uint32_t disk_major, disk_minor; /* of the device that holds it */
    size_t path;                     /* in 'paths', with a terminator */
    size_t path_len;
    size_t disk_row; /* where that device was the last time */
    bool foreign;    /* may wait for another machine or program */
    bool wanted;     /* of a kind that is recorded */
    bool any_device; /* stat() shows other numbers (btrfs) */
};

struct mounts {
    struct pl_source base;
    struct pl_source *disks;
    struct pl_procfile *file;
    struct mount *list;
    size_t num, cap;
    struct pl_buf paths;
    bool listed;
};

/* ---- which mounts ----------------------------------------------------------- */

static bool is_one_of(struct pl_text type, const char *const names[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pl_text_equal(type, pl_text_of(names[i])))
            return true;
    return false;
}

static bool is_foreign(struct pl_text type)
{
    static const char *const names[] = {
        "9p",    "afs",   "autofs",   "beegfs", "ceph",   "cifs",
        "coda",  "gpfs",  "lustre",   "ncpfs",  "nfs",    "nfs4",
        "smb3",  "smbfs", "orangefs", "vboxsf", "virtiofs",
    };

    return (type.n >= 4 && !memcmp(type.p, "fuse", 4)) ||
           is_one_of(type, names, sizeof names / sizeof *names);
}

/* Without a device of their own, but worth a look. */
static bool has_space(struct pl_text type)
{
    static const char *const names[] = { "btrfs", "overlay", "tmpfs", "zfs" };

    return is_one_of(type, names, sizeof names / sizeof *names);
}

/* "8:1" */
static bool scan_device(struct pl_scan *line, uint32_t *major_ret,
                        uint32_t *minor_ret)
{
    uint64_t a, b;

    if (!pl_scan_number(line, &a) || !pl_scan_skip(line, ':') ||
        !pl_scan_number(line, &b))
        return false;
    *major_ret = (uint32_t)a;
    *minor_ret = (uint32_t)b;
    return true;
}

/* btrfs and its like name their device only as the source of the mount. */
static void find_device(struct pl_machine *m, struct mount *mount,
                        struct pl_text source)
{
    char path[256];
    struct stat st;

    mount->disk_major = mount->major;
    mount->disk_minor = mount->minor;
    if (mount->major || source.n >= sizeof path ||
        source.n < 5 || memcmp(source.p, "/dev/", 5))
        return;
    memcpy(path, source.p, source.n);
    path[source.n] = 0;
    m->system_calls++;
    if (stat(path, &st) == 0 && S_ISBLK(st.st_mode)) {
        mount->disk_major = major(st.st_rdev);
        mount->disk_minor = minor(st.st_rdev);
    }
}

/*
 * 36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/sda1 rw
 * id parent device root mount-point options [tags...] - type source options
 */
static bool scan_mount(struct mounts *s, struct pl_scan line,
                       struct mount *out)
{
    struct pl_text word, point, type, source;

    *out = (struct mount){ .path = s->paths.len };
    if (!pl_scan_number(&line, &out->id) ||
        !pl_scan_number(&line, &out->parent) ||
        !scan_device(&line, &out->major, &out->minor) ||
        !pl_scan_word(&line, &word) || !pl_scan_word(&line, &point))
        return false;
    do {
        if (!pl_scan_word(&line, &word))
            return false;
    } while (word.n != 1 || *word.p != '-');
    if (!pl_scan_word(&line, &type) || !pl_scan_word(&line, &source))
        return false;
    out->foreign = is_foreign(type);
    out->wanted = !out->foreign && (out->major || has_space(type));
    out->any_device = pl_text_equal(type, pl_text_of("btrfs"));
    if (out->wanted)
        find_device(s->base.machine, out, source);
    pl_scan_unescape(point, &s->paths);
    out->path_len = s->paths.len - out->path;
    pl_buf_u8(&s->paths, 0);
    return true;
}

static enum pl_status add_mount(struct mounts *s, const struct mount *mount)
{
    if (s->num == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 32;
        struct mount *list = realloc(s->list, cap * sizeof *list);

        if (!list)
            return PL_NOMEM;
        s->list = list;
        s->cap = cap;
    }
    s->list[s->num++] = *mount;
    return s->paths.oom ? PL_NOMEM : PL_OK;
}

static struct pl_text path_of(const struct mounts *s, const struct mount *m)
{
    return (struct pl_text){ (const char *)s->paths.p + m->path, m->path_len };
}

/* The way to 'path' leads over 'point' (which is not the root). */
static bool is_below(struct pl_text path, struct pl_text point)
{
    return point.n > 1 && path.n > point.n &&
           !memcmp(path.p, point.p, point.n) && path.p[point.n] == '/';
}

static bool is_behind_foreign(const struct mounts *s, const struct mount *m)
{
    for (size_t i = 0; i < s->num; i++)
        if (s->list[i].foreign &&
            is_below(path_of(s, m), path_of(s, &s->list[i])))
            return true;
    return false;
}

/* A mount on the very point of another is all that paths lead to. */
static bool is_covered(const struct mounts *s, const struct mount *m)
{
    for (size_t i = 0; i < s->num; i++)
        if (s->list[i].parent == m->id && s->list[i].id != m->id &&
            pl_text_equal(path_of(s, &s->list[i]), path_of(s, m)))
            return true;
    return false;
}

/* False if its path leads to something else, or nowhere. */
static bool is_reached(struct mounts *s, const struct mount *m)
{
    struct stat st;

    s->base.machine->system_calls++;
    if (stat(path_of(s, m).p, &st))
        return false;
    return m->any_device ||
           (major(st.st_dev) == m->major && minor(st.st_dev) == m->minor);
}

static int by_id(const void *a, const void *b)
{
    const struct mount *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_repeated(const struct mounts *s, size_t kept,
                        const struct mount *m)
{
    for (size_t i = 0; i < kept; i++)
        if (s->list[i].major == m->major && s->list[i].minor == m->minor)
            return true;
    return false;
}

/*
 * Keep one mount per file system: the oldest that can be reached.  What is
 * foreign and not covered is found out first, before any path is followed.
 */
static void choose_mounts(struct mounts *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->num; i++) {
        struct mount *m = &s->list[i];

        if ((m->foreign || m->wanted) && is_covered(s, m))
            m->foreign = m->wanted = false;
    }
    qsort(s->list, s->num, sizeof *s->list, by_id);
    for (size_t i = 0; i < s->num; i++)
        if (s->list[i].wanted)
            s->list[i].wanted = !is_behind_foreign(s, &s->list[i]);
    for (size_t i = 0; i < s->num; i++) {
        struct mount m = s->list[i];

        if (m.wanted && !is_repeated(s, kept, &m) && is_reached(s, &m))
            s->list[kept++] = m;
    }
    s->num = kept;
}

static enum pl_status list_mounts(struct mounts *s, struct pl_text text)
{
    struct pl_scan rest = pl_scan_of(text), line;
    enum pl_status status = PL_OK;
    struct mount mount;

    s->num = 0;
    pl_buf_clear(&s->paths);
    while (!status && pl_scan_line(&rest, &line))
        if (scan_mount(s, line, &mount))
            status = add_mount(s, &mount);
    if (!status)
        choose_mounts(s);
    s->listed = true;
    return status;
}

/* ---- one sample -------------------------------------------------------------- */

/* A saved tree does not tell when it changes. */
static bool has_changed(struct mounts *s)
{
    struct pollfd p = { pl_procfile_descriptor(s->file), POLLPRI, 0 };

    if (!s->listed || p.fd < 0 || !s->base.machine->live)
        return true;
    s->base.machine->system_calls++;
    return poll(&p, 1, 0) != 0;
}

static void read_space(struct mounts *s, const struct mount *m, uint64_t *v)
{
    struct statvfs fs;

    s->base.machine->system_calls++;
    if (statvfs(path_of(s, m).p, &fs)) {
        v[DATA_FLAGS] |= 1u << GROUP_SPACE;
        return;
    }
    v[SIZE] = (uint64_t)fs.f_blocks * fs.f_frsize;
    v[FREE] = (uint64_t)fs.f_bfree * fs.f_frsize;
    v[AVAIL] = (uint64_t)fs.f_bavail * fs.f_frsize;
    v[FILES] = fs.f_files;
    v[FILES_FREE] = fs.f_ffree;
    v[FILES_AVAIL] = fs.f_favail;
    v[READ_ONLY] = (fs.f_flag & ST_RDONLY) != 0;
}

static bool is_device(const struct pl_rows *disks, size_t i,
                      const struct mount *m)
{
    const uint64_t *v;

    if (i >= disks->num)
        return false;
    v = pl_rows_values(disks, i);
    return v[PL_DISK_MAJOR] == m->disk_major &&
           v[PL_DISK_MINOR] == m->disk_minor;
}

static void copy_transfers(const struct pl_rows *disks, struct mount *m,
                           uint64_t *v)
{
    size_t i = m->disk_row;

    if (!is_device(disks, i, m))
        for (i = 0; i < disks->num && !is_device(disks, i, m);)
            i++;
    m->disk_row = i;
    if (i == disks->num || !m->disk_major)
        v[DATA_FLAGS] |= 1u << GROUP_TRANSFERS;
    else
        memcpy(v, pl_rows_values(disks, i), PL_NUM_DISK_COLUMNS * sizeof *v);
}

/* 32-bit columns are widened where they are read, and nowhere else. */
static void pass_on_widening(struct mounts *s)
{
    for (size_t f = 0; f < PL_NUM_DISK_COLUMNS; f++) {
        if (s->base.fields[f].widen)
            s->disks->fields[f].widen = true;
        s->base.fields[f].widen = false;
    }
}

static enum pl_status mounts_read(struct pl_source *source)
{
    struct mounts *s = (struct mounts *)source;
    enum pl_status status;

    pass_on_widening(s);
    status = pl_source_read(s->disks);
    if (!status && has_changed(s)) {
        struct pl_text text = pl_procfile_read(s->file);

        pl_source_set_readable(source, text.p != NULL);
        status = list_mounts(s, text);
    }
    for (size_t i = 0; i < s->num && !status; i++) {
        struct mount *m = &s->list[i];
        uint64_t *v = pl_rows_add(&source->rows, path_of(s, m));

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

    free(s->list);
    pl_buf_release(&s->paths);
    pl_source_release(source);
    free(s);
}

static enum pl_status mounts_open(struct pl_source **out,
                                  struct pl_machine *m,
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
    /* Columns that this kernel does not print are not there here either. */
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
