/*                                           logger/linux/machine/machine.h
 * State shared by all sources of one sampler: descriptors of /proc and /sys,
 * the clocks, the sample in progress and the cost of taking it.  A machine
 * belongs to its sampler and is used by one thread.
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

struct pl_proc_files;
struct pl_regions;
struct pl_tasks;

/* What one object has cost so far. */
struct pl_cost {
    const char *name;
    uint64_t times;        /* samples in which it was collected */
    uint64_t collected_ns; /* wall time */
    uint64_t bytes;        /* in the last block, as is the next */
    uint64_t instances;
    uint64_t system_calls;
    uint64_t read_errors;
    uint64_t bytes_read;
};

struct pl_machine {
    int proc; /* directory descriptors; -1: absent */
    int sys;
    bool live; /* 'proc' is the kernel's, not a saved tree */
    bool all_disks;
    uint64_t tick;       /* number of the sample in progress, from 1 */
    struct pl_tick now;  /* its instant */
    int64_t boot_100ns;  /* BOOT: FILETIME of the clock's 0, CLOCK_BOOTTIME */
    int64_t start_100ns; /* object clock when the session began */
    int64_t wall_100ns;  /* FILETIME at CLOCK_MONOTONIC 0 */
    struct pl_conversion units[PL_NUM_UNITS];
    const struct pl_logger_stats *stats; /* of the sample in progress */
    uint64_t system_calls;               /* made by this sampler so far */
    uint64_t read_errors;                /* sources that could not be read */
    uint64_t bytes_read;                 /* text returned by the kernel */
    struct pl_cost *costs;               /* by object, if 'measures' */
    size_t num_costs;
    /* The share of these totals that the object being collected spent on
     * reading Process, which is collected later but has been read already. */
    struct pl_cost ahead;
    bool measures;
    uint32_t instances;        /* in the block so far */
    struct pl_procfile *files; /* every file requested so far */
    struct pl_pids pids;
    struct pl_process_count head_count;
    enum pl_process_way way; /* as requested by option */
    struct pl_tasks *tasks;  /* NULL: processes are read from /proc */
    struct pl_proc_files *process_files; /* held open; NULL: by BPF */
    /* Processes seen by the last walk over 'tasks'; false: incomplete. */
    bool (*count_tasks)(const struct pl_tasks *tasks, uint64_t *n);
    const char *why;            /* BPF is unavailable; NULL: it was not tried */
    size_t live_processes;      /* rows of Process that exist: the first ones */
    bool sees_exits;            /* BPF or taskstats tell of ended processes */
    const char *why_no_exits;   /* taskstats does not; NULL: it was not tried */
    uint64_t exits_lost;        /* number of these lost for lack of room */
    struct pl_regions *regions; /* published by applications; or NULL */
    const struct pl_source_kind *const *kinds; /* by enum pl_source_id */
    struct pl_source *sources[PL_NUM_SOURCES]; /* NULL: not opened */
};

/*
 * 'kinds' has PL_NUM_SOURCES entries and outlives the machine.  PL_IO if
 * options->proc cannot be opened.
 */
enum pl_status pl_machine_open(struct pl_machine *m,
                               const struct pl_sampler_options *options,
                               const struct pl_source_kind *const *kinds);
/* Also closes all sources; not 'regions', which the sampler opened. */
void pl_machine_close(struct pl_machine *m);

#endif
