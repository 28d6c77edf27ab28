/*                                     logger/linux/machine/process_count.h
 * How many processes there are, without listing them where that can be had.
 * The kernel says it in the link count of /proc: 2, one for each folder that
 * is no process, one for each process of the whole machine.  That is trusted
 * only as long as it is seen to agree with a list: never in a pid namespace
 * or where processes are hidden, not before the first list, and not when
 * modules, which may bring folders along, came or went.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_PROCESS_COUNT_H
#define PL_LOGGER_LINUX_MACHINE_PROCESS_COUNT_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

struct pl_process_count {
    bool agrees;
    uint64_t others;   /* links of /proc that are no processes */
    uint64_t modules;  /* links of /sys/module when that was seen */
    int64_t listed_ns; /* CLOCK_MONOTONIC of that */
};

/*
 * The processes of this sample into *n; *readable is false if /proc cannot
 * be listed.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_process_count_read(struct pl_machine *m, uint64_t *n,
                                     bool *readable);

#endif
