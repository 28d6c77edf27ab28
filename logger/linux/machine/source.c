/* The table of sources and what all of them have in common. */
#include "logger/linux/machine/source.h"

#include "logger/linux/machine/machine.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define TEXT { .group = PL_NO_GROUP }
#define KEYED .open = pl_keyed_open, .read = pl_keyed_read,                    \
    .close = pl_keyed_close
#define COLUMNS(table) .open = pl_columns_open, .read = pl_columns_read,       \
    .close = pl_columns_close, .fields = table,                                \
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

/* Lines of many columns; what matters are the counts and the slabs. */
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

/* A section of a file of two lines each, or the lines of one prefix. */
#define SECTION(title, file, label) {                                          \
    .name = (title), .path = (file), .file_kind = PL_IN_ONE_PIECE,             \
    .columns = { .prefix = (label) }, .open = pl_headed_open,                  \
    .read = pl_headed_read, .close = pl_headed_close }
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

static const struct pl_source_kind *const kinds[PL_NUM_SOURCES] = {
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
};

enum pl_status pl_source_open(struct pl_source **out, struct pl_machine *m,
                              enum pl_source_id id)
{
    enum pl_status s = PL_OK;

    if (!m->sources[id])
        s = kinds[id]->open(&m->sources[id], m, kinds[id]);
    *out = m->sources[id];
    return s;
}

/*
 * The sum grows on where the printed 32 bits begin anew.  Nothing grows by
 * half of them from one sample to the next: what seems to has fallen, as the
 * count of a device that was reset does, and is stored as it is.
 */
static uint64_t widened(uint64_t sum, uint64_t now)
{
    uint32_t more = (uint32_t)(now - sum);

    return more > INT32_MAX ? now : sum + more;
}

static void widen(struct pl_source *s)
{
    for (size_t f = 0; f < s->num_fields; f++) {
        if (!s->fields[f].widen)
            continue;
        for (size_t i = 0; i < s->rows.num; i++) {
            uint64_t *now = pl_rows_values(&s->rows, i) + f;
            size_t before = pl_source_before(s, i);

            if (before != PL_NO_ROW && !s->rows.row[i].anew)
                *now = widened(pl_rows_values(&s->before, before)[f], *now);
        }
    }
}

enum pl_status pl_source_read(struct pl_source *s)
{
    struct pl_rows t = s->before;
    enum pl_status status;

    if (s->tick == s->machine->tick)
        return PL_OK;
    s->tick = s->machine->tick;
    if (!s->kind->forgets) {
        s->before = s->rows;
        s->rows = t;
    }
    pl_rows_clear(&s->rows);
    status = s->kind->read(s);
    if (!status)
        widen(s);
    return status;
}

void pl_source_close(struct pl_source *s)
{
    if (s)
        s->kind->close(s);
}

size_t pl_source_find(const struct pl_source *s, struct pl_text field)
{
    for (size_t i = 0; s->readable && i < s->num_fields; i++) {
        const struct pl_field *f = &s->fields[i];

        if (f->present && f->name_len == field.n &&
            !memcmp(f->name, field.p, field.n))
            return i;
    }
    return PL_NO_FIELD;
}

enum pl_status pl_source_init(struct pl_source *s, struct pl_machine *m,
                              const struct pl_source_kind *kind)
{
    size_t size = kind->num_fields * sizeof *kind->fields;

    s->kind = kind;
    s->machine = m;
    s->readable = true;
    s->rows.width = s->before.width = kind->num_fields;
    if (!size)
        return PL_OK;
    s->fields = malloc(size);
    if (!s->fields)
        return PL_NOMEM;
    memcpy(s->fields, kind->fields, size);
    s->num_fields = kind->num_fields;
    return PL_OK;
}

void pl_source_release(struct pl_source *s)
{
    free(s->fields);
    pl_rows_release(&s->rows);
    pl_rows_release(&s->before);
}

void pl_source_set_readable(struct pl_source *s, bool readable)
{
    if (s->readable != readable)
        s->generation++;
    s->readable = readable;
}

void pl_source_set_present(struct pl_source *s, size_t i, bool present)
{
    if (s->fields[i].present != present)
        s->generation++;
    s->fields[i].present = present;
}

size_t pl_source_before(const struct pl_source *s, size_t i)
{
    return pl_rows_find(&s->before, pl_rows_name(&s->rows, i), i);
}
