/*                                              logger/linux/machine/pids.h
 * Which processes exist: the numbers in /proc, ascending, listed once per
 * sample.
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
    size_t num_folders; /* beside them; on file systems that tell */
    bool readable;
    uint64_t tick; /* when they were listed */
    char *entries; /* room for directory entries */
};

/*
 * Replace 'p' by the numbers in the directory 'fd', ascending; p->readable
 * says whether it could be listed.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_pids_list(struct pl_machine *m, int fd, struct pl_pids *p);

/* Bring m->pids up to date.  PL_OK or PL_NOMEM. */
enum pl_status pl_pids_read(struct pl_machine *m);
void pl_pids_release(struct pl_pids *p);

/*
 * How many entries a directory has beside "." and "..": open it, count, close.
 * False (and errno) if it cannot be read.
 */
bool pl_count_entries(struct pl_machine *m, int dir, const char *path,
                      uint64_t *n);

#endif
