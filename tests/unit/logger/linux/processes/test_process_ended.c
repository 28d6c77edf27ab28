/* Rows of processes whose ends BPF reports, and the table of those counted. */
#include "logger/linux/tables/counter_filter.h"
#include "tests/support/ended_rows.h"
#include "tests/support/support.h"

#include <string.h>
#include <time.h>

/* As process_ended.c has them. */
enum { MAX_ALONE = 1024, MAX_REPEATED = 256, MAX_MISSED = 16 };

START_TEST(final_values_replace_first_ones)
{
    begin_sample();
    live(7, 10, false);
    end_sample();
    begin_sample();
    reported(7, 12, PL_NOT_FINAL);
    end_sample();
    check_row(7, 12, 1);
    begin_sample();
    end_sample();
    check_row(7, 12, 1); /* repeated */
    begin_sample();
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    check_row(7, 15, 1);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

/* Both at once: a row with final values, once. */
START_TEST(one_between_two_samples_is_shown_once)
{
    begin_sample();
    reported(7, 12, PL_NOT_FINAL);
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    check_row(7, 15, 1);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

static bool is_new(uint32_t pid)
{
    size_t i = 0;

    while (i < source.rows.num &&
           pl_source_rows_values(&source.rows, i)[PL_P_PID] != pid)
        i++;
    ck_assert_uint_lt(i, source.rows.num);
    return source.rows.row[i].has_ended;
}

/* Whether a sample has met it alive or not; then it is repeated, and final. */
START_TEST(an_end_is_new_once)
{
    begin_sample();
    live(7, 10, false);
    end_sample();
    begin_sample();
    live(6, 10, false);
    reported(7, 12, PL_NOT_FINAL);
    reported(8, 12, PL_NOT_FINAL);
    end_sample();
    ck_assert(!is_new(6) && is_new(7) && is_new(8));
    begin_sample();
    end_sample();
    ck_assert(!is_new(6) && !is_new(7) && !is_new(8));
    begin_sample();
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    ck_assert(!is_new(6) && !is_new(7) && !is_new(8));
}
END_TEST

/* The CPU time of a sample in which 'num' processes end, and as many others are
 * waited for that ended before. */
static double time_of_ends(uint32_t num)
{
    double least = 1e9;

    for (int k = 0; k < 3; k++) {
        double begin;

        begin_sample();
        for (uint32_t i = 1; i <= num; i++) {
            reported(i, 1, PL_NOT_FINAL);
            reported(num + i, 1, PL_FINAL_AGAIN);
        }
        begin = (double)clock() / CLOCKS_PER_SEC;
        end_sample();
        begin = (double)clock() / CLOCKS_PER_SEC - begin;
        least = begin < least ? begin : least;
    }
    return least;
}

/* A user who ends very many at once does not hold up the recorder. */
START_TEST(time_is_linear_in_the_number_of_ends)
{
    double few = time_of_ends(4000), many = time_of_ends(32000);

    ck_assert_msg(many < 40 * few, "8 times as many take %.1f times as long",
                  many / few);
}
END_TEST

/* The final reports of some, the first ones of as many others: in a table of
 * all these, some have the same place. */
START_TEST(a_final_report_replaces_no_first_one_of_another)
{
    enum { NUM = 50 };

    begin_sample();
    for (uint32_t pid = 1; pid <= 2 * NUM; pid++)
        live(pid, 10, false);
    end_sample();
    begin_sample();
    for (uint32_t pid = 1; pid <= NUM; pid++) {
        live(pid, 11, false);
        reported(NUM + pid, 12, PL_NOT_FINAL);
    }
    end_sample();
    begin_sample();
    for (uint32_t pid = 1; pid <= NUM; pid++) {
        reported(pid, 12, PL_NOT_FINAL);
        reported(NUM + pid, 15, PL_FINAL_AGAIN);
    }
    end_sample();
    for (uint32_t pid = 1; pid <= NUM; pid++) {
        check_row(pid, 12, 1);
        check_row(NUM + pid, 15, 1);
    }
}
END_TEST

/* A process ends after the walk met it: its end is in the next sample. */
START_TEST(an_end_after_the_walk_waits)
{
    begin_sample();
    live(7, 10, false);
    reported(7, 12, PL_NOT_FINAL);
    end_sample();
    check_row(7, 10, 0);
    begin_sample();
    end_sample();
    check_row(7, 12, 1);
    begin_sample();
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    check_row(7, 15, 1);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

START_TEST(final_values_after_the_walk_wait)
{
    begin_sample();
    live(7, 10, false);
    live(8, 10, true);
    reported(7, 12, PL_NOT_FINAL);
    reported(7, 15, PL_FINAL_AGAIN);
    reported(8, 16, PL_FINAL_AGAIN);
    end_sample();
    check_row(7, 10, 0);
    ck_assert_uint_eq(row_of(8)[PL_P_RUN_TIME], 10 * TICKS);
    begin_sample();
    end_sample();
    check_row(7, 15, 1);
    check_row(8, 16, 1);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

/* A sample without rows: an end is not forgotten, nor counted twice. */
START_TEST(who_waits_outlasts_a_failed_walk)
{
    begin_sample();
    live(7, 10, false);
    live(8, 10, true);
    reported(7, 12, PL_NOT_FINAL);
    end_sample();
    begin_sample();
    live(7, 10, false);
    live(8, 10, true);
    live(9, 10, true);
    reported(7, 15, PL_FINAL_AGAIN);
    reported(8, 16, PL_FINAL);
    reported(9, 10, PL_NOT_FINAL);
    end_sample();
    check_row(7, 10, 0);
    begin_sample();
    pl_process_ended_skip(ended);
    begin_sample();
    end_sample();
    check_row(7, 15, 1);
    ck_assert_uint_eq(source.rows.num, 1);
}
END_TEST

/* Read again, a sample has what ended since its first reading. */
START_TEST(more_reports_come_before_a_second_reading)
{
    begin_sample();
    live(7, 10, false);
    end_sample();
    begin_sample();
    live(7, 11, false);
    end_sample();
    check_row(7, 11, 0);
    reported(7, 15, PL_FINAL);
    sample_again();
    check_row(7, 15, 1);
}
END_TEST

/* 'num' processes that ended between two samples, numbered from 1. */
static void crowd(uint32_t num, enum pl_task_final final)
{
    for (uint32_t pid = 1; pid <= num; pid++)
        reported(pid, 10, final);
}

START_TEST(what_is_summed_up_gets_its_rest_later)
{
    begin_sample();
    crowd(MAX_ALONE + 3, PL_NOT_FINAL);
    end_sample();
    check_sum(30, 3);
    sample_again();
    check_sum(30, 3);
    begin_sample();
    end_sample();
    ck_assert_ptr_null(row_of(0));
    begin_sample();
    reported(MAX_ALONE + 1, 14, PL_FINAL_AGAIN);
    reported(MAX_ALONE + 3, 11, PL_FINAL_AGAIN);
    end_sample();
    check_sum(5, 0);
    sample_again();
    check_sum(5, 0);
    begin_sample();
    reported(MAX_ALONE + 2, 12, PL_FINAL_AGAIN);
    end_sample();
    check_sum(2, 0);
}
END_TEST

/* Of many, some rows are repeated; the others get their rest as a sum. */
START_TEST(not_all_rows_are_repeated)
{
    begin_sample();
    crowd(MAX_REPEATED + 2, PL_NOT_FINAL);
    end_sample();
    ck_assert_uint_eq(source.rows.num, MAX_REPEATED + 2);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, MAX_REPEATED);
    check_row(MAX_REPEATED, 10, 1);
    begin_sample();
    reported(1, 13, PL_FINAL_AGAIN);
    reported(MAX_REPEATED + 1, 14, PL_FINAL_AGAIN);
    end_sample();
    check_row(1, 13, 1);
    check_sum(4, 0);
    ck_assert_uint_eq(source.rows.num, MAX_REPEATED + 1);
}
END_TEST

/* Processes that vanish without a report wait likewise; their end is counted
 * when it is reported. */
START_TEST(not_all_that_vanish_are_repeated)
{
    begin_sample();
    for (uint32_t pid = 1; pid <= MAX_REPEATED + 1; pid++)
        live(pid, 5, false);
    end_sample();
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, MAX_REPEATED);
    begin_sample();
    reported(1, 9, PL_NOT_FINAL);
    reported(MAX_REPEATED + 1, 8, PL_NOT_FINAL);
    end_sample();
    check_row(1, 9, 1);
    ck_assert_ptr_null(row_of(0));
    begin_sample();
    reported(MAX_REPEATED + 1, 9, PL_FINAL_AGAIN);
    end_sample();
    ck_assert_uint_eq(row_of(0)[PL_P_RUN_TIME], 4 * TICKS);
    ck_assert_uint_eq(row_of(0)[PL_P_EXITS], 1);
}
END_TEST

START_TEST(who_waits_for_long_is_counted)
{
    begin_sample();
    reported(7, 12, PL_NOT_FINAL);
    end_sample();
    for (unsigned i = 0; i < MAX_MISSED; i++) {
        check_row(7, 12, 1);
        begin_sample();
        end_sample();
    }
    ck_assert_uint_eq(source.rows.num, 0);
    begin_sample();
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 1);
    check_sum(3, 0);
}
END_TEST

/* Whose end was reported, but who is not remembered, is not counted twice. */
START_TEST(who_was_forgotten_is_not_counted_twice)
{
    begin_sample();
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
    begin_sample();
    reported(8, 15, PL_FINAL); /* its first report was lost */
    end_sample();
    check_row(8, 15, 1);
}
END_TEST

/* It was released when ends began to be seen, but the kernel reports that later:
 * shown as new, it would seem to have used all its time since the last sample. */
START_TEST(who_had_ended_before_ends_were_seen_is_not_shown)
{
    tasks.since_ns = 8 * SECOND;
    begin_sample();
    live(5, 10, true);
    live(6, 10, false);
    reported(6, 14, PL_FINAL); /* while it was walked over */
    end_sample();
    begin_sample();
    reported(5, 11, PL_FINAL);
    reported(7, 12, PL_FINAL);
    reported(8, 13, PL_FINAL); /* its first report was lost */
    end_sample();
    check_row(5, 11, 1);
    check_row(6, 14, 1);
    ck_assert_ptr_null(row_of(7));
    check_row(8, 13, 1);
    begin_sample();
    reported(4, 10, PL_NOT_FINAL);
    reported(4, 15, PL_FINAL_AGAIN);
    end_sample();
    check_row(4, 15, 1);
}
END_TEST

/* A report may come behind one that is being written, a sample late: a process that
 * was started before the first sample has done nothing since. */
START_TEST(who_had_ended_before_the_first_sample_is_not_shown_later)
{
    for (unsigned i = 0; i < 10; i++)
        begin_sample();
    live(5, 10, false);
    reported(6, 12, PL_NOT_FINAL);
    end_sample();
    check_row(6, 12, 1);
    begin_sample();
    reported(5, 11, PL_FINAL);
    reported(6, 13, PL_FINAL_AGAIN);
    reported(7, 14, PL_NOT_FINAL);
    reported(8, 15, PL_NOT_FINAL);
    reported(8, 16, PL_FINAL_AGAIN);
    reported(10, 17, PL_NOT_FINAL);
    end_sample();
    check_row(5, 11, 1);
    check_row(6, 13, 1);
    ck_assert_ptr_null(row_of(7));
    ck_assert_ptr_null(row_of(8));
    check_row(10, 17, 1);
    begin_sample();
    live(9, 10, false); /* the walk may miss a process */
    reported(7, 15, PL_FINAL_AGAIN);
    end_sample();
    ck_assert_ptr_null(row_of(7));
    check_row(9, 10, 0);
}
END_TEST

/* After a walk that failed it is not known who was there. */
START_TEST(an_old_one_is_shown_after_a_walk_that_failed)
{
    for (unsigned i = 0; i < 10; i++)
        begin_sample();
    live(5, 10, false);
    end_sample();
    begin_sample();
    pl_process_ended_skip(ended);
    begin_sample();
    reported(5, 11, PL_FINAL);
    end_sample();
    check_row(5, 11, 1);
}
END_TEST

/* Before, it had a name that is not recorded; there is none where all are. */
START_TEST(one_with_a_new_name_is_shown_though_it_is_old)
{
    struct pl_text names[] = { pl_text_of("name:5"), pl_text_of("*") };
    struct pl_filter filter = { .patterns = names, .num = 1 };

    source.filter = &filter;
    for (unsigned i = 0; i < 10; i++)
        begin_sample();
    live(4, 10, false);
    end_sample();
    begin_sample();
    reported(5, 11, PL_FINAL);
    end_sample();
    check_row(5, 11, 1);
    filter.num = 2;
    begin_sample();
    live(4, 10, false);
    end_sample();
    begin_sample();
    reported(6, 11, PL_FINAL);
    end_sample();
    ck_assert_ptr_null(row_of(6));
}
END_TEST

START_TEST(a_first_sample_that_is_lost_is_none)
{
    for (unsigned i = 0; i < 4; i++)
        begin_sample();
    live(3, 10, false);
    end_sample();
    pl_process_ended_undo(ended, &source);
    for (unsigned i = 0; i < 6; i++)
        begin_sample();
    live(3, 10, false);
    end_sample();
    begin_sample();
    reported(5, 11, PL_FINAL);
    reported(11, 12, PL_FINAL);
    end_sample();
    ck_assert_ptr_null(row_of(5));
    check_row(11, 12, 1);
}
END_TEST

/* What waits was seen to end, even if the walk in between failed. */
START_TEST(who_was_walked_over_is_shown_though_it_is_old)
{
    tasks.since_ns = 8 * SECOND;
    begin_sample();
    live(6, 10, false);
    reported(6, 14, PL_FINAL);
    end_sample();
    begin_sample();
    pl_process_ended_skip(ended);
    begin_sample();
    end_sample();
    check_row(6, 14, 1);
}
END_TEST

/* The walk may miss a process once. */
START_TEST(who_comes_back_is_live)
{
    begin_sample();
    live(7, 5, false);
    end_sample();
    begin_sample();
    end_sample();
    check_row(7, 5, 0);
    begin_sample();
    live(7, 6, false);
    end_sample();
    check_row(7, 6, 0);
    ck_assert_uint_eq(row_of(7)[PL_P_STATE], 'R');
    ck_assert_uint_eq(source.rows.num, 1);
}
END_TEST

START_TEST(an_end_stays_an_end)
{
    begin_sample();
    reported(7, 12, PL_NOT_FINAL);
    end_sample();
    check_row(7, 12, 1);
    begin_sample();
    live(7, 11, false); /* it is not a zombie yet */
    end_sample();
    check_row(7, 12, 1);
    ck_assert_uint_eq(source.rows.num, 1);
    for (unsigned i = 0; i < 2; i++) {
        begin_sample();
        live(7, 13, true);
        end_sample();
        ck_assert_uint_eq(row_of(7)[PL_P_RUN_TIME], 13 * TICKS);
        ck_assert_uint_eq(row_of(7)[PL_P_STATE], 'Z');
    }
    begin_sample();
    reported(7, 14, PL_FINAL_AGAIN);
    end_sample();
    check_row(7, 14, 1);
}
END_TEST

/* ---- the table ------------------------------------------------------------- */

static void values_of_process(uint64_t pid, uint64_t started, uint64_t *v)
{
    memset(v, 0, PL_NUM_PROCESS_FIELDS * sizeof *v);
    v[PL_P_PID] = pid;
    v[PL_P_STARTED] = started;
}

START_TEST(a_process_is_known_by_its_number_and_start)
{
    struct pl_process_counted *c = &ended->counted;
    uint64_t v[PL_NUM_PROCESS_FIELDS], other[PL_NUM_PROCESS_FIELDS];

    values_of_process(7, 100, v);
    ck_assert_ptr_null(pl_process_counted_find(c, 1, v));
    v[PL_P_RUN_TIME] = 5;
    pl_process_counted_put(c, 3, v);
    v[PL_P_RUN_TIME] = 6;
    pl_process_counted_put(c, 3, v);
    ck_assert_ptr_null(pl_process_counted_find(c, 3, v));
    ck_assert_uint_eq(pl_process_counted_find(c, 4, v)[PL_P_RUN_TIME], 6);
    ck_assert_uint_eq(c->num_used, 1); /* it has one place */
    values_of_process(7, 101, other);
    ck_assert_ptr_null(pl_process_counted_find(c, 4, other));
    values_of_process(7 + PL_COUNTED_SETS, 100, other);
    ck_assert_ptr_null(pl_process_counted_find(c, 4, other));
}
END_TEST

START_TEST(the_oldest_are_forgotten)
{
    struct pl_process_counted *c = &ended->counted;
    uint64_t v[PL_NUM_PROCESS_FIELDS];

    for (uint64_t i = 0; i <= PL_COUNTED_WAYS; i++) {
        values_of_process(7, i, v);
        pl_process_counted_put(c, i == 3 ? 1 : 10 + i, v);
    }
    for (uint64_t i = 0; i <= PL_COUNTED_WAYS; i++) {
        values_of_process(7, i, v);
        ck_assert_int_eq(pl_process_counted_find(c, 99, v) != NULL, i != 3);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, final_values_replace_first_ones);
    tcase_add_test(tc, one_between_two_samples_is_shown_once);
    tcase_add_test(tc, an_end_is_new_once);
    tcase_add_test(tc, time_is_linear_in_the_number_of_ends);
    tcase_add_test(tc, a_final_report_replaces_no_first_one_of_another);
    tcase_add_test(tc, an_end_after_the_walk_waits);
    tcase_add_test(tc, final_values_after_the_walk_wait);
    tcase_add_test(tc, who_waits_outlasts_a_failed_walk);
    tcase_add_test(tc, more_reports_come_before_a_second_reading);
    tcase_add_test(tc, what_is_summed_up_gets_its_rest_later);
    tcase_add_test(tc, not_all_rows_are_repeated);
    tcase_add_test(tc, not_all_that_vanish_are_repeated);
    tcase_add_test(tc, who_waits_for_long_is_counted);
    tcase_add_test(tc, who_was_forgotten_is_not_counted_twice);
    tcase_add_test(tc, who_had_ended_before_ends_were_seen_is_not_shown);
    tcase_add_test(tc,
                   who_had_ended_before_the_first_sample_is_not_shown_later);
    tcase_add_test(tc, an_old_one_is_shown_after_a_walk_that_failed);
    tcase_add_test(tc, one_with_a_new_name_is_shown_though_it_is_old);
    tcase_add_test(tc, a_first_sample_that_is_lost_is_none);
    tcase_add_test(tc, who_was_walked_over_is_shown_though_it_is_old);
    tcase_add_test(tc, who_comes_back_is_live);
    tcase_add_test(tc, an_end_stays_an_end);
    tcase_add_test(tc, a_process_is_known_by_its_number_and_start);
    tcase_add_test(tc, the_oldest_are_forgotten);
    return run_suite("process_ended", (TCase *const[]){ tc, NULL });
}
