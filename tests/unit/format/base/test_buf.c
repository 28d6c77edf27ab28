/* Growing output: contents survive growth, lack of memory is remembered. */
#include "format/base/buf.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* Lets a request no machine can meet return NULL under AddressSanitizer. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(what_was_put_survives_growth)
{
    struct pl_buf b = { 0 };

    for (uint32_t i = 0; i < 10000; i++)
        pl_buf_u32(&b, i * 2654435761u);
    ck_assert_uint_eq(b.len, 40000);
    ck_assert(!b.oom);
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(pl_get_le32(b.p + 4 * i), i * 2654435761u);
    pl_buf_release(&b);
    ck_assert_ptr_null(b.p);
    ck_assert_uint_eq(b.len + b.cap, 0);
}
END_TEST

START_TEST(integers_are_stored_little_endian)
{
    static const uint8_t want[] = { 0x01, 0x02, 0x03, 0x04, 0x05,
                                    0x06, 0x07, 0x08, 0x09, 0x0A,
                                    0x0B, 0x0C, 0x0D, 0x0E, 0x0F };
    struct pl_buf b = { 0 };

    pl_buf_u8(&b, 0x01);
    pl_buf_u16(&b, 0x0302);
    pl_buf_u32(&b, 0x07060504);
    pl_buf_u64(&b, UINT64_C(0x0F0E0D0C0B0A0908));
    ck_assert_uint_eq(b.len, sizeof want);
    ck_assert_mem_eq(b.p, want, sizeof want);
    pl_buf_release(&b);
}
END_TEST

START_TEST(varints_are_as_short_as_can_be_and_read_back)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        for (uint64_t minus = 0; minus < 2; minus++) {
            uint64_t v = (UINT64_C(1) << bit) - minus;
            size_t want = 1;
            struct pl_buf b = { 0 };
            struct pl_cur c;

            for (uint64_t rest = v >> 7; rest; rest >>= 7)
                want++;
            pl_buf_varint(&b, v);
            ck_assert_uint_eq(b.len, want);
            c = pl_cur_of(b.p, b.len);
            ck_assert_uint_eq(pl_cur_varint(&c), v);
            ck_assert(!c.bad && !c.left);
            pl_buf_release(&b);
        }
    }
}
END_TEST

START_TEST(room_is_not_counted_until_somebody_uses_it)
{
    struct pl_buf b = { 0 };
    uint8_t *p;

    pl_buf_bytes(&b, "ab", 2);
    p = pl_buf_room(&b, 1000);
    ck_assert_ptr_eq(p, b.p + 2);
    memset(p, 'x', 1000); /* a short room shows under AddressSanitizer */
    ck_assert_uint_eq(b.len, 2);
    ck_assert_uint_ge(b.cap, 1002);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_room_at_all_is_room_too)
{
    struct pl_buf b = { 0 };

    ck_assert_ptr_nonnull(pl_buf_room(&b, 0)); /* NULL would mean oom */
    ck_assert(!b.oom);
    ck_assert_uint_eq(b.len, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(zeros_overwrite_what_lay_there_before)
{
    struct pl_buf b = { 0 };

    pl_buf_bytes(&b, "abcdefgh", 8);
    pl_buf_clear(&b);
    ck_assert_ptr_eq(pl_buf_zeros(&b, 4), b.p);
    ck_assert_uint_eq(b.len, 4);
    ck_assert_mem_eq(b.p, "\0\0\0\0", 4);
    pl_buf_release(&b);
}
END_TEST

START_TEST(align_pads_with_zeros_from_the_buffers_start)
{
    for (size_t n = 0; n <= 16; n++) {
        struct pl_buf b = { 0 };
        size_t want = (n + 7) / 8 * 8;

        pl_buf_bytes(&b, "xxxxxxxxxxxxxxxx", n);
        pl_buf_align(&b, 8);
        ck_assert_uint_eq(b.len, want);
        for (size_t i = n; i < want; i++)
            ck_assert_uint_eq(b.p[i], 0);
        pl_buf_release(&b);
    }
}
END_TEST

START_TEST(a_length_that_is_filled_in_later_counts_itself)
{
    struct pl_buf b = { 0 };
    size_t outer, inner;

    pl_buf_u8(&b, 9);
    outer = pl_buf_open(&b);
    inner = pl_buf_open(&b);
    pl_buf_u16(&b, 0xFFFF);
    pl_buf_close(&b, inner);
    pl_buf_close(&b, outer);
    ck_assert_uint_eq(b.len, 11);
    ck_assert_uint_eq(pl_get_le32(b.p + 1), 10);
    ck_assert_uint_eq(pl_get_le32(b.p + 5), 6);
    pl_buf_release(&b);
}
END_TEST

START_TEST(stored_numbers_can_be_replaced)
{
    struct pl_buf b = { 0 };

    pl_buf_bytes(&b, "abcdefghijklmnop", 16);
    pl_buf_set_u32(&b, 1, 0x34333231);
    pl_buf_set_u64(&b, 8, UINT64_C(0x3837363534333231));
    ck_assert_mem_eq(b.p, "a1234fgh12345678", 16);
    pl_buf_release(&b);
}
END_TEST

/* First refused by arithmetic, then by the allocator. */
static const size_t too_much[] = { SIZE_MAX, SIZE_MAX / 4, SIZE_MAX / 8 };

START_TEST(without_memory_nothing_more_is_stored)
{
    struct pl_buf b = { 0 };

    pl_buf_bytes(&b, "abc", 3);
    ck_assert_ptr_null(pl_buf_room(&b, too_much[_i]));
    ck_assert(b.oom);
    pl_buf_u64(&b, 1);
    pl_buf_align(&b, 8);
    pl_buf_set_u32(&b, 0, 1);
    pl_buf_set_u64(&b, 1 << 20, 1); /* a place that never came to be */
    pl_buf_close(&b, pl_buf_open(&b));
    ck_assert_ptr_null(pl_buf_zeros(&b, 1));
    ck_assert_uint_eq(b.len, 3);
    ck_assert_mem_eq(b.p, "abc", 3);
    pl_buf_release(&b);
}
END_TEST

START_TEST(clearing_forgets_the_failure_and_keeps_the_memory)
{
    struct pl_buf b = { 0 };
    size_t cap;

    pl_buf_zeros(&b, 1000);
    cap = b.cap;
    pl_buf_room(&b, SIZE_MAX);
    pl_buf_clear(&b);
    ck_assert(!b.oom);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_uint_eq(b.cap, cap);
    ck_assert_ptr_nonnull(pl_buf_zeros(&b, cap));
    ck_assert_uint_eq(b.cap, cap); /* no second allocation */
    pl_buf_release(&b);
}
END_TEST

START_TEST(two_buffers_change_places)
{
    struct pl_buf a = { 0 }, b = { 0 };

    pl_buf_bytes(&a, "left", 4);
    pl_buf_swap(&a, &b);
    ck_assert_uint_eq(a.len, 0);
    ck_assert_uint_eq(b.len, 4);
    ck_assert_mem_eq(b.p, "left", 4);
    pl_buf_release(&a);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("buf");

    tcase_add_test(t, what_was_put_survives_growth);
    tcase_add_test(t, integers_are_stored_little_endian);
    tcase_add_test(t, varints_are_as_short_as_can_be_and_read_back);
    tcase_add_test(t, room_is_not_counted_until_somebody_uses_it);
    tcase_add_test(t, no_room_at_all_is_room_too);
    tcase_add_test(t, zeros_overwrite_what_lay_there_before);
    tcase_add_test(t, align_pads_with_zeros_from_the_buffers_start);
    tcase_add_test(t, a_length_that_is_filled_in_later_counts_itself);
    tcase_add_test(t, stored_numbers_can_be_replaced);
    tcase_add_loop_test(t, without_memory_nothing_more_is_stored, 0,
                        sizeof too_much / sizeof *too_much);
    tcase_add_test(t, clearing_forgets_the_failure_and_keeps_the_memory);
    tcase_add_test(t, two_buffers_change_places);
    return run_suite("buf", (TCase *[]){ t, NULL });
}
