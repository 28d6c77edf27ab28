/* Rows of CSV, as a strict reader takes them back. */
#include "analyze/output/csv.h"

#include "format/base/utf.h"
#include "tests/support/support.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define TEXT(s) ((struct pl_text){ s, sizeof s - 1 })

static const struct pl_csv_style plain, guarded = { .guard = true };

/* ---- where rows go ------------------------------------------------------ */

struct sink {
    struct pl_buf bytes;
    size_t calls;
    size_t smallest; /* bytes in a call, but for the last */
    size_t last;
    size_t fail_after; /* calls; 0: never */
};

static enum pl_status take(void *ctx, const void *p, size_t n)
{
    struct sink *s = ctx;

    if (s->fail_after && s->calls >= s->fail_after)
        return PL_IO;
    if (s->calls && (s->calls == 1 || s->last < s->smallest))
        s->smallest = s->last;
    s->calls++;
    s->last = n;
    pl_buf_bytes(&s->bytes, p, n);
    return PL_OK;
}

/* One text cell, between two that are easily seen, as bytes of the row. */
static void put_one(struct sink *s, bool guard, struct pl_text text)
{
    uint8_t *exact = exact_copy(text.p, text.n);
    struct pl_csv c;

    pl_csv_init(&c, guard ? &guarded : &plain, take, s);
    pl_csv_raw(&c, "<", 1);
    pl_csv_text(&c, (struct pl_text){ (char *)exact, text.n });
    pl_csv_raw(&c, ">", 1);
    ck_assert_int_eq(pl_csv_end_row(&c), PL_OK);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    free(exact);
}

/* ---- reading back ------------------------------------------------------- */

enum { MAX_CELLS = 64 };

struct parsed {
    struct pl_buf bytes;
    size_t at[MAX_CELLS + 1];
    size_t cells;
    size_t rows;
};

static void on_cell(void *p, size_t n, void *ctx)
{
    struct parsed *out = ctx;

    ck_assert_uint_lt(out->cells, MAX_CELLS);
    pl_buf_bytes(&out->bytes, p, n);
    out->at[++out->cells] = out->bytes.len;
}

static void on_row(int end, void *ctx)
{
    struct parsed *out = ctx;

    ck_assert_int_eq(end, '\n');
    out->rows++;
}

static void parse(struct parsed *out, const struct pl_buf *bytes)
{
    struct csv_parser parser;

    *out = (struct parsed){ 0 };
    ck_assert_int_eq(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI), 0);
    ck_assert_uint_eq(
        csv_parse(&parser, bytes->p, bytes->len, on_cell, on_row, out),
        bytes->len);
    ck_assert_int_eq(csv_fini(&parser, on_cell, on_row, out), 0);
    csv_free(&parser);
}

static struct pl_text cell_of(const struct parsed *p, size_t i)
{
    ck_assert_uint_lt(i, p->cells);
    if (p->at[i] == p->at[i + 1])
        return (struct pl_text){ "", 0 };
    return (struct pl_text){ (const char *)p->bytes.p + p->at[i],
                             p->at[i + 1] - p->at[i] };
}

static void assert_text(struct pl_text got, struct pl_text want)
{
    ck_assert_msg(pl_text_equal(got, want), "\"%.*s\" instead of \"%.*s\"",
                  (int)got.n, got.p, (int)want.n, want.p);
}

/* ---- text --------------------------------------------------------------- */

#define FFFD "\xEF\xBF\xBD"

static const struct {
    struct pl_text text;
    struct pl_text bytes; /* of the cell, with guard */
    struct pl_text read;  /* what comes back */
} texts[] = {
    /* as it is */
    { TEXT(""), TEXT(""), TEXT("") },
    { TEXT("idle"), TEXT("idle"), TEXT("idle") },
    { TEXT("\\\\H\\Processor(0)\\% User Time"),
      TEXT("\\\\H\\Processor(0)\\% User Time"),
      TEXT("\\\\H\\Processor(0)\\% User Time") },
    { TEXT("a=b - c@d+e"), TEXT("a=b - c@d+e"), TEXT("a=b - c@d+e") },
    { TEXT("it's so|'"), TEXT("it's so|'"), TEXT("it's so|'") },
    { TEXT("Gr\xC3\xB6\xC3\x9F"
           "e"),
      TEXT("Gr\xC3\xB6\xC3\x9F"
           "e"),
      TEXT("Gr\xC3\xB6\xC3\x9F"
           "e") },
    /* quoted */
    { TEXT("a,b"), TEXT("\"a,b\""), TEXT("a,b") },
    { TEXT("a\"b"), TEXT("\"a\"\"b\""), TEXT("a\"b") },
    { TEXT("\""), TEXT("\"\"\"\""), TEXT("\"") },
    { TEXT("a\nb"), TEXT("\"a\nb\""), TEXT("a\nb") },
    { TEXT("a\rb"), TEXT("\"a\rb\""), TEXT("a\rb") },
    { TEXT("a\r\n"), TEXT("\"a\r\n\""), TEXT("a\r\n") },
    { TEXT(" a"), TEXT("\" a\""), TEXT(" a") },
    { TEXT("a "), TEXT("\"a \""), TEXT("a ") },
    { TEXT("a\t"), TEXT("\"a\t\""), TEXT("a\t") },
    { TEXT(" "), TEXT("\" \""), TEXT(" ") },
    /* what another separator would cut */
    { TEXT("a;=b"), TEXT("\"a;=b\""), TEXT("a;=b") },
    { TEXT("a\tb"), TEXT("\"a\tb\""), TEXT("a\tb") },
    /* guarded */
    { TEXT("=1+1"), TEXT("'=1+1"), TEXT("'=1+1") },
    { TEXT("+1"), TEXT("'+1"), TEXT("'+1") },
    { TEXT("-1"), TEXT("'-1"), TEXT("'-1") },
    { TEXT("@SUM(A1)"), TEXT("'@SUM(A1)"), TEXT("'@SUM(A1)") },
    { TEXT("\t=1"), TEXT("\"'\t=1\""), TEXT("'\t=1") },
    { TEXT("\r=1"), TEXT("\"'\r=1\""), TEXT("'\r=1") },
    { TEXT("\n=1"), TEXT("\"'\n=1\""), TEXT("'\n=1") },
    { TEXT("="), TEXT("'="), TEXT("'=") },
    { TEXT("\xEF\xBC\x9D"
           "1"),
      TEXT("'\xEF\xBC\x9D"
           "1"),
      TEXT("'\xEF\xBC\x9D"
           "1") },
    { TEXT("\xEF\xBC\x8B"), TEXT("'\xEF\xBC\x8B"), TEXT("'\xEF\xBC\x8B") },
    { TEXT("\xEF\xBC\x8D"), TEXT("'\xEF\xBC\x8D"), TEXT("'\xEF\xBC\x8D") },
    { TEXT("\xEF\xBC\xA0"), TEXT("'\xEF\xBC\xA0"), TEXT("'\xEF\xBC\xA0") },
    { TEXT("\xEF\xBC\x9E"), TEXT("\xEF\xBC\x9E"), TEXT("\xEF\xBC\x9E") },
    { TEXT("=HYPERLINK(\"x\",1)"), TEXT("\"'=HYPERLINK(\"\"x\"\",1)\""),
      TEXT("'=HYPERLINK(\"x\",1)") },
    /* made valid; a formula does not come out from behind what is replaced */
    { TEXT("a\0b"), TEXT("a" FFFD "b"), TEXT("a" FFFD "b") },
    { TEXT("\0=1"), TEXT(FFFD "=1"), TEXT(FFFD "=1") },
    { TEXT("a\xFF"), TEXT("a" FFFD), TEXT("a" FFFD) },
    { TEXT("\xC3,"), TEXT("\"" FFFD ",\""), TEXT(FFFD ",") },
    { TEXT("\xED\xA0\x80"), TEXT(FFFD FFFD FFFD), TEXT(FFFD FFFD FFFD) },
};

START_TEST(text_is_safe_and_comes_back)
{
    struct sink s = { 0 };
    struct parsed p;
    struct pl_buf want = { 0 };

    put_one(&s, true, texts[_i].text);
    pl_buf_bytes(&want, "<,", 2);
    pl_buf_bytes(&want, texts[_i].bytes.p, texts[_i].bytes.n);
    pl_buf_bytes(&want, ",>\n", 3);
    assert_text((struct pl_text){ (char *)s.bytes.p, s.bytes.len },
                (struct pl_text){ (char *)want.p, want.len });
    parse(&p, &s.bytes);
    ck_assert_uint_eq(p.rows, 1);
    ck_assert_uint_eq(p.cells, 3);
    assert_text(cell_of(&p, 1), texts[_i].read);
    pl_buf_release(&p.bytes);
    pl_buf_release(&want);
    pl_buf_release(&s.bytes);
}
END_TEST

START_TEST(without_guard_text_comes_back_unchanged)
{
    static const char *const formulas[] = { "=1+1", "+1", "-1",   "@a",
                                            "\t=1", "=",  "\r=1", "\n" };

    for (size_t i = 0; i < COUNT(formulas); i++) {
        struct sink s = { 0 };
        struct parsed p;

        put_one(&s, false, pl_text_of(formulas[i]));
        parse(&p, &s.bytes);
        ck_assert_uint_eq(p.cells, 3);
        assert_text(cell_of(&p, 1), pl_text_of(formulas[i]));
        pl_buf_release(&p.bytes);
        pl_buf_release(&s.bytes);
    }
}
END_TEST

/* What a hostile name may be made of, in every arrangement of four. */
START_TEST(every_arrangement_of_odd_bytes_comes_back)
{
    static const char odd[] = "a,\"\n\r =\t'\xC3\xBC\xFF";
    const size_t n = sizeof odd; /* with the NUL */

    for (size_t k = 0; k < n * n * n * n; k++) {
        const char name[] = { odd[k % n], odd[k / n % n], odd[k / n / n % n],
                              odd[k / n / n / n] };
        struct pl_text text = { name, sizeof name };
        struct sink s = { 0 };
        struct pl_buf valid = { 0 };
        struct parsed p;
        struct pl_csv c;
        size_t len;

        for (size_t i = 0; i < text.n; i += len) {
            uint32_t code =
                pl_utf8_decode((const uint8_t *)name + i, text.n - i, &len);

            pl_utf8_put(&valid, code ? code : 0xFFFD);
        }
        pl_csv_init(&c, &plain, take, &s);
        pl_csv_text(&c, text);
        pl_csv_text(&c, text);
        if (pl_csv_end_row(&c) || pl_csv_flush(&c))
            ck_abort_msg("arrangement %zu failed", k);
        pl_csv_release(&c);
        parse(&p, &s.bytes);
        if (p.cells != 2 || p.rows != 1 ||
            !pl_text_equal(cell_of(&p, 0), cell_of(&p, 1)) ||
            !pl_text_equal(cell_of(&p, 0),
                           (struct pl_text){ (char *)valid.p, valid.len }))
            ck_abort_msg("arrangement %zu became %.*s", k, (int)s.bytes.len,
                         (char *)s.bytes.p);
        pl_buf_release(&p.bytes);
        pl_buf_release(&valid);
        pl_buf_release(&s.bytes);
    }
}
END_TEST

/* ---- values ------------------------------------------------------------- */

static const struct {
    struct pl_value v;
    const char *want;
} values[] = {
    { { .kind = PL_VALUE_DOUBLE, .number = 12.5 }, "12.5" },
    { { .kind = PL_VALUE_DOUBLE, .number = -3 }, "-3" },
    { { .kind = PL_VALUE_INTEGER, .integer = UINT64_MAX },
      "18446744073709551615" },
    { { .kind = PL_VALUE_HEX, .integer = 0xAB, .digits = 8 }, "0x000000ab" },
    { { .kind = PL_VALUE_HEX, .integer = 0xAB, .digits = 16 },
      "0x00000000000000ab" },
    { { .kind = PL_VALUE_NONE }, "" },
    { { .kind = PL_VALUE_TEXT }, "" },
    /* remarks leave the value, causes do not */
    { { .cell = PL_CELL_WRAPPED, .kind = PL_VALUE_DOUBLE, .number = 7 }, "7" },
    { { .cell = PL_CELL_PARTIAL, .kind = PL_VALUE_INTEGER, .integer = 7 },
      "7" },
    { { .cell = PL_CELL_NEGATIVE, .kind = PL_VALUE_DOUBLE, .number = 7 }, "" },
    { { .cell = PL_CELL_FIRST, .kind = PL_VALUE_INTEGER, .integer = 7 }, "" },
};

START_TEST(value_is_a_raw_number_or_blank)
{
    struct sink s = { 0 };
    struct parsed p;
    struct pl_csv c;

    pl_csv_init(&c, &guarded, take, &s);
    pl_csv_value(&c, &values[_i].v);
    pl_csv_raw(&c, "end", 3);
    pl_csv_end_row(&c);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    ck_assert_ptr_null(memchr(s.bytes.p, '"', s.bytes.len));
    parse(&p, &s.bytes);
    ck_assert_uint_eq(p.cells, 2);
    assert_text(cell_of(&p, 0), pl_text_of(values[_i].want));
    pl_buf_release(&p.bytes);
    pl_buf_release(&s.bytes);
}
END_TEST

/* ---- rows --------------------------------------------------------------- */

START_TEST(row_of_one_blank_cell_is_a_row)
{
    struct sink s = { 0 };
    struct parsed p;
    struct pl_csv c;

    pl_csv_init(&c, &guarded, take, &s);
    pl_csv_raw(&c, "head", 4);
    pl_csv_end_row(&c);
    pl_csv_blank(&c);
    pl_csv_end_row(&c);
    pl_csv_blank(&c);
    pl_csv_blank(&c);
    pl_csv_end_row(&c);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    assert_text((struct pl_text){ (char *)s.bytes.p, s.bytes.len },
                TEXT("head\n\"\"\n,\n"));
    parse(&p, &s.bytes);
    ck_assert_uint_eq(p.rows, 3);
    ck_assert_uint_eq(p.cells, 4);
    pl_buf_release(&p.bytes);
    pl_buf_release(&s.bytes);
}
END_TEST

/* A row of each kind of cell, and one that is blank. */
static const struct {
    struct pl_csv_style style;
    const char *want;
} styles[] = {
    { { .guard = false },
      "a;b,\"c,d\",0.1,33.333333333333336,1234567,0:00.5,ok\n\"\"\n" },
    { { .pdh = true },
      "\"a;b\",\"c,d\",\"0.10000000000000001\",\"33.333333333333336\","
      "\"1234567\",\"0:00.5\",\"ok\"\r\n\" \"\r\n" },
    { { .decimal_comma = true },
      "\"a;b\";c,d;0,1;33,333333333333336;1234567;0:00,5;ok\n\"\"\n" },
    { { .digits = 3 }, "a;b,\"c,d\",0.1,33.3,1234567,0:00.5,ok\n\"\"\n" },
    { { .bom = true, .digits = 1, .decimal_comma = true },
      "\xEF\xBB\xBF\"a;b\";c,d;0,1;30;1234567;0:00,5;ok\n\"\"\n" },
};

START_TEST(style_is_that_of_every_cell)
{
    const struct pl_value tenth = { .kind = PL_VALUE_DOUBLE, .number = 0.1 };
    const struct pl_value third = { .kind = PL_VALUE_DOUBLE,
                                    .number = 100.0 / 3 };
    const struct pl_value count = { .kind = PL_VALUE_INTEGER,
                                    .integer = 1234567 };
    struct sink s = { 0 };
    struct pl_csv c;

    pl_csv_init(&c, &styles[_i].style, take, &s);
    pl_csv_text(&c, TEXT("a;b"));
    pl_csv_text(&c, TEXT("c,d"));
    pl_csv_value(&c, &tenth);
    pl_csv_value(&c, &third);
    pl_csv_value(&c, &count);
    pl_csv_decimal(&c, "0:00.5", 6);
    pl_csv_raw(&c, "ok", 2);
    pl_csv_end_row(&c);
    pl_csv_blank(&c);
    pl_csv_end_row(&c);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    assert_text((struct pl_text){ (char *)s.bytes.p, s.bytes.len },
                pl_text_of(styles[_i].want));
    pl_buf_release(&s.bytes);
}
END_TEST

/* It has doubles only. */
START_TEST(no_cell_of_pdh_is_empty)
{
    const struct pl_csv_style pdh = { .pdh = true };
    struct sink s = { 0 };
    struct pl_csv c;

    pl_csv_init(&c, &pdh, take, &s);
    for (size_t i = 0; i < COUNT(values); i++)
        pl_csv_value(&c, &values[i].v);
    pl_csv_value(
        &c, &(struct pl_value){ .kind = PL_VALUE_DOUBLE, .number = INFINITY });
    pl_csv_end_row(&c);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    assert_text((struct pl_text){ (char *)s.bytes.p, s.bytes.len },
                TEXT("\"12.5\",\"-3\",\"1.8446744073709552e+19\","
                     "\" \",\" \",\" \",\" \","
                     "\"7\",\"7\",\" \",\" \",\" \"\r\n"));
    pl_buf_release(&s.bytes);
}
END_TEST

/* What a hostile name may do in PDH's quotes. */
START_TEST(odd_text_comes_back_from_quotes)
{
    const struct pl_csv_style pdh = { .pdh = true };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sink s = { 0 };
        struct parsed p;
        struct pl_csv c;
        const bool guarded_text = texts[i].read.n && texts[i].read.p[0] == '\'';
        const struct pl_text read = { texts[i].read.p + guarded_text,
                                      texts[i].read.n - guarded_text };

        pl_csv_init(&c, &pdh, take, &s);
        pl_csv_text(&c, texts[i].text);
        pl_csv_text(&c, TEXT("end"));
        pl_csv_end_row(&c);
        ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
        pl_csv_release(&c);
        ck_assert_int_eq(s.bytes.p[0], '"');
        s.bytes.len -= 2; /* our parser counts rows by LF */
        pl_buf_u8(&s.bytes, '\n');
        parse(&p, &s.bytes);
        ck_assert_uint_eq(p.cells, 2);
        assert_text(cell_of(&p, 0), read);
        pl_buf_release(&p.bytes);
        pl_buf_release(&s.bytes);
    }
}
END_TEST

static void put_rows(struct pl_csv *c, int rows)
{
    const struct pl_value v = { .kind = PL_VALUE_INTEGER, .integer = 123456 };

    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < 99; k++)
            pl_csv_value(c, &v);
        pl_csv_text(c, TEXT("x"));
        pl_csv_end_row(c);
    }
}

START_TEST(rows_leave_whole_and_in_large_chunks)
{
    enum { ROWS = 1000, ROW_LEN = 99 * 7 + 2 };
    struct sink s = { 0 };
    struct pl_csv c;

    pl_csv_init(&c, &guarded, take, &s);
    put_rows(&c, ROWS);
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    ck_assert_uint_eq(s.bytes.len, ROWS * ROW_LEN);
    ck_assert_uint_ge(s.smallest, PL_CSV_CHUNK);
    ck_assert_uint_eq(s.smallest % ROW_LEN, 0);
    ck_assert_uint_le(s.calls, ROWS * ROW_LEN / PL_CSV_CHUNK + 1);
    for (size_t i = ROW_LEN; i <= s.bytes.len; i += ROW_LEN)
        if (s.bytes.p[i - 1] != '\n')
            ck_abort_msg("row %zu is cut", i / ROW_LEN);
    ck_assert_uint_le(c.out.cap, 4 * PL_CSV_CHUNK);
    /* nothing left: nothing written */
    s.calls = 0;
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    ck_assert_uint_eq(s.calls, 0);
    pl_csv_release(&c);
    pl_buf_release(&s.bytes);
}
END_TEST

START_TEST(first_failure_sticks_and_ends_the_writing)
{
    struct sink s = { .fail_after = 2 };
    struct pl_csv c;
    size_t len;

    pl_csv_init(&c, &guarded, take, &s);
    put_rows(&c, 1000);
    len = s.bytes.len;
    ck_assert_uint_eq(s.calls, 2);
    s.fail_after = 0; /* the disk has room again: too late */
    put_rows(&c, 1000);
    pl_csv_blank(&c);
    ck_assert_int_eq(pl_csv_end_row(&c), PL_IO);
    ck_assert_int_eq(pl_csv_flush(&c), PL_IO);
    ck_assert_uint_eq(s.bytes.len, len);
    pl_csv_release(&c);
    pl_buf_release(&s.bytes);
}
END_TEST

/* A cell of 'n' letters. */
static void put_letters(struct pl_csv *c, size_t n)
{
    char letters[100];

    memset(letters, 'a' + (int)(n % 26), sizeof letters);
    pl_csv_raw(c, letters, n);
}

/* The same, put into the row and taken out again. */
static void keep(struct pl_csv *c, size_t n, struct pl_buf *kept)
{
    const size_t from = pl_csv_position(c);

    put_letters(c, n);
    pl_csv_keep(c, from, kept);
    ck_assert_uint_eq(pl_csv_position(c), from);
}

static const struct pl_value kept_values[] = {
    { .kind = PL_VALUE_DOUBLE, .number = 0.5 },
    { .kind = PL_VALUE_INTEGER, .integer = UINT64_MAX },
    { .kind = PL_VALUE_TEXT, .text = { "a,b", 3 } },
    { .kind = PL_VALUE_NONE },
};

/* For lengths around those that are copied at once. */
START_TEST(kept_cells_are_those_that_were_written)
{
    struct pl_buf first = { 0 }, second = { 0 }, last = { 0 };
    struct pl_csv c, slow;

    pl_csv_init(&c, &styles[_i].style, NULL, NULL);
    pl_csv_init(&slow, &styles[_i].style, NULL, NULL);
    for (size_t n = 0; n < 100; n++) {
        const struct pl_value *v = &kept_values[n % COUNT(kept_values)];

        keep(&c, n, &first);
        keep(&c, 99 - n, &second);
        keep(&c, n / 2, &last);
        pl_csv_kept_value(&c, &first, &second, v, &last);
        put_letters(&slow, n);
        put_letters(&slow, 99 - n);
        pl_csv_value(&slow, v);
        put_letters(&slow, n / 2);
        pl_csv_end_row(&c);
        pl_csv_end_row(&slow);
    }
    ck_assert_uint_eq(c.rows, 100);
    ck_assert_uint_eq(c.out.len, slow.out.len);
    ck_assert_mem_eq(c.out.p, slow.out.p, c.out.len);
    pl_buf_release(&first);
    pl_buf_release(&second);
    pl_buf_release(&last);
    pl_csv_release(&c);
    pl_csv_release(&slow);
}
END_TEST

START_TEST(lack_of_memory_is_reported)
{
    struct sink s = { 0 };
    struct pl_csv c;

    pl_csv_init(&c, &guarded, take, &s);
    pl_csv_raw(&c, "whole", 5);
    ck_assert_int_eq(pl_csv_end_row(&c), PL_OK);
    pl_csv_raw(&c, "begun", 5);
    c.out.oom = true; /* as pl_buf leaves it when realloc fails */
    pl_csv_text(&c, TEXT("a,b"));
    pl_csv_blank(&c);
    ck_assert_int_eq(pl_csv_end_row(&c), PL_NOMEM);
    ck_assert_int_eq(pl_csv_flush(&c), PL_NOMEM);
    ck_assert_uint_eq(s.bytes.len, 0);
    pl_csv_release(&c);
}
END_TEST

int main(void)
{
    TCase *text = tcase_create("text");
    TCase *rows = tcase_create("values and rows");
    TCase *const all[] = { text, rows, NULL };

    tcase_add_loop_test(text, text_is_safe_and_comes_back, 0, COUNT(texts));
    tcase_add_test(text, without_guard_text_comes_back_unchanged);
    tcase_add_test(text, every_arrangement_of_odd_bytes_comes_back);
    tcase_add_loop_test(rows, value_is_a_raw_number_or_blank, 0, COUNT(values));
    tcase_add_loop_test(rows, style_is_that_of_every_cell, 0, COUNT(styles));
    tcase_add_test(rows, no_cell_of_pdh_is_empty);
    tcase_add_test(text, odd_text_comes_back_from_quotes);
    tcase_add_test(rows, row_of_one_blank_cell_is_a_row);
    tcase_add_test(rows, rows_leave_whole_and_in_large_chunks);
    tcase_add_test(rows, first_failure_sticks_and_ends_the_writing);
    tcase_add_loop_test(rows, kept_cells_are_those_that_were_written, 0,
                        COUNT(styles));
    tcase_add_test(rows, lack_of_memory_is_reported);
    return run_suite("csv", all);
}
