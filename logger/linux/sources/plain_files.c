/*
 * Files of the kernel that need no code: key and value, columns, or sections.
 * They are written by the kernel's fs/proc/stat.c (stat), meminfo.c,
 * mm/vmstat.c, mm/swapfile.c (swaps), mm/slab_common.c (slabinfo),
 * net/ipv4/proc.c (snmp, netstat) and net/ipv6/proc.c (snmp6).
 */
#include "logger/linux/machine/source.h"

/* clang-format off */
#define FILE_OF(title, file, label, form, pieces)                              \
    const struct pl_source_kind pl_##title##_kind = {                          \
        .name = #title, .path = (file), .file_kind = (pieces),                 \
        .columns = { .prefix = (label) }, .open = pl_##form##_file_open,       \
        .read = pl_##form##_file_read, .close = pl_##form##_file_close };

/* The forms of registry.h. */
#define CODE(...)
#define KEYED(...) FILE_OF(__VA_ARGS__, key_value, PL_IN_ONE_PIECE)
#define KEYED_IN_PIECES(...) FILE_OF(__VA_ARGS__, key_value, PL_IN_PIECES)
#define SECTION(...) FILE_OF(__VA_ARGS__, snmp, PL_IN_ONE_PIECE)

#define KIND(id, name, form, path, prefix) form(name, path, prefix)
PL_SOURCES(KIND)

/* Of columns: their fields. */
#define TEXT { .group = PL_NO_GROUP }
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

const struct pl_source_kind pl_cpu_kind = {
    .name = "cpu", .path = "stat", .file_kind = PL_IN_ONE_PIECE,
    .columns = { .prefix = "cpu" }, COLUMNS(cpu_fields),
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
/* clang-format on */
