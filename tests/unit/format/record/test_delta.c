/* The token codec: every pair of blocks comes back, every stream that does
 * not add up is refused, nothing is read or written outside. */
#include "format/base/cursor.h"
#include "tests/support/deltas.h"
#include "tests/support/support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { WORD = 8 };

static uint64_t seed;

static uint64_t random64(void)
{
    seed ^= seed << 13; /* xorshift: the same sequence on every machine */
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- round trips --------------------------------------------------------- */

static void put_random(struct pl_buf *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        pl_buf_u64(b, random64() >> random64() % 64);
}

START_TEST(random_blocks_come_back)
{
    struct pl_plan plan = { 0 };

    seed = 0x9E3779B97F4A7C15;
    for (int round = 0; round < 3000; round++) {
        struct pl_buf ref = { 0 }, raw = { 0 };

        put_random(&ref, random64() % 40);
        put_random(&raw, random64() % 40);
        for (size_t i = 0; i + WORD <= raw.len && i + WORD <= ref.len;
             i += WORD) /* most words stay, or nearly */
            if (random64() % 4)
                pl_buf_set_u64(&raw, i,
                               pl_get_le64(ref.p + i) + random64() % 3);
        pl_buf_bytes(&ref, "odd end", random64() % WORD);
        check_round_trip(&plan, &ref, &raw);
        pl_buf_release(&ref);
        pl_buf_release(&raw);
    }
    pl_plan_release(&plan);
}
END_TEST

START_TEST(damaged_blocks_come_back_too)
{
    static const struct thing things[] = {
        { 2, NULL }, { 4, "abcdef" }, { 6, "x" }, { 0, NULL }
    };
    struct pl_plan plan = { 0 };

    seed = 42;
    for (int round = 0; round < 3000; round++) {
        struct pl_buf ref = { 0 }, raw = { 0 };

        put_things(&ref, things, 7);
        put_things(&raw, things, 9);
        for (uint64_t n = random64() % 4; n; n--)
            ref.p[random64() % ref.len] ^= (uint8_t)random64();
        for (uint64_t n = random64() % 4; n; n--)
            raw.p[random64() % raw.len] ^= (uint8_t)random64();
        raw.len -= random64() % 9 * WORD;
        ref.len -= random64() % 9;
        check_round_trip(&plan, &ref, &raw);
        pl_buf_release(&ref);
        pl_buf_release(&raw);
    }
    pl_plan_release(&plan);
}
END_TEST

/* Words whose differences are the longest and shortest there are. */
START_TEST(extreme_differences_come_back)
{
    static const uint64_t values[] = {
        0,  1,  UINT64_MAX,      UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1,
        63, 64, UINT64_MAX - 63, UINT64_MAX - 64,
    };
    struct pl_buf ref = { 0 }, raw = { 0 };
    struct pl_plan plan = { 0 };

    for (size_t i = 0; i < NUM(values); i++)
        for (size_t k = 0; k < NUM(values); k++) {
            pl_buf_u64(&ref, values[i]);
            pl_buf_u64(&raw, values[k]);
        }
    check_round_trip(&plan, &ref, &raw);
    check_round_trip(&plan, &raw, &ref);
    pl_plan_release(&plan);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(encoding_appends)
{
    struct pl_delta_copy one = { 1, 1 };
    struct pl_plan plan = { .copies = &one, .num = 1, .cap = 1 };
    struct pl_buf out = { 0 };

    pl_buf_u8(&out, 'x');
    ck_assert(pl_delta_encode(&out, &plan, (const uint8_t *)"12345678",
                              (const uint8_t *)"12345678", 5));
    ck_assert_uint_eq(out.len, 6);
    ck_assert_mem_eq(out.p, "x\1\1\1\1\0", 6);
    pl_buf_release(&out);
}
END_TEST

/* Every bound: the stream as it is without one, or nothing. */
START_TEST(a_stream_is_not_longer_than_it_may_be)
{
    struct pl_delta_copy copies[] = { { 0, 2 }, { 1, 3 }, { 0, 1 } };
    struct pl_plan plan = { .copies = copies, .num = 3, .cap = 3 };
    struct pl_buf whole = { 0 }, out = { 0 };
    uint8_t ref[24] = { 0 }, raw[48];

    memset(raw, 0xA5, sizeof raw);
    ck_assert(pl_delta_encode(&whole, &plan, ref, raw, SIZE_MAX));
    for (size_t most = 0; most <= whole.len; most++) {
        pl_buf_clear(&out);
        ck_assert(pl_delta_encode(&out, &plan, ref, raw, most) ==
                  (most == whole.len));
        ck_assert_uint_eq(out.len, most == whole.len ? whole.len : 0);
    }
    ck_assert_mem_eq(out.p, whole.p, whole.len);
    pl_buf_release(&whole);
    pl_buf_release(&out);
}
END_TEST

/* ---- streams ------------------------------------------------------------- */

#define MAX64 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
#define HALF64 "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01" /* 2^63 */
#define WRAP61 "\x81\x80\x80\x80\x80\x80\x80\x80\x20"     /* 2^61 + 1 */

/* Against the reference 5, 6, 7, 8 (and 4 loose bytes). */
static const struct {
    const char *what;
    const char *tokens;
    size_t n, words;
    bool good;
} streams[] = {
    { "nothing for nothing", "\0", 1, 0, true },
    { "no stream at all", "", 0, 0, false },
    { "nothing for something", "\0", 1, 1, false },
    { "two words, one changed by +3", "\1\1\2\1\1\6", 6, 2, true },
    { "the same, something left", "\1\1\2\1\1\6\0", 7, 2, false },
    { "changed by -1", "\1\3\1\0\1\1", 6, 1, true },
    { "a literal",
      "\1\0\1"
      "abcdefgh",
      11, 1, true },
    { "a literal cut",
      "\1\0\1"
      "abcdefg",
      10, 1, false },
    { "literal, then predicted",
      "\2\0\1\4\1"
      "abcdefgh"
      "\1\0",
      15, 2, true },
    { "fewer words than raw_len", "\1\1\1\1\0", 5, 2, false },
    { "more words than raw_len", "\1\1\2\2\0", 5, 1, false },
    { "more in the second copy", "\2\1\1\1\2\1\0\2\0", 9, 2, false },
    { "the last word of the reference", "\1\4\1\1\0", 5, 1, true },
    { "one word behind", "\1\5\1\1\0", 5, 1, false },
    { "two words, one behind", "\1\4\2\2\0", 5, 2, false },
    { "five of four words", "\1\1\5\5\0", 5, 5, false },
    { "an empty copy", "\2\1\0\1\1\1\0", 7, 1, false },
    { "an empty literal", "\2\0\0\1\1\1\0", 7, 1, false },
    { "a source that wraps", "\1" MAX64 "\1\1\0", 14, 1, false },
    { "a length that wraps", "\1\1" MAX64 "\1\0", 14, 1, false },
    { "a length that wraps in bytes", "\1\1" WRAP61 "\1\0", 13, 1, false },
    { "a literal that wraps in bytes", "\1\0" WRAP61 "abcdefgh", 19, 1, false },
    { "source and length of 2^63", "\1" HALF64 HALF64 "\1\0", 23, 1, false },
    { "copies beyond the cap", "\x81\x80\x10", 3, 1, false },
    { "2^64 - 1 copies", MAX64, 10, 1, false },
    { "a number of copies that is cut", "\x80", 1, 1, false },
    { "copies that are not there", "\x80\x80\x10", 3, 1, false },
    { "the list is cut", "\2\1\1\2", 4, 2, false },
    { "equal beyond the copy", "\1\1\2\3\0", 5, 2, false },
    { "differing beyond the copy", "\1\1\2\1\2\2\2", 7, 2, false },
    { "equal and differing that wrap", "\1\1\2\1" MAX64, 14, 2, false },
    { "equal that wraps", "\1\1\2" MAX64 "\3\2\2\2", 17, 2, false },
    { "a pair of zeros", "\1\1\1\0\0\1\0", 7, 1, false },
    { "a difference that is missing", "\1\1\1\0\1", 5, 1, false },
    { "a difference that is cut", "\1\1\1\0\1\x80", 6, 1, false },
    { "a difference of 65 bits",
      "\1\1\1\0\1\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
      "\xFF\xFF\x02",
      15, 1, false },
    { "no second pair", "\1\1\2\1\0", 5, 2, false },
    { "long forms of numbers", "\x81\0\x81\0\x81\0\x81\0\x80\0", 10, 1, true },
};

START_TEST(a_stream)
{
    struct pl_buf tokens = { 0 }, ref = { 0 };
    uint8_t *raw = malloc(streams[_i].words * WORD + 1);
    enum pl_status s;

    for (uint64_t v = 5; v < 9; v++)
        pl_buf_u64(&ref, v);
    pl_buf_u32(&ref, 9);
    pl_buf_bytes(&tokens, streams[_i].tokens, streams[_i].n);
    s = decode_tokens(&tokens, &ref, streams[_i].words * WORD, raw);
    ck_assert_msg(s == (streams[_i].good ? PL_OK : PL_CORRUPT), "%s",
                  streams[_i].what);
    free(raw);
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
}
END_TEST

START_TEST(streams_say_what_they_should)
{
    static const uint64_t ref[] = { 5, 6, 7, 8 };
    uint8_t bytes[32], raw[16];

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(bytes + WORD * i, ref[i]);
    ck_assert_int_eq(
        pl_delta_decode((const uint8_t *)"\1\1\2\1\1\6", 6, bytes, 32, raw, 16),
        PL_OK);
    ck_assert_uint_eq(pl_get_le64(raw), 5);
    ck_assert_uint_eq(pl_get_le64(raw + 8), 9);
    ck_assert_int_eq(pl_delta_decode((const uint8_t *)"\1\3\2\0\2\1\2", 7,
                                     bytes, 32, raw, 16),
                     PL_OK);
    ck_assert_uint_eq(pl_get_le64(raw), 6);
    ck_assert_uint_eq(pl_get_le64(raw + 8), 9);
}
END_TEST

START_TEST(the_documented_stream_is_one)
{
    static const char tokens[] = "\2\0\1\2\3"
                                 "abcdefgh"
                                 "\1\2\6\1";
    static const uint64_t want[] = { 0x6867666564636261, 6, 10, 7 };
    uint8_t ref[32], raw[32];

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(ref + WORD * i, 5 + i);
    ck_assert_int_eq(pl_delta_decode((const uint8_t *)tokens, sizeof tokens - 1,
                                     ref, sizeof ref, raw, sizeof raw),
                     PL_OK);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(pl_get_le64(raw + WORD * i), want[i]);
}
END_TEST

START_TEST(a_length_that_is_no_multiple_of_8_is_refused)
{
    uint8_t raw[9];

    ck_assert_int_eq(pl_delta_decode((const uint8_t *)"\1\1\1\1\0", 5,
                                     (const uint8_t *)"12345678", 8, raw, 9),
                     PL_CORRUPT);
}
END_TEST

/* The stream of a pair with all kinds of copies in it. */
static void make_stream(struct pl_buf *tokens, struct pl_buf *ref,
                        struct pl_buf *raw)
{
    static const struct thing then[] = { { 2, NULL },
                                         { 4, "abc" },
                                         { 0, NULL } };
    static const struct thing now[] = { { 2, NULL },
                                        { 4, "xbcy" },
                                        { 0, NULL } };
    struct pl_plan plan = { 0 };

    put_things(ref, then, 1000);
    put_things(raw, now, 100000);
    ck_assert_int_eq(pl_delta_plan(&plan, ref->p, ref->len, raw->p, raw->len),
                     PL_OK);
    ck_assert(pl_delta_encode(tokens, &plan, ref->p, raw->p, SIZE_MAX));
    pl_plan_release(&plan);
}

START_TEST(no_prefix_of_a_stream_is_a_stream)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };
    size_t whole;

    make_stream(&tokens, &ref, &raw);
    whole = tokens.len;
    for (tokens.len = 0; tokens.len < whole; tokens.len++) {
        uint8_t *out = malloc(raw.len);

        ck_assert_int_eq(decode_tokens(&tokens, &ref, raw.len, out),
                         PL_CORRUPT);
        free(out);
    }
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(no_flipped_bit_reaches_outside)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };
    size_t refused = 0;

    make_stream(&tokens, &ref, &raw);
    for (size_t bit = 0; bit < 8 * tokens.len; bit++) {
        uint8_t *out = malloc(raw.len);
        enum pl_status s;

        tokens.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        s = decode_tokens(&tokens, &ref, raw.len, out);
        ck_assert(s == PL_OK || s == PL_CORRUPT);
        refused += s != PL_OK;
        tokens.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        free(out);
    }
    ck_assert_uint_gt(refused, 0);
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(no_stream_fits_another_length_or_a_shorter_reference)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };

    make_stream(&tokens, &ref, &raw);
    for (size_t n = 0; n < raw.len + 64; n += WORD) {
        uint8_t *out = malloc(n + 1);

        ck_assert_int_eq(decode_tokens(&tokens, &ref, n, out),
                         n == raw.len ? PL_OK : PL_CORRUPT);
        free(out);
    }
    while (--ref.len) {
        uint8_t *out = malloc(raw.len);
        enum pl_status s = decode_tokens(&tokens, &ref, raw.len, out);

        /* The last instance is still there, so its last word is used. */
        ck_assert_int_eq(s, PL_CORRUPT);
        free(out);
    }
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(random_streams_reach_nowhere)
{
    struct pl_buf ref = { 0 };

    seed = 1;
    put_random(&ref, 20);
    for (int round = 0; round < 20000; round++) {
        struct pl_buf tokens = { 0 };
        size_t n = random64() % 16 * WORD;
        uint8_t *out = malloc(n + 1);

        for (uint64_t k = random64() % 40; k; k--) /* mostly small numbers */
            pl_buf_u8(&tokens, (uint8_t)(random64() >> random64() % 8 * 8 &
                                         (random64() % 8 ? 7 : 0xFF)));
        decode_tokens(&tokens, &ref, n, out);
        free(out);
        pl_buf_release(&tokens);
    }
    pl_buf_release(&ref);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("delta");

    tcase_add_test(t, random_blocks_come_back);
    tcase_add_test(t, damaged_blocks_come_back_too);
    tcase_add_test(t, extreme_differences_come_back);
    tcase_add_test(t, encoding_appends);
    tcase_add_test(t, a_stream_is_not_longer_than_it_may_be);
    tcase_add_loop_test(t, a_stream, 0, NUM(streams));
    tcase_add_test(t, streams_say_what_they_should);
    tcase_add_test(t, the_documented_stream_is_one);
    tcase_add_test(t, a_length_that_is_no_multiple_of_8_is_refused);
    tcase_add_test(t, no_prefix_of_a_stream_is_a_stream);
    tcase_add_test(t, no_flipped_bit_reaches_outside);
    tcase_add_test(t, no_stream_fits_another_length_or_a_shorter_reference);
    tcase_add_test(t, random_streams_reach_nowhere);
    return run_suite("delta", (TCase *[]){ t, NULL });
}
