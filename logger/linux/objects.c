/* The list of objects, in the order in which they stand in a block. */
#include "logger/linux/objects.h"

/* clang-format off */
const struct pl_object_def pl_objects[] = {
    {
        .index = 21800, .name = "Performance Logger Source", .level = PL_EXPERT,
        .help = "Cost of each recorded object.",
        .default_counter = 21802,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_COSTS },
        .tables = { &pl_logger_source },
    },
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
        .sources = { PL_CPU, PL_CPU_INTERRUPTS, PL_CPU_SOFTIRQS },
        .tables = { &pl_processor },
    },
    {
        .index = 20000, .name = "Pressure Stall", .level = PL_NOVICE,
        .help = "Time in which work stood still for want of processor, memory "
                "or I/O.",
        .default_counter = 20002, .has_instances = true,
        .sources = { PL_PRESSURE },
        .tables = { &pl_pressure_stall },
    },
    {
        .index = 4, .name = "Memory", .level = PL_NOVICE,
        .help = "Use of physical memory, commitment and paging.",
        .default_counter = 24,
        .sources = { PL_MEMINFO, PL_VMSTAT },
        .tables = { &pl_memory },
    },
    {
        .index = 20100, .name = "Virtual Memory", .level = PL_EXPERT,
        .help = "Events of reclaim, swapping, compaction and huge pages.",
        .default_counter = 20102,
        .sources = { PL_VMSTAT },
        .tables = { &pl_virtual_memory },
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
        .index = 546, .name = "IPv4", .level = PL_ADVANCED,
        .help = "IPv4 datagrams of this machine.",
        .default_counter = 438, .shared_help = PL_SHARED_HELP + 3000,
        .sources = { PL_IP4, PL_IP4_EXT },
        .tables = { &pl_ip },
    },
    {
        .index = 548, .name = "IPv6", .level = PL_ADVANCED,
        .help = "IPv6 datagrams of this machine.",
        .default_counter = 438, .shared_help = PL_SHARED_HELP + 3000,
        .sources = { PL_IP6 },
        .tables = { &pl_ip },
    },
    {
        .index = 638, .name = "TCPv4", .level = PL_ADVANCED,
        .help = "TCP connections and segments, IPv4 and IPv6 together.",
        .default_counter = 640,
        .sources = { PL_TCP },
        .tables = { &pl_tcp },
    },
    {
        .index = 21400, .name = "TCP Extensions", .level = PL_EXPERT,
        .help = "Losses, retransmissions, queue overflows and other TCP "
                "events, both IP families.",
        .default_counter = 21402,
        .sources = { PL_TCP_EXT },
        .tables = { &pl_tcp_extensions },
    },
    {
        .index = 658, .name = "UDPv4", .level = PL_ADVANCED,
        .help = "UDP datagrams over IPv4.",
        .default_counter = 438, .shared_help = PL_SHARED_HELP + 4000,
        .sources = { PL_UDP4 },
        .tables = { &pl_udp },
    },
    {
        .index = 1532, .name = "UDPv6", .level = PL_ADVANCED,
        .help = "UDP datagrams over IPv6.",
        .default_counter = 438, .shared_help = PL_SHARED_HELP + 4000,
        .sources = { PL_UDP6 },
        .tables = { &pl_udp },
    },
    {
        .index = 582, .name = "ICMP", .level = PL_ADVANCED,
        .help = "ICMP messages over IPv4.",
        .default_counter = 584, .default_from = PL_ON_REQUEST,
        .sources = { PL_ICMP4 },
        .tables = { &pl_icmp },
    },
    {
        .index = 1534, .name = "ICMPv6", .level = PL_ADVANCED,
        .help = "ICMP messages over IPv6.",
        .default_counter = 584, .default_from = PL_ON_REQUEST,
        .sources = { PL_ICMP6 },
        .tables = { &pl_icmp },
    },
    {
        .index = 21300, .name = "Sockets", .level = PL_ADVANCED,
        .help = "Sockets in use and their memory.",
        .default_counter = 21302,
        .sources = { PL_SOCKSTAT },
        .tables = { &pl_sockets },
    },
    {
        .index = 21850, .name = "Network Backlog", .level = PL_EXPERT,
        .help = "Packet processing of each processor below the protocols.",
        .default_counter = 21854,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_SOFTNET },
        .tables = { &pl_network_backlog },
    },
    {
        .index = 21600, .name = "Kernel Tables", .level = PL_ADVANCED,
        .help = "Fill of the kernel's limited tables.",
        .default_counter = 21602,
        .sources = { PL_LIMITS, PL_LOADAVG },
        .tables = { &pl_kernel_tables },
    },
    {
        .index = 20600, .name = "NUMA Node", .level = PL_EXPERT,
        .help = "Memory of each NUMA node.",
        .default_counter = 20604, .has_instances = true, .default_from = 2,
        .sources = { PL_NODES },
        .tables = { &pl_numa_node },
    },
    {
        .index = 20700, .name = "Interrupt", .level = PL_EXPERT,
        .help = "Interrupts by source, all processors together.",
        .default_counter = 148, .has_instances = true,
        .default_from = PL_ON_REQUEST, .shared_help = PL_SHARED_HELP + 5000,
        .sources = { PL_INTERRUPTS },
        .tables = { &pl_interrupt },
    },
    {
        .index = 20800, .name = "Soft Interrupt", .level = PL_EXPERT,
        .help = "Soft interrupts by kind, all processors together.",
        .default_counter = 20802,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_SOFTIRQS },
        .tables = { &pl_soft_interrupt },
    },
    {
        .index = 20300, .name = "Slab Cache", .level = PL_WIZARD,
        .help = "Kernel object caches.",
        .default_counter = 20308,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_SLABINFO },
        .tables = { &pl_slab_cache },
    },
    {
        .index = 20900, .name = "CPU Frequency", .level = PL_EXPERT,
        .help = "Clock of each processor.",
        .default_counter = 20902,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_CLOCKS, PL_CPUINFO },
        .tables = { &pl_cpu_frequency },
    },
    {
        .index = 20950, .name = "Processor Idle State", .level = PL_WIZARD,
        .help = "Sleep states of each processor.",
        .default_counter = 20952,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_IDLE },
        .tables = { &pl_idle_state },
    },
    {
        .index = 21000, .name = "Temperature Sensor", .level = PL_ADVANCED,
        .help = "Temperatures of processors, disks and boards.",
        .default_counter = 21002,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_TEMPERATURES },
        .tables = { &pl_temperature },
    },
    {
        .index = 21050, .name = "Fan Sensor", .level = PL_ADVANCED,
        .help = "Speeds of fans.",
        .default_counter = 21052,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_FANS },
        .tables = { &pl_fan },
    },
    {
        .index = 21100, .name = "Power Domain", .level = PL_ADVANCED,
        .help = "Power drawn by processors, their memory and other parts.",
        .default_counter = 21102,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .sources = { PL_POWER },
        .tables = { &pl_power_domain },
    },
    {
        .index = 21200, .name = "NFS Client", .level = PL_ADVANCED,
        .help = "Operations of each NFS mount.",
        .default_counter = 21204,
        .has_instances = true, .default_from = PL_ON_REQUEST,
        .identity = { 21202 },
        .sources = { PL_NFS },
        .tables = { &pl_nfs_client },
    },
    {
        .index = 20400, .name = "Control Group", .level = PL_ADVANCED,
        .help = "Use and limits of each control group.",
        .default_counter = 6, .has_instances = true,
        .identity = { 20402 }, .flags_counter = 20492,
        .shared_help = PL_SHARED_HELP + 6000,
        .sources = { PL_CGROUPS },
        .tables = { &pl_control_group },
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
        .index = 232, .name = "Thread", .level = PL_EXPERT,
        .help = "Time and state of each thread.",
        .default_counter = 6, .has_instances = true, .has_clock = true,
        .default_from = PL_ON_REQUEST, .parent = 230,
        .sources = { PL_THREAD }, .identity = { 804, 684 },
        .flags_counter = 23218, .shared_help = PL_SHARED_HELP + 2000,
        .tables = { &pl_thread },
    },
    {
        .index = 21950, .name = "Perflog Provider", .level = PL_ADVANCED,
        .help = "Counters that applications publish, and what became of them.",
        .default_counter = 21952, .has_instances = true, .always = true,
        .sources = { PL_PROVIDERS }, .identity = { 21970 },
        .tables = { &pl_perflog_provider },
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
