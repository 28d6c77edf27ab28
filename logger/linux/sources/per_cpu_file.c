/*
 * /proc/interrupts (kernel/irq/proc.c) and /proc/softirqs (fs/proc/softirqs.c,
 * Linux 2.6.31): a line per interrupt, a column per processor.  One source sums
 * each line, another each column.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    struct pl_source base;
    struct pl_procfile *file;
    size_t num_cpus;              /* columns of the header */
    struct pl_buf header, before; /* their names, now and before */
    bool regrouped; /* processors changed since the previous sample */
};

/* "CPU0 CPU2 ..."; a row for each processor if 'add'. */
static enum pl_status scan_header(struct matrix *m, struct pl_proctext line,
                                  bool add)
{
    struct pl_text word;

    m->num_cpus = 0;
    pl_buf_swap(&m->header, &m->before);
    pl_buf_clear(&m->header);
    while (pl_proctext_word(&line, &word)) {
        if (word.n < 4 || memcmp(word.p, "CPU", 3) != 0)
            continue;
        m->num_cpus++;
        pl_buf_bytes(&m->header, word.p, word.n);
        word.p += 3;
        word.n -= 3;
        if (add && !pl_source_rows_add(&m->base.rows, word))
            return PL_NOMEM;
    }
    m->regrouped =
        m->before.len && (m->before.len != m->header.len ||
                          memcmp(m->before.p, m->header.p, m->header.len) != 0);
    return m->header.oom ? PL_NOMEM : PL_OK;
}

/* Take "36:" or "LOC:" off the line. */
static bool take_label(struct pl_proctext *line, struct pl_text *label)
{
    if (!pl_proctext_word(line, label) || label->p[label->n - 1] != ':')
        return false;
    label->n--;
    return label->n > 0;
}

/* The text after the counts: all of it, or its last word. */
static struct pl_text take_rest(struct pl_proctext line, bool whole)
{
    struct pl_text rest = { NULL, 0 }, word;

    while (pl_proctext_word(&line, &word)) {
        if (!rest.p || !whole)
            rest.p = word.p;
        rest.n = (size_t)(word.p + word.n - rest.p);
    }
    return rest;
}

static enum pl_status open_matrix(struct pl_source **out, struct pl_machine *m,
                                  const struct pl_source_kind *kind)
{
    struct matrix *x = calloc(1, sizeof *x);
    enum pl_status s;

    if (!x)
        return PL_NOMEM;
    s = pl_source_init(&x->base, m, kind);
    if (!s)
        s = pl_procfile_open(&x->file, m, kind->path, kind->file_kind);
    if (s) {
        pl_source_release(&x->base);
        free(x);
        return s;
    }
    x->base.readable = pl_procfile_read(x->file).p != NULL;
    *out = &x->base;
    return PL_OK;
}

static void close_matrix(struct pl_source *s)
{
    struct matrix *m = (struct matrix *)s;

    pl_buf_release(&m->header);
    pl_buf_release(&m->before);
    pl_source_release(s);
    free(s);
}

/* Read the file and its header. */
static enum pl_status begin(struct matrix *m, bool add,
                            struct pl_proctext *rest)
{
    struct pl_text text = pl_procfile_read(m->file);
    struct pl_proctext line;

    *rest = pl_proctext_of(text);
    pl_source_set_readable(&m->base, text.p != NULL);
    if (!text.p || !pl_proctext_line(rest, &line))
        return PL_OK;
    return scan_header(m, line, add);
}

/* ---- by source ---------------------------------------------------------- */

/* "36 virtio1-req.0", "LOC Local timer interrupts", "NET_RX" */
static void put_name(struct pl_source_rows *rows, struct pl_text label,
                     struct pl_text rest)
{
    pl_buf_bytes(&rows->names, label.p, label.n);
    if (rest.n) {
        pl_buf_u8(&rows->names, ' ');
        pl_buf_bytes(&rows->names, rest.p, rest.n);
    }
    rows->row[rows->num - 1].name_len =
        rows->names.len - rows->row[rows->num - 1].name_at;
}

/*
 * A processor going on line adds all its counts to the sums, one going off line
 * removes them: the sums of that sample cannot be compared with the previous.
 */
static enum pl_status read_lines(struct pl_source *s)
{
    struct matrix *m = (struct matrix *)s;
    struct pl_proctext rest, line;
    enum pl_status status = begin(m, false, &rest);

    if (m->regrouped)
        return status;
    while (!status && pl_proctext_line(&rest, &line)) {
        struct pl_text label;
        uint64_t v, sum = 0;
        uint64_t *values;

        if (!take_label(&line, &label))
            continue;
        values = pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });
        if (!values)
            return PL_NOMEM;
        for (size_t i = 0; i < m->num_cpus; i++) {
            if (!pl_proctext_number(&line, &v))
                break;
            sum += v;
        }
        values[0] = (uint32_t)sum; /* cells have 32 bits, and so has this */
        put_name(&s->rows, label,
                 take_rest(line, *label.p < '0' || *label.p > '9'));
        if (s->rows.names.oom)
            return PL_NOMEM;
    }
    return status;
}

/* ---- by processor ------------------------------------------------------- */

/* Lines with a cell per processor; "ERR" and "MIS" have a single one. */
static void add_cells(struct matrix *m, struct pl_proctext line)
{
    struct pl_proctext ahead = line;
    uint64_t v;

    for (size_t i = 0; i < m->num_cpus; i++)
        if (!pl_proctext_number(&ahead, &v))
            return;
    for (size_t i = 0; i < m->num_cpus; i++) {
        uint64_t *sum = pl_source_rows_values(&m->base.rows, i);

        pl_proctext_number(&line, &v);
        *sum = (uint32_t)(*sum + v);
    }
}

static enum pl_status read_columns(struct pl_source *s)
{
    struct matrix *m = (struct matrix *)s;
    struct pl_proctext rest, line;
    enum pl_status status = begin(m, true, &rest);
    struct pl_text label;

    while (!status && pl_proctext_line(&rest, &line))
        if (take_label(&line, &label) && (m->num_cpus > 1 || label.n != 3 ||
                                          (memcmp(label.p, "ERR", 3) != 0 &&
                                           memcmp(label.p, "MIS", 3) != 0)))
            add_cells(m, line);
    return status;
}

/* clang-format off */
#define MATRIX(how, table) .open = open_matrix, .read = how,                   \
    .close = close_matrix, .fields = table, .num_fields = 1

static const struct pl_field interrupts_fields[] = { PL_FIELD("interrupts") };
static const struct pl_field softirqs_fields[] = { PL_FIELD("softirqs") };
/* By processor only for counters requested by name: both files are long. */
static const struct pl_field cpu_interrupts_fields[] = {
    PL_COSTLY("cpu_interrupts", PL_NO_GROUP),
};
static const struct pl_field cpu_softirqs_fields[] = {
    PL_COSTLY("cpu_softirqs", PL_NO_GROUP),
};

const struct pl_source_kind pl_interrupts_kind = {
    .name = "interrupts", .path = "interrupts", .file_kind = PL_IN_PIECES,
    MATRIX(read_lines, interrupts_fields),
};

const struct pl_source_kind pl_softirqs_kind = {
    .name = "softirqs", .path = "softirqs", .file_kind = PL_IN_ONE_PIECE,
    MATRIX(read_lines, softirqs_fields),
};

const struct pl_source_kind pl_cpu_interrupts_kind = {
    .name = "cpu_interrupts", .path = "interrupts", .file_kind = PL_IN_PIECES,
    MATRIX(read_columns, cpu_interrupts_fields), .joined = true,
};

const struct pl_source_kind pl_cpu_softirqs_kind = {
    .name = "cpu_softirqs", .path = "softirqs", .file_kind = PL_IN_ONE_PIECE,
    MATRIX(read_columns, cpu_softirqs_fields), .joined = true,
};
/* clang-format on */
