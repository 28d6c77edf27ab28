/*
 * /proc/self/mountstats (fs/nfs/super.c, net/sunrpc/stats.c): statistics of the
 * NFS client for each mount.  A block of lines per mount; a line per kind of
 * request, "READ: ops transmissions timeouts sent received queue_ms rtt_ms
 * execute_ms errors".
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
enum {
    MOUNT_ID, OPS, READ_OPS, WRITE_OPS, READ_BYTES, WRITE_BYTES, READ_MS,
    WRITE_MS, RTT_MS, TRANSMISSIONS, TIMEOUTS, ERRORS, NUM_FIELDS
};

/* Columns of a request's line. */
enum {
    OP_OPS, OP_TRANSMISSIONS, OP_TIMEOUTS, OP_SENT, OP_RECEIVED, OP_QUEUE_MS,
    OP_RTT_MS, OP_EXECUTE_MS, OP_ERRORS, OP_COLUMNS
};
/* clang-format on */

enum { BYTES_READ = 4, BYTES_WRITTEN, BYTES_COLUMNS }; /* of "bytes:" */

static const struct pl_field fields[NUM_FIELDS] = {
    [MOUNT_ID] = PL_FIELD("mount_id"),
    [OPS] = PL_FIELD("ops"),
    [READ_OPS] = PL_FIELD("read_ops"),
    [WRITE_OPS] = PL_FIELD("write_ops"),
    [READ_BYTES] = PL_FIELD("read_bytes"),
    [WRITE_BYTES] = PL_FIELD("write_bytes"),
    [READ_MS] = PL_FIELD("read_ms"),
    [WRITE_MS] = PL_FIELD("write_ms"),
    [RTT_MS] = PL_FIELD("rtt_ms"),
    [TRANSMISSIONS] = PL_FIELD("transmissions"),
    [TIMEOUTS] = PL_FIELD("timeouts"),
    [ERRORS] = PL_FIELD("errors"),
};

struct nfs {
    struct pl_source base;
    struct pl_procfile *stats;
    struct pl_procfile *mounts;
};

static bool take_word(struct pl_proctext *line, const char *wanted)
{
    struct pl_text word;

    return pl_proctext_word(line, &word) &&
           pl_text_equal(word, pl_text_of(wanted));
}

static bool is_nfs(struct pl_proctext line)
{
    struct pl_text type;

    return take_word(&line, "with") && take_word(&line, "fstype") &&
           pl_proctext_word(&line, &type) && type.n >= 3 &&
           !memcmp(type.p, "nfs", 3) && (type.n == 3 || type.p[3] != 'd');
}

/* "device server:/x mounted on /mnt with fstype nfs4 statvers=1.1" */
static bool scan_device(struct pl_proctext line, struct pl_text *point)
{
    struct pl_text device;

    return take_word(&line, "device") && pl_proctext_word(&line, &device) &&
           take_word(&line, "mounted") && take_word(&line, "on") &&
           pl_proctext_word(&line, point) && is_nfs(line);
}

static bool is_device(struct pl_proctext line)
{
    return take_word(&line, "device");
}

/* The topmost mount at 'point', both escaped as by the kernel. */
static uint64_t find_mount(struct pl_text mounts, struct pl_text point)
{
    struct pl_proctext rest = pl_proctext_of(mounts), line;
    uint64_t id = 0;

    while (pl_proctext_line(&rest, &line)) {
        struct pl_text word = { NULL, 0 };
        uint64_t one;

        if (!pl_proctext_number(&line, &one))
            continue;
        for (unsigned i = 0; i < 4; i++)
            pl_proctext_word(&line, &word);
        if (pl_text_equal(word, point))
            id = one;
    }
    return id;
}

static void scan_bytes(struct pl_proctext line, uint64_t *values)
{
    uint64_t columns[BYTES_COLUMNS] = { 0 };

    for (size_t i = 0; i < BYTES_COLUMNS; i++)
        if (!pl_proctext_number(&line, &columns[i]))
            return;
    values[READ_BYTES] = columns[BYTES_READ];
    values[WRITE_BYTES] = columns[BYTES_WRITTEN];
}

static void add_request(struct pl_text name, const uint64_t op[OP_COLUMNS],
                        uint64_t *values)
{
    values[OPS] += op[OP_OPS];
    values[TRANSMISSIONS] += op[OP_TRANSMISSIONS];
    values[TIMEOUTS] += op[OP_TIMEOUTS];
    values[RTT_MS] += op[OP_RTT_MS];
    values[ERRORS] += op[OP_ERRORS];
    if (pl_text_equal(name, pl_text_of("READ:"))) {
        values[READ_OPS] = op[OP_OPS];
        values[READ_MS] = op[OP_EXECUTE_MS];
    } else if (pl_text_equal(name, pl_text_of("WRITE:"))) {
        values[WRITE_OPS] = op[OP_OPS];
        values[WRITE_MS] = op[OP_EXECUTE_MS];
    }
}

/* Lines of requests follow "per-op statistics", which sets *requests. */
static void scan_line(struct nfs *n, struct pl_proctext line, bool *requests,
                      uint64_t *values)
{
    uint64_t op[OP_COLUMNS] = { 0 };
    struct pl_text name;
    size_t num = 0;

    if (!pl_proctext_word(&line, &name))
        return;
    if (pl_text_equal(name, pl_text_of("bytes:")))
        scan_bytes(line, values);
    if (pl_text_equal(name, pl_text_of("per-op")))
        *requests = true;
    if (!*requests || name.p[name.n - 1] != ':')
        return;
    while (num < OP_COLUMNS && pl_proctext_number(&line, &op[num]))
        num++;
    if (num < OP_ERRORS)
        return;
    pl_source_set_present(&n->base, ERRORS, num == OP_COLUMNS);
    add_request(name, op, values);
}

static enum pl_status add_mount(struct nfs *n, struct pl_text point,
                                uint64_t **values)
{
    struct pl_source_rows *rows = &n->base.rows;
    size_t at = rows->names.len;

    *values = pl_source_rows_add(rows, (struct pl_text){ NULL, 0 });
    if (!*values)
        return PL_NOMEM;
    pl_proctext_unescape(point, &rows->names);
    rows->row[rows->num - 1].name_len = rows->names.len - at;
    (*values)[MOUNT_ID] = find_mount(pl_procfile_read(n->mounts), point);
    return rows->names.oom ? PL_NOMEM : PL_OK;
}

static enum pl_status nfs_read(struct pl_source *s)
{
    struct nfs *n = (struct nfs *)s;
    struct pl_text text = pl_procfile_read(n->stats), point;
    struct pl_proctext rest = pl_proctext_of(text), line;
    uint64_t *values = NULL;
    enum pl_status status = PL_OK;
    bool requests = false;

    pl_source_set_readable(s, text.p != NULL);
    while (!status && pl_proctext_line(&rest, &line)) {
        if (scan_device(line, &point)) {
            status = add_mount(n, point, &values);
            requests = false;
        } else if (is_device(line)) {
            values = NULL;
        } else if (values) {
            scan_line(n, line, &requests, values);
        }
    }
    return status;
}

static void nfs_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

static enum pl_status nfs_open(struct pl_source **out, struct pl_machine *m,
                               const struct pl_source_kind *kind)
{
    struct nfs *n = calloc(1, sizeof *n);
    enum pl_status s;

    if (!n)
        return PL_NOMEM;
    s = pl_source_init(&n->base, m, kind);
    if (!s)
        s = pl_procfile_open(&n->stats, m, kind->path, kind->file_kind);
    if (!s)
        s = pl_procfile_open(&n->mounts, m, "self/mountinfo", PL_IN_PIECES);
    if (!s)
        s = nfs_read(&n->base);
    if (s) {
        nfs_close(&n->base);
        return s;
    }
    *out = &n->base;
    return PL_OK;
}

const struct pl_source_kind pl_nfs_kind = {
    .name = "nfs",
    .open = nfs_open,
    .read = nfs_read,
    .close = nfs_close,
    .path = "self/mountstats",
    .file_kind = PL_IN_PIECES,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
