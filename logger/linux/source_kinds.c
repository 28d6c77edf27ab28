/*
 * The table of all sources, one row each, from every folder that reads one.
 * Its files are written by the kernel's fs/proc/stat.c (stat), meminfo.c,
 * mm/vmstat.c, mm/swapfile.c (swaps), mm/slab_common.c (slabinfo),
 * net/ipv4/proc.c (snmp, netstat) and net/ipv6/proc.c (snmp6).
 */
#include "logger/linux/source_kinds.h"

/* clang-format off */
#define TEXT { .group = PL_NO_GROUP }
#define KEYED .open = pl_key_value_file_open, .read = pl_key_value_file_read,                    \
    .close = pl_key_value_file_close
#define COLUMNS(table) .open = pl_column_file_open, .read = pl_column_file_read,       \
    .close = pl_column_file_close, .fields = table,                                \
    .num_fields = sizeof table / sizeof *table,                                \
    .num_columns = sizeof table / sizeof *table

static const struct pl_field cpu_fields[] = {
    PL_FIELD("user"), PL_FIELD("nice"), PL_FIELD("system"), PL_FIELD("idle"),
    PL_FIELD("iowait"), PL_FIELD("irq"), PL_FIELD("softirq"),
    PL_FIELD("steal"), PL_FIELD("guest"), PL_FIELD("guest_nice"),
};

static const struct pl_field swaps_fields[] = {
    TEXT, PL_FIELD("size"), PL_FIELD("used"), PL_FIELD("priority"),
};

static const struct pl_source_kind stat_kind = {
    .name = "stat", .path = "stat", .file_kind = PL_IN_ONE_PIECE, KEYED,
};

static const struct pl_source_kind cpu_kind = {
    .name = "cpu", .path = "stat", .file_kind = PL_IN_ONE_PIECE,
    .columns = { .prefix = "cpu" }, COLUMNS(cpu_fields),
};

static const struct pl_source_kind meminfo_kind = {
    .name = "meminfo", .path = "meminfo", .file_kind = PL_IN_ONE_PIECE, KEYED,
};

static const struct pl_source_kind vmstat_kind = {
    .name = "vmstat", .path = "vmstat", .file_kind = PL_IN_PIECES, KEYED,
};

static const struct pl_source_kind swaps_kind = {
    .name = "swaps", .path = "swaps", .file_kind = PL_IN_PIECES,
    .columns = { .skip_lines = 1, .escaped = true }, COLUMNS(swaps_fields),
};

/* Lines of many columns; used are the counts and the slabs. */
static const struct pl_field slabinfo_fields[] = {
    PL_FIELD("active_objs"), PL_FIELD("num_objs"), PL_FIELD("objsize"),
    PL_FIELD("objperslab"), PL_FIELD("pagesperslab"), TEXT, TEXT,
    PL_FIELD("limit"), PL_FIELD("batchcount"), PL_FIELD("sharedfactor"),
    TEXT, TEXT, PL_FIELD("active_slabs"), PL_FIELD("num_slabs"),
};

static const struct pl_source_kind slabinfo_kind = {
    .name = "slabinfo", .path = "slabinfo", .file_kind = PL_IN_PIECES,
    .columns = { .skip_lines = 2 }, COLUMNS(slabinfo_fields),
};

/* A section of two lines in a file, or the lines with one prefix. */
#define SECTION(title, file, label) {                                          \
    .name = (title), .path = (file), .file_kind = PL_IN_ONE_PIECE,             \
    .columns = { .prefix = (label) }, .open = pl_snmp_file_open,                  \
    .read = pl_snmp_file_read, .close = pl_snmp_file_close }
#define PREFIXED(title, file, label) {                                         \
    .name = (title), .path = (file), .file_kind = PL_IN_ONE_PIECE,             \
    .columns = { .prefix = (label) }, KEYED }

static const struct pl_source_kind
    ip4_kind = SECTION("ip4", "net/snmp", "Ip"),
    icmp4_kind = SECTION("icmp4", "net/snmp", "Icmp"),
    tcp_kind = SECTION("tcp", "net/snmp", "Tcp"),
    udp4_kind = SECTION("udp4", "net/snmp", "Udp"),
    tcp_ext_kind = SECTION("tcp_ext", "net/netstat", "TcpExt"),
    ip4_ext_kind = SECTION("ip4_ext", "net/netstat", "IpExt"),
    ip6_kind = PREFIXED("ip6", "net/snmp6", "Ip6"),
    icmp6_kind = PREFIXED("icmp6", "net/snmp6", "Icmp6"),
    udp6_kind = PREFIXED("udp6", "net/snmp6", "Udp6");
/* clang-format on */

const struct pl_source_kind *const pl_source_kinds[PL_NUM_SOURCES] = {
    [PL_STAT] = &stat_kind,
    [PL_CPU] = &cpu_kind,
    [PL_LOADAVG] = &pl_loadavg_kind,
    [PL_COUNTS] = &pl_counts_kind,
    [PL_MEMINFO] = &meminfo_kind,
    [PL_VMSTAT] = &vmstat_kind,
    [PL_SWAPS] = &swaps_kind,
    [PL_DISKSTATS] = &pl_diskstats_kind,
    [PL_MOUNTS] = &pl_mounts_kind,
    [PL_NET_DEV] = &pl_net_dev_kind,
    [PL_PROCESS] = &pl_process_kind,
    [PL_THREAD] = &pl_thread_kind,
    [PL_SELF] = &pl_self_kind,
    [PL_PRESSURE] = &pl_pressure_kind,
    [PL_IP4] = &ip4_kind,
    [PL_IP4_EXT] = &ip4_ext_kind,
    [PL_ICMP4] = &icmp4_kind,
    [PL_TCP] = &tcp_kind,
    [PL_TCP_EXT] = &tcp_ext_kind,
    [PL_UDP4] = &udp4_kind,
    [PL_IP6] = &ip6_kind,
    [PL_ICMP6] = &icmp6_kind,
    [PL_UDP6] = &udp6_kind,
    [PL_SOCKSTAT] = &pl_sockstat_kind,
    [PL_SOFTNET] = &pl_softnet_kind,
    [PL_LIMITS] = &pl_limits_kind,
    [PL_NODES] = &pl_nodes_kind,
    [PL_SLABINFO] = &slabinfo_kind,
    [PL_INTERRUPTS] = &pl_interrupts_kind,
    [PL_SOFTIRQS] = &pl_softirqs_kind,
    [PL_CPU_INTERRUPTS] = &pl_cpu_interrupts_kind,
    [PL_CPU_SOFTIRQS] = &pl_cpu_softirqs_kind,
    [PL_CLOCKS] = &pl_clocks_kind,
    [PL_CPUINFO] = &pl_cpuinfo_kind,
    [PL_IDLE] = &pl_idle_kind,
    [PL_TEMPERATURES] = &pl_temperatures_kind,
    [PL_FANS] = &pl_fans_kind,
    [PL_POWER] = &pl_power_kind,
    [PL_NFS] = &pl_nfs_kind,
    [PL_CGROUPS] = &pl_cgroups_kind,
    [PL_COSTS] = &pl_costs_kind,
    [PL_PROVIDERS] = &pl_provider_kind,
    [PL_PROVIDER_LIMITS] = &pl_provider_limits_kind,
};
