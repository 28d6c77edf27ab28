/*                                        logger/linux/sources/mount_list.h
 * The mounts of /proc/self/mountinfo (fs/proc_namespace.c, Linux 2.6.26) to be
 * recorded: one per file system that has space of its own, and none that may
 * wait for another machine or a program: statvfs on a dead server hangs.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_MOUNT_LIST_H
#define PL_LOGGER_LINUX_SOURCES_MOUNT_LIST_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_machine;

struct pl_mount {
    uint64_t id, parent;
    uint32_t major, minor;           /* of the file system */
    uint32_t disk_major, disk_minor; /* of the device that holds it */
    size_t path;                     /* in 'paths', with a terminator */
    size_t path_len;
    size_t disk_row;  /* row of that device in the previous sample */
    bool foreign;     /* may wait for another machine or program */
    bool wanted;      /* of a kind that is recorded */
    bool any_device;  /* stat() shows other numbers (btrfs) */
    bool same_device; /* an earlier mount is on the same device */
    bool ro_here;     /* this mount only, as in a service's sandbox */
};

struct pl_mount_list {
    struct pl_mount *mounts; /* in the kernel's order */
    size_t num, cap;
    struct pl_buf paths;
};

/* Make the list from the text of mountinfo.  PL_OK or PL_NOMEM. */
enum pl_status pl_mount_list_make(struct pl_mount_list *l, struct pl_machine *m,
                                  struct pl_text text);
void pl_mount_list_release(struct pl_mount_list *l);

/* Where it is mounted; the text has a terminator. */
static inline struct pl_text pl_mount_path(const struct pl_mount_list *l,
                                           const struct pl_mount *m)
{
    return (struct pl_text){ (const char *)l->paths.p + m->path, m->path_len };
}

#endif
