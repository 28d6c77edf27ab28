/*
 * Any texts as rows of CSV, read back by libcsv: as many rows and cells, and
 * the texts themselves where they are good UTF-8.
 *
 * Input: a byte of options, then cells: a byte of length (255 ends the row)
 * and so many bytes.
 */
#include "analyze/output/csv.h"
#include "format/base/utf.h"
#include "tests/fuzz/fuzz.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

enum { WITH_GUARD = 1, MAX_CELLS = 1024, END_OF_ROW = 255 };

/* What was put, and how far reading has come. */
struct sheet {
    struct pl_text cells[MAX_CELLS];
    bool last[MAX_CELLS]; /* of its row */
    size_t num, read;
    bool guard;
};

static enum pl_status keep(void *ctx, const void *p, size_t n)
{
    pl_buf_bytes(ctx, p, n);
    return PL_OK;
}

static bool begins_formula(struct pl_text t)
{
    return t.n && t.p[0] && strchr("=+-@\t\r\n", t.p[0]);
}

/* The text as a reader shall see it, without the guard. */
static void expect(struct pl_text t, struct pl_buf *out)
{
    const uint8_t *p = (const uint8_t *)t.p;
    size_t len;

    for (size_t i = 0; i < t.n; i += len) {
        uint32_t code = pl_utf8_decode(p + i, t.n - i, &len);

        if (code == 0xFFFD || !code)
            pl_buf_bytes(out, "\xEF\xBF\xBD", 3);
        else
            pl_buf_bytes(out, p + i, len);
    }
}

static void on_cell(void *p, size_t n, void *ctx)
{
    struct sheet *s = ctx;
    struct pl_buf want = { 0 };
    struct pl_text t;

    fuzz_check(s->read < s->num);
    t = s->cells[s->read];
    if (s->guard && begins_formula(t))
        pl_buf_u8(&want, '\'');
    expect(t, &want);
    fuzz_check(want.len == n && (!n || !memcmp(want.p, p, n)));
    pl_buf_release(&want);
    s->read++;
}

static void on_row(int end, void *ctx)
{
    struct sheet *s = ctx;

    (void)end;
    fuzz_check(s->read && s->last[s->read - 1]);
}

static void put_row_end(struct pl_csv *c, struct sheet *s)
{
    if (!s->num || s->last[s->num - 1])
        return; /* a row has at least one cell */
    s->last[s->num - 1] = true;
    fuzz_check(!pl_csv_end_row(c));
}

static void put_cells(struct pl_csv *c, struct sheet *s, const uint8_t *p,
                      size_t n)
{
    struct fuzz_input in = { p, n };

    while (in.left && s->num < MAX_CELLS) {
        size_t len = fuzz_byte(&in);
        struct pl_text t;

        if (len == END_OF_ROW) {
            put_row_end(c, s);
            continue;
        }
        if (len > in.left)
            len = in.left;
        t = (struct pl_text){ (const char *)in.p, len };
        s->cells[s->num++] = t;
        pl_csv_text(c, t);
        in.p += len;
        in.left -= len;
    }
    put_row_end(c, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static struct sheet s;
    struct fuzz_input in = { p, n };
    uint8_t options = fuzz_byte(&in);
    uint8_t *copy = fuzz_rest(&in, &n);
    struct pl_buf out = { 0 };
    struct csv_parser parser;
    struct pl_csv c;

    memset(&s, 0, sizeof s);
    s.guard = options & WITH_GUARD;
    pl_csv_init(&c, &(struct pl_csv_style){ .guard = s.guard }, keep, &out);
    put_cells(&c, &s, copy, n);
    fuzz_check(!pl_csv_flush(&c));
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
        abort();
    fuzz_check(csv_parse(&parser, out.p, out.len, on_cell, on_row, &s) ==
               out.len);
    fuzz_check(!csv_fini(&parser, on_cell, on_row, &s));
    fuzz_check(s.read == s.num);
    csv_free(&parser);
    pl_csv_release(&c);
    pl_buf_release(&out);
    free(copy);
    return 0;
}
