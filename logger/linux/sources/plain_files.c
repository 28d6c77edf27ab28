/*
 * Files of the kernel that need no code: key and value, columns, or sections.
 * They are written by the kernel's fs/proc/stat.c (stat), meminfo.c,
 * mm/vmstat.c, mm/swapfile.c (swaps), mm/slab_common.c (slabinfo),
 * net/ipv4/proc.c (snmp, netstat) and net/ipv6/proc.c (snmp6).
 */
#include "logger/linux/machine/source.h"

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

const struct pl_source_kind pl_stat_kind = {
    .name = "stat", .path = "stat", .file_kind = PL_IN_ONE_PIECE, KEYED,
};

const struct pl_source_kind pl_cpu_kind = {
    .name = "cpu", .path = "stat", .file_kind = PL_IN_ONE_PIECE,
    .columns = { .prefix = "cpu" }, COLUMNS(cpu_fields),
};

const struct pl_source_kind pl_meminfo_kind = {
    .name = "meminfo", .path = "meminfo", .file_kind = PL_IN_ONE_PIECE, KEYED,
};

const struct pl_source_kind pl_vmstat_kind = {
    .name = "vmstat", .path = "vmstat", .file_kind = PL_IN_PIECES, KEYED,
};

const struct pl_source_kind pl_swaps_kind = {
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

const struct pl_source_kind pl_slabinfo_kind = {
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

const struct pl_source_kind
    pl_ip4_kind = SECTION("ip4", "net/snmp", "Ip"),
    pl_icmp4_kind = SECTION("icmp4", "net/snmp", "Icmp"),
    pl_tcp_kind = SECTION("tcp", "net/snmp", "Tcp"),
    pl_udp4_kind = SECTION("udp4", "net/snmp", "Udp"),
    pl_tcp_ext_kind = SECTION("tcp_ext", "net/netstat", "TcpExt"),
    pl_ip4_ext_kind = SECTION("ip4_ext", "net/netstat", "IpExt"),
    pl_ip6_kind = PREFIXED("ip6", "net/snmp6", "Ip6"),
    pl_icmp6_kind = PREFIXED("icmp6", "net/snmp6", "Icmp6"),
    pl_udp6_kind = PREFIXED("udp6", "net/snmp6", "Udp6");
/* clang-format on */
