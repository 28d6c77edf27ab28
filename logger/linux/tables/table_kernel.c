/*
 * Counters of Pressure Stall, NUMA Node, Slab Cache, Interrupt, Soft
 * Interrupt and Kernel Tables.
 */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter pressure_stall_rows[] = {
    { 20002, "% Some Stalled", PERF_100NSEC_TIMER, 0, PL_NOVICE, "some_total",
      PL_US, PL_TOTAL_NONE,
      "Share of time in which at least one task waited for this resource.",
      PL_LINUX(4, 20) },
    { 20004, "% Full Stalled", PERF_100NSEC_TIMER, 0, PL_NOVICE, "full_total",
      PL_US, PL_TOTAL_NONE,
      "Share of time in which every busy task waited for this resource at "
      "once.",
      PL_LINUX(4, 20) },
    { 20006, "Data Flags", PERF_COUNTER_RAWCOUNT_HEX, 0, PL_WIZARD,
      "data_flags", PL_PLAIN, PL_TOTAL_NONE,
      "Which groups of counters could not be read for this instance." },
};

const struct pl_object_def pl_object_pressure_stall = {
    .index = 20000, .name = "Pressure Stall", .level = PL_NOVICE,
    .help = "Time in which work stood still for want of processor, memory "
            "or I/O.",
    .default_counter = 20002, .has_instances = true, .flags_counter = 20006,
    .sources = { PL_PRESSURE },
    .tables = { PL_TABLE(pressure_stall_rows) },
};

static const struct pl_counter numa_node_rows[] = {
    { 20602, "Total Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED,
      "MemTotal", PL_KIB, PL_TOTAL_SUM,
      "Memory of the node." },
    { 20604, "Free Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_NOVICE,
      "MemFree", PL_KIB, PL_TOTAL_SUM,
      "Memory of the node holding nothing." },
    { 20606, "File Cache Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED,
      "FilePages", PL_KIB, PL_TOTAL_SUM,
      "File cache on the node." },
    { 20608, "Anonymous Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED,
      "AnonPages", PL_KIB, PL_TOTAL_SUM,
      "Program memory on the node." },
    { 20610, "Slab Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_EXPERT, "Slab",
      PL_KIB, PL_TOTAL_SUM,
      "Kernel object caches on the node." },
    { 20612, "Dirty Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_EXPERT, "Dirty",
      PL_KIB, PL_TOTAL_SUM,
      "Changed file data on the node." },
    { 20616, "Hits/sec", PERF_COUNTER_BULK_COUNT, -3, PL_ADVANCED, "numa_hit",
      PL_PLAIN, PL_TOTAL_SUM,
      "Allocations per second that got memory from the node they wanted." },
    { 20618, "Misses/sec", PERF_COUNTER_BULK_COUNT, 0, PL_NOVICE, "numa_miss",
      PL_PLAIN, PL_TOTAL_SUM,
      "Allocations per second served here because the wanted node was full." },
    { 20620, "Foreign/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "numa_foreign", PL_PLAIN, PL_TOTAL_SUM,
      "Allocations per second that wanted this node and went elsewhere." },
    { 20622, "Local/sec", PERF_COUNTER_BULK_COUNT, -3, PL_EXPERT, "local_node",
      PL_PLAIN, PL_TOTAL_SUM,
      "Allocations per second here by programs running here." },
    { 20624, "Remote/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "other_node", PL_PLAIN, PL_TOTAL_SUM,
      "Allocations per second here by programs running on another node." },
};

const struct pl_object_def pl_object_numa_node = {
    .index = 20600, .name = "NUMA Node", .level = PL_EXPERT,
    .help = "Memory of each NUMA node.",
    .default_counter = 20604, .has_instances = true, .default_from = 2,
    .sources = { PL_NODES },
    .tables = { PL_TABLE(numa_node_rows) },
};

static const struct pl_counter slab_cache_rows[] = {
    { 20302, "Active Objects", PERF_COUNTER_LARGE_RAWCOUNT, -3, PL_WIZARD,
      "active_objs", PL_PLAIN, PL_TOTAL_SUM,
      "Objects in use." },
    { 20304, "Objects", PERF_COUNTER_LARGE_RAWCOUNT, -3, PL_WIZARD, "num_objs",
      PL_PLAIN, PL_TOTAL_SUM,
      "Objects there is room for." },
    { 20308, "Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_EXPERT,
      "num_slabs * pagesperslab", PL_PAGES, PL_TOTAL_SUM,
      "Memory held by the cache." },
    { 20310, "% Used", PERF_LARGE_RAW_FRACTION, 0, PL_WIZARD,
      "active_objs * objsize", PL_PLAIN, PL_TOTAL_SUM,
      "Part of that memory holding objects in use." },
    { .index = 20310, .type = PERF_LARGE_RAW_BASE,
      .from = "num_slabs * pagesperslab", .unit = PL_PAGES },
};

const struct pl_object_def pl_object_slab_cache = {
    .index = 20300, .name = "Slab Cache", .level = PL_WIZARD,
    .help = "Kernel object caches.",
    .default_counter = 20308,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_SLABINFO },
    .tables = { PL_TABLE(slab_cache_rows) },
};

static const struct pl_counter interrupt_rows[] = {
    { 148, "Interrupts/sec", PERF_COUNTER_BULK_COUNT, -1, PL_EXPERT,
      "interrupts", PL_WIDE, PL_TOTAL_NONE,
      "Interrupts of this source per second." },
};

const struct pl_object_def pl_object_interrupt = {
    .index = 20700, .name = "Interrupt", .level = PL_EXPERT,
    .help = "Interrupts by source, all processors together.",
    .default_counter = 148, .has_instances = true,
    .default_from = PL_ON_REQUEST, .shared_help = PL_SHARED_HELP + 5000,
    .sources = { PL_INTERRUPTS },
    .tables = { PL_TABLE(interrupt_rows) },
};

static const struct pl_counter soft_interrupt_rows[] = {
    { 20802, "Soft Interrupts/sec", PERF_COUNTER_BULK_COUNT, -1, PL_EXPERT,
      "softirqs", PL_WIDE, PL_TOTAL_NONE,
      "Soft interrupts of this kind per second." },
};

const struct pl_object_def pl_object_soft_interrupt = {
    .index = 20800, .name = "Soft Interrupt", .level = PL_EXPERT,
    .help = "Soft interrupts by kind, all processors together.",
    .default_counter = 20802,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_SOFTIRQS },
    .tables = { PL_TABLE(soft_interrupt_rows) },
};

static const struct pl_counter kernel_tables_rows[] = {
    { 21602, "Open Files", PERF_COUNTER_LARGE_RAWCOUNT, -3, PL_NOVICE, "files",
      PL_PLAIN, PL_TOTAL_NONE,
      "Open file structures of the whole machine." },
    { 21604, "% Open Files", PERF_LARGE_RAW_FRACTION, 0, PL_NOVICE, "files",
      PL_PLAIN, PL_TOTAL_NONE,
      "Open files in per cent of the limit." },
    { .index = 21604, .type = PERF_LARGE_RAW_BASE, .from = "files_max" },
    { 21606, "Inodes", PERF_COUNTER_LARGE_RAWCOUNT, -4, PL_ADVANCED, "inodes",
      PL_PLAIN, PL_TOTAL_NONE,
      "File objects in memory." },
    { 21608, "Inodes Unused", PERF_COUNTER_LARGE_RAWCOUNT, -4, PL_EXPERT,
      "inodes_unused", PL_PLAIN, PL_TOTAL_NONE,
      "Those nobody uses now." },
    { 21610, "Dentries", PERF_COUNTER_LARGE_RAWCOUNT, -4, PL_ADVANCED,
      "dentries", PL_PLAIN, PL_TOTAL_NONE,
      "Directory entries in memory." },
    { 21612, "Dentries Unused", PERF_COUNTER_LARGE_RAWCOUNT, -4, PL_EXPERT,
      "dentries_unused", PL_PLAIN, PL_TOTAL_NONE,
      "Those nobody uses now." },
    { 21614, "Dentries Negative", PERF_COUNTER_LARGE_RAWCOUNT, -4, PL_EXPERT,
      "dentries_negative", PL_PLAIN, PL_TOTAL_NONE,
      "Cached names of files that do not exist.",
      PL_LINUX(5, 0) },
    { 21616, "Asynchronous I/O Requests", PERF_COUNTER_LARGE_RAWCOUNT, 0,
      PL_EXPERT, "aio", PL_PLAIN, PL_TOTAL_NONE,
      "Reserved asynchronous I/O requests." },
    { 21618, "% Process Numbers Used", PERF_LARGE_RAW_FRACTION, 0, PL_ADVANCED,
      "threads", PL_PLAIN, PL_TOTAL_NONE,
      "Threads in per cent of the process number limit." },
    { .index = 21618, .type = PERF_LARGE_RAW_BASE, .from = "pid_max" },
    { 21620, "Tracked Connections", PERF_COUNTER_LARGE_RAWCOUNT, -2,
      PL_ADVANCED, "conntrack", PL_PLAIN, PL_TOTAL_NONE,
      "Connections in the firewall's table." },
    { 21622, "% Tracked Connections", PERF_LARGE_RAW_FRACTION, 0, PL_NOVICE,
      "conntrack", PL_PLAIN, PL_TOTAL_NONE,
      "Fill of that table." },
    { .index = 21622, .type = PERF_LARGE_RAW_BASE, .from = "conntrack_max" },
};

const struct pl_object_def pl_object_kernel_tables = {
    .index = 21600, .name = "Kernel Tables", .level = PL_ADVANCED,
    .help = "Fill of the kernel's limited tables.",
    .default_counter = 21602,
    .sources = { PL_LIMITS, PL_LOADAVG },
    .tables = { PL_TABLE(kernel_tables_rows) },
};
/* clang-format on */
