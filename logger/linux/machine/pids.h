/*                                              logger/linux/machine/pids.h
 * The processes that exist: the numeric names in /proc, ascending, listed
 * once per sample with getdents64 (fs/proc/base.c, proc_pid_readdir).
 */
#ifndef PL_LOGGER_LINUX_MACHINE_PIDS_H
#define PL_LOGGER_LINUX_MACHINE_PIDS_H

#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_machine;

struct pl_pids {
    uint32_t *pid;
    size_t num;
    size_t cap;
    size_t num_folders; /* other folders, if the file system reports d_type */
    bool readable;
    uint64_t tick; /* sample in which they were listed */
    char *entries; /* buffer for directory entries */
};

/*
 * Replace 'p' by the numbers in the directory 'fd', ascending; p->readable is
 * true if it could be listed.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_pids_list(struct pl_machine *m, int fd, struct pl_pids *p);

/* List m->pids for this sample, if not yet done.  PL_OK or PL_NOMEM. */
enum pl_status pl_pids_read(struct pl_machine *m);
void pl_pids_release(struct pl_pids *p);

/*
 * Count the entries of a directory, which is opened and closed for this,
 * without "." and "..".
 * False (and errno) if it cannot be read.
 */
bool pl_count_entries(struct pl_machine *m, int dir, const char *path,
                      uint64_t *n);

#endif
