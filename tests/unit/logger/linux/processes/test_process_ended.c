/*
 * Rows of processes that ended, from reports made by hand, sample by sample:
 * no kernel is needed.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended.h"
#include "logger/linux/processes/tasks.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As process_ended.c has them. */
enum { MAX_ALONE = 1024, MAX_REPEATED = 256, MAX_MISSED = 16 };
enum { LIVED = 1, CODE = 3 }; /* seconds; what they return */

#define SECOND UINT64_C(1000000000)
#define TICKS 100 /* of 100 ns in the counters' unit */

static struct pl_machine machine;
static struct pl_tasks tasks;
static struct pl_source source;
static struct pl_process_ended *ended;
static struct pl_buf room;

static void set_up(void)
{
    machine = (struct pl_machine){ .tasks = &tasks };
    tasks = (struct pl_tasks){ .parts = PL_PART_RUN_TIME };
    source = (struct pl_source){ .machine = &machine };
    source.rows.width = source.before.width = PL_NUM_PROCESS_FIELDS;
    pl_units_fill(machine.units, 0);
    ended = calloc(1, sizeof *ended);
    ck_assert_ptr_nonnull(ended);
}

static void tear_down(void)
{
    pl_process_ended_release(ended);
    free(ended);
    pl_source_rows_release(&source.rows);
    pl_source_rows_release(&source.before);
    pl_buf_release(&tasks.ends);
    pl_buf_release(&room);
}

/* ---- a sample -------------------------------------------------------------- */

static void begin_sample(void)
{
    struct pl_source_rows t = source.before;

    source.before = source.rows;
    source.rows = t;
    pl_source_rows_clear(&source.rows);
    pl_buf_clear(&tasks.ends);
    machine.tick++;
    machine.now.boot_ns += (int64_t)SECOND;
}

/* A process that the walk meets; 'work' is its run time in units of TICKS. */
static void live(uint32_t pid, uint64_t work, bool is_zombie)
{
    uint64_t *v = pl_source_rows_add(&source.rows, pl_text_of("p"));

    ck_assert_ptr_nonnull(v);
    v[PL_P_PID] = pid;
    v[PL_P_STARTED] = pl_task_started(machine.units, pid * SECOND);
    v[PL_P_STATE] = is_zombie ? 'Z' : 'R';
    v[PL_P_EXITS] = is_zombie;
    v[PL_P_RUN_TIME] = v[PL_P_UTIME] = work * TICKS;
}

static void reported(uint32_t pid, uint64_t work, enum pl_task_final final)
{
    struct pl_task_exit x = {
        .head = { .pid = pid, .start_ns = pid * SECOND, .comm = "name" },
        .sums = { .run_time = work * TICKS * 100,
                  .utime = work * TICKS * 50, /* what ticks met */
                  .minflt = work },
        .end = { .ended = 1, .status = 9, .final = final },
    };

    pl_buf_bytes(&tasks.ends, &x, sizeof x);
}

static void end_sample(void)
{
    ck_assert_int_eq(pl_process_add_ended(ended, &source, &tasks.ends, &room),
                     PL_OK);
}

/* Read again, as a sample is in which the machine seems to have changed. */
static void sample_again(void)
{
    pl_source_rows_clear(&source.rows);
    end_sample();
}

/* ---- what it shows --------------------------------------------------------- */

static const uint64_t *row_of(uint32_t pid)
{
    const uint64_t *found = NULL;

    for (size_t i = 0; i < source.rows.num; i++) {
        const uint64_t *v = pl_source_rows_values(&source.rows, i);

        if (v[PL_P_PID] != pid)
            continue;
        ck_assert_msg(!found, "%u is there twice", (unsigned)pid);
        found = v;
    }
    return found;
}

static void check_row(uint32_t pid, uint64_t work, uint64_t exits)
{
    const uint64_t *v = row_of(pid);

    ck_assert_msg(v != NULL, "%u is missing", (unsigned)pid);
    ck_assert_uint_eq(v[PL_P_RUN_TIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_UTIME] + v[PL_P_STIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_EXITS], exits);
    ck_assert_uint_eq(v[PL_P_STATE], exits ? 'X' : v[PL_P_STATE]);
}

static void check_sum(uint64_t work, uint64_t exits)
{
    const uint64_t *v = row_of(0);

    ck_assert_msg(v != NULL, "there is no sum");
    ck_assert_uint_eq(v[PL_P_RUN_TIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_UTIME] + v[PL_P_STIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_MINFLT], work);
    ck_assert_uint_eq(v[PL_P_EXITS], exits);
    ck_assert_uint_eq(v[PL_P_STATE], 'X');
}

/* ---- tests ----------------------------------------------------------------- */

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

/* ---- by taskstats, beside a walk of /proc ------------------------------------ */

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

static uint64_t start_of_live(uint32_t pid)
{
    return pl_task_started(machine.units, pid * SECOND);
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
    v[PL_P_STARTED] =
        pl_task_started(machine.units, (uint64_t)machine.now.boot_ns - ns);
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
    return pl_task_started(machine.units,
                           (uint64_t)machine.now.boot_ns - LIVED * SECOND / 2);
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
    tcase_add_test(tc, who_comes_back_is_live);
    tcase_add_test(tc, an_end_stays_an_end);
    tcase_add_test(tc, a_number_is_that_of_the_sample_before);
    tcase_add_test(tc, one_that_is_not_waited_for_ends_once);
    tcase_add_test(tc, one_born_and_not_waited_for_ends_once);
    tcase_add_test(tc, one_between_two_samples_has_lived_in_between);
    tcase_add_test(tc, a_number_that_is_used_again);
    tcase_add_test(tc, no_two_of_a_number_seem_to_be_one);
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
    tcase_add_test(tc, a_process_is_known_by_its_number_and_start);
    tcase_add_test(tc, the_oldest_are_forgotten);
    return run_suite("process_ended", (TCase *const[]){ tc, NULL });
}
