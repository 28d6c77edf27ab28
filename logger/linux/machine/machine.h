/*                                           logger/linux/machine/machine.h
 * What all sources of one sampler share: where /proc and /sys are, the
 * clocks, the sample being made, and what making it costs.  A machine belongs
 * to its sampler and is used by one thread.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_MACHINE_H
#define PL_LOGGER_LINUX_MACHINE_MACHINE_H

#include "format/base/status.h"
#include "logger/linux/machine/process_count.h"
#include "logger/linux/machine/pids.h"
#include "logger/linux/machine/procfs.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/machine/units.h"
#include "logger/sampler.h"

#include <stdbool.h>
#include <stdint.h>

#define PL_PERF_FREQ INT64_C(10000000) /* every clock of a block, per second */

struct pl_regions;
struct pl_tasks;

/* What one object has cost so far. */
struct pl_cost {
    const char *name;
    uint64_t times;
    uint64_t collected_ns; /* wall time */
    uint64_t bytes;        /* in the last block, as is the next */
    uint64_t instances;
    uint64_t system_calls;
    uint64_t read_errors;
    uint64_t bytes_read;
};

struct pl_machine {
    int proc; /* directory descriptors; -1: not there */
    int sys;
    bool live; /* 'proc' is the kernel's, not a saved tree */
    bool all_disks;
    uint64_t tick;       /* number of the sample being made, from 1 */
    struct pl_tick now;  /* its instant */
    int64_t boot_100ns;  /* BOOT: FILETIME of the clock's 0, CLOCK_BOOTTIME */
    int64_t start_100ns; /* object clock when the session began */
    int64_t wall_100ns;  /* FILETIME at CLOCK_MONOTONIC 0 */
    struct pl_conversion units[PL_NUM_UNITS];
    const struct pl_logger_stats *stats; /* of the sample being made */
    uint64_t system_calls;               /* made by this sampler so far */
    uint64_t read_errors;                /* sources that could not be read */
    uint64_t bytes_read;                 /* what the kernel printed for it */
    struct pl_cost *costs;               /* by object, if 'measures' */
    size_t num_costs;
    /* Of these, what the object being collected spent for Process, which
     * comes later but is read already. */
    struct pl_cost ahead;
    bool measures;
    uint32_t instances;        /* in the block so far */
    struct pl_procfile *files; /* every file ever asked for */
    struct pl_pids pids;
    struct pl_process_count head_count;
    enum pl_process_way way; /* that is asked for */
    struct pl_tasks *tasks;  /* NULL: processes are read over /proc */
    /* How many processes the last walk over 'tasks' saw; false: not all. */
    bool (*count_tasks)(const struct pl_tasks *tasks, uint64_t *n);
    const char *why;     /* BPF cannot be had; NULL: it was not tried */
    bool sees_exits;     /* processes that end are seen, by BPF; of these */
    uint64_t exits_lost; /* there was no room for so many */
    struct pl_regions *regions; /* published by applications; or NULL */
    const struct pl_source_kind *const *kinds; /* by enum pl_source_id */
    struct pl_source *sources[PL_NUM_SOURCES]; /* NULL: not opened */
};

/* 'kinds' has PL_NUM_SOURCES.  PL_IO if options->proc cannot be opened. */
enum pl_status pl_machine_open(struct pl_machine *m,
                               const struct pl_sampler_options *options,
                               const struct pl_source_kind *const *kinds);
/* Closes all sources, too; 'regions' are the sampler's, which opened them. */
void pl_machine_close(struct pl_machine *m);

#endif
