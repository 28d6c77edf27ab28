/*
 * Whether a process of this sample's walk has its number still, by the
 * reports of ended processes, which this test makes.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/tasks.h"
#include "tests/support/support.h"

#include <time.h>

enum { PID = 70000, OTHER = 70001, SAME_BIT = PID + PL_ENDED_NUMBERS };

static struct pl_machine machine;
static struct pl_tasks tasks;
static uint32_t reported; /* 0: none */
static bool is_written, has_memory;
static unsigned written_in; /* looks, after which it is no more; 0: never */
static uint64_t lost;
static uint64_t lines_since; /* as the program was told last */
static uint64_t num_lines;   /* that came until then */

enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out);
bool __wrap_pl_task_program_is_drained(const struct pl_task_program *p);
uint64_t __wrap_pl_task_program_lost(const struct pl_task_program *p);

enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out)
{
    struct pl_task_exit x = { .head.pid = reported };

    (void)p;
    if (!has_memory)
        return PL_NOMEM;
    if (reported && !is_written)
        pl_buf_bytes(out, &x, sizeof x);
    if (!is_written)
        reported = 0;
    return PL_OK;
}

bool __wrap_pl_task_program_is_drained(const struct pl_task_program *p)
{
    bool was_written = is_written;

    (void)p;
    if (written_in && !--written_in)
        is_written = false;
    return !was_written;
}

uint64_t __wrap_pl_task_program_lost(const struct pl_task_program *p)
{
    (void)p;
    return lost;
}

void __wrap_pl_task_program_take_lines(struct pl_task_program *p,
                                       uint64_t since, struct pl_buf *out);

void __wrap_pl_task_program_take_lines(struct pl_task_program *p,
                                       uint64_t since, struct pl_buf *out)
{
    (void)p;
    lines_since = since;
    for (; num_lines; num_lines--)
        pl_buf_u64(out, 0);
}

static void next_sample(void)
{
    machine.tick++;
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_OK);
}

static void open_it(void)
{
    machine = (struct pl_machine){ .tasks = &tasks };
    tasks = (struct pl_tasks){ .sees_ends = true, .readable = true };
    reported = 0;
    is_written = false;
    written_in = 0;
    has_memory = true;
    lost = lines_since = num_lines = 0;
    next_sample();
}

static void close_it(void)
{
    pl_buf_release(&tasks.ends);
    pl_buf_release(&tasks.early);
    pl_buf_release(&tasks.lines);
}

/* A start as in a row, in 100 ns. */
static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 10000000 + (uint64_t)t.tv_nsec / 100 + 1;
}

static bool lives(uint64_t started)
{
    return pl_tasks_has_not_ended(&machine, PID, started);
}

START_TEST(known_of_one_started_since_the_last_sample)
{
    uint64_t first = now(), second;

    ck_assert(!lives(first)); /* there is no sample before */
    next_sample();
    second = now();
    ck_assert(lives(first));
    ck_assert(lives(second));
    next_sample();
    ck_assert(!lives(first)); /* its end may have been reported before */
    ck_assert(lives(second));
}
END_TEST

START_TEST(unknown_where_reports_may_be_missing)
{
    uint64_t started = now();

    next_sample();
    ck_assert(lives(started));
    is_written = true;
    ck_assert(!lives(started));
    is_written = false;
    lost = 1;
    ck_assert(!lives(started));
    lost = 0;
    has_memory = false;
    ck_assert(!lives(started));
    has_memory = true;
    tasks.sees_ends = false;
    ck_assert(!lives(started));
    tasks.sees_ends = true;
    ck_assert(lives(started));
    machine.tick++; /* processes are not read in this sample */
    ck_assert(!lives(started));
    machine.tasks = NULL;
    ck_assert(!lives(started));
}
END_TEST

/* One that is being written holds up others: it is waited for, but not for long. */
START_TEST(what_is_being_written_is_waited_for)
{
    reported = PID;
    is_written = true;
    written_in = 3;
    next_sample();
    ck_assert_uint_eq(tasks.ends.len, sizeof(struct pl_task_exit));
    reported = PID;
    is_written = true;
    next_sample();
    ck_assert_uint_eq(tasks.ends.len, 0);
    is_written = false;
    next_sample();
    ck_assert_uint_eq(tasks.ends.len, sizeof(struct pl_task_exit));
    is_written = true;
    has_memory = false;
    machine.tick++;
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_NOMEM);
}
END_TEST

START_TEST(one_that_was_reported_has_ended)
{
    uint64_t started = now();

    reported = PID;
    next_sample();
    ck_assert(!lives(started));
    next_sample();
    started = now();
    next_sample();
    reported = OTHER;
    ck_assert(lives(started));
    reported = PID;
    ck_assert(!lives(started));
    ck_assert(!lives(started));
}
END_TEST

START_TEST(numbers_that_share_a_bit_are_unknown)
{
    uint64_t started = now();

    reported = SAME_BIT;
    next_sample();
    ck_assert(!lives(started));
}
END_TEST

/* Nor are those lost that came between two samples' calls. */
START_TEST(early_reports_are_in_the_next_sample)
{
    const struct pl_task_exit *x;
    uint64_t started = now();

    next_sample();
    reported = PID;
    ck_assert(!lives(started));
    ck_assert_uint_eq(tasks.ends.len, 0);
    started = now();
    reported = OTHER;
    next_sample();
    ck_assert(!lives(started));
    ck_assert_uint_eq(tasks.ends.len, 2 * sizeof *x);
    x = (const void *)tasks.ends.p;
    ck_assert_uint_eq(x[0].head.pid, PID);
    ck_assert_uint_eq(x[1].head.pid, OTHER);
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_OK);
    ck_assert_uint_eq(tasks.ends.len, 2 * sizeof *x);
    next_sample();
    ck_assert_uint_eq(tasks.ends.len, 0);
}
END_TEST

/* ---- command lines --------------------------------------------------------- */

static uint64_t since_of(uint64_t begun, bool readable)
{
    tasks.begun_ns = begun;
    tasks.readable = readable;
    next_sample();
    return lines_since;
}

/* Of those that the last sample's walk did not meet; from the first one on. */
START_TEST(lines_are_wanted_since_the_last_walk)
{
    ck_assert_uint_eq(since_of(5, true), 0);
    tasks.wants_lines = true;
    tasks.lines_since = tasks.met_ns = 0; /* as before the first one */
    ck_assert_uint_eq(since_of(10, true), 10);
    ck_assert_uint_eq(since_of(20, true), 10);
    ck_assert_uint_eq(since_of(30, false), 20);
    ck_assert_uint_eq(since_of(40, true), 20);
    ck_assert_uint_eq(since_of(50, true), 40);
    tasks.begun_ns = 60; /* the same sample is read again */
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_OK);
    ck_assert_uint_eq(lines_since, 40);
}
END_TEST

/* Some begin and end before the first sample. */
START_TEST(lines_are_wanted_at_once)
{
    uint64_t before = now() - 1;

    pl_tasks_want_lines(&tasks);
    ck_assert(tasks.wants_lines);
    ck_assert_uint_ge(lines_since / 100, before);
    ck_assert_uint_le(lines_since / 100, now());
}
END_TEST

/* As long as the reports do. */
START_TEST(lines_wait_for_a_walk)
{
    num_lines = 1;
    since_of(10, false);
    num_lines = 2;
    since_of(20, true);
    ck_assert_uint_eq(tasks.lines.len, 3 * sizeof(uint64_t));
    pl_tasks_undo(&machine);
    next_sample();
    ck_assert_uint_eq(tasks.lines.len, 3 * sizeof(uint64_t));
    num_lines = 1;
    next_sample(); /* which has the ends of those that the walk had met */
    ck_assert_uint_eq(tasks.lines.len, 4 * sizeof(uint64_t));
    next_sample();
    ck_assert_uint_eq(tasks.lines.len, sizeof(uint64_t));
    next_sample();
    ck_assert_uint_eq(tasks.lines.len, 0);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("not_ended");

    tcase_add_checked_fixture(t, open_it, close_it);
    tcase_add_test(t, known_of_one_started_since_the_last_sample);
    tcase_add_test(t, unknown_where_reports_may_be_missing);
    tcase_add_test(t, what_is_being_written_is_waited_for);
    tcase_add_test(t, one_that_was_reported_has_ended);
    tcase_add_test(t, numbers_that_share_a_bit_are_unknown);
    tcase_add_test(t, early_reports_are_in_the_next_sample);
    tcase_add_test(t, lines_are_wanted_since_the_last_walk);
    tcase_add_test(t, lines_are_wanted_at_once);
    tcase_add_test(t, lines_wait_for_a_walk);
    return run_suite("linux_not_ended", (TCase *const[]){ t, NULL });
}
