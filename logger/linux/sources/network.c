/*
 * /proc/net/dev (net/core/net-procfs.c) with the attributes of each interface
 * in /sys, read when it is new and once a minute, as reading the speed may
 * access the hardware.
 */
#include "logger/linux/machine/machine.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
enum {
    RX_BYTES, RX_PACKETS, RX_ERRORS, RX_DROPS, RX_FIFO, RX_FRAME,
    RX_COMPRESSED, RX_MULTICAST, TX_BYTES, TX_PACKETS, TX_ERRORS, TX_DROPS,
    TX_FIFO, TX_COLLISIONS, TX_CARRIER, TX_COMPRESSED, NUM_COLUMNS,
    IFINDEX = NUM_COLUMNS, SPEED, MTU, CARRIER, EXAMINED_NS, NUM_FIELDS
};
/* clang-format on */

enum { NAME_ROOM = 64, MAX_SPEED = 100000000 /* Mbit/s */ };

#define REFRESH_NS (60 * UINT64_C(1000000000))

static const struct pl_field fields[NUM_FIELDS] = {
    [RX_BYTES] = PL_FIELD("rx_bytes"),
    [RX_PACKETS] = PL_FIELD("rx_packets"),
    [RX_ERRORS] = PL_FIELD("rx_errors"),
    [RX_DROPS] = PL_FIELD("rx_drops"),
    [RX_FIFO] = PL_FIELD("rx_fifo"),
    [RX_FRAME] = PL_FIELD("rx_frame"),
    [RX_COMPRESSED] = PL_FIELD("rx_compressed"),
    [RX_MULTICAST] = PL_FIELD("rx_multicast"),
    [TX_BYTES] = PL_FIELD("tx_bytes"),
    [TX_PACKETS] = PL_FIELD("tx_packets"),
    [TX_ERRORS] = PL_FIELD("tx_errors"),
    [TX_DROPS] = PL_FIELD("tx_drops"),
    [TX_FIFO] = PL_FIELD("tx_fifo"),
    [TX_COLLISIONS] = PL_FIELD("tx_collisions"),
    [TX_CARRIER] = PL_FIELD("tx_carrier"),
    [TX_COMPRESSED] = PL_FIELD("tx_compressed"),
    [IFINDEX] = PL_FIELD("ifindex"),
    [SPEED] = PL_FIELD("speed"), /* Mbit/s, 0: unknown */
    [MTU] = PL_FIELD("mtu"),
    [CARRIER] = PL_FIELD("carrier"),
    [EXAMINED_NS] = { .group = PL_NO_GROUP }, /* CLOCK_MONOTONIC, no field */
};

/* The file in /sys/class/net/NAME that a field comes from. */
static const struct {
    size_t field;
    const char *file;
} attributes[] = {
    { IFINDEX, "ifindex" },
    { SPEED, "speed" },
    { MTU, "mtu" },
    { CARRIER, "carrier" },
};

enum { NUM_ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* A name with a slash would be another path; the kernel allows none. */
static bool is_plain(struct pl_text name)
{
    return name.n && name.n < NAME_ROOM && *name.p != '.' &&
           !memchr(name.p, '/', name.n) && !memchr(name.p, 0, name.n);
}

static void examine(struct pl_source *s, size_t i)
{
    struct pl_text name = pl_source_rows_name(&s->rows, i);
    uint64_t *v = pl_source_rows_values(&s->rows, i);
    char path[NAME_ROOM + 32];

    if (!is_plain(name))
        return;
    for (size_t a = 0; a < NUM_ATTRIBUTES; a++) {
        snprintf(path, sizeof path, "class/net/%.*s/%s", (int)name.n, name.p,
                 attributes[a].file);
        pl_sys_number(s->machine, path, &v[attributes[a].field]);
    }
    if (v[SPEED] > MAX_SPEED) /* -1: the driver does not know */
        v[SPEED] = 0;
}

/*
 * Copy attributes read less than a minute ago.  The counts of an interface that
 * was created again start at 0: its attributes are read at once.
 */
static bool remember(struct pl_source *s, size_t i, uint64_t now_ns)
{
    size_t j = pl_source_before(s, i);
    uint64_t *now = pl_source_rows_values(&s->rows, i);
    const uint64_t *before;

    if (j == PL_NO_ROW)
        return false;
    before = pl_source_rows_values(&s->before, j);
    if (now[RX_PACKETS] < before[RX_PACKETS] ||
        now[TX_PACKETS] < before[TX_PACKETS] ||
        now_ns - before[EXAMINED_NS] >= REFRESH_NS)
        return false;
    for (size_t f = NUM_COLUMNS; f < NUM_FIELDS; f++)
        now[f] = before[f];
    return true;
}

static enum pl_status network_read(struct pl_source *s)
{
    enum pl_status status = pl_column_file_read(s);
    uint64_t now_ns = (uint64_t)s->machine->now.monotonic_ns;

    for (size_t i = 0; i < s->rows.num; i++) {
        if (remember(s, i, now_ns))
            continue;
        examine(s, i);
        pl_source_rows_values(&s->rows, i)[EXAMINED_NS] = now_ns;
    }
    return status;
}

static enum pl_status network_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    enum pl_status status = pl_column_file_open(out, m, kind);

    if (!status && !pl_sys_exists(m, "class/net"))
        for (size_t a = 0; a < NUM_ATTRIBUTES; a++)
            (*out)->fields[attributes[a].field].present = false;
    return status;
}

const struct pl_source_kind pl_net_dev_kind = {
    .name = "net_dev",
    .open = network_open,
    .read = network_read,
    .close = pl_column_file_close,
    .path = "net/dev",
    .file_kind = PL_IN_PIECES,
    .columns = { .skip_lines = 2, .name_end = ':' },
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .num_columns = NUM_COLUMNS,
};
