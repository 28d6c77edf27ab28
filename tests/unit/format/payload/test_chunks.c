/* When a chunk is over, what is known of it then, and what an index will list. */
#include "format/payload/chunk_index.h"

#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <stdio.h>

#define SECOND PL_NS_PER_SEC

/* A chunk with one sample, at 100 s by wall clock and at 50 s since boot. */
static struct pl_chunk_index begun(void)
{
    struct pl_chunk_index c = { .bytes = 1 << 30 }; /* of the chunk before */

    pl_chunk_index_begin(&c, 100 * SECOND, 50 * SECOND, 7, 1000, 500);
    pl_chunk_index_extend(&c, 100 * SECOND, 600);
    return c;
}

START_TEST(a_chunk_tells_where_it_began)
{
    struct pl_chunk_index c = begun();

    ck_assert_uint_eq(c.now.offset, 1000);
    ck_assert_uint_eq(c.now.key_seq, 7);
    ck_assert_uint_eq(c.now.boot_first, 50 * SECOND);
    ck_assert_uint_eq(c.key_len, 500);
    ck_assert_uint_eq(c.now.samples, 1);
    ck_assert_uint_eq(c.bytes, 600);
}
END_TEST

START_TEST(its_times_are_the_earliest_and_the_latest)
{
    struct pl_chunk_index c = begun();

    pl_chunk_index_extend(&c, 103 * SECOND, 1);
    pl_chunk_index_extend(&c, 98 * SECOND, 1); /* the clock was set back */
    pl_chunk_index_extend(&c, 101 * SECOND, 1);
    ck_assert_int_eq(c.now.utc_first, 98 * SECOND);
    ck_assert_int_eq(c.now.utc_last, 103 * SECOND);
}
END_TEST

START_TEST(it_is_over_after_so_many_samples_bytes_and_minutes)
{
    struct pl_chunk_index c = { 0 };

    ck_assert(pl_chunk_index_is_over(&c, 0)); /* none has begun */
    c = begun();
    for (int i = 2; i <= 60; i++) {
        ck_assert(!pl_chunk_index_is_over(&c, 50 * SECOND));
        pl_chunk_index_extend(&c, 100 * SECOND, 1);
    }
    ck_assert(pl_chunk_index_is_over(&c, 50 * SECOND));
    c = begun();
    pl_chunk_index_extend(&c, 100 * SECOND, (8 << 20) - 601);
    ck_assert(!pl_chunk_index_is_over(&c, 50 * SECOND));
    pl_chunk_index_extend(&c, 100 * SECOND, 1);
    ck_assert(pl_chunk_index_is_over(&c, 50 * SECOND));
    c = begun();
    ck_assert(!pl_chunk_index_is_over(&c, 350 * SECOND - 1));
    ck_assert(pl_chunk_index_is_over(&c, 350 * SECOND));
    ck_assert(
        !pl_chunk_index_is_over(&c, 0)); /* a copy's boots are of any order */
}
END_TEST

START_TEST(an_index_lists_each_once_and_then_no_more)
{
    struct pl_chunk_index c = begun();

    pl_chunk_index_finish(&c);
    pl_chunk_index_finish(&c); /* there is none that could end */
    ck_assert_uint_eq(c.num_done, 1);
    ck_assert_uint_eq(c.done[0].offset, 1000);
    ck_assert_uint_eq(c.done[0].samples, 1);
    pl_chunk_index_indexed(&c, 4711);
    ck_assert_uint_eq(c.num_done, 0);
    ck_assert_uint_eq(c.last_index, 4711);
}
END_TEST

START_TEST(where_no_index_can_be_written_the_last_one_widens)
{
    struct pl_chunk_index c = { 0 };
    const struct pl_chunk *last = &c.done[PL_INDEX_CHUNKS - 1];

    for (uint32_t i = 0; i < PL_INDEX_CHUNKS; i++) {
        pl_chunk_index_begin(&c, 1000 * SECOND, 0, i, i, 1);
        pl_chunk_index_extend(&c, 1000 * SECOND, 1);
        pl_chunk_index_finish(&c);
    }
    pl_chunk_index_begin(&c, 900 * SECOND, 0, 99, 99, 1);
    pl_chunk_index_extend(&c, 900 * SECOND, 1);
    pl_chunk_index_extend(&c, 2000 * SECOND, 1);
    pl_chunk_index_finish(&c);
    ck_assert_uint_eq(c.num_done, PL_INDEX_CHUNKS);
    ck_assert_uint_eq(last->offset, PL_INDEX_CHUNKS - 1);
    ck_assert_uint_eq(last->samples, 3);
    ck_assert_int_eq(last->utc_first, 900 * SECOND);
    ck_assert_int_eq(last->utc_last, 2000 * SECOND);
    pl_chunk_index_begin(&c, 1500 * SECOND, 0, 100, 100, 1); /* within */
    pl_chunk_index_extend(&c, 1500 * SECOND, 1);
    pl_chunk_index_finish(&c);
    ck_assert_int_eq(last->utc_first, 900 * SECOND);
    ck_assert_int_eq(last->utc_last, 2000 * SECOND);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("chunks");

    tcase_add_test(t, a_chunk_tells_where_it_began);
    tcase_add_test(t, its_times_are_the_earliest_and_the_latest);
    tcase_add_test(t, it_is_over_after_so_many_samples_bytes_and_minutes);
    tcase_add_test(t, an_index_lists_each_once_and_then_no_more);
    tcase_add_test(t, where_no_index_can_be_written_the_last_one_widens);
    return run_suite("chunks", (TCase *[]){ t, NULL });
}
