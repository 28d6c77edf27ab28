/*
 * The files of a control group.  Version 2: kernel/cgroup/ (cpu.stat, pids.*,
 * *.pressure), mm/memcontrol.c (memory.*), block/blk-cgroup.c (io.stat).
 * Version 1, where the meaning is the same: kernel/sched/cpuacct.c,
 * kernel/sched/core.c (cpu.*), mm/memcontrol-v1.c (memory.*),
 * block/blk-throttle.c (blkio.*), kernel/cgroup/pids.c.  Not of the same
 * meaning, so not recorded: the memory of sockets, which version 1 counts for
 * TCP alone and apart, and its soft limit, which slows no group.
 */
#include "logger/linux/sources/cgroups.h"

/* clang-format off */
/* Bits of Data Flags. */
enum { CPU, MEMORY, IO, PIDS, MEMORY_STAT, PRESSURE, CPU_LIMIT, STATE };

const struct pl_field pl_cgroup_fields[PL_NUM_CGROUP_FIELDS] = {
    [PL_CG_USAGE] = PL_GROUPED("usage_usec", CPU),
    [PL_CG_USER] = PL_GROUPED("user_usec", CPU),
    [PL_CG_SYSTEM] = PL_GROUPED("system_usec", CPU),
    [PL_CG_PERIODS] = PL_GROUPED("nr_periods", CPU_LIMIT),
    [PL_CG_THROTTLED] = PL_GROUPED("nr_throttled", CPU_LIMIT),
    [PL_CG_THROTTLED_US] = PL_GROUPED("throttled_usec", CPU_LIMIT),
    [PL_CG_QUOTA] = PL_GROUPED("quota", CPU_LIMIT), /* us, as the next */
    [PL_CG_PERIOD] = PL_GROUPED("period", CPU_LIMIT),
    [PL_CG_LIMIT] = PL_GROUPED("processor_limit", CPU_LIMIT), /* thousandths */
    [PL_CG_MEM_CURRENT] = PL_GROUPED("memory_current", MEMORY),
    [PL_CG_MEM_MAX] = PL_GROUPED("memory_max", MEMORY),
    [PL_CG_MEM_HIGH] = PL_GROUPED("memory_high", MEMORY),
    [PL_CG_EV_MAX] = PL_GROUPED("events_max", MEMORY),
    [PL_CG_EV_HIGH] = PL_GROUPED("events_high", MEMORY),
    [PL_CG_EV_OOM] = PL_GROUPED("events_oom", MEMORY),
    [PL_CG_EV_OOM_KILL] = PL_GROUPED("events_oom_kill", MEMORY),
    [PL_CG_SWAP] = PL_GROUPED("swap_current", MEMORY),
    [PL_CG_ANON] = PL_COSTLY("anon", MEMORY_STAT),
    [PL_CG_FILE_BYTES] = PL_COSTLY("file", MEMORY_STAT),
    [PL_CG_KERNEL] = PL_COSTLY("kernel", MEMORY_STAT),
    [PL_CG_KERNEL_STACK] = PL_COSTLY("kernel_stack", MEMORY_STAT),
    [PL_CG_PAGETABLES] = PL_COSTLY("pagetables", MEMORY_STAT),
    [PL_CG_PERCPU] = PL_COSTLY("percpu", MEMORY_STAT),
    [PL_CG_SOCK] = PL_COSTLY("sock", MEMORY_STAT),
    [PL_CG_SHMEM] = PL_COSTLY("shmem", MEMORY_STAT),
    [PL_CG_FILE_DIRTY] = PL_COSTLY("file_dirty", MEMORY_STAT),
    [PL_CG_INACTIVE_FILE] = PL_COSTLY("inactive_file", MEMORY_STAT),
    [PL_CG_SLAB] = PL_COSTLY("slab", MEMORY_STAT),
    [PL_CG_REFAULT_ANON] = PL_COSTLY("workingset_refault_anon", MEMORY_STAT),
    [PL_CG_REFAULT_FILE] = PL_COSTLY("workingset_refault_file", MEMORY_STAT),
    [PL_CG_PGSCAN] = PL_COSTLY("pgscan", MEMORY_STAT),
    [PL_CG_PGSTEAL] = PL_COSTLY("pgsteal", MEMORY_STAT),
    [PL_CG_PGFAULT] = PL_COSTLY("pgfault", MEMORY_STAT),
    [PL_CG_PGMAJFAULT] = PL_COSTLY("pgmajfault", MEMORY_STAT),
    [PL_CG_RBYTES] = PL_GROUPED("rbytes", IO),
    [PL_CG_WBYTES] = PL_GROUPED("wbytes", IO),
    [PL_CG_DBYTES] = PL_GROUPED("dbytes", IO),
    [PL_CG_RIOS] = PL_GROUPED("rios", IO),
    [PL_CG_WIOS] = PL_GROUPED("wios", IO),
    [PL_CG_PIDS_CURRENT] = PL_GROUPED("pids_current", PIDS),
    [PL_CG_PIDS_MAX] = PL_GROUPED("pids_events_max", PIDS),
    [PL_CG_CPU_SOME] = PL_COSTLY("cpu_some_total", PRESSURE),
    [PL_CG_CPU_FULL] = PL_COSTLY("cpu_full_total", PRESSURE),
    [PL_CG_MEMORY_SOME] = PL_COSTLY("memory_some_total", PRESSURE),
    [PL_CG_MEMORY_FULL] = PL_COSTLY("memory_full_total", PRESSURE),
    [PL_CG_IO_SOME] = PL_COSTLY("io_some_total", PRESSURE),
    [PL_CG_IO_FULL] = PL_COSTLY("io_full_total", PRESSURE),
    [PL_CG_POPULATED] = PL_GROUPED("populated", STATE),
    [PL_CG_DYING] = PL_FIELD("nr_dying_descendants"),
    [PL_CG_INODE] = PL_FIELD("inode"),
    [PL_CG_DATA_FLAGS] = PL_FIELD("data_flags"),
};

/* Nanoseconds, and ticks of USER_HZ, as microseconds. */
#define OF_NS 1, 1000
#define OF_TICKS 10000, 1

static const struct pl_alias usage_v1[] = { { NULL, OF_NS } };
static const struct pl_alias times_v1[] = {
    { "user", OF_TICKS }, { "system", OF_TICKS },
};
static const struct pl_alias throttling_v1[] = {
    { "nr_periods", 0, 0 }, { "nr_throttled", 0, 0 },
    { "throttled_time", OF_NS },
};
static const struct pl_alias bytes_v1[] = {
    { "Read", 0, 0 }, { "Write", 0, 0 }, { "Discard", 0, 0 },
};
/* With the children, as version 2 counts. */
static const struct pl_alias memory_v1[PL_CG_PGMAJFAULT - PL_CG_SWAP + 1] = {
    [0] = { "total_swap", 0, 0 },
    [PL_CG_ANON - PL_CG_SWAP] = { "total_rss", 0, 0 },
    [PL_CG_FILE_BYTES - PL_CG_SWAP] = { "total_cache", 0, 0 },
    [PL_CG_SHMEM - PL_CG_SWAP] = { "total_shmem", 0, 0 },
    [PL_CG_FILE_DIRTY - PL_CG_SWAP] = { "total_dirty", 0, 0 },
    [PL_CG_INACTIVE_FILE - PL_CG_SWAP] = { "total_inactive_file", 0, 0 },
    [PL_CG_REFAULT_ANON - PL_CG_SWAP] = { "total_workingset_refault_anon", 0, 0 },
    [PL_CG_REFAULT_FILE - PL_CG_SWAP] = { "total_workingset_refault_file", 0, 0 },
    [PL_CG_PGFAULT - PL_CG_SWAP] = { "total_pgfault", 0, 0 },
    [PL_CG_PGMAJFAULT - PL_CG_SWAP] = { "total_pgmajfault", 0, 0 },
};

#define OLDER(name, how, first, num, of, ...)                                  \
    PL_PART(name, how, first, num, .otherwise = true,                          \
            .tree = PL_CGROUP_##of, __VA_ARGS__)

const struct pl_part pl_cgroup_parts[PL_NUM_CGROUP_PARTS] = {
    PL_PART("cpu.stat", PL_KEYS, PL_CG_USAGE, 6),
    PL_PART("cpu.max", PL_NUMBERS, PL_CG_QUOTA, 3), /* PL_CG_LIMIT is computed */
    PL_PART("memory.current", PL_NUMBERS, PL_CG_MEM_CURRENT, 1),
    PL_PART("memory.max", PL_NUMBERS, PL_CG_MEM_MAX, 1),
    PL_PART("memory.high", PL_NUMBERS, PL_CG_MEM_HIGH, 1),
    PL_PART("memory.swap.current", PL_NUMBERS, PL_CG_SWAP, 1),
    PL_PART("memory.events", PL_KEYS, PL_CG_EV_MAX, 4, .prefix = "events_"),
    PL_PART("memory.stat", PL_KEYS, PL_CG_ANON, PL_CG_PGMAJFAULT - PL_CG_ANON + 1),
    PL_PART("io.stat", PL_SUMS, PL_CG_RBYTES, 5),
    PL_PART("pids.current", PL_NUMBERS, PL_CG_PIDS_CURRENT, 1),
    PL_PART("pids.events", PL_KEYS, PL_CG_PIDS_MAX, 1, .prefix = "pids_events_"),
    PL_PART("cpu.pressure", PL_PAIRS, PL_CG_CPU_SOME, 2, .prefix = "cpu_"),
    PL_PART("memory.pressure", PL_PAIRS, PL_CG_MEMORY_SOME, 2, .prefix = "memory_"),
    PL_PART("io.pressure", PL_PAIRS, PL_CG_IO_SOME, 2, .prefix = "io_"),
    PL_PART("cgroup.events", PL_KEYS, PL_CG_POPULATED, 1),
    PL_PART("cgroup.stat", PL_KEYS, PL_CG_DYING, 1),
    /* Version 1: what a file above gives is not read again. */
    OLDER("cpuacct.usage", PL_NUMBERS, PL_CG_USAGE, 1, CPUACCT, .aliases = usage_v1),
    OLDER("cpuacct.stat", PL_KEYS, PL_CG_USER, 2, CPUACCT, .aliases = times_v1),
    OLDER("cpu.stat", PL_KEYS, PL_CG_PERIODS, 3, CPU, .aliases = throttling_v1, .rule = PL_CG_NO_LIMIT_AT_ROOT),
    OLDER("cpu.cfs_quota_us", PL_NUMBERS, PL_CG_QUOTA, 3, CPU, .rule = PL_CG_NO_LIMIT_AT_ROOT),
    OLDER("cpu.cfs_period_us", PL_NUMBERS, PL_CG_PERIOD, 2, CPU, .rule = PL_CG_NO_LIMIT_AT_ROOT),
    OLDER("memory.usage_in_bytes", PL_NUMBERS, PL_CG_MEM_CURRENT, 1, MEMORY),
    OLDER("memory.limit_in_bytes", PL_NUMBERS, PL_CG_MEM_MAX, 1, MEMORY, .rule = PL_CG_NO_LIMIT_AT_ROOT),
    OLDER("memory.failcnt", PL_NUMBERS, PL_CG_EV_MAX, 1, MEMORY, .rule = PL_CG_NO_LIMIT_AT_ROOT),
    OLDER("memory.oom_control", PL_KEYS, PL_CG_EV_OOM_KILL, 1, MEMORY, .prefix = "events_", .rule = PL_CG_WITH_KILLS),
    OLDER("memory.stat", PL_KEYS, PL_CG_SWAP, PL_CG_PGMAJFAULT - PL_CG_SWAP + 1, MEMORY, .aliases = memory_v1),
    OLDER("memory.kmem.usage_in_bytes", PL_NUMBERS, PL_CG_KERNEL, 1, MEMORY),
    OLDER("blkio.throttle.io_service_bytes_recursive", PL_SUMS, PL_CG_RBYTES, 3, BLKIO, .aliases = bytes_v1),
    OLDER("blkio.throttle.io_serviced_recursive", PL_SUMS, PL_CG_RIOS, 2, BLKIO, .aliases = bytes_v1),
    OLDER("pids.current", PL_NUMBERS, PL_CG_PIDS_CURRENT, 1, PIDS),
    OLDER("pids.events", PL_KEYS, PL_CG_PIDS_MAX, 1, PIDS, .prefix = "pids_events_"),
};
/* clang-format on */
