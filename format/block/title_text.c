/* Lists of titles, in the registry's format or as lines of text. */
#include "format/block/title_text.h"

#include "format/base/array.h"
#include "format/base/utf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 4096 };

/* ---- bytes ---------------------------------------------------------------- */

enum encoding { LINES, WIDE_LITTLE, WIDE_BIG };

/* Without a byte-order mark: text in UTF-16 has many zero bytes. */
static enum encoding guess(const struct pl_buf *b)
{
    size_t n = b->len < LOOKED_AT ? b->len : LOOKED_AT;
    size_t zeros[2] = { 0, 0 };

    for (size_t i = 0; i < n; i++)
        zeros[i % 2] += b->p[i] == 0;
    if (zeros[0] + zeros[1] < n / 8 || zeros[0] + zeros[1] == 0)
        return LINES;
    return zeros[0] > zeros[1] ? WIDE_BIG : WIDE_LITTLE;
}

static enum encoding encoding_of(const struct pl_buf *b, size_t *skip)
{
    static const struct {
        const char *mark;
        size_t len;
        enum encoding encoding;
    } marks[] = { { "\xFF\xFE", 2, WIDE_LITTLE },
                  { "\xFE\xFF", 2, WIDE_BIG },
                  { "\xEF\xBB\xBF", 3, LINES } };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (b->len >= marks[i].len &&
            !memcmp(b->p, marks[i].mark, marks[i].len)) {
            *skip = marks[i].len;
            return marks[i].encoding;
        }
    *skip = 0;
    return guess(b);
}

/* UTF-16 to UTF-8; the NULs between strings are kept. */
static void narrow(struct pl_buf *out, const uint8_t *p, size_t n, bool big)
{
    while (n >= 2) {
        size_t len = 0;

        while (len + 2 <= n && (p[len] || p[len + 1]))
            len += 2;
        pl_utf16_to_utf8(out, p, len, big);
        pl_buf_u8(out, 0);
        len = len + 2 <= n ? len + 2 : n;
        p += len;
        n -= len;
    }
}

/* ---- titles --------------------------------------------------------------- */

static enum pl_status add(struct pl_title_text *f, uint32_t index, size_t at,
                          size_t len)
{
    if (!pl_array_grow((void **)&f->titles, &f->cap, f->num, sizeof *f->titles))
        return PL_NOMEM;
    f->titles[f->num++] = (struct pl_title_entry){ index, (uint32_t)len, at };
    return PL_OK;
}

/* An index is a decimal number other than 0. */
static bool is_index(const uint8_t *p, size_t n, uint32_t *index)
{
    uint64_t v = 0;

    if (!n || n > 10)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return false;
        v = v * 10 + (uint64_t)(p[i] - '0');
    }
    *index = (uint32_t)v;
    return v && v <= UINT32_MAX;
}

struct string {
    size_t at, len;
    bool is_index;
    uint32_t index;
};

static bool next_string(const struct pl_buf *text, size_t *at, struct string *s)
{
    const uint8_t *end;

    if (*at >= text->len)
        return false;
    end = memchr(text->p + *at, 0, text->len - *at);
    s->at = *at;
    s->len = end ? (size_t)(end - text->p) - *at : text->len - *at;
    s->is_index = is_index(text->p + s->at, s->len, &s->index);
    *at += s->len + 1;
    return true;
}

static bool is_utf8(const uint8_t *p, size_t n)
{
    return pl_utf8_is_valid((struct pl_text){ (const char *)p, n });
}

/*
 * Index, name, index, name.  A number where a name should be is a name if an
 * index follows it ("1", "1847", "2", ...); otherwise the name is missing and
 * the number is the next index.
 */
static enum pl_status read_strings(struct pl_title_text *f)
{
    struct string index, name, next;
    size_t at = 0;

    while (next_string(&f->text, &at, &index)) {
        size_t behind = at;

        if (!index.is_index) {
            f->num_bad += index.len > 0; /* an empty string ends the list */
            continue;
        }
        if (!next_string(&f->text, &behind, &name) || !name.len) {
            f->num_bad++;
            continue;
        }
        at = behind;
        if (name.is_index && next_string(&f->text, &behind, &next) &&
            next.len && !next.is_index) {
            f->num_bad++;
            at = name.at;
            continue;
        }
        if (add(f, index.index, name.at, name.len))
            return PL_NOMEM;
    }
    return PL_OK;
}

static enum pl_status read_lines(struct pl_title_text *f)
{
    const uint8_t *p = f->text.p;

    for (size_t at = 0, len; at < f->text.len; at += len + 1) {
        const uint8_t *end = memchr(p + at, '\n', f->text.len - at), *tab;
        size_t line, number;
        uint32_t index;

        len = end ? (size_t)(end - p) - at : f->text.len - at;
        line = len && p[at + len - 1] == '\r' ? len - 1 : len;
        if (!line || p[at] == '#')
            continue;
        tab = memchr(p + at, '\t', line);
        number = tab ? (size_t)(tab - p) - at : 0;
        if (!tab || !is_index(p + at, number, &index) || number + 1 == line ||
            !is_utf8(tab + 1, line - number - 1))
            f->num_bad++;
        else if (add(f, index, at + number + 1, line - number - 1))
            return PL_NOMEM;
    }
    return PL_OK;
}

static int entries_by_index(const void *x, const void *y)
{
    const struct pl_title_entry *a = x, *b = y;

    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void sort_entries(struct pl_title_text *f)
{
    size_t kept = 0;

    if (f->num)
        qsort(f->titles, f->num, sizeof *f->titles, entries_by_index);
    for (size_t i = 0; i < f->num; i++)
        if (i + 1 == f->num || f->titles[i + 1].index != f->titles[i].index)
            f->titles[kept++] = f->titles[i];
    f->num = kept;
}

enum pl_status pl_title_text_parse(struct pl_title_text *f,
                                   const struct pl_buf *bytes)
{
    enum pl_status s;
    size_t skip;
    enum encoding e = encoding_of(bytes, &skip);

    *f = (struct pl_title_text){ 0 };
    if (e == LINES)
        pl_buf_bytes(&f->text, bytes->p + skip, bytes->len - skip);
    else
        narrow(&f->text, bytes->p + skip, bytes->len - skip, e == WIDE_BIG);
    s = f->text.oom ? PL_NOMEM : e == LINES ? read_lines(f) : read_strings(f);
    sort_entries(f);
    if (!s && !f->num)
        s = PL_NOT_A_LOG;
    if (s)
        pl_title_text_release(f);
    return s;
}

void pl_title_text_release(struct pl_title_text *f)
{
    pl_buf_release(&f->text);
    free(f->titles);
    *f = (struct pl_title_text){ 0 };
}

/* The position of the first title whose index is not below 'index'. */
static size_t place_of(const struct pl_title_text *f, uint32_t index)
{
    size_t low = 0, high = f->num;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (f->titles[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct pl_text pl_title_text_find(const struct pl_title_text *f, uint32_t index)
{
    size_t at = place_of(f, index);

    if (at == f->num || f->titles[at].index != index)
        return (struct pl_text){ NULL, 0 };
    return (struct pl_text){ (const char *)f->text.p + f->titles[at].at,
                             f->titles[at].len };
}
