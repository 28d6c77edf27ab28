/*
 * Parquet's parts, by bytes worked out by hand from its specification: Thrift's
 * compact protocol, runs and packed bits, pages, metadata.
 */
#include "analyze/parquet/column.h"
#include "analyze/parquet/delta.h"
#include "analyze/parquet/hybrid.h"
#include "analyze/parquet/parquet_file.h"
#include "analyze/parquet/thrift.h"
#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <string.h>

static void check_bytes(struct pl_buf *b, const void *want, size_t n)
{
    ck_assert(!b->oom);
    ck_assert_uint_eq(b->len, n);
    ck_assert_mem_eq(b->p, want, n);
    pl_buf_release(b);
}

#define CHECK_BYTES(b, ...)                                                    \
    check_bytes(b, (const uint8_t[]){ __VA_ARGS__ },                           \
                sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* ---- Thrift -------------------------------------------------------------- */

START_TEST(fields_state_the_step_to_their_number)
{
    struct pl_buf b = { 0 };
    struct pl_thrift t = { .out = &b };

    pl_thrift_i32(&t, 1, 1);
    pl_thrift_i64(&t, 3, -1);
    pl_thrift_text(&t, 20, pl_text_of("ab")); /* 17 on: the number itself */
    pl_thrift_bool(&t, 21, true);
    pl_thrift_bool(&t, 22, false);
    pl_thrift_byte(&t, 23, 64);
    CHECK_BYTES(&b, 0x15, 0x02, 0x26, 0x01, 0x08, 0x28, 0x02, 'a', 'b', 0x11,
                0x12, 0x13, 0x40);
}
END_TEST

START_TEST(numbers_of_fields_begin_again_in_a_structure)
{
    struct pl_buf b = { 0 };
    struct pl_thrift t = { .out = &b };

    pl_thrift_i32(&t, 4, 0);
    pl_thrift_begin(&t, 5);
    pl_thrift_i32(&t, 1, 64);
    pl_thrift_end(&t);
    pl_thrift_i32(&t, 6, 0);
    pl_thrift_end(&t);
    CHECK_BYTES(&b, 0x45, 0x00, 0x1C, 0x15, 0x80, 0x01, 0x00, 0x15, 0x00, 0x00);
}
END_TEST

START_TEST(long_lists_state_their_length_apart)
{
    struct pl_buf b = { 0 };
    struct pl_thrift t = { .out = &b };

    pl_thrift_list(&t, 1, PL_THRIFT_I32, 14);
    pl_thrift_list(&t, 2, PL_THRIFT_BINARY, 15);
    pl_thrift_item(&t, -2);
    pl_thrift_item_text(&t, pl_text_of("x"));
    CHECK_BYTES(&b, 0x19, 0xE5, 0x19, 0xF8, 0x0F, 0x03, 0x01, 'x');
}
END_TEST

/* ---- runs and packed bits ------------------------------------------------ */

START_TEST(the_specifications_example_is_packed)
{
    static const uint32_t v[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    struct pl_buf b = { 0 };

    pl_hybrid_put(&b, v, 8, 3);
    CHECK_BYTES(&b, 0x03, 0x88, 0xC6, 0xFA);
}
END_TEST

START_TEST(runs_are_counted)
{
    uint32_t v[200];
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < 200; i++)
        v[i] = 0x105;
    pl_hybrid_put(&b, v, 200, 9);
    CHECK_BYTES(&b, 0x90, 0x03, 0x05, 0x01);
}
END_TEST

/* What is packed before a run is a number of complete groups. */
START_TEST(a_run_fills_the_group_before_it)
{
    uint32_t v[26] = { 0, 1, 0 };
    struct pl_buf b = { 0 };

    for (size_t i = 3; i < 24; i++)
        v[i] = 1;
    v[24] = 0;
    v[25] = 1;
    pl_hybrid_put(&b, v, 26, 1);
    CHECK_BYTES(&b, 0x03, 0xFA, 0x20, 0x01, 0x03, 0x02);
}
END_TEST

START_TEST(widths_hold_the_greatest_number)
{
    ck_assert_uint_eq(pl_hybrid_width(1), 1);
    ck_assert_uint_eq(pl_hybrid_width(2), 1);
    ck_assert_uint_eq(pl_hybrid_width(3), 2);
    ck_assert_uint_eq(pl_hybrid_width(256), 8);
    ck_assert_uint_eq(pl_hybrid_width(257), 9);
    ck_assert_uint_eq(pl_hybrid_width(UINT32_MAX), 32);
}
END_TEST

/* ---- differences --------------------------------------------------------- */

/* As in the specification, but with blocks of 128 and parts of 32. */
START_TEST(the_specifications_differences)
{
    static const uint64_t up[] = { 1, 2, 3, 4, 5 },
                          mixed[] = { 7, 5, 3, 1, 2, 3, 4, 5 }, one[] = { 3 };
    struct pl_buf b = { 0 };

    pl_delta_put(&b, up, 5);
    CHECK_BYTES(&b, 0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0);
    pl_delta_put(&b, mixed, 8);
    CHECK_BYTES(&b, 0x80, 0x01, 0x04, 0x08, 0x0E, 0x03, 2, 0, 0, 0, 0xC0, 0x3F,
                0, 0, 0, 0, 0, 0);
    pl_delta_put(&b, one, 1);
    CHECK_BYTES(&b, 0x80, 0x01, 0x04, 0x01, 0x06);
}
END_TEST

/* 1, then -2^63 - 1 + 2^64, of which the least is the second. */
START_TEST(differences_may_need_all_bits)
{
    static const uint64_t v[] = { 0, INT64_MAX, UINT64_MAX };
    uint8_t want[5 + 10 + 4 + 256] = { 0x80, 0x01, 0x04, 0x03, 0x00 };
    struct pl_buf b = { 0 };

    memset(want + 5, 0xFF, 9);
    want[14] = 0x01;
    want[15] = 64;
    memset(want + 19, 0xFF, 8);
    pl_delta_put(&b, v, 3);
    check_bytes(&b, want, sizeof want);
}
END_TEST

/* 130 values are 129 differences: a block, and one of the next. */
START_TEST(a_block_ends)
{
    uint64_t v[130];
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < 130; i++)
        v[i] = i < 129 ? 0 : 5;
    pl_delta_put(&b, v, 130);
    CHECK_BYTES(&b, 0x80, 0x01, 0x04, 0x82, 0x01, 0x00, 0x00, 0, 0, 0, 0, 0x0A,
                0, 0, 0, 0);
}
END_TEST

/* ---- pages --------------------------------------------------------------- */

START_TEST(few_values_make_a_dictionary)
{
    struct pl_parquet_column c = { .type = PL_PARQUET_COUNT };
    struct pl_parquet_pages p = { 0 };

    ck_assert(pl_parquet_put(&c, 0, 9) && pl_parquet_put(&c, 2, 5) &&
              pl_parquet_put(&c, 3, 9));
    ck_assert_int_eq(pl_parquet_encode(&c, 5, &p), PL_OK);
    ck_assert_uint_eq(p.nulls, 2);
    ck_assert_uint_eq(p.num_entries, 2);
    ck_assert(p.has_range);
    CHECK_BYTES(&p.dictionary, 9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0);
    /* levels 1 0 1 1 0, then width 1 and the numbers 0 1 0 */
    CHECK_BYTES(&p.data, 2, 0, 0, 0, 0x03, 0x0D, 0x01, 0x03, 0x02);
    CHECK_BYTES(&p.least, 5, 0, 0, 0, 0, 0, 0, 0);
    CHECK_BYTES(&p.greatest, 9, 0, 0, 0, 0, 0, 0, 0);
    ck_assert_uint_eq(c.num + c.rows, 0);
    pl_parquet_column_release(&c);
}
END_TEST

START_TEST(many_values_are_plain)
{
    struct pl_parquet_column c = { .type = PL_PARQUET_COUNT };
    struct pl_parquet_pages p = { 0 };
    uint64_t v[100];
    struct pl_buf want = { 0 };

    for (size_t i = 0; i < 100; i++) {
        v[i] = 206 + i;
        ck_assert(pl_parquet_put(&c, i, v[i]));
    }
    ck_assert_int_eq(pl_parquet_encode(&c, 100, &p), PL_OK);
    ck_assert_int_eq(p.encoding, PL_PARQUET_PLAIN);
    pl_buf_u32(&want, 3);
    pl_buf_bytes(&want, "\xC8\x01\x01", 3); /* 100 times 1 */
    for (size_t i = 0; i < 100; i++)
        pl_buf_u64(&want, v[i]);
    check_bytes(&p.data, want.p, want.len);
    CHECK_BYTES(&p.least, 206, 0, 0, 0, 0, 0, 0, 0);
    CHECK_BYTES(&p.greatest, 0x31, 0x01, 0, 0, 0, 0, 0, 0);
    pl_buf_release(&want);
    pl_parquet_column_release(&c);
}
END_TEST

/* Of 100 values 20 different ones: zstd alone makes less of them. */
START_TEST(a_dictionary_is_for_far_fewer_values)
{
    for (uint64_t num = 20; num <= 21; num++) {
        struct pl_parquet_column c = { .type = PL_PARQUET_COUNT };
        struct pl_parquet_pages p = { 0 };

        for (size_t i = 0; i < 100; i++)
            ck_assert(pl_parquet_put(&c, i, i % num));
        ck_assert_int_eq(pl_parquet_encode(&c, 100, &p), PL_OK);
        ck_assert_int_eq(p.encoding,
                         num == 20 ? PL_PARQUET_DICTIONARY : PL_PARQUET_PLAIN);
        pl_parquet_pages_release(&p);
        pl_parquet_column_release(&c);
    }
}
END_TEST

START_TEST(times_are_differences)
{
    struct pl_parquet_column c = { .type = PL_PARQUET_TIME };
    struct pl_parquet_pages p = { 0 };

    for (size_t i = 0; i < 3; i++)
        ck_assert(pl_parquet_put(&c, i, (uint64_t)-5 + i));
    ck_assert_int_eq(pl_parquet_encode(&c, 3, &p), PL_OK);
    ck_assert_int_eq(p.encoding, PL_PARQUET_DELTA);
    /* levels: 3 times 1; 128 in 4 parts, 3 values from -5 on, by 1 */
    CHECK_BYTES(&p.data, 2, 0, 0, 0, 0x06, 0x01, 0x80, 0x01, 0x04, 0x03, 0x09,
                0x02, 0, 0, 0, 0);
    CHECK_BYTES(&p.least, 0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF);
    CHECK_BYTES(&p.greatest, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF);
    pl_parquet_column_release(&c);
}
END_TEST

START_TEST(texts_are_numbered)
{
    struct pl_parquet_column c = { .type = PL_PARQUET_TEXT };
    struct pl_parquet_pages p = { 0 };

    ck_assert(pl_parquet_put_text(&c, 0, pl_text_of("bc"), SIZE_MAX));
    ck_assert(pl_parquet_put_text(&c, 1, pl_text_of("a"), 0));
    ck_assert(pl_parquet_put_text(&c, 3, pl_text_of("bc"), 0));
    ck_assert_int_eq(pl_parquet_encode(&c, 4, &p), PL_OK);
    ck_assert_uint_eq(p.nulls, 1);
    CHECK_BYTES(&p.dictionary, 2, 0, 0, 0, 'b', 'c', 1, 0, 0, 0, 'a');
    CHECK_BYTES(&p.data, 2, 0, 0, 0, 0x03, 0x0B, 0x01, 0x03, 0x02);
    CHECK_BYTES(&p.least, 'a');
    CHECK_BYTES(&p.greatest, 'b', 'c');
    pl_parquet_column_release(&c);
}
END_TEST

/* More texts than the first table of hashes has room for. */
START_TEST(many_texts_keep_their_numbers)
{
    struct pl_parquet_column c = { .type = PL_PARQUET_TEXT };

    for (size_t i = 0; i < 2000; i++) {
        char text[2] = { (char)('A' + i / 2 % 40), (char)('A' + i / 80) };

        ck_assert(pl_parquet_put_text(&c, i, (struct pl_text){ text, 2 },
                                      i ? i - 1 : SIZE_MAX));
        ck_assert_uint_eq(c.values[i], i / 2);
    }
    pl_parquet_column_release(&c);
    ck_assert_int_eq(c.type, PL_PARQUET_TEXT);
}
END_TEST

/* ---- files --------------------------------------------------------------- */

static enum pl_status append(void *ctx, const void *p, size_t n)
{
    struct pl_buf *b = ctx;

    pl_buf_bytes(b, p, n);
    return b->oom ? PL_NOMEM : PL_OK;
}

static const uint8_t *find(const uint8_t *p, size_t n, const uint8_t *what,
                           size_t len)
{
    for (; n >= len; p++, n--)
        if (!memcmp(p, what, len))
            return p;
    return NULL;
}

START_TEST(metadata_states_columns_and_ranges)
{
    static const uint8_t schema[] = {
        0x15, 0x04,                                          /* version 2 */
        0x19, 0x2C,                                          /* 2 elements */
        0x48, 0x07, 'p',  'e',  'r',  'f',  'l',  'o',  'g', /* the root */
        0x15, 0x02, 0x00,                                    /* 1 child */
        0x15, 0x04, 0x25, 0x02, 0x18, 0x01, 'n',             /* INT64 n */
        0x25, 0x1C,                                          /* UINT_64 */
        0x4C, 0xAC, 0x13, 0x40, 0x12, 0x00, 0x00, 0x00,      /* logical */
        0x16, 0x02,                                          /* 1 row */
    };
    static const uint8_t statistics[] = {
        0x1C, 0x36, 0x00,                            /* no nulls */
        0x28, 0x08, 7,    0, 0, 0, 0, 0, 0, 0,       /* max_value */
        0x18, 0x08, 7,    0, 0, 0, 0, 0, 0, 0, 0x00, /* min_value */
    };
    struct pl_buf b = { 0 };
    struct pl_parquet *f;
    const uint8_t *footer;
    uint32_t len;

    ck_assert_int_eq(pl_parquet_new(&f, append, &b), PL_OK);
    ck_assert_uint_eq(pl_parquet_add(f, pl_text_of("n"), PL_PARQUET_COUNT), 0);
    pl_parquet_count(f, 0, 7);
    ck_assert_int_eq(pl_parquet_end_row(f), PL_OK);
    ck_assert_uint_eq(pl_parquet_rows(f), 1);
    ck_assert_int_eq(pl_parquet_end(f), PL_OK);
    ck_assert_uint_eq(pl_parquet_groups(f), 1);
    pl_parquet_free(f);
    ck_assert_mem_eq(b.p, "PAR1", 4);
    ck_assert_mem_eq(b.p + b.len - 4, "PAR1", 4);
    memcpy(&len, b.p + b.len - 8, 4);
    len = (uint32_t)pl_stored(len, 4);
    footer = b.p + b.len - 8 - len;
    ck_assert_mem_eq(footer, schema, sizeof schema);
    ck_assert_ptr_nonnull(find(footer, len, statistics, sizeof statistics));
    pl_buf_release(&b);
}
END_TEST

static enum pl_status refuse(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
    return PL_IO;
}

START_TEST(a_failed_write_is_reported)
{
    struct pl_parquet *f;

    ck_assert_int_eq(pl_parquet_new(&f, refuse, NULL), PL_OK);
    pl_parquet_add(f, pl_text_of("n"), PL_PARQUET_DOUBLE);
    pl_parquet_double(f, 0, 1);
    ck_assert_int_eq(pl_parquet_end_row(f), PL_OK);
    ck_assert_int_eq(pl_parquet_flush(f), PL_IO);
    pl_parquet_free(f);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("parquet_bytes");

    tcase_add_test(t, fields_state_the_step_to_their_number);
    tcase_add_test(t, numbers_of_fields_begin_again_in_a_structure);
    tcase_add_test(t, long_lists_state_their_length_apart);
    tcase_add_test(t, the_specifications_example_is_packed);
    tcase_add_test(t, runs_are_counted);
    tcase_add_test(t, a_run_fills_the_group_before_it);
    tcase_add_test(t, widths_hold_the_greatest_number);
    tcase_add_test(t, the_specifications_differences);
    tcase_add_test(t, differences_may_need_all_bits);
    tcase_add_test(t, a_block_ends);
    tcase_add_test(t, few_values_make_a_dictionary);
    tcase_add_test(t, many_values_are_plain);
    tcase_add_test(t, a_dictionary_is_for_far_fewer_values);
    tcase_add_test(t, times_are_differences);
    tcase_add_test(t, texts_are_numbered);
    tcase_add_test(t, many_texts_keep_their_numbers);
    tcase_add_test(t, metadata_states_columns_and_ranges);
    tcase_add_test(t, a_failed_write_is_reported);
    return run_suite("parquet_bytes", (TCase *[]){ t, NULL });
}
