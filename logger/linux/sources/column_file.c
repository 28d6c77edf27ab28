/* Files of equal lines: a name and columns of numbers. */
#include "logger/linux/machine/proctext.h"
#include "logger/linux/machine/source.h"

#include <stdlib.h>
#include <string.h>

/* The name: a word, or its part before 'name_end'. */
static bool take_name(const struct pl_column_format *c,
                      struct pl_proctext *line, struct pl_text *name)
{
    struct pl_proctext start;
    const char *end;

    if (!pl_proctext_word(line, name))
        return false;
    start = (struct pl_proctext){ name->p, line->end };
    end = c->name_end ? memchr(start.p, c->name_end, name->n) : NULL;
    if (!end)
        return !c->name_end;
    name->n = (size_t)(end - start.p);
    line->p = end + 1; /* old kernels have no blank after the colon */
    return true;
}

/* Remove the prefix; "cpu" alone is the sum of "cpu0", "cpu1"... */
static bool take_prefix(const struct pl_column_format *c, struct pl_text *name)
{
    size_t n = c->prefix ? strlen(c->prefix) : 0;

    if (!n)
        return true;
    if (name->n <= n || memcmp(name->p, c->prefix, n) != 0 ||
        name->p[n] < '0' || name->p[n] > '9')
        return false;
    name->p += n;
    name->n -= n;
    return true;
}

/*
 * Parse a line; returns its number of columns without the name, 0 if the line
 * is not to be used or a column is not a number.
 */
static size_t scan_line(const struct pl_source_kind *kind,
                        struct pl_proctext line, struct pl_text *name,
                        uint64_t *values)
{
    const struct pl_column_format *c = &kind->columns;
    struct pl_text word;
    size_t column = 0;

    while (column < kind->num_columns || column == c->name_column) {
        if (column == c->name_column &&
            (!take_name(c, &line, name) || !take_prefix(c, name)))
            return 0;
        if (column == kind->num_columns)
            break;
        if (!kind->fields[column].name_len) {
            if (!pl_proctext_word(&line, &word))
                break;
        } else if (!pl_proctext_number(&line, &values[column])) {
            if (pl_proctext_word(&line, &word))
                return 0;
            break;
        }
        column++;
    }
    return column < c->name_column ? 0 : column;
}

static enum pl_status add_row(struct pl_column_file_source *c,
                              struct pl_proctext line)
{
    struct pl_source_rows *rows = &c->base.rows;
    size_t at = rows->names.len;
    struct pl_text name;
    uint64_t *values = pl_source_rows_add(rows, (struct pl_text){ NULL, 0 });

    if (!values)
        return PL_NOMEM;
    if (scan_line(c->base.kind, line, &name, values) < c->num_columns ||
        !c->num_columns) {
        pl_source_rows_drop(rows);
        return PL_OK;
    }
    if (c->base.kind->columns.escaped)
        pl_proctext_unescape(name, &rows->names);
    else
        pl_buf_bytes(&rows->names, name.p, name.n);
    rows->row[rows->num - 1].name_len = rows->names.len - at;
    return rows->names.oom ? PL_NOMEM : PL_OK;
}

enum pl_status pl_column_file_read(struct pl_source *s)
{
    struct pl_column_file_source *c = (struct pl_column_file_source *)s;
    struct pl_text text = pl_procfile_read(c->file);
    struct pl_proctext rest = pl_proctext_of(text), line;
    unsigned skip = s->kind->columns.skip_lines;
    enum pl_status status = PL_OK;

    pl_source_set_readable(s, text.p != NULL);
    while (!status && pl_proctext_line(&rest, &line)) {
        if (skip)
            skip--;
        else
            status = add_row(c, line);
    }
    return status;
}

/*
 * Older kernels print fewer columns: the longest line determines the number.
 * In a file without lines all columns are assumed to be present.
 */
static enum pl_status probe(struct pl_column_file_source *c)
{
    const struct pl_source_kind *kind = c->base.kind;
    struct pl_text text = pl_procfile_read(c->file), name;
    struct pl_proctext rest = pl_proctext_of(text), line;
    uint64_t *values = calloc(kind->num_columns + 1, sizeof *values);
    size_t longest = 0;

    if (!values)
        return PL_NOMEM;
    for (unsigned i = 0; i < kind->columns.skip_lines; i++)
        pl_proctext_line(&rest, &line);
    while (pl_proctext_line(&rest, &line)) {
        size_t n = scan_line(kind, line, &name, values);

        longest = n > longest ? n : longest;
    }
    free(values);
    c->num_columns = longest ? longest : kind->num_columns;
    for (size_t i = c->num_columns; i < kind->num_columns; i++)
        c->base.fields[i].present = false;
    c->base.readable = text.p != NULL;
    return PL_OK;
}

enum pl_status pl_column_file_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct pl_column_file_source *c = calloc(1, sizeof *c);
    enum pl_status s;

    if (!c)
        return PL_NOMEM;
    s = pl_source_init(&c->base, m, kind);
    if (!s)
        s = pl_procfile_open(&c->file, m, kind->path, kind->file_kind);
    if (!s)
        s = probe(c);
    if (s) {
        pl_column_file_close(&c->base);
        return s;
    }
    *out = &c->base;
    return PL_OK;
}

void pl_column_file_close(struct pl_source *s)
{
    struct pl_column_file_source *c = (struct pl_column_file_source *)s;

    pl_source_release(s);
    free(c);
}
