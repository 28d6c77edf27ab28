/*                                     logger/linux/machine/process_count.h
 * The number of processes, without listing them where possible.  The link
 * count of /proc (fs/proc/root.c, proc_root_getattr) is 2, plus one for each
 * folder that is not a process, plus one for each process of the machine.  It
 * is used only while it agrees with a listing: never in a pid namespace or
 * where processes are hidden (hidepid), not before the first listing, and not
 * after modules, which may add folders, were loaded or unloaded.
 *
 * Where it never agrees, another way to count may be given: BPF, in a pid
 * namespace (bpf/counter.h).
 */
#ifndef PL_LOGGER_LINUX_MACHINE_PROCESS_COUNT_H
#define PL_LOGGER_LINUX_MACHINE_PROCESS_COUNT_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

/* Set *n to the number of processes now; false: it cannot be had. */
typedef bool pl_process_counting(void *of, uint64_t *n);

struct pl_process_count {
    pl_process_counting *way; /* NULL: the links of /proc */
    void *way_of;
    bool agrees;
    uint64_t others;   /* links of /proc that are not processes */
    uint64_t modules;  /* links of /sys/module at the last listing */
    int64_t listed_ns; /* CLOCK_MONOTONIC of the last listing */
};

/*
 * From now on ask 'way', which is given 'of', for the number of processes in this
 * program's pid namespace; nothing is done if /proc is another one's.
 */
void pl_process_count_use(struct pl_machine *m, pl_process_counting *way,
                          void *of);

/*
 * Set *n to the number of processes in this sample; *readable is false if
 * /proc cannot be listed.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_process_count_read(struct pl_machine *m, uint64_t *n,
                                     bool *readable);

#endif
