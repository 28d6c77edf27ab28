/* Writes rows of comma-separated values. */
#include "analyze/output/csv.h"

#include "analyze/output/number.h"
#include "format/base/utf.h"

#include <assert.h>
#include <csv.h>
#include <errno.h>
#include <string.h>

enum {
    AT_ONCE = 64, /* cells that room is reserved for at once */
    STEP = 32,    /* bytes of kept cells that are copied at once */
};

/*
 * If guarded, also every character that a spreadsheet may be set to separate
 * cells by: the text after it would become a cell, which could be a formula.
 */
static bool must_be_quoted(const struct pl_csv *c, uint8_t byte)
{
    return byte == c->separator || byte == '"' || byte == '\r' ||
           byte == '\n' ||
           (c->style.guard && (byte == ',' || byte == ';' || byte == '\t'));
}

void pl_csv_init(struct pl_csv *c, const struct pl_csv_style *style,
                 enum pl_status (*write)(void *ctx, const void *p, size_t n),
                 void *ctx)
{
    *c = (struct pl_csv){ .style = *style,
                          .separator = style->decimal_comma ? ';' : ',',
                          .write = write,
                          .ctx = ctx };
    for (unsigned i = 0; i < sizeof c->special; i++)
        c->special[i] = i < ' ' || i >= 0x7F || must_be_quoted(c, (uint8_t)i);
    if (style->bom)
        pl_buf_bytes(&c->out, "\xEF\xBB\xBF", 3);
    c->row = c->out.len;
}

void pl_csv_release(struct pl_csv *c)
{
    pl_buf_release(&c->out);
    pl_buf_release(&c->scratch);
    pl_buf_release(&c->header);
}

/*
 * Every cell is written with a separator after it; the end of the row turns the
 * last one into LF.  So a cell takes one check for room and one copy.
 */
static uint8_t *room_for_cell(struct pl_csv *c, size_t n)
{
    struct pl_buf *b = &c->out;

    if (n < b->cap - b->len)
        return b->p + b->len;
    return pl_buf_room(b, n + 1);
}

static void end_cell(struct pl_csv *c, uint8_t *cell, size_t n)
{
    cell[n] = c->separator;
    c->out.len += n + 1;
}

/* The same around a cell whose content needs no quotes by itself. */
static uint8_t *open_cell(struct pl_csv *c, size_t n)
{
    uint8_t *cell = room_for_cell(c, n + 2);

    if (cell && c->style.pdh)
        *cell++ = '"';
    return cell;
}

static void close_cell(struct pl_csv *c, uint8_t *cell, size_t n)
{
    if (c->style.pdh) {
        cell[n] = '"';
        end_cell(c, cell - 1, n + 2);
    } else {
        end_cell(c, cell, n);
    }
}

void pl_csv_raw(struct pl_csv *c, const char *p, size_t n)
{
    uint8_t *cell = open_cell(c, n);

    if (!cell)
        return;
    if (n)
        memcpy(cell, p, n);
    close_cell(c, cell, n);
}

/* Rewrite a number in the style of the cell. */
static void localize(const struct pl_csv *c, uint8_t *cell, size_t n)
{
    uint8_t *point = c->style.decimal_comma && n ? memchr(cell, '.', n) : NULL;

    if (point)
        *point = ',';
}

void pl_csv_decimal(struct pl_csv *c, const char *p, size_t n)
{
    uint8_t *cell = open_cell(c, n);

    if (!cell)
        return;
    memcpy(cell, p, n);
    localize(c, cell, n);
    close_cell(c, cell, n);
}

void pl_csv_blank(struct pl_csv *c)
{
    pl_csv_raw(c, " ", c->style.pdh);
}

size_t pl_csv_position(const struct pl_csv *c)
{
    return c->out.len;
}

void pl_csv_keep(struct pl_csv *c, size_t from, struct pl_buf *kept)
{
    pl_buf_clear(kept);
    if (!c->out.oom) {
        pl_buf_bytes(kept, c->out.p + from, c->out.len - from);
        pl_buf_zeros(kept, STEP); /* put_kept reads them */
        kept->len -= kept->oom ? 0 : STEP;
        c->out.len = from;
    }
    c->out.oom |= kept->oom;
}

/* In whole steps: cells are short, and memcpy would first look at how long. */
static inline uint8_t *put_kept(uint8_t *to, const struct pl_buf *kept)
{
    for (size_t i = 0; i < kept->len; i += STEP)
        memcpy(to + i, kept->p + i, STEP);
    return to + kept->len;
}

void pl_csv_kept(struct pl_csv *c, const struct pl_buf *kept)
{
    uint8_t *cells = room_for_cell(c, kept->len + STEP);

    if (cells)
        c->out.len = (size_t)(put_kept(cells, kept) - c->out.p);
}

static size_t put_double(const struct pl_csv *c, double v, uint8_t *cell)
{
    char *out = (char *)cell;
    size_t n = c->style.digits ? pl_number_put_rounded(v, c->style.digits, out)
                               : pl_number_put(v, out);

    localize(c, cell, n);
    return n;
}

/* PDH has doubles only. */
static void put_for_pdh(struct pl_csv *c, const struct pl_value *v)
{
    const bool is_double = v->kind == PL_VALUE_DOUBLE;
    char text[PL_NUMBER_TEXT];
    size_t n = 0;

    if (is_double || v->kind == PL_VALUE_INTEGER)
        n = pl_number_put_17g(is_double ? v->number : (double)v->integer, text);
    if (n && pl_cell_has_value(v->cell))
        pl_csv_raw(c, text, n);
    else
        pl_csv_blank(c);
}

/*
 * All values except texts, into room for PL_NUMBER_TEXT bytes; returns the
 * length.
 */
static inline size_t put_number(const struct pl_csv *c,
                                const struct pl_value *v, uint8_t *cell)
{
    if (!pl_cell_has_value(v->cell))
        return 0;
    switch (v->kind) {
    case PL_VALUE_DOUBLE:
        if (v->number != 0)
            return put_double(c, v->number, cell);
        *cell = '0'; /* the value of half of all cells */
        return 1;
    case PL_VALUE_INTEGER:
        return pl_integer_put(v->integer, (char *)cell);
    case PL_VALUE_HEX:
        return pl_hex_put(v->integer, v->digits, (char *)cell);
    case PL_VALUE_NONE:
    case PL_VALUE_TEXT:
        break;
    }
    return 0;
}

void pl_csv_value(struct pl_csv *c, const struct pl_value *v)
{
    uint8_t *cell;

    if (c->style.pdh) {
        put_for_pdh(c, v);
        return;
    }
    if (v->kind == PL_VALUE_TEXT) {
        pl_csv_text(c, v->text);
        return;
    }
    cell = room_for_cell(c, PL_NUMBER_TEXT);
    if (cell)
        end_cell(c, cell, put_number(c, v, cell));
}

void pl_csv_kept_value(struct pl_csv *c, const struct pl_buf *first,
                       const struct pl_buf *second, const struct pl_value *v,
                       const struct pl_buf *last)
{
    uint8_t *cell;

    if (c->style.pdh || v->kind == PL_VALUE_TEXT) {
        pl_csv_kept(c, first);
        pl_csv_kept(c, second);
        pl_csv_value(c, v);
        pl_csv_kept(c, last);
        return;
    }
    cell = room_for_cell(c, first->len + second->len + last->len +
                                PL_NUMBER_TEXT + STEP);
    if (!cell)
        return;
    cell = put_kept(put_kept(cell, first), second);
    cell += put_number(c, v, cell);
    *cell++ = c->separator;
    cell = put_kept(cell, last);
    c->out.len = (size_t)(cell - c->out.p);
}

void pl_csv_numbers(struct pl_csv *c, const struct pl_value *v, size_t num)
{
    for (size_t some; num; v += some, num -= some) {
        uint8_t *cell;

        some = c->style.pdh ? 1 : num < AT_ONCE ? num : AT_ONCE;
        if (c->style.pdh) {
            put_for_pdh(c, v);
            continue;
        }
        cell = room_for_cell(c, some * (PL_NUMBER_TEXT + 1));
        if (!cell)
            return;
        for (size_t i = 0; i < some; i++) {
            cell += put_number(c, &v[i], cell);
            *cell++ = c->separator;
        }
        c->out.len = (size_t)(cell - c->out.p);
    }
}

/* ---- text ---------------------------------------------------------------- */

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

/* The full-width forms of = + - @, which some spreadsheets treat alike. */
static const char wide_signs[][4] = { "\xEF\xBC\x9D", "\xEF\xBC\x8B",
                                      "\xEF\xBC\x8D", "\xEF\xBC\xA0" };

/* What makes a spreadsheet calculate a cell, even a quoted one. */
static bool begins_formula(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < sizeof wide_signs / sizeof *wide_signs; i++)
        if (n >= 3 && !memcmp(p, wide_signs[i], 3))
            return true;
    return n && *p && strchr("=+-@\t\r\n", *p);
}

/* True if the bytes need no change, as nearly all names. */
static bool is_plain(const struct pl_csv *c, const uint8_t *p, size_t n)
{
    if (n && (is_blank(p[0]) || is_blank(p[n - 1]) || begins_formula(p, n)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (c->special[p[i]])
            return false;
    return true;
}

static bool needs_quotes(const struct pl_csv *c, const uint8_t *p, size_t n)
{
    if (n && (is_blank(p[0]) || is_blank(p[n - 1])))
        return true; /* readers trim blanks that are not quoted */
    for (size_t i = 0; i < n; i++)
        if (must_be_quoted(c, p[i]))
            return true;
    return false;
}

/* The guard and the text, with U+FFFD for bytes that are not valid. */
static void clean(struct pl_buf *out, const uint8_t *p, size_t n,
                  const struct pl_csv_style *style)
{
    size_t len;

    pl_buf_clear(out);
    if (style->guard && begins_formula(p, n))
        pl_buf_u8(out, '\'');
    if (style->visible) {
        pl_utf8_visible(out, p, n);
        return;
    }
    for (size_t i = 0; i < n; i += len) {
        uint32_t code = pl_utf8_decode(p + i, n - i, &len);

        pl_utf8_put(out, code ? code : PL_REPLACEMENT);
    }
}

void pl_csv_text(struct pl_csv *c, struct pl_text text)
{
    struct pl_buf *s = &c->scratch;
    uint8_t *cell;
    size_t room;

    if (is_plain(c, (const uint8_t *)text.p, text.n)) {
        pl_csv_raw(c, text.p, text.n);
        return;
    }
    clean(s, (const uint8_t *)text.p, text.n, &c->style);
    if (s->oom) {
        c->out.oom = true;
        return;
    }
    if (!needs_quotes(c, s->p, s->len)) {
        pl_csv_raw(c, (const char *)s->p, s->len);
        return;
    }
    room = 2 * s->len + 2; /* every byte a quote, and the two outer ones */
    cell = room_for_cell(c, room);
    if (cell)
        end_cell(c, cell, csv_write(cell, room, s->p, s->len));
}

/* ---- rows ---------------------------------------------------------------- */

static void write_bytes(struct pl_csv *c, const void *p, size_t n)
{
    if (c->status || !n)
        return;
    c->status = c->write(c->ctx, p, n);
    c->error = errno;
}

static void write_rows(struct pl_csv *c)
{
    if (c->out.oom && !c->status)
        c->status = PL_NOMEM;
    write_bytes(c, c->out.p, c->row);
    pl_buf_clear(&c->out);
    c->row = 0;
}

static enum pl_status report(const struct pl_csv *c)
{
    if (c->status)
        errno = c->error;
    return c->status;
}

/* The row from 'start' on exceeds the file, and begins the next one. */
static void turn_page(struct pl_csv *c, size_t start)
{
    size_t n = c->out.len - start;

    c->row = start;
    write_bytes(c, c->out.p, start);
    if (!c->status)
        c->status = c->pages.next(c->ctx);
    write_bytes(c, c->header.p, c->header.len);
    memmove(c->out.p, c->out.p + start, n);
    c->out.len = c->row = n;
    c->rows = 0;
}

enum pl_status pl_csv_end_header(struct pl_csv *c)
{
    struct pl_buf *b = &c->out;

    if (c->pages.max_rows && !b->oom) {
        /* a byte order mark included */
        pl_buf_bytes(&c->header, b->p, b->len - 1);
        pl_buf_bytes(&c->header, c->style.pdh ? "\r\n" : "\n",
                     c->style.pdh ? 2 : 1);
        b->oom |= c->header.oom;
    }
    pl_csv_end_row(c);
    c->rows = 0;
    return report(c);
}

enum pl_status pl_csv_end_row(struct pl_csv *c)
{
    struct pl_buf *b = &c->out;
    size_t start = c->row;

    if (!b->oom) {
        assert(b->len > c->row);
        /* One blank cell alone is an empty line, which readers skip. */
        if (b->len == c->row + 1) {
            b->len = c->row;
            pl_csv_raw(c, "\"\"", 2);
        }
    }
    if (!b->oom) {
        b->p[b->len - 1] = c->style.pdh ? '\r' : '\n';
        if (c->style.pdh)
            pl_buf_u8(b, '\n');
        c->row = b->len;
        if (c->pages.max_rows && c->rows == c->pages.max_rows)
            turn_page(c, start);
        c->rows++;
    }
    if (b->oom || (c->write && b->len >= PL_CSV_CHUNK))
        write_rows(c);
    return report(c);
}

enum pl_status pl_csv_rows(struct pl_csv *c, const void *p, size_t n,
                           uint64_t rows)
{
    write_rows(c);
    write_bytes(c, p, n);
    c->rows += rows;
    return report(c);
}

enum pl_status pl_csv_flush(struct pl_csv *c)
{
    write_rows(c);
    return report(c);
}
