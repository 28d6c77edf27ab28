/*                                           logger/linux/sources/cgroups.h
 * Fields and files of a control group, and what this machine lacks of them.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_CGROUPS_H
#define PL_LOGGER_LINUX_SOURCES_CGROUPS_H

#include "logger/linux/machine/cgroup_roots.h"
#include "logger/linux/sources/member_files.h"

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
enum {
    PL_CG_USAGE, PL_CG_USER, PL_CG_SYSTEM, PL_CG_PERIODS, PL_CG_THROTTLED,
    PL_CG_THROTTLED_US, PL_CG_QUOTA, PL_CG_PERIOD, PL_CG_LIMIT,
    PL_CG_MEM_CURRENT, PL_CG_MEM_MAX, PL_CG_MEM_HIGH, PL_CG_EV_MAX,
    PL_CG_EV_HIGH, PL_CG_EV_OOM, PL_CG_EV_OOM_KILL, PL_CG_SWAP, PL_CG_ANON,
    PL_CG_FILE_BYTES, PL_CG_KERNEL, PL_CG_KERNEL_STACK, PL_CG_PAGETABLES,
    PL_CG_PERCPU, PL_CG_SOCK, PL_CG_SHMEM, PL_CG_FILE_DIRTY,
    PL_CG_INACTIVE_FILE, PL_CG_SLAB, PL_CG_REFAULT_ANON, PL_CG_REFAULT_FILE,
    PL_CG_PGSCAN, PL_CG_PGSTEAL, PL_CG_PGFAULT, PL_CG_PGMAJFAULT,
    PL_CG_RBYTES, PL_CG_WBYTES, PL_CG_DBYTES, PL_CG_RIOS, PL_CG_WIOS,
    PL_CG_PIDS_CURRENT, PL_CG_PIDS_MAX, PL_CG_CPU_SOME, PL_CG_CPU_FULL,
    PL_CG_MEMORY_SOME, PL_CG_MEMORY_FULL, PL_CG_IO_SOME, PL_CG_IO_FULL,
    PL_CG_POPULATED, PL_CG_DYING, PL_CG_INODE, PL_CG_DATA_FLAGS,
    PL_NUM_CGROUP_FIELDS
};
/* clang-format on */

enum { PL_NUM_CGROUP_PARTS = 31 };

/* Rules of parts: when a file of version 1 cannot have changed. */
enum {
    /* In the first group of a tree the kernel refuses every limit
     * (tg_set_cfs_bandwidth(), mem_cgroup_write()), so none is ever met. */
    PL_CG_NO_LIMIT_AT_ROOT = 1,
    /* With each process that it kills the kernel counts in /proc/vmstat, then
     * in the group (mm/oom_kill.c, __oom_kill_process()). */
    PL_CG_WITH_KILLS,
};

_Static_assert(PL_NUM_CGROUP_PARTS <= (int)PL_MAX_PARTS, "places of parts");
_Static_assert(PL_NUM_CGROUP_FIELDS <= (int)PL_MAX_FAMILY_FIELDS,
               "bits of fields");

extern const struct pl_field pl_cgroup_fields[PL_NUM_CGROUP_FIELDS];
extern const struct pl_part pl_cgroup_parts[PL_NUM_CGROUP_PARTS];

/*
 * True if 's' is the source of control groups and some of its controllers are
 * of version 1: 'why' then has the reason why counters are missing, as text
 * that ends where their names follow.
 */
bool pl_cgroups_explain(const struct pl_source *s, char *why, size_t size);

/*
 * True if 's' is that source and groups are left out for lack of places: 'text'
 * then says how many and why.  's' may be NULL.
 */
bool pl_cgroups_left_out(const struct pl_source *s, char *text, size_t size);
/* The same, once in the life of the source, which may be NULL but no other. */
bool pl_cgroups_news(struct pl_source *s, char *text, size_t size);

#endif
