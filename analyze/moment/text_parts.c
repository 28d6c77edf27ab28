/* Lines and tables of a page. */
#include "analyze/moment/text_parts.h"

#include "format/base/utf.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80 };

void pl_moment_put(struct pl_buf *out, const char *s)
{
    pl_buf_string(out, s);
}

void pl_moment_put_blanks(struct pl_buf *out, size_t n)
{
    while (n--)
        pl_buf_u8(out, ' ');
}

/* ---- lines --------------------------------------------------------------- */

/* What comes before the figures of each line. */
static size_t indent(const struct pl_moment_size *size)
{
    return PL_MOMENT_LABEL + (size->spark ? size->spark_width + 2 : 0);
}

static void go_to(struct pl_moment_line *l, size_t at)
{
    if (l->at < at) {
        pl_moment_put_blanks(l->out, at - l->at);
        l->at = at;
    }
}

void pl_moment_begin_line(struct pl_moment_line *l, struct pl_buf *out,
                          const struct pl_moment_size *size,
                          enum pl_moment_section section, const char *label)
{
    *l = (struct pl_moment_line){ .out = out,
                                  .size = size,
                                  .at = strlen(label) };
    pl_moment_put(out, label);
    if (!size->spark || section == PL_MOMENT_SECTIONS)
        return;
    go_to(l, PL_MOMENT_LABEL);
    size->spark(size->ctx, section, out);
    l->at += size->spark_width;
}

/* Two blanks before it, on a line of its own if it does not fit. */
void pl_moment_put_item(struct pl_moment_line *l, const char *text)
{
    const size_t n = pl_utf8_columns(text, strlen(text));
    const size_t from = indent(l->size);
    const size_t width = l->size->width ? l->size->width : WIDTH;

    if (l->full)
        return;
    if (l->at > from && l->at + 2 + n > width) {
        l->full = l->size->low;
        if (l->full)
            return;
        pl_buf_u8(l->out, '\n');
        l->at = 0;
    }
    if (l->at < from)
        go_to(l, from);
    else if (l->at > from)
        go_to(l, l->at + 2);
    pl_moment_put(l->out, text);
    l->at += n;
}

void pl_moment_put_named(struct pl_moment_line *l, const char *before,
                         const char *name, const char *figure)
{
    struct pl_buf text = { 0 };

    pl_moment_put(&text, before);
    pl_moment_put_short(&text, pl_text_of(name));
    pl_moment_put(&text, figure);
    pl_buf_u8(&text, 0);
    l->out->oom |= text.oom;
    if (!text.oom)
        pl_moment_put_item(l, (const char *)text.p);
    pl_buf_release(&text);
}

void pl_moment_end_line(struct pl_moment_line *l)
{
    pl_buf_u8(l->out, '\n');
}

/* Widths of the columns, by their titles and the rows shown; 0: left out. */
void pl_moment_measure(const struct pl_moment_columns *columns,
                       const struct pl_moment_row *const *rows, size_t num,
                       size_t widths[PL_MOMENT_COLUMNS])
{
    char v[PL_READABLE_TEXT];

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        widths[i] = 0;
    for (size_t i = 0; i < PL_MOMENT_COLUMNS && columns->columns[i].title; i++)
        for (size_t k = 0; k < num; k++) {
            const struct pl_moment_column *c = &columns->columns[i];
            size_t n;

            if (isnan(rows[k]->values[i]))
                continue;
            n = strlen(pl_readable(rows[k]->values[i], c->unit, v));
            if (n < strlen(c->title))
                n = strlen(c->title);
            if (n > widths[i])
                widths[i] = n;
        }
}

void pl_moment_put_right(struct pl_buf *out, const char *text, size_t width)
{
    size_t n = strlen(text);

    pl_moment_put_blanks(out, n < width ? width - n : 0);
    pl_moment_put(out, text);
}

void pl_moment_put_short(struct pl_buf *out, struct pl_text name)
{
    pl_utf8_visible_part(out, name, PL_MOMENT_NAME);
}

void pl_moment_put_name(struct pl_buf *out, const char *name, size_t width)
{
    const size_t from = out->len;
    size_t shown;

    pl_moment_put_short(out, pl_text_of(name));
    shown = pl_utf8_columns(out->p + from, out->len - from);
    pl_moment_put_blanks(out, shown < width ? width - shown : 0);
}

void pl_moment_put_titles(struct pl_buf *out,
                          const struct pl_moment_columns *columns,
                          const size_t widths[PL_MOMENT_COLUMNS])
{
    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        if (widths[i]) {
            pl_moment_put_blanks(out, 2);
            pl_moment_put_right(out, columns->columns[i].title, widths[i]);
        }
}

void pl_moment_put_cells(struct pl_buf *out,
                         const struct pl_moment_columns *columns,
                         const size_t widths[PL_MOMENT_COLUMNS],
                         const struct pl_moment_row *row)
{
    char v[PL_READABLE_TEXT];

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        if (widths[i]) {
            pl_moment_put_blanks(out, 2);
            pl_moment_put_right(
                out, pl_readable(row->values[i], columns->columns[i].unit, v),
                widths[i]);
        }
}

size_t pl_moment_name_width(const char *title,
                            const struct pl_moment_row *const *rows, size_t num)
{
    struct pl_buf scratch = { 0 };
    size_t width = strlen(title);

    for (size_t i = 0; i < num; i++) {
        const char *name = rows[i]->group->instance;
        size_t n;

        pl_buf_clear(&scratch);
        pl_moment_put_short(&scratch, pl_text_of(name ? name : ""));
        n = pl_utf8_columns(scratch.p, scratch.len);
        width = n > width ? n : width;
    }
    pl_buf_release(&scratch);
    return width;
}
