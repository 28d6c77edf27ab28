/* Finds the cells of lines that need no parser. */
#include "analyze/foreign/pdh_plain.h"

#include "analyze/foreign/pdh_lines.h"

#include <string.h>

/* A cell is between them, and what follows it is at 'after'. */
struct bounds {
    const uint8_t *begin, *end, *after;
    bool quoted;
};

/* False: it has quotes inside, or blanks and others that libcsv would leave out. */
static bool find_end(struct bounds *c, const uint8_t *p, const uint8_t *end,
                     uint8_t delimiter)
{
    c->quoted = p < end && *p == '"';
    c->begin = p + c->quoted;
    if (c->quoted) {
        c->end = memchr(c->begin, '"', (size_t)(end - c->begin));
        c->after = c->end ? c->end + 1 : NULL;
        return c->end && (c->after == end || *c->after == delimiter);
    }
    for (c->end = p; c->end < end && *c->end != delimiter; c->end++)
        if (*c->end == '"' || *c->end <= ' ')
            return false;
    c->after = c->end;
    return true;
}

static void put(const struct bounds *c, struct pl_buf *cells,
                struct pl_buf *places)
{
    pl_buf_u32(places, (uint32_t)cells->len);
    pl_buf_bytes(cells, c->begin, (size_t)(c->end - c->begin));
    pl_buf_u8(cells, 0);
}

static bool find_cells(const uint8_t *p, const uint8_t *end, char delimiter,
                       const struct pl_pdh_wanted *wanted, struct pl_buf *cells,
                       struct pl_buf *places, struct pl_pdh_plain *out)
{
    struct bounds c;

    for (;; p = c.after + 1) {
        if (!find_end(&c, p, end, (uint8_t)delimiter))
            return false;
        if (!out->num || !wanted->num ||
            (out->num >= wanted->first && out->num < wanted->end))
            put(&c, cells, places);
        out->quotes += c.quoted ? 2 : 0;
        out->num++;
        if (c.after == end)
            return true;
    }
}

/* What paths, zones and headers have, no row has that is only times and numbers. */
static bool may_be_header(const uint8_t *p, size_t n)
{
    return memchr(p, '\\', n) || memchr(p, '(', n);
}

bool pl_pdh_plain_cells(const uint8_t *p, size_t n, char delimiter,
                        const struct pl_pdh_wanted *wanted,
                        struct pl_buf *cells, struct pl_buf *places,
                        struct pl_pdh_plain *out)
{
    const uint8_t *end = p + n;
    const size_t len = cells->len, num = places->len;

    *out = (struct pl_pdh_plain){ .first = wanted->num ? wanted->first : 1 };
    while (end > p && pl_pdh_is_line_end(end[-1]))
        end--;
    if (end == p || end == p + n || may_be_header(p, (size_t)(end - p)))
        return false;
    if (find_cells(p, end, delimiter, wanted, cells, places, out) &&
        (!wanted->num || out->num == wanted->num))
        return true;
    cells->len = len;
    places->len = num;
    return false;
}
