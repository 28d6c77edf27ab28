/* Reading untrusted bytes: nothing past the end, one sticky failure. */
#include "format/base/cursor.h"

#include "tests/support/support.h"

#include <stdlib.h>

START_TEST(a_take_past_the_end_fails_for_good)
{
    uint8_t *p = exact_copy("abcde", 5);
    struct pl_cur c = pl_cur_of(p, 5);

    ck_assert_ptr_eq(pl_cur_take(&c, 2), p);
    ck_assert_uint_eq(c.left, 3);
    ck_assert_ptr_null(pl_cur_take(&c, 4));
    ck_assert(c.bad);
    ck_assert_ptr_null(pl_cur_take(&c, 1)); /* there would be a byte */
    ck_assert_uint_eq(pl_cur_u8(&c), 0);
    free(p);
}
END_TEST

START_TEST(a_length_near_the_top_of_size_t_does_not_wrap)
{
    struct pl_cur c = pl_cur_of("abc", 3);

    pl_cur_take(&c, 1);
    ck_assert_ptr_null(pl_cur_take(&c, SIZE_MAX));
    ck_assert(c.bad);
}
END_TEST

START_TEST(everything_may_be_taken_and_then_nothing)
{
    struct pl_cur c = pl_cur_of("abc", 3);

    ck_assert_ptr_nonnull(pl_cur_take(&c, 3));
    ck_assert_ptr_nonnull(pl_cur_take(&c, 0));
    ck_assert(!c.bad);
    ck_assert_uint_eq(pl_cur_u8(&c), 0);
    ck_assert(c.bad);
}
END_TEST

START_TEST(a_child_sees_its_own_bytes_only)
{
    struct pl_cur c = pl_cur_of("abcde", 5);
    struct pl_cur child = pl_cur_sub(&c, 2);

    ck_assert_uint_eq(pl_cur_u8(&child), 'a');
    ck_assert_uint_eq(pl_cur_u16(&child), 0);
    ck_assert(child.bad);
    ck_assert(!c.bad);
    ck_assert_uint_eq(pl_cur_u8(&c), 'c');
}
END_TEST

START_TEST(a_child_longer_than_its_parent_is_bad_and_empty)
{
    struct pl_cur c = pl_cur_of("abc", 3);
    struct pl_cur child = pl_cur_sub(&c, 4);

    ck_assert(child.bad);
    ck_assert_uint_eq(child.left, 0);
    ck_assert_ptr_null(pl_cur_take(&child, 0));
    ck_assert(c.bad);
}
END_TEST

START_TEST(integers_are_little_endian_and_need_all_their_bytes)
{
    static const uint8_t bytes[] = { 0x81, 0x82, 0x83, 0x84,
                                     0x85, 0x86, 0x87, 0x88 };

    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *p = exact_copy(bytes, n);
        struct pl_cur a = pl_cur_of(p, n), b = a, c = a, d = a;

        ck_assert_uint_eq(pl_cur_u8(&a), n < 1 ? 0 : 0x81);
        ck_assert_uint_eq(pl_cur_u16(&b), n < 2 ? 0 : 0x8281);
        ck_assert_uint_eq(pl_cur_u32(&c), n < 4 ? 0 : 0x84838281);
        ck_assert_uint_eq(pl_cur_u64(&d),
                          n < 8 ? 0 : UINT64_C(0x8887868584838281));
        ck_assert(a.bad == (n < 1) && b.bad == (n < 2));
        ck_assert(c.bad == (n < 4) && d.bad == (n < 8));
        free(p);
    }
}
END_TEST

START_TEST(loads_and_stores_mirror_each_other)
{
    static const uint8_t bytes[] = { 0xF1, 0xE2, 0xD3, 0xC4,
                                     0xB5, 0xA6, 0x97, 0x88 };
    uint8_t out[8];

    ck_assert_uint_eq(pl_get_be16(bytes), 0xF1E2);
    ck_assert_uint_eq(pl_get_be32(bytes), 0xF1E2D3C4);
    ck_assert_uint_eq(pl_get_be64(bytes), UINT64_C(0xF1E2D3C4B5A69788));
    pl_put_le16(out, pl_get_le16(bytes));
    ck_assert_mem_eq(out, bytes, 2);
    pl_put_le32(out, pl_get_le32(bytes));
    ck_assert_mem_eq(out, bytes, 4);
    pl_put_le64(out, pl_get_le64(bytes));
    ck_assert_mem_eq(out, bytes, 8);
}
END_TEST

static const struct {
    const char *what;
    const char *bytes;
    size_t n;
    uint64_t want;
    bool bad;
} varints[] = {
    { "nothing", "", 0, 0, true },
    { "one byte", "\x7F", 1, 127, false },
    { "two bytes, low bits first", "\xAC\x02", 2, 300, false },
    { "cut", "\xAC", 1, 0, true },
    { "longer than needed", "\x81\x80\x00", 3, 1, false },
    { "all 64 bits", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10, UINT64_MAX,
      false },
    { "bit 63 alone", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10,
      UINT64_C(1) << 63, false },
    { "a 65th bit", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, 0, true },
    { "eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, 0,
      true },
    { "cut at nine", "\x80\x80\x80\x80\x80\x80\x80\x80\x80", 9, 0, true },
};

START_TEST(a_varint)
{
    uint8_t *p = exact_copy(varints[_i].bytes, varints[_i].n);
    struct pl_cur c = pl_cur_of(p, varints[_i].n);

    ck_assert_msg(pl_cur_varint(&c) == varints[_i].want, "%s",
                  varints[_i].what);
    ck_assert_msg(c.bad == varints[_i].bad, "%s", varints[_i].what);
    ck_assert_msg(c.bad || !c.left, "%s", varints[_i].what);
    free(p);
}
END_TEST

/* Of every length, and with up to 8 bytes behind it. */
START_TEST(a_varint_ends_where_it_ends)
{
    for (size_t len = 1; len <= 10; len++)
        for (size_t behind = 0; behind <= 8; behind++) {
            unsigned last = len < 10 ? (unsigned)len : 1;
            uint64_t want = (uint64_t)last << 7 * (len - 1);
            uint8_t bytes[18], *p;
            struct pl_cur c;

            memset(bytes, 0xFF, sizeof bytes);
            for (size_t i = 0; i + 1 < len; i++) {
                bytes[i] = (uint8_t)(0x80 | (i * 37 & 0x7F));
                want |= (uint64_t)(i * 37 & 0x7F) << 7 * i;
            }
            bytes[len - 1] = (uint8_t)last;
            p = exact_copy(bytes, len + behind);
            c = pl_cur_of(p, len + behind);
            ck_assert_uint_eq(pl_cur_varint(&c), want);
            ck_assert(!c.bad);
            ck_assert_uint_eq(c.left, behind);
            ck_assert_ptr_eq(c.p, p + len);
            free(p);
        }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("cursor");

    tcase_add_test(t, a_take_past_the_end_fails_for_good);
    tcase_add_test(t, a_length_near_the_top_of_size_t_does_not_wrap);
    tcase_add_test(t, everything_may_be_taken_and_then_nothing);
    tcase_add_test(t, a_child_sees_its_own_bytes_only);
    tcase_add_test(t, a_child_longer_than_its_parent_is_bad_and_empty);
    tcase_add_test(t, integers_are_little_endian_and_need_all_their_bytes);
    tcase_add_test(t, loads_and_stores_mirror_each_other);
    tcase_add_test(t, a_varint_ends_where_it_ends);
    tcase_add_loop_test(t, a_varint, 0, sizeof varints / sizeof *varints);
    return run_suite("cursor", (TCase *[]){ t, NULL });
}
