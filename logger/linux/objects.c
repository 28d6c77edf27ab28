/* The list of objects, in the order in which they stand in a block. */
#include "logger/linux/objects.h"

/* clang-format off */
const struct pl_object_def pl_objects[] = {
    {
        .index = 2, .name = "System", .level = PL_NOVICE,
        .help = "Load, uptime and totals of the whole machine.",
        .default_counter = 44, .has_clock = true,
        .sources = { PL_STAT, PL_LOADAVG, PL_COUNTS },
        .tables = { &pl_system },
    },
    {
        .index = 238, .name = "Processor", .level = PL_NOVICE,
        .help = "Time and interrupts of each processor.",
        .default_counter = 6, .has_instances = true,
        .sources = { PL_CPU },
        .tables = { &pl_processor },
    },
    {
        .index = 4, .name = "Memory", .level = PL_NOVICE,
        .help = "Use of physical memory, commitment and paging.",
        .default_counter = 24,
        .sources = { PL_MEMINFO, PL_VMSTAT },
        .tables = { &pl_memory },
    },
    {
        .index = 700, .name = "Paging File", .level = PL_ADVANCED,
        .help = "Use of each swap area.",
        .default_counter = 702, .has_instances = true,
        .sources = { PL_SWAPS },
        .tables = { &pl_paging_file },
    },
    {
        .index = 234, .name = "PhysicalDisk", .level = PL_NOVICE,
        .help = "Transfers of each whole block device.",
        .default_counter = 198, .has_instances = true,
        .sources = { PL_DISKSTATS }, .identity = { 22502, 22504 },
        .tables = { &pl_transfers, &pl_physical_disk },
    },
    {
        .index = 236, .name = "LogicalDisk", .level = PL_NOVICE,
        .help = "Space and transfers of each mounted file system.",
        .default_counter = 408, .has_instances = true,
        .sources = { PL_MOUNTS }, .identity = { 22602 },
        .flags_counter = 22614,
        .tables = { &pl_logical_disk, &pl_transfers },
    },
    {
        .index = 510, .name = "Network Interface", .level = PL_ADVANCED,
        .help = "Traffic of each network interface.",
        .default_counter = 388, .has_instances = true,
        .sources = { PL_NET_DEV }, .identity = { 22702 },
        .tables = { &pl_network_interface },
    },
    {
        .index = 230, .name = "Process", .level = PL_NOVICE,
        .help = "Time, memory, faults and I/O of each process.",
        .default_counter = 6, .has_instances = true, .has_clock = true,
        .sources = { PL_PROCESS }, .identity = { 784, 684 },
        .flags_counter = 23136, .shared_help = PL_SHARED_HELP,
        .tables = { &pl_process },
    },
    {
        .index = 21700, .name = "Performance Logger", .level = PL_ADVANCED,
        .help = "Cost and punctuality of the recording program.",
        .default_counter = 6, .has_clock = true, .always = true,
        .sources = { PL_SELF }, .shared_help = PL_SHARED_HELP + 1000,
        .tables = { &pl_performance_logger },
    },
};
/* clang-format on */

const size_t pl_num_objects = sizeof pl_objects / sizeof *pl_objects;

uint32_t pl_help_index(const struct pl_object_def *o, uint32_t counter_index)
{
    if (o->shared_help && counter_index < PL_OWN_TITLES)
        return o->shared_help + counter_index / 2;
    return counter_index + 1;
}

uint32_t pl_counter_width(uint32_t type)
{
    /* Their type words say 4 bytes; 8 never wrap, and Windows stores 8. */
    if (type == PERF_AVERAGE_TIMER || type == PERF_AVERAGE_BASE)
        return 8;
    return (type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}
