/*                                    logger/linux/processes/process_more.h
 * Values read from /proc only for counters requested by name: sums over the
 * threads of a process, and its control group.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_MORE_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_MORE_H

#include "logger/linux/processes/proc_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/task_dir.h"

struct pl_process_more {
    struct pl_machine *machine;
    struct pl_task_dir dir;
    struct pl_buf cgroup;     /* path of the group looked up last */
    uint64_t cgroup_id;       /* its number; 0: unknown */
    const char *cgroup_mount; /* below /sys; NULL: not mounted */
    bool has_schedstat, has_cgroup;
};

void pl_process_more_init(struct pl_process_more *p, struct pl_machine *m);
void pl_process_more_release(struct pl_process_more *p);

/*
 * Find out from process 'pid' what this kernel has.  True if another process
 * may show more.
 */
bool pl_process_more_probe(struct pl_process_more *p, uint32_t pid);

/*
 * Fill the wanted fields of 'v' of the group PL_GROUP_THREADS.  PL_REFUSED:
 * they stay 0; the caller sets the bit of the group in Data Flags.
 */
enum pl_outcome pl_process_more_read(struct pl_process_more *p,
                                     const struct pl_field *fields,
                                     uint32_t pid, uint64_t *v);

#endif
