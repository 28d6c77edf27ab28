/* Selects the mounts to record from /proc/self/mountinfo. */
#include "logger/linux/sources/mount_list.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"
#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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
        "9p",   "afs",   "autofs",   "beegfs", "ceph",     "cifs",
        "coda", "gpfs",  "lustre",   "ncpfs",  "nfs",      "nfs4",
        "smb3", "smbfs", "orangefs", "vboxsf", "virtiofs",
    };

    return (type.n >= 4 && !memcmp(type.p, "fuse", 4)) ||
           is_one_of(type, names, sizeof names / sizeof *names);
}

/* File systems without a device that have space of their own. */
static bool has_space(struct pl_text type)
{
    static const char *const names[] = { "btrfs", "overlay", "tmpfs", "ubifs",
                                         "zfs" };

    return is_one_of(type, names, sizeof names / sizeof *names);
}

/* "8:1" */
static bool scan_device(struct pl_proctext *line, uint32_t *major_ret,
                        uint32_t *minor_ret)
{
    uint64_t a, b;

    if (!pl_proctext_number(line, &a) || !pl_proctext_skip(line, ':') ||
        !pl_proctext_number(line, &b))
        return false;
    *major_ret = (uint32_t)a;
    *minor_ret = (uint32_t)b;
    return true;
}

/* btrfs, for example, names its device only as the source of the mount. */
static void find_device(struct pl_machine *m, struct pl_mount *mount,
                        struct pl_text source)
{
    char path[256];
    struct stat st;

    mount->disk_major = mount->major;
    mount->disk_minor = mount->minor;
    if (mount->major || source.n >= sizeof path || source.n < 5 ||
        memcmp(source.p, "/dev/", 5) != 0)
        return;
    memcpy(path, source.p, source.n);
    path[source.n] = 0;
    m->system_calls++;
    if (stat(path, &st) == 0 && S_ISBLK(st.st_mode)) {
        mount->disk_major = major(st.st_rdev);
        mount->disk_minor = minor(st.st_rdev);
    }
}

/* "ro,relatime": the first word says so. */
static bool is_read_only(struct pl_text options)
{
    return options.n >= 2 && !memcmp(options.p, "ro", 2) &&
           (options.n == 2 || options.p[2] == ',');
}

/*
 * 36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/sda1 rw
 * id parent device root mount-point options [tags...] - type source options
 */
static bool scan_mount(struct pl_mount_list *l, struct pl_machine *m,
                       struct pl_proctext line, struct pl_mount *out)
{
    struct pl_text word, point, options, type, source;

    *out = (struct pl_mount){ .path = l->paths.len };
    if (!pl_proctext_number(&line, &out->id) ||
        !pl_proctext_number(&line, &out->parent) ||
        !scan_device(&line, &out->major, &out->minor) ||
        !pl_proctext_word(&line, &word) || !pl_proctext_word(&line, &point) ||
        !pl_proctext_word(&line, &options))
        return false;
    do {
        if (!pl_proctext_word(&line, &word))
            return false;
    } while (word.n != 1 || *word.p != '-');
    if (!pl_proctext_word(&line, &type) || !pl_proctext_word(&line, &source))
        return false;
    out->ro_here = is_read_only(options) && pl_proctext_word(&line, &word) &&
                   !is_read_only(word);
    out->foreign = is_foreign(type);
    out->wanted = !out->foreign && (out->major || has_space(type));
    out->any_device = pl_text_equal(type, pl_text_of("btrfs"));
    if (out->wanted)
        find_device(m, out, source);
    pl_proctext_unescape(point, &l->paths);
    out->path_len = l->paths.len - out->path;
    pl_buf_u8(&l->paths, 0);
    return true;
}

static enum pl_status add_mount(struct pl_mount_list *l,
                                const struct pl_mount *mount)
{
    if (!pl_array_grow((void **)&l->mounts, &l->cap, l->num, sizeof *l->mounts))
        return PL_NOMEM;
    l->mounts[l->num++] = *mount;
    return l->paths.oom ? PL_NOMEM : PL_OK;
}

/* True if 'path' lies below 'point' (which is not the root). */
static bool is_below(struct pl_text path, struct pl_text point)
{
    return point.n > 1 && path.n > point.n &&
           !memcmp(path.p, point.p, point.n) && path.p[point.n] == '/';
}

static bool is_behind_foreign(const struct pl_mount_list *l,
                              const struct pl_mount *m)
{
    for (size_t i = 0; i < l->num; i++)
        if (l->mounts[i].foreign &&
            is_below(pl_mount_path(l, m), pl_mount_path(l, &l->mounts[i])))
            return true;
    return false;
}

/* True if a later mount on the same point hides this one. */
static bool is_covered(const struct pl_mount_list *l, const struct pl_mount *m)
{
    for (size_t i = 0; i < l->num; i++)
        if (l->mounts[i].parent == m->id && l->mounts[i].id != m->id &&
            pl_text_equal(pl_mount_path(l, &l->mounts[i]), pl_mount_path(l, m)))
            return true;
    return false;
}

/* False if its path leads to another file system, or does not exist. */
static bool is_reached(const struct pl_mount_list *l,
                       struct pl_machine *machine, const struct pl_mount *m)
{
    struct stat st;

    machine->system_calls++;
    if (stat(pl_mount_path(l, m).p, &st))
        return false;
    return m->any_device ||
           (major(st.st_dev) == m->major && minor(st.st_dev) == m->minor);
}

static bool shares_device(const struct pl_mount_list *l, size_t kept,
                          const struct pl_mount *m)
{
    for (size_t i = 0; i < kept; i++)
        if (m->disk_major && l->mounts[i].disk_major == m->disk_major &&
            l->mounts[i].disk_minor == m->disk_minor)
            return true;
    return false;
}

static bool is_repeated(const struct pl_mount_list *l, size_t kept,
                        const struct pl_mount *m)
{
    for (size_t i = 0; i < kept; i++)
        if (l->mounts[i].major == m->major && l->mounts[i].minor == m->minor)
            return true;
    return false;
}

/*
 * Keep one mount per file system: the first that can be reached.  The kernel
 * lists them by age (a copy for a namespace of its own: parents first); their
 * ids do not tell, since the lowest free one is given to the next mount.
 * Foreign mounts that are not covered are determined first, before any path is
 * used.
 */
static void choose_mounts(struct pl_mount_list *l, struct pl_machine *machine)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->num; i++) {
        struct pl_mount *m = &l->mounts[i];

        if ((m->foreign || m->wanted) && is_covered(l, m))
            m->foreign = m->wanted = false;
    }
    for (size_t i = 0; i < l->num; i++)
        if (l->mounts[i].wanted)
            l->mounts[i].wanted = !is_behind_foreign(l, &l->mounts[i]);
    for (size_t i = 0; i < l->num; i++) {
        struct pl_mount m = l->mounts[i];

        if (m.wanted && !is_repeated(l, kept, &m) &&
            is_reached(l, machine, &m)) {
            m.same_device = shares_device(l, kept, &m);
            l->mounts[kept++] = m;
        }
    }
    l->num = kept;
}

enum pl_status pl_mount_list_make(struct pl_mount_list *l, struct pl_machine *m,
                                  struct pl_text text)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    enum pl_status s = PL_OK;
    struct pl_mount mount;

    l->num = 0;
    pl_buf_clear(&l->paths);
    while (!s && pl_proctext_line(&rest, &line))
        if (scan_mount(l, m, line, &mount))
            s = add_mount(l, &mount);
    if (s)
        l->num = 0; /* whatever can hang is among them */
    else
        choose_mounts(l, m);
    return s;
}

void pl_mount_list_release(struct pl_mount_list *l)
{
    free(l->mounts);
    pl_buf_release(&l->paths);
}
