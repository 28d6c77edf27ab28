/*
 * Small files of the kernel: pressure (kernel/sched/psi.c, Linux 4.20), sockets
 * (net/ipv4/proc.c, net/ipv6/proc.c), limited tables, memory nodes
 * (drivers/base/node.c).
 */
#include "logger/linux/sources/member_files.h"

#include <stdio.h>

/* clang-format off */
#define FAMILY .open = pl_member_files_open, .read = pl_member_files_read,                 \
    .close = pl_member_files_close
#define FIELDS(table) .fields = table,                                         \
    .num_fields = sizeof table / sizeof *table
#define PARTS(table) .parts = table, .num_parts = sizeof table / sizeof *table

/* ---- pressure ----------------------------------------------------------- */

enum { SOME_TOTAL, FULL_TOTAL, PRESSURE_FLAGS };

/* irq has the second line only, cpu before Linux 5.13 the first. */
static const struct pl_field pressure_fields[] = {
    [SOME_TOTAL] = PL_GROUPED("some_total", 0),
    [FULL_TOTAL] = PL_GROUPED("full_total", 1),
    [PRESSURE_FLAGS] = PL_FIELD("data_flags"),
};

/* If pressure is switched off the files exist but cannot be read. */
static const struct pl_part pressure_parts[] = {
    PL_PART("", PL_PAIRS, SOME_TOTAL, 2, .essential = true),
};
/* clang-format on */

static enum pl_status list_pressure(struct pl_member_files_source *f)
{
    static const char *const names[] = { "cpu", "io", "irq", "memory" };
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < sizeof names / sizeof *names && !s; i++) {
        char path[32];

        snprintf(path, sizeof path, "pressure/%s", names[i]);
        s = pl_member_files_add(f, pl_text_of(names[i]), pl_text_of(path), i, 0,
                                PL_SHOWN);
    }
    return s;
}

/* clang-format off */
static const struct pl_member_files pressure = {
    PARTS(pressure_parts), .list = list_pressure,
    .flags_field = PRESSURE_FLAGS,
};

const struct pl_source_kind pl_pressure_kind = {
    .name = "pressure", FAMILY, FIELDS(pressure_fields), .family = &pressure,
    .path = "pressure",
};

/* ---- sockets ------------------------------------------------------------ */

enum {
    SOCKETS_USED, TCP_INUSE, TCP_ORPHAN, TCP_TW, TCP_ALLOC, TCP_MEM,
    UDP_INUSE, UDP_MEM, FRAG_INUSE, FRAG_MEMORY, NUM_SOCKSTAT,
    TCP6_INUSE = NUM_SOCKSTAT, UDP6_INUSE
};

static const struct pl_field sockstat_fields[] = {
    [SOCKETS_USED] = PL_FIELD("sockets_used"),
    [TCP_INUSE] = PL_FIELD("TCP_inuse"),
    [TCP_ORPHAN] = PL_FIELD("TCP_orphan"),
    [TCP_TW] = PL_FIELD("TCP_tw"),
    [TCP_ALLOC] = PL_FIELD("TCP_alloc"),
    [TCP_MEM] = PL_FIELD("TCP_mem"),
    [UDP_INUSE] = PL_FIELD("UDP_inuse"),
    [UDP_MEM] = PL_FIELD("UDP_mem"),
    [FRAG_INUSE] = PL_FIELD("FRAG_inuse"),
    [FRAG_MEMORY] = PL_FIELD("FRAG_memory"),
    [TCP6_INUSE] = PL_FIELD("TCP6_inuse"),
    [UDP6_INUSE] = PL_FIELD("UDP6_inuse"),
};

static const struct pl_part sockstat_parts[] = {
    PL_PART("net/sockstat", PL_PAIRS, SOCKETS_USED, NUM_SOCKSTAT),
    PL_PART("net/sockstat6", PL_PAIRS, TCP6_INUSE, 2),
};

static const struct pl_member_files sockstat = { PARTS(sockstat_parts) };

const struct pl_source_kind pl_sockstat_kind = {
    .name = "sockstat", FAMILY, FIELDS(sockstat_fields), .family = &sockstat,
    .path = "net/sockstat",
};

/* ---- limited tables ----------------------------------------------------- */

enum {
    FILES, FILES_FREE, FILES_MAX, INODES, INODES_UNUSED,
    DENTRIES, DENTRIES_UNUSED, DENTRY_AGE, DENTRY_WANT, DENTRIES_NEGATIVE,
    AIO, PID_MAX, CONNTRACK, CONNTRACK_MAX
};

static const struct pl_field limits_fields[] = {
    [FILES] = PL_FIELD("files"),
    [FILES_FREE] = PL_FIELD("files_free"),
    [FILES_MAX] = PL_FIELD("files_max"),
    [INODES] = PL_FIELD("inodes"),
    [INODES_UNUSED] = PL_FIELD("inodes_unused"),
    [DENTRIES] = PL_FIELD("dentries"),
    [DENTRIES_UNUSED] = PL_FIELD("dentries_unused"),
    [DENTRY_AGE] = PL_FIELD("dentry_age"),
    [DENTRY_WANT] = PL_FIELD("dentry_want"),
    [DENTRIES_NEGATIVE] = PL_FIELD("dentries_negative"),
    [AIO] = PL_FIELD("aio"),
    [PID_MAX] = PL_FIELD("pid_max"),
    [CONNTRACK] = PL_FIELD("conntrack"),
    [CONNTRACK_MAX] = PL_FIELD("conntrack_max"),
};

static const struct pl_part limits_parts[] = {
    PL_PART("fs/file-nr", PL_NUMBERS, FILES, 3),
    PL_PART("fs/inode-nr", PL_NUMBERS, INODES, 2),
    PL_PART("fs/dentry-state", PL_NUMBERS, DENTRIES, 5),
    PL_PART("fs/aio-nr", PL_NUMBERS, AIO, 1),
    PL_PART("kernel/pid_max", PL_NUMBERS, PID_MAX, 1),
    PL_PART("net/netfilter/nf_conntrack_count", PL_NUMBERS, CONNTRACK, 1),
    PL_PART("net/netfilter/nf_conntrack_max", PL_NUMBERS, CONNTRACK_MAX, 1),
};
/* clang-format on */

static enum pl_status list_limits(struct pl_member_files_source *f)
{
    return pl_member_files_add(f, pl_text_of(""), pl_text_of("sys/"), 0, 0,
                               PL_SHOWN);
}

/* clang-format off */
static const struct pl_member_files limits = {
    PARTS(limits_parts), .list = list_limits,
};

const struct pl_source_kind pl_limits_kind = {
    .name = "limits", FAMILY, FIELDS(limits_fields), .family = &limits,
    .path = "sys/fs/file-nr",
};

/* ---- memory nodes ------------------------------------------------------- */

enum {
    NUMA_HIT, NUMA_MISS, NUMA_FOREIGN, LOCAL_NODE, OTHER_NODE, MEM_TOTAL,
    NUM_NUMASTAT = MEM_TOTAL, MEM_FREE, DIRTY, FILE_PAGES, ANON_PAGES, SLAB,
    NUM_NODE_FIELDS
};

static const struct pl_field nodes_fields[] = {
    [NUMA_HIT] = PL_FIELD("numa_hit"),
    [NUMA_MISS] = PL_FIELD("numa_miss"),
    [NUMA_FOREIGN] = PL_FIELD("numa_foreign"),
    [LOCAL_NODE] = PL_FIELD("local_node"),
    [OTHER_NODE] = PL_FIELD("other_node"),
    [MEM_TOTAL] = PL_FIELD("MemTotal"),
    [MEM_FREE] = PL_FIELD("MemFree"),
    [DIRTY] = PL_FIELD("Dirty"),
    [FILE_PAGES] = PL_FIELD("FilePages"),
    [ANON_PAGES] = PL_FIELD("AnonPages"),
    [SLAB] = PL_FIELD("Slab"),
};

/* "Node 0 MemTotal:  4810956 kB" */
static const struct pl_part nodes_parts[] = {
    PL_PART("/numastat", PL_KEYS, NUMA_HIT, NUM_NUMASTAT, .essential = true),
    PL_PART("/meminfo", PL_KEYS, MEM_TOTAL, NUM_NODE_FIELDS - MEM_TOTAL,
      .skip_words = 2, .essential = true),
};
/* clang-format on */

static enum pl_status add_node(struct pl_member_files_source *f,
                               const char *dir, const char *entry, uint64_t n)
{
    char path[96], name[24];

    snprintf(path, sizeof path, "%s/%s", dir, entry);
    snprintf(name, sizeof name, "%llu", (unsigned long long)n);
    return pl_member_files_add(f, pl_text_of(name), pl_text_of(path), n, 0,
                               PL_SHOWN);
}

static enum pl_status list_nodes(struct pl_member_files_source *f)
{
    return pl_member_files_each(f, "devices/system/node", "node", add_node);
}

/* clang-format off */
static const struct pl_member_files nodes = {
    .in_sys = true, PARTS(nodes_parts), .list = list_nodes,
};

const struct pl_source_kind pl_nodes_kind = {
    .name = "nodes", FAMILY, FIELDS(nodes_fields), .family = &nodes,
    .path = "devices/system/node",
};
/* clang-format on */
