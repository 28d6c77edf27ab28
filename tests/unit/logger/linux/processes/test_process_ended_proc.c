/* Rows of processes whose ends taskstats reports, beside a walk of /proc. */
#include "tests/support/ended_rows.h"
#include "tests/support/support.h"

#include <string.h>

enum { LIVED = 1, CODE = 3 }; /* seconds; what they return */

/* Only the number is known, and about when it was started; the kernel counts
 * some of the work less than /proc does. */
static void reported_number(uint32_t pid, uint64_t work)
{
    struct pl_task_exit x = {
        .head = { .pid = pid,
                  .parent = 1,
                  .uid = 99, /* the real one */
                  .start_ns =
                      (uint64_t)machine.now.boot_ns - LIVED * SECOND / 2,
                  .comm = "name" },
        .sums = { .run_time = work * TICKS * 100,
                  .utime = work * TICKS * 50,
                  .minflt = work },
        .end = { .ended = 1, .status = CODE << 8, .final = PL_FINAL },
    };

    machine.tasks = NULL;
    pl_buf_bytes(&tasks.ends, &x, sizeof x);
}

/* As /proc has it: nothing says that it has ended but a flag. */
static void live_in_proc(uint32_t pid, uint64_t work, bool ends)
{
    uint64_t *v;

    machine.tasks = NULL;
    live(pid, 0, false);
    v = pl_source_rows_values(&source.rows, source.rows.num - 1);
    v[PL_P_RUN_TIME] = 0;
    v[PL_P_UTIME] = v[PL_P_MINFLT] = work * TICKS;
    v[PL_P_UID] = 77;
    v[PL_P_STATE] = ends ? 'Z' : 'R';
    source.rows.row[source.rows.num - 1].ends = ends;
}

static void check_end(const uint64_t *v, uint64_t work, char state)
{
    ck_assert_ptr_nonnull(v);
    ck_assert_uint_eq(v[PL_P_UTIME] + v[PL_P_STIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_EXITS], 1);
    ck_assert_uint_eq(v[PL_P_FAILED], 1);
    ck_assert_uint_eq(v[PL_P_EXIT_STATUS], CODE);
    ck_assert_uint_eq(v[PL_P_STATE], (uint64_t)state);
}

/* As /proc has it. */
static uint64_t started(uint64_t ns)
{
    return pl_task_started_in_proc(machine.units, pl_task_started(ns));
}

static uint64_t start_of_live(uint32_t pid)
{
    return started(pid * SECOND);
}

START_TEST(a_number_is_that_of_the_sample_before)
{
    const uint64_t *v;

    begin_sample();
    live_in_proc(7, 10, false);
    end_sample();
    begin_sample();
    reported_number(7, 12);
    end_sample();
    v = row_of(7);
    check_end(v, 12, 'X');
    ck_assert_uint_eq(v[PL_P_STARTED], start_of_live(7));
    ck_assert_uint_eq(v[PL_P_UID], 77);
    ck_assert_uint_eq(v[PL_P_MINFLT], 10 * TICKS); /* it does not decrease */
    sample_again();
    check_end(row_of(7), 12, 'X');
    ck_assert_uint_eq(source.rows.num, 1);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

START_TEST(one_that_is_not_waited_for_ends_once)
{
    for (unsigned i = 0; i < 4; i++) {
        begin_sample();
        live_in_proc(7, 10 + i, i > 0);
        if (i == 1)
            reported_number(7, 9);
        end_sample();
        ck_assert_uint_eq(source.rows.num, 1);
        if (i)
            check_end(row_of(7), 10 + i, 'Z');
    }
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

/* A process of the walk that was started 'ns' before the sample. */
static uint64_t *born(uint32_t pid, uint64_t work, bool ends, uint64_t ns)
{
    uint64_t *v;

    live_in_proc(pid, work, ends);
    v = pl_source_rows_values(&source.rows, source.rows.num - 1);
    v[PL_P_STARTED] = started((uint64_t)machine.now.boot_ns - ns);
    return v;
}

START_TEST(one_born_and_not_waited_for_ends_once)
{
    begin_sample();
    end_sample();
    begin_sample();
    born(7, 10, true, SECOND * 3 / 4);
    reported_number(7, 9);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 1);
    check_end(row_of(7), 10, 'Z');
}
END_TEST

START_TEST(one_between_two_samples_has_lived_in_between)
{
    begin_sample();
    end_sample();
    begin_sample();
    reported_number(7, 12);
    end_sample();
    check_end(row_of(7), 12, 'X');
    ck_assert_uint_eq(row_of(7)[PL_P_STARTED] - 1,
                      (uint64_t)machine.now.boot_ns / 100 -
                          LIVED * SECOND / 2 / 100);
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

/* The number of one that ended is another's at once. */
START_TEST(a_number_that_is_used_again)
{
    begin_sample();
    live_in_proc(7, 10, false);
    end_sample();
    begin_sample();
    live_in_proc(7, 1, false);
    pl_source_rows_values(&source.rows, 0)[PL_P_STARTED] += 5;
    reported_number(7, 12);
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 3);
    ck_assert_uint_eq(pl_source_rows_values(&source.rows, 0)[PL_P_EXITS], 0);
    check_end(pl_source_rows_values(&source.rows, 1), 12, 'X');
    ck_assert_uint_eq(pl_source_rows_values(&source.rows, 1)[PL_P_STARTED],
                      start_of_live(7));
    check_end(pl_source_rows_values(&source.rows, 2), 2, 'X');
}
END_TEST

/* As reported_number has it: a start that is computed is that of a tick. */
static uint64_t computed_tick(void)
{
    return started((uint64_t)machine.now.boot_ns - LIVED * SECOND / 2);
}

static const uint64_t *values(size_t i)
{
    return pl_source_rows_values(&source.rows, i);
}

/* Those that lived equally long, and one that was started in the same tick as
 * they seem to have been, all with one number. */
START_TEST(no_two_of_a_number_seem_to_be_one)
{
    begin_sample();
    end_sample();
    begin_sample();
    live_in_proc(7, 1, false);
    pl_source_rows_values(&source.rows, 0)[PL_P_STARTED] = computed_tick();
    reported_number(7, 12);
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 3);
    ck_assert_uint_eq(values(0)[PL_P_EXITS], 0);
    check_end(values(1), 12, 'X');
    check_end(values(2), 2, 'X');
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_ne(values(i)[PL_P_STARTED],
                          values((i + 1) % 3)[PL_P_STARTED]);
    for (size_t i = 1; i < 3; i++) {
        ck_assert_uint_gt(values(i)[PL_P_STARTED], computed_tick());
        ck_assert_uint_lt(values(i)[PL_P_STARTED],
                          (uint64_t)machine.now.boot_ns / 100);
    }
}
END_TEST

/* A sample that is late may be followed by a punctual one in the same tick. */
START_TEST(no_two_of_a_number_seem_to_be_one_in_two_samples)
{
    uint64_t started;

    begin_sample();
    end_sample();
    begin_sample();
    reported_number(7, 12);
    end_sample();
    started = values(0)[PL_P_STARTED];
    begin_sample();
    machine.now.boot_ns -= (int64_t)SECOND;
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 1);
    check_end(values(0), 2, 'X');
    ck_assert_uint_ne(values(0)[PL_P_STARTED], started);
    ck_assert_uint_eq(values(0)[PL_P_STARTED] / 100000, started / 100000);
}
END_TEST

/* No start is after the sample, whichever report of it is the one. */
START_TEST(a_start_is_not_after_the_sample)
{
    struct pl_task_exit *x;

    begin_sample();
    end_sample();
    begin_sample();
    for (unsigned i = 0; i < 9; i++)
        reported_number(7, 2);
    x = (struct pl_task_exit *)(void *)tasks.ends.p;
    for (unsigned i = 0; i < 9; i++)
        x[i].head.start_ns = (uint64_t)machine.now.boot_ns + i;
    end_sample();
    for (size_t i = 0; i < 9; i++) {
        ck_assert_uint_lt(values(i)[PL_P_STARTED],
                          (uint64_t)machine.now.boot_ns / 100);
        ck_assert_uint_gt(values(i)[PL_P_STARTED] + 100000,
                          (uint64_t)machine.now.boot_ns / 100);
    }
}
END_TEST

/* Of several, the last is the one that is not waited for yet. */
START_TEST(the_last_of_a_number_is_not_waited_for)
{
    begin_sample();
    end_sample();
    begin_sample();
    born(7, 3, true, SECOND * 3 / 4);
    reported_number(7, 12);
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 2);
    check_end(values(0), 3, 'Z');
    ck_assert_uint_eq(values(0)[PL_P_MINFLT], 3 * TICKS);
    check_end(values(1), 12, 'X');
}
END_TEST

/* Its report comes with the next sample; this one is its predecessor's. */
static void check_not_its(uint64_t work, uint64_t age)
{
    begin_sample();
    end_sample();
    begin_sample();
    born(7, 3, true, age);
    reported_number(7, work);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 2);
    ck_assert_uint_eq(values(0)[PL_P_EXITS], 0);
    check_end(values(1), work, 'X');
    begin_sample();
    reported_number(7, 4);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 1);
    check_end(values(0), 4, 'X');
    ck_assert_uint_eq(values(0)[PL_P_STARTED] % 100000, 0);
}

START_TEST(who_was_started_later_has_not_ended)
{
    check_not_its(2, SECOND / 4);
}
END_TEST

START_TEST(who_has_done_less_has_not_ended)
{
    check_not_its(1000, SECOND * 3 / 4);
}
END_TEST

/* What a process did, in its row and in a report; all else is possible. */
struct done {
    uint64_t run_time_ns;       /* of the report */
    uint64_t row[4], report[4]; /* bytes read, written, calls of both */
    uint32_t threads;
    bool is_refused, is_unwanted;
};

static bool is_taken_for(const struct done *d)
{
    static const enum pl_process_field io[] = { PL_P_RCHAR, PL_P_WCHAR,
                                                PL_P_SYSCR, PL_P_SYSCW };
    static struct pl_field fields[PL_NUM_PROCESS_FIELDS];
    struct pl_task_exit *x;
    uint64_t *v;

    tear_down();
    set_up();
    source.fields = fields;
    fields[PL_P_WCHAR].wanted = !d->is_unwanted;
    begin_sample();
    end_sample();
    begin_sample();
    v = born(7, 3, true, SECOND * 3 / 4);
    reported_number(7, 2);
    x = (struct pl_task_exit *)(void *)tasks.ends.p;
    x->head.threads = d->threads;
    x->sums.run_time = d->run_time_ns;
    v[PL_P_DATA_FLAGS] = d->is_refused ? 1u << PL_GROUP_IO : 0;
    for (size_t i = 0; i < 4; i++) {
        v[io[i]] = d->row[i];
        x->sums.io[i] = d->report[i];
    }
    end_sample();
    return source.rows.num == 1;
}

START_TEST(who_has_run_less_has_not_ended)
{
    /* The row has 30 us, and ticks may miss two of 10 ms. */
    ck_assert(is_taken_for(&(struct done){ .run_time_ns = 20030000 }));
    ck_assert(!is_taken_for(&(struct done){ .run_time_ns = 20030100 }));
}
END_TEST

START_TEST(who_ends_reads_and_writes_no_more)
{
    struct done d = { .threads = 1,
                      .row = { 2047, 1023, 1023, 3071 },
                      .report = { 1024, 0, 0, 2048 } };

    ck_assert(is_taken_for(&d));
    d.row[3] = 3072; /* a record of process accounting */
    ck_assert(is_taken_for(&d));
    d.row[3] = 3073;
    ck_assert(!is_taken_for(&d));
    d.row[3] = 2047;
    ck_assert(!is_taken_for(&d));
    d.row[3] = 2048, d.row[2] = 1024;
    ck_assert(!is_taken_for(&d));
    d.row[2] = 0, d.row[1] = 0, d.report[1] = 1024;
    ck_assert(!is_taken_for(&d));
    d.threads = 2; /* of which one may have ended unseen */
    ck_assert(is_taken_for(&d));
    d.threads = 1, d.is_refused = true;
    ck_assert(is_taken_for(&d));
    d.is_refused = false, d.is_unwanted = true;
    ck_assert(is_taken_for(&d));
    d.is_unwanted = false, d.report[1] = 0, d.report[0] = 2048;
    ck_assert(!is_taken_for(&d));
}
END_TEST

/* Each report is one end, of whatever process. */
START_TEST(who_has_ended_does_not_end_again)
{
    uint64_t started;

    begin_sample();
    end_sample();
    begin_sample();
    started = born(7, 3, true, SECOND * 3 / 4)[PL_P_STARTED];
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 1);
    begin_sample();
    live_in_proc(7, 3, true);
    pl_source_rows_values(&source.rows, 0)[PL_P_STARTED] = started;
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 2);
    check_end(values(0), 3, 'Z');
    check_end(values(1), 2, 'X');
}
END_TEST

/* The walk missed one whose report did not come yet, and met its successor. */
START_TEST(a_number_that_two_had_in_the_sample_before)
{
    uint64_t first, second;

    begin_sample();
    first = born(7, 10, false, SECOND * 3 / 4)[PL_P_STARTED];
    end_sample();
    begin_sample();
    second = born(7, 1, false, SECOND / 4)[PL_P_STARTED];
    end_sample();
    ck_assert_uint_eq(source.rows.num, 2);
    begin_sample();
    reported_number(7, 12);
    reported_number(7, 2);
    end_sample();
    ck_assert_uint_eq(source.rows.num, 2);
    check_end(values(0), 12, 'X');
    ck_assert_uint_eq(values(0)[PL_P_STARTED], first);
    check_end(values(1), 2, 'X');
    ck_assert_uint_eq(values(1)[PL_P_STARTED], second);
}
END_TEST

/* Likewise, of one whose end was reported before it was waited for. */
START_TEST(a_number_that_is_used_again_later)
{
    uint64_t first;

    begin_sample();
    first = born(7, 10, true, SECOND * 3 / 4)[PL_P_STARTED];
    reported_number(7, 10);
    end_sample();
    check_end(row_of(7), 10, 'Z');
    begin_sample();
    reported_number(7, 2);
    end_sample();
    check_end(row_of(7), 2, 'X');
    ck_assert_uint_ne(row_of(7)[PL_P_STARTED], first);
}
END_TEST

/* Ended after the reports were taken, and gone when the walk came by. */
START_TEST(a_report_that_comes_with_the_next_sample)
{
    begin_sample();
    live_in_proc(7, 10, false);
    end_sample();
    begin_sample();
    end_sample();
    ck_assert_uint_eq(row_of(7)[PL_P_EXITS], 0);
    begin_sample();
    reported_number(7, 12);
    end_sample();
    check_end(row_of(7), 12, 'X');
    ck_assert_uint_eq(source.rows.num, 1);
}
END_TEST

/* Its report was lost: it does not stay for long. */
START_TEST(one_without_a_report_goes)
{
    begin_sample();
    live_in_proc(7, 10, false);
    end_sample();
    begin_sample();
    end_sample();
    ck_assert_ptr_nonnull(row_of(7));
    begin_sample();
    end_sample();
    ck_assert_uint_eq(source.rows.num, 0);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_number_is_that_of_the_sample_before);
    tcase_add_test(tc, one_that_is_not_waited_for_ends_once);
    tcase_add_test(tc, one_born_and_not_waited_for_ends_once);
    tcase_add_test(tc, one_between_two_samples_has_lived_in_between);
    tcase_add_test(tc, a_number_that_is_used_again);
    tcase_add_test(tc, no_two_of_a_number_seem_to_be_one);
    tcase_add_test(tc, no_two_of_a_number_seem_to_be_one_in_two_samples);
    tcase_add_test(tc, a_start_is_not_after_the_sample);
    tcase_add_test(tc, the_last_of_a_number_is_not_waited_for);
    tcase_add_test(tc, who_was_started_later_has_not_ended);
    tcase_add_test(tc, who_has_done_less_has_not_ended);
    tcase_add_test(tc, who_has_run_less_has_not_ended);
    tcase_add_test(tc, who_ends_reads_and_writes_no_more);
    tcase_add_test(tc, who_has_ended_does_not_end_again);
    tcase_add_test(tc, a_number_that_two_had_in_the_sample_before);
    tcase_add_test(tc, a_number_that_is_used_again_later);
    tcase_add_test(tc, a_report_that_comes_with_the_next_sample);
    tcase_add_test(tc, one_without_a_report_goes);
    return run_suite("process_ended_proc", (TCase *const[]){ tc, NULL });
}
