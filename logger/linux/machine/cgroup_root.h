/*                                       logger/linux/machine/cgroup_root.h
 * Where control groups of version 2 are mounted.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_CGROUP_ROOT_H
#define PL_LOGGER_LINUX_MACHINE_CGROUP_ROOT_H

#include "format/base/status.h"

struct pl_machine;

/*
 * A descriptor of the folder, which the caller closes; -1 if there is none.
 * PL_OK or PL_NOMEM.
 */
enum pl_status pl_cgroup_root(struct pl_machine *m, int *fd);

#endif
