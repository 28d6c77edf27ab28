/*                                              logger/linux/source_kinds.h
 * The table of sources.  It lies above the folders that implement them, which
 * know only machine/source.h: the sampler passes it to pl_machine_open.
 */
#ifndef PL_LOGGER_LINUX_SOURCE_KINDS_H
#define PL_LOGGER_LINUX_SOURCE_KINDS_H

#include "logger/linux/machine/source.h"

/* Sources with code of their own, or families (member_files.h). */
extern const struct pl_source_kind pl_loadavg_kind, pl_counts_kind,
    pl_diskstats_kind, pl_mounts_kind, pl_net_dev_kind, pl_process_kind,
    pl_thread_kind, pl_self_kind, pl_pressure_kind, pl_sockstat_kind,
    pl_softnet_kind, pl_limits_kind, pl_nodes_kind, pl_interrupts_kind,
    pl_softirqs_kind, pl_cpu_interrupts_kind, pl_cpu_softirqs_kind,
    pl_clocks_kind, pl_cpuinfo_kind, pl_idle_kind, pl_temperatures_kind,
    pl_fans_kind, pl_power_kind, pl_nfs_kind, pl_cgroups_kind, pl_costs_kind,
    pl_provider_kind, pl_provider_limits_kind;

extern const struct pl_source_kind *const pl_source_kinds[PL_NUM_SOURCES];

#endif
