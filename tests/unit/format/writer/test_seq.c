/* The last numbers of a session: it is ended and another one begun, and no
 * sample is lost between them.  Nobody records 136 years for a test, so the
 * writer's number is set from within. */
#include "format/time/time_text.h"
#include "format/writer/writer_state.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <string.h>

enum { SAMPLES = 200, FROM_THE_END = PL_SEQ_RESERVE + 150 };

static void record_across(const char *path, uint32_t num_left,
                          uint64_t max_size, struct log *l)
{
    struct pl_writer *w = log_open(path, &log_options);
    struct machine m;

    machine_start(&m, 1, 3);
    /* The hole behind SESS is the test's; the numbers' end is not. */
    w->seq = UINT32_MAX - num_left;
    w->options.max_size = max_size;
    log_add(l, w, &m, PL_NS_PER_SEC, SAMPLES);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    machine_stop(&m);
}

/* Numbers that are left; the last are too few to begin a sample with. */
static const uint32_t left[] = { FROM_THE_END, PL_SEQ_RESERVE + 1,
                                 PL_SEQ_RESERVE, PL_SEQ_RESERVE - 1 };

static void check_across(const char *path, uint32_t num_left, uint64_t max_size)
{
    struct reading g = { 0 };
    struct log l = { 0 };
    uint32_t highest = 0;

    record_across(path, num_left, max_size, &l);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SESSION], 2);
    ck_assert_uint_eq(g.kinds[PL_ITEM_ENDS], 2);
    ck_assert_uint_eq(g.kinds[PL_ITEM_DAMAGED], 0);
    ck_assert_uint_eq(g.kinds[PL_ITEM_HOLE], 1);
    ck_assert_uint_eq(g.wrong + g.twice, 0);
    log_load(&l, path);
    for (size_t i = 0; i < l.num_records; i++)
        if (l.records[i].record.seq > highest)
            highest = l.records[i].record.seq;
    ck_assert_uint_gt(highest, UINT32_MAX - FROM_THE_END);
    ck_assert_uint_lt(l.records[l.num_records - 1].record.seq, 2 * SAMPLES);
    for (size_t i = 0; i < l.num_samples; i++)
        ck_assert_msg(g.seen[i], "sample %zu", i);
    reading_release(&g);
    log_release(&l);
}

START_TEST(a_session_whose_numbers_are_used_up_is_followed_by_another)
{
    check_across(path_in(temp_dir(), "log"), left[_i], 0);
}
END_TEST

START_TEST(so_it_is_where_no_further_segment_can_be_made)
{
    char name[245]; /* of 255; a segment's has 28 more */

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    check_across(path_in(temp_dir(), name), PL_SEQ_RESERVE + 1, 1);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("seq");

    tcase_add_loop_test(
        t, a_session_whose_numbers_are_used_up_is_followed_by_another, 0,
        sizeof left / sizeof *left);
    tcase_add_test(t, so_it_is_where_no_further_segment_can_be_made);
    return run_suite("seq", (TCase *[]){ t, NULL });
}
