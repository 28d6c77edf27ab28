/*
 * /proc/net/softnet_stat (net/core/net-procfs.c): a line of hexadecimal columns
 * per processor.  Its number is the 13th column; before Linux 5.10 the position
 * of the line is used.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROCESSED, DROPPED, TIME_SQUEEZE, RECEIVED_RPS, BACKLOG, NUM_FIELDS };

enum { COLUMN_CPU = 12, MAX_COLUMNS = 16 };

static const struct pl_field fields[NUM_FIELDS] = {
    [PROCESSED] = PL_FIELD("processed"),
    [DROPPED] = PL_FIELD("dropped"),
    [TIME_SQUEEZE] = PL_FIELD("time_squeeze"),
    [RECEIVED_RPS] = PL_FIELD("received_rps"),
    [BACKLOG] = PL_FIELD("backlog"),
};

static const uint8_t column_of[NUM_FIELDS] = {
    [PROCESSED] = 0,    [DROPPED] = 1,  [TIME_SQUEEZE] = 2,
    [RECEIVED_RPS] = 9, [BACKLOG] = 11,
};

struct softnet {
    struct pl_source base;
    struct pl_procfile *file;
};

static bool scan_hex(struct pl_proctext *line, uint64_t *v)
{
    struct pl_text word;

    *v = 0;
    if (!pl_proctext_word(line, &word) || word.n > 16)
        return false;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16;

        if (digit > 15)
            return false;
        *v = *v << 4 | digit;
    }
    return true;
}

/* Returns the number of columns. */
static size_t scan_line(struct pl_proctext line, uint64_t columns[MAX_COLUMNS])
{
    size_t n = 0;

    while (n < MAX_COLUMNS && scan_hex(&line, &columns[n]))
        n++;
    return n;
}

static enum pl_status softnet_read(struct pl_source *s)
{
    struct pl_text text = pl_procfile_read(((struct softnet *)s)->file);
    struct pl_proctext rest = pl_proctext_of(text), line;
    size_t num = 0;

    pl_source_set_readable(s, text.p != NULL);
    for (; pl_proctext_line(&rest, &line); num++) {
        uint64_t columns[MAX_COLUMNS], *values;
        size_t n = scan_line(line, columns);
        char name[24];
        int len =
            snprintf(name, sizeof name, "%llu",
                     n > COLUMN_CPU ? (unsigned long long)columns[COLUMN_CPU]
                                    : (unsigned long long)num);

        values =
            pl_source_rows_add(&s->rows, (struct pl_text){ name, (size_t)len });
        if (!values)
            return PL_NOMEM;
        for (size_t f = 0; f < NUM_FIELDS; f++)
            if (column_of[f] < n)
                values[f] = columns[column_of[f]];
    }
    return PL_OK;
}

static void softnet_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

/* Determine the columns that this kernel prints. */
static void probe(struct softnet *s)
{
    struct pl_text text = pl_procfile_read(s->file);
    struct pl_proctext rest = pl_proctext_of(text), line;
    uint64_t columns[MAX_COLUMNS];
    size_t n = 0;

    s->base.readable = text.p != NULL;
    if (pl_proctext_line(&rest, &line))
        n = scan_line(line, columns);
    for (size_t f = 0; f < NUM_FIELDS; f++)
        s->base.fields[f].present = column_of[f] < n;
}

static enum pl_status softnet_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct softnet *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    status = pl_source_init(&s->base, m, kind);
    if (!status)
        status = pl_procfile_open(&s->file, m, kind->path, kind->file_kind);
    if (status) {
        softnet_close(&s->base);
        return status;
    }
    probe(s);
    *out = &s->base;
    return PL_OK;
}

const struct pl_source_kind pl_softnet_kind = {
    .name = "softnet",
    .open = softnet_open,
    .read = softnet_read,
    .close = softnet_close,
    .path = "net/softnet_stat",
    .file_kind = PL_IN_PIECES,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
