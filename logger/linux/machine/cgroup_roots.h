/*                                       logger/linux/machine/cgroup_roots.h
 * Where control groups are mounted: the tree of version 2, and those of
 * version 1, of which each has the files of one controller or of several.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_CGROUP_ROOTS_H
#define PL_LOGGER_LINUX_MACHINE_CGROUP_ROOTS_H

#include "format/base/status.h"

struct pl_machine;

/* Controllers of version 1 that are recorded; one tree may be several. */
enum pl_cgroup_tree {
    PL_CGROUP_V2,
    PL_CGROUP_CPU,
    PL_CGROUP_CPUACCT,
    PL_CGROUP_MEMORY,
    PL_CGROUP_BLKIO,
    PL_CGROUP_PIDS,
    PL_NUM_CGROUP_TREES
};

/* The name of a controller as the kernel has it; NULL for PL_CGROUP_V2. */
extern const char *const pl_cgroup_controllers[PL_NUM_CGROUP_TREES];

/*
 * Descriptors of the folders, which the caller closes; -1 where there is none.
 * PL_OK or PL_NOMEM.
 */
enum pl_status pl_cgroup_roots(struct pl_machine *m,
                               int fd[PL_NUM_CGROUP_TREES]);

#endif
