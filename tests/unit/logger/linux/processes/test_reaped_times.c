/* Processor time that parents were charged, and that no message of taskstats has. */
#include "tests/support/ended_rows.h"
#include "tests/support/support.h"

enum {
    MS = 10000,
    PARENT = 5,
    MOST = 11
}; /* 100 ns; MOST in ms, without memory */

/* The machine is up longer than any process. */
static void set_up_old(void)
{
    static struct pl_field fields[PL_NUM_PROCESS_FIELDS]; /* none is wanted */

    set_up();
    source.fields = fields;
    machine.now.boot_ns = 1000 * (int64_t)SECOND;
}

/* A process of the walk, which was charged so much so far. */
static uint64_t *alive(uint32_t pid, uint64_t charged)
{
    uint64_t *v;

    machine.tasks = NULL;
    live(pid, 0, false);
    v = pl_source_rows_values(&source.rows, source.rows.num - 1);
    v[PL_P_CUTIME] = charged * MS / 2;
    v[PL_P_CSTIME] = charged * MS - charged * MS / 2;
    return v;
}

/* Likewise, one that was started since the sample before. */
static void born(uint32_t pid, uint64_t charged)
{
    alive(pid, charged)[PL_P_STARTED] = pl_task_started_in_proc(
        machine.units,
        pl_task_started((uint64_t)machine.now.boot_ns - SECOND / 2));
}

static struct pl_task_exit *ends(uint32_t pid, uint32_t parent, uint64_t ms)
{
    struct pl_task_exit x = {
        .head = { .pid = pid,
                  .parent = parent,
                  .threads = 1,
                  .start_ns = (uint64_t)machine.now.boot_ns - SECOND / 4,
                  .comm = "name" },
        .sums = { .run_time = ms * MS * 100 },
        .end = { .ended = 1, .final = PL_FINAL },
    };

    pl_buf_bytes(&tasks.ends, &x, sizeof x);
    return (struct pl_task_exit *)(void *)(tasks.ends.p + tasks.ends.len) - 1;
}

/* In microseconds. */
static uint64_t shown(uint32_t pid)
{
    const uint64_t *v = row_of(pid);

    ck_assert_ptr_nonnull(v);
    return (v[PL_P_UTIME] + v[PL_P_STIME]) / 10;
}

static void first_sample(uint64_t charged)
{
    begin_sample();
    alive(PARENT, charged);
    end_sample();
}

/* A sample in which the parent's charge is this one now, and that has one child
 * that ended, if 'ms' is not 0: its number is 7. */
static void next_sample(uint64_t charged, uint64_t ms)
{
    begin_sample();
    alive(PARENT, charged);
    if (ms)
        ends(7, PARENT, ms);
    end_sample();
}

START_TEST(what_is_missing_is_shared_by_memory)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 28);
    ends(7, PARENT, 10);
    ends(8, PARENT, 10)->max_rss = 400;
    end_sample();
    ck_assert_uint_eq(shown(7), 12000);
    ck_assert_uint_eq(shown(8), 16000);
}
END_TEST

START_TEST(what_is_missing_is_shared_by_unseen_time)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 28);
    ends(7, PARENT, 10);
    ends(8, PARENT, 10)->sums.unseen = 240000;
    end_sample();
    ck_assert_uint_eq(shown(7), 11000);
    ck_assert_uint_eq(shown(8), 17000);
    ck_assert_uint_eq(row_of(8)[PL_P_GUEST_TIME], 0);
}
END_TEST

START_TEST(it_is_the_kernels_work)
{
    struct pl_task_sums *s;

    first_sample(0);
    begin_sample();
    alive(PARENT, 12);
    s = &ends(7, PARENT, 8)->sums;
    s->utime = 30;
    s->stime = 10;
    end_sample();
    ck_assert_uint_eq(row_of(7)[PL_P_UTIME], 6 * MS);
    ck_assert_uint_eq(row_of(7)[PL_P_STIME], (2 + 4) * MS);
    next_sample(20, 5); /* without a tick */
    ck_assert_uint_eq(row_of(7)[PL_P_UTIME], 5 * MS);
    ck_assert_uint_eq(row_of(7)[PL_P_STIME], 3 * MS);
}
END_TEST

START_TEST(none_is_given_more_than_it_can_have_used)
{
    first_sample(0);
    next_sample(110, 10);
    ck_assert_uint_eq(shown(7), (10 + MOST) * 1000);
    next_sample(120, 10); /* 89 are left */
    ck_assert_uint_eq(shown(7), (10 + MOST) * 1000);
    next_sample(120, 0); /* of the 10 that may be of later reports, none is */
    next_sample(130, 10);
    ck_assert_uint_eq(shown(7), 10000);
}
END_TEST

START_TEST(each_thread_may_have_used_a_tick)
{
    struct pl_task_exit *x;

    first_sample(0);
    begin_sample();
    alive(PARENT, 200);
    x = ends(7, PARENT, 10);
    x->head.threads = 3;
    x->max_rss = 1000;
    end_sample();
    ck_assert_uint_eq(shown(7), 10000 + 30000 + 1200 * 5);
}
END_TEST

/* 15 of what was charged are of one that ended after the reports were taken. */
START_TEST(what_is_given_too_much_is_missing_later)
{
    first_sample(0);
    next_sample(30, 10);
    ck_assert_uint_eq(shown(7), (10 + MOST) * 1000);
    next_sample(30, 15);
    ck_assert_uint_eq(shown(7), 15000);
    next_sample(45, 5);
    ck_assert_uint_eq(shown(7), 9000);
}
END_TEST

/* The walk read the parent before it waited for the child, which is gone. */
START_TEST(one_that_is_charged_in_the_next_sample)
{
    first_sample(0);
    next_sample(0, 50);
    next_sample(62, 10);
    ck_assert_uint_eq(shown(7), 12000);
}
END_TEST

/* One that ends with its children is charged them, and its own parent both. */
START_TEST(a_parent_that_ended_too)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 21);
    ends(7, 6, 10);
    ends(6, PARENT, 5);
    end_sample();
    ck_assert_uint_eq(shown(7), 13000);
    ck_assert_uint_eq(shown(6), 8000);
}
END_TEST

/* What it was charged before, and is known, is in its own parent's charge. */
START_TEST(a_parent_that_ended_later)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 0);
    born(6, 12);
    ends(7, 6, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 12000);
    begin_sample();
    alive(PARENT, 30);
    ends(8, 6, 10);
    ends(6, PARENT, 5);
    end_sample();
    ck_assert_uint_eq(shown(8), 11500);
    ck_assert_uint_eq(shown(6), 6500);
}
END_TEST

/* Likewise what was missing of it: here none was given. */
START_TEST(a_parent_that_ended_with_something_missing)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 0);
    born(6, 3); /* of one that is not reported yet */
    end_sample();
    begin_sample();
    alive(PARENT, 9);
    ends(7, 6, 2);
    ends(6, PARENT, 1);
    end_sample();
    ck_assert_uint_eq(shown(7), 5000);
    ck_assert_uint_eq(shown(6), 4000);
}
END_TEST

/* A number that was a parent's, of which another process is the parent. */
START_TEST(a_parent_with_the_number_of_one_that_ended)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 1);
    born(6, 12);
    ends(6, PARENT, 1);
    ends(7, 6, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 12000);
}
END_TEST

static void dead(uint32_t pid, uint64_t ms)
{
    uint64_t *v = alive(pid, 0);

    v[PL_P_STATE] = 'Z';
    v[PL_P_PARENT] = PARENT;
    v[PL_P_UTIME] = ms * MS;
    source.rows.row[source.rows.num - 1].ends = true;
}

/* Charged when it is waited for, in the sample that it is gone from. */
START_TEST(one_that_is_waited_for_later)
{
    begin_sample();
    alive(PARENT, 0);
    alive(6, 0);
    end_sample();
    begin_sample();
    alive(PARENT, 12);
    dead(6, 10);
    ends(6, PARENT, 10);
    ends(8, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(6), 10000);
    ck_assert_uint_eq(shown(8), 12000);
    next_sample(34, 10); /* 12 + 10, and 1 for each */
    ck_assert_uint_eq(shown(7), 11000);
}
END_TEST

/* The same of one whose end was not reported. */
START_TEST(one_that_had_ended_before)
{
    begin_sample();
    alive(PARENT, 0);
    dead(6, 10);
    end_sample();
    begin_sample();
    alive(PARENT, 22);
    ends(8, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(8), 11000);
}
END_TEST

/* The main thread has ended, others have not: its end is reported once. */
START_TEST(one_whose_main_thread_had_ended)
{
    begin_sample();
    alive(PARENT, 0);
    dead(7, 10);
    end_sample();
    next_sample(15, 12);
    ck_assert_uint_eq(shown(7), 15000);
}
END_TEST

/* The kernel's number is rounded: 20 ms of before may seem to be new. */
START_TEST(nothing_is_known_of_before_the_first_sample)
{
    begin_sample();
    alive(PARENT, 1000);
    ends(7, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 10000);
    next_sample(1020, 10);
    ck_assert_uint_eq(shown(7), 10000);
    next_sample(1050, 10);
    ck_assert_uint_eq(shown(7), 20000);
}
END_TEST

START_TEST(one_that_was_not_seen_before_but_is_old)
{
    begin_sample();
    end_sample();
    next_sample(1000, 10);
    ck_assert_uint_eq(shown(7), 10000);
}
END_TEST

START_TEST(nothing_is_known_if_messages_were_lost)
{
    first_sample(0);
    machine.exits_lost = 1;
    next_sample(25, 10);
    ck_assert_uint_eq(shown(7), 10000);
    next_sample(60, 10);
    ck_assert_uint_eq(shown(7), 10000 + 5000);
}
END_TEST

/* Those of one that ignores SIGCHLD are charged to none; then it waits. */
START_TEST(one_that_does_not_wait)
{
    first_sample(0);
    for (unsigned i = 0; i < 9; i++) {
        next_sample(0, 10);
        ck_assert_uint_eq(shown(7), 10000);
    }
    next_sample(0, 0);
    next_sample(40, 10);
    ck_assert_uint_eq(shown(7), 20000);
}
END_TEST

START_TEST(a_row_does_not_fall)
{
    begin_sample();
    alive(PARENT, 0);
    alive(7, 0)[PL_P_UTIME] = 12 * MS;
    end_sample();
    begin_sample();
    alive(PARENT, 30);
    ends(7, PARENT, 10);
    ends(8, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 16000);
    ck_assert_uint_eq(shown(8), 14000);
}
END_TEST

START_TEST(a_parent_without_a_row)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 14);
    ends(7, PARENT - 1, 10);
    ends(8, PARENT + 1, 10);
    ends(9, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 10000);
    ck_assert_uint_eq(shown(8), 10000);
    ck_assert_uint_eq(shown(9), 14000);
}
END_TEST

/* The number of a parent that ended is another process'. */
START_TEST(a_parent_that_is_another_process)
{
    first_sample(0);
    next_sample(30, 10); /* 9 are left */
    begin_sample();
    born(PARENT, 12);
    ends(7, PARENT, 10);
    end_sample();
    ck_assert_uint_eq(shown(7), 12000);
}
END_TEST

static void lose_sample(void)
{
    struct pl_source_rows rows = source.rows;

    pl_process_ended_undo(ended, &source);
    source.rows = source.before;
    source.before = rows;
}

START_TEST(a_lost_sample_changes_nothing)
{
    first_sample(0);
    next_sample(30, 10);
    for (unsigned i = 0; i < 3; i++) {
        next_sample(40, 15);
        ck_assert_uint_eq(shown(7), 19000);
        if (i < 2)
            lose_sample();
    }
    sample_again();
    next_sample(45, 5);
    ck_assert_uint_eq(shown(7), 5000);
}
END_TEST

/* More than the smallest table has places for. */
START_TEST(many)
{
    first_sample(0);
    begin_sample();
    alive(PARENT, 900);
    for (uint32_t i = 0; i < 600; i++)
        ends(10 + i, i % 2 ? PARENT : 11 + i, 1);
    end_sample();
    for (uint32_t i = 0; i < 600; i++)
        ck_assert_uint_eq(shown(10 + i), 1500);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, set_up_old, tear_down);
    tcase_add_test(tc, what_is_missing_is_shared_by_memory);
    tcase_add_test(tc, what_is_missing_is_shared_by_unseen_time);
    tcase_add_test(tc, it_is_the_kernels_work);
    tcase_add_test(tc, none_is_given_more_than_it_can_have_used);
    tcase_add_test(tc, each_thread_may_have_used_a_tick);
    tcase_add_test(tc, what_is_given_too_much_is_missing_later);
    tcase_add_test(tc, one_that_is_charged_in_the_next_sample);
    tcase_add_test(tc, a_parent_that_ended_too);
    tcase_add_test(tc, a_parent_that_ended_later);
    tcase_add_test(tc, a_parent_that_ended_with_something_missing);
    tcase_add_test(tc, a_parent_with_the_number_of_one_that_ended);
    tcase_add_test(tc, one_that_is_waited_for_later);
    tcase_add_test(tc, one_that_had_ended_before);
    tcase_add_test(tc, one_whose_main_thread_had_ended);
    tcase_add_test(tc, nothing_is_known_of_before_the_first_sample);
    tcase_add_test(tc, one_that_was_not_seen_before_but_is_old);
    tcase_add_test(tc, nothing_is_known_if_messages_were_lost);
    tcase_add_test(tc, one_that_does_not_wait);
    tcase_add_test(tc, a_row_does_not_fall);
    tcase_add_test(tc, a_parent_without_a_row);
    tcase_add_test(tc, a_parent_that_is_another_process);
    tcase_add_test(tc, a_lost_sample_changes_nothing);
    tcase_add_test(tc, many);
    return run_suite("reaped_times", (TCase *const[]){ tc, NULL });
}
