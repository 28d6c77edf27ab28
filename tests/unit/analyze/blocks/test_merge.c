/* Blocks of one instant become one, with what does not fit left out. */
#include "analyze/blocks/block_merge.h"

#include "format/base/cursor.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* One object without counters that is called 'title', in a block of its own. */
static void one_object(struct pl_buf *out, uint32_t title)
{
    struct pl_block_stamp stamp = { .perf_freq = 1 };
    struct pl_object o = { .title_index = title };
    size_t block, object;

    pl_buf_clear(out);
    block = pl_put_block(out, &stamp, NULL, 0);
    object = pl_put_object(out, &o);
    pl_put_definitions_close(out, object, 0);
    pl_put_object_close(out, object, 0);
    pl_put_block_close(out, block, 1, 0);
    ck_assert(!out->oom);
}

static void add(struct pl_block_merge *m, const struct pl_buf *bytes)
{
    struct pl_block b;

    ck_assert_int_eq(pl_block_parse(&b, bytes->p, bytes->len), PL_OK);
    pl_block_merge_add(m, b);
}

/* The titles of what came out, which must be a block that adds up. */
static uint32_t titles(const struct pl_block_merge *m, uint32_t *out)
{
    struct pl_block b;
    struct pl_object o;
    uint32_t n = 0;
    enum pl_status s;

    ck_assert_int_eq(pl_block_parse(&b, m->out.p, m->out.len), PL_OK);
    ck_assert_uint_eq(b.total_len, m->out.len);
    while (!(s = pl_object_next(&b, &o)))
        out[n++] = o.title_index;
    ck_assert_int_eq(s, PL_END);
    ck_assert_uint_eq(b.num_objects, n);
    return n;
}

START_TEST(a_single_block_stays_as_it_is)
{
    struct pl_block_merge *m = calloc(1, sizeof *m);
    struct pl_buf bytes = { 0 };

    for (unsigned step = 0; step < 3; step++) {
        made_block(&bytes, step);
        add(m, &bytes);
        ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
        ck_assert_uint_eq(m->out.len, bytes.len);
        ck_assert_int_eq(memcmp(m->out.p, bytes.p, bytes.len), 0);
    }
    ck_assert_uint_eq(m->num_twice + m->num_malformed + m->num_too_many, 0);
    pl_buf_release(&bytes);
    pl_block_merge_release(m);
    free(m);
}
END_TEST

START_TEST(objects_of_several_are_one_after_the_other_each_once)
{
    struct pl_block_merge *m = calloc(1, sizeof *m);
    struct pl_buf bytes = { 0 };
    uint32_t found[16];

    for (int round = 0; round < 2; round++) {
        static const uint32_t given[] = { 10, 20, 10, 30 };

        for (int i = 0; i < 4; i++) {
            one_object(&bytes, given[i]);
            if (round)
                block_to_big_endian(&bytes);
            add(m, &bytes);
        }
        ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
        ck_assert_uint_eq(titles(m, found), 3);
        ck_assert(found[0] == 10 && found[1] == 20 && found[2] == 30);
        ck_assert_uint_eq(m->num_twice, (uint64_t)round + 1);
    }
    pl_buf_release(&bytes);
    pl_block_merge_release(m);
    free(m);
}
END_TEST

START_TEST(a_block_that_is_cut_gives_what_is_whole)
{
    struct pl_block_merge *m = calloc(1, sizeof *m);
    struct pl_buf bytes = { 0 };
    uint32_t found[16];
    struct pl_object o;
    struct pl_block b;
    size_t first_end;

    made_block(&bytes, 0);
    ck_assert_int_eq(pl_block_parse(&b, bytes.p, bytes.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    first_end = o.at + o.len;
    bytes.len = first_end + 8; /* in the midst of the second header */
    add(m, &bytes);
    ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
    ck_assert_uint_eq(titles(m, found), 1);
    ck_assert_uint_eq(m->out.len, first_end);
    pl_buf_release(&bytes);
    pl_block_merge_release(m);
    free(m);
}
END_TEST

START_TEST(an_object_that_does_not_add_up_is_left_out_and_counted)
{
    struct pl_block_merge *m = calloc(1, sizeof *m);
    struct pl_buf bytes = { 0 };
    static const uint8_t too_long[] = { 0xF0, 0xFF, 0xFF, 0xFF };
    uint32_t found[16], all, definitions;
    struct pl_object o;
    struct pl_block b;

    made_block(&bytes, 0);
    add(m, &bytes);
    ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
    all = titles(m, found);
    ck_assert_int_eq(pl_block_parse(&b, bytes.p, bytes.len), PL_OK);
    do
        ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    while (o.num_instances <= 0);
    definitions = pl_get_le32(bytes.p + o.at + 4);
    memcpy(bytes.p + o.at + definitions, too_long, 4); /* the first instance */
    add(m, &bytes);
    ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
    ck_assert_uint_eq(m->num_malformed, 1);
    ck_assert_uint_eq(titles(m, found), all - 1);
    pl_buf_release(&bytes);
    pl_block_merge_release(m);
    free(m);
}
END_TEST

START_TEST(there_is_an_end_to_the_number_of_objects)
{
    struct pl_block_merge *m = calloc(1, sizeof *m);
    struct pl_buf bytes = { 0 };

    for (uint32_t i = 0; i < PL_MAX_OBJECTS + 3; i++) {
        one_object(&bytes, 1 + i);
        add(m, &bytes);
    }
    ck_assert_int_eq(pl_block_merge_end(m), PL_OK);
    ck_assert_uint_eq(m->num_too_many, 3);
    pl_buf_release(&bytes);
    pl_block_merge_release(m);
    free(m);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("merge");

    tcase_add_test(t, a_single_block_stays_as_it_is);
    tcase_add_test(t, objects_of_several_are_one_after_the_other_each_once);
    tcase_add_test(t, a_block_that_is_cut_gives_what_is_whole);
    tcase_add_test(t, an_object_that_does_not_add_up_is_left_out_and_counted);
    tcase_add_test(t, there_is_an_end_to_the_number_of_objects);
    return run_suite("merge", (TCase *[]){ t, NULL });
}
