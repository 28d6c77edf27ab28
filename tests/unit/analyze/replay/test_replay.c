/*
 * Pairing and calculating over made logs: who is paired with whom, and what
 * stands where nothing can be.  Each expected sheet is written out as text,
 * "instance/counter=value|status" in the order of the long layout.
 */
#include "analyze/output/number.h"
#include "analyze/replay/replay.h"
#include "tests/support/recorded.h"
#include "tests/support/support.h"

#include "format/block/winperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 1002, GAUGE = 1004, PID = 1006, START = 1008, FLAGS = 1010 };
enum { SECOND = 1000 };
#define NS_PER_S UINT64_C(1000000000)

static const struct made_counter disk_counters[] = {
    { RATE, "Bytes/sec", PERF_COUNTER_BULK_COUNT, PL_NO_FLAG, PL_TOTAL_SUM },
    { GAUGE, "Size", PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
};
static const struct made_object disk = {
    .index = 900, .name = "Disk", .counters = disk_counters, .num_counters = 2
};

static const struct made_counter process_counters[] = {
    { RATE, "% Time", PERF_100NSEC_TIMER, 0, PL_TOTAL_SUM },
    { PID, "ID", PERF_COUNTER_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
    { START, "Start", PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
    { FLAGS, "Flags", PERF_COUNTER_RAWCOUNT_HEX, PL_NO_FLAG, PL_TOTAL_NONE },
};
static const struct made_object process = { .index = 910,
                                            .name = "Task",
                                            .counters = process_counters,
                                            .num_counters = 4,
                                            .identity = { PID, START },
                                            .flags_counter = FLAGS };

/* The same, of which it is known when an instance began to count from 0. */
static const struct made_object born = { .index = 910,
                                         .name = "Task",
                                         .counters = process_counters,
                                         .num_counters = 4,
                                         .identity = { PID, START },
                                         .flags_counter = FLAGS,
                                         .birth = START,
                                         .birth_slack = 1000 };

static const char *log_path(void)
{
    return path_in(temp_dir(), "x.plog");
}

/* What the log shows for 'choice', one row a line. */
static char *replayed(const char *path, const char *choice,
                      const struct pl_time_range *window)
{
    static char text[16384];
    struct pl_registry registry = { 0 };
    struct pl_counter_path_list paths = { 0 };
    struct pl_replay_options options = { .registry = &registry,
                                         .want_absent = true };
    char *operand = (char *)(uintptr_t)path;
    struct pl_host_logs tapes;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    if (choice)
        ck_assert_int_eq(pl_counter_path_list_add(&paths, choice, &bad), PL_OK);
    options.choice.paths = &paths;
    if (window)
        options.window = *window;
    ck_assert_int_eq(pl_host_logs_open(&tapes, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &tapes.tapes[0], &options), PL_OK);
    while (!pl_replay_peek(r, &t)) {
        ck_assert_int_eq(pl_replay_row(r, &row), PL_OK);
        p += sprintf(p, "%d:", (int)((t - MADE_START) / 1000000000));
        for (size_t i = 0; i < row.num_cells; i++) {
            const struct pl_cell_at *c = &row.cells[i];
            char number[PL_NUMBER_TEXT + 1];
            size_t n = 0;

            if (c->value.kind == PL_VALUE_DOUBLE)
                n = pl_number_put(c->value.number, number);
            else if (c->value.kind == PL_VALUE_INTEGER)
                n = pl_integer_put(c->value.integer, number);
            number[n] = 0;
            p += sprintf(p, " %s=%s%s%s",
                         c->group->instance ? c->group->instance : "-", number,
                         *pl_cell_name(c->value.cell) ? "|" : "",
                         pl_cell_name(c->value.cell));
        }
        p += sprintf(p, "\n");
    }
    pl_replay_stop(r);
    pl_host_logs_release(&tapes);
    pl_registry_release(&registry);
    pl_counter_path_list_release(&paths);
    return text;
}

START_TEST(rates_need_two_samples_and_gauges_one)
{
    const struct made_instance first[] = { { "sda", { 1000, 7 } } };
    const struct made_instance then[] = { { "sda", { 4000, 8 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, first, 1);
    make_sample(&m, 2 * SECOND, then, 1); /* 3000 in 2 s */
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(sda)\\*", NULL),
                     "0: sda=|first sda=7\n"
                     "2: sda=1500 sda=8\n");
}
END_TEST

START_TEST(counter_that_fell_is_blank_and_goes_on_from_there)
{
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (int i = 0; i < 4; i++) {
        static const uint64_t bytes[] = { 100, 50, 80, 90 };
        struct made_instance now[] = { { "sda", { bytes[i], 0 } } };

        make_sample(&m, i * SECOND, now, 1);
    }
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(sda)\\Bytes/sec", NULL),
                     "0: sda=|first\n"
                     "1: sda=|negative\n"
                     "2: sda=30\n"
                     "3: sda=10\n");
}
END_TEST

START_TEST(instances_come_and_go_and_come_again)
{
    const struct made_instance one[] = { { "a", { 0, 0 } } };
    const struct made_instance two[] = { { "a", { 10, 0 } },
                                         { "b", { 500, 0 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, one, 1);
    make_sample(&m, SECOND, two, 2);
    make_sample(&m, 2 * SECOND, one + 0, 1);
    make_sample(&m, 3 * SECOND, one, 1);
    make_sample(&m, 4 * SECOND, two, 2);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(?)\\Bytes/sec", NULL),
                     "0: a=|first\n"
                     "1: a=10 b=|first\n"
                     "2: a=|negative b=|absent\n" /* told once */
                     "3: a=0\n"
                     "4: a=10 b=|first\n");
}
END_TEST

START_TEST(counter_that_vanishes_is_told_once_and_may_come_back)
{
    static const struct made_object fewer = { .index = 900,
                                              .name = "Disk",
                                              .counters = disk_counters,
                                              .num_counters = 1 };
    const struct made_instance t0[] = { { "a", { 0, 7 } } };
    const struct made_instance t1[] = { { "a", { 10, 7 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, t0, 1);
    m.object = &fewer; /* its rate goes on, its size is gone */
    make_sample(&m, SECOND, t1, 1);
    make_sample(&m, 2 * SECOND, t1, 1);
    m.object = &disk;
    make_sample(&m, 3 * SECOND, t1, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(a)\\*", NULL),
                     "0: a=|first a=7\n"
                     "1: a=10 a=|absent\n"
                     "2: a=0\n"
                     "3: a=0 a=7\n");
}
END_TEST

/* Only bases, and then others: there is nothing that could go. */
START_TEST(object_without_counters_to_show_may_change)
{
    static const struct made_counter bases[] = {
        { 910, "Base", PERF_AVERAGE_BASE, PL_NO_FLAG, 0 },
        { 912, "Other Base", PERF_AVERAGE_BASE, PL_NO_FLAG, 0 },
    };
    static const struct made_object one = {
        .index = 900, .name = "Disk", .counters = bases, .num_counters = 1
    };
    static const struct made_object two = {
        .index = 900, .name = "Disk", .counters = bases, .num_counters = 2
    };
    const struct made_instance a[] = { { "a", { 1, 2 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &one, NS_PER_S);
    make_sample(&m, 0, a, 1);
    m.object = &two;
    make_sample(&m, SECOND, a, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), NULL, NULL), "0:\n1:\n");
}
END_TEST

START_TEST(equal_names_get_numbers_in_their_order)
{
    const struct made_instance first[] = { { "x", { 0, 1 } },
                                           { "x", { 0, 2 } },
                                           { "x#1", { 0, 3 } },
                                           { "x", { 0, 4 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, first, 4);
    make_sample(&m, SECOND, first, 4);
    make_end(&m);
    /* Each name is taken once: the real x#1 finds its own taken. */
    ck_assert_str_eq(replayed(log_path(), "\\Disk(x*)\\Size", NULL),
                     "0: x=1 x#1=2 x#1#1=3 x#2=4\n"
                     "1: x=1 x#1=2 x#1#1=3 x#2=4\n");
}
END_TEST

/* 1 s of 100 ns at 100 %. */
enum { BUSY = 10000000 };

START_TEST(equal_names_get_numbers_anew_when_one_has_gone)
{
    const struct made_instance all[] = { { "x", { 0, 1 } },
                                         { "y", { 0, 9 } },
                                         { "x", { 0, 2 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, all, 3);
    make_sample(&m, SECOND, all + 1, 2); /* y stands where it stood before x */
    make_sample(&m, 2 * SECOND, all + 1, 2);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(*)\\Size", NULL),
                     "0: x=1 y=9 x#1=2\n"
                     "1: y=9 x=2 x#1=|absent\n"
                     "2: y=9 x=2\n");
}
END_TEST

START_TEST(reused_pid_is_a_new_process)
{
    const struct made_instance old[] = { { "sh:7", { BUSY, 7, 100, 0 } } };
    const struct made_instance young[] = { { "sh:7",
                                             { 9 * BUSY, 7, 200, 0 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    make_sample(&m, 0, old, 1);
    make_sample(&m, SECOND, young, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(sh:7)\\% Time", NULL),
                     "0: sh:7=|first\n"
                     "1: sh:7=|first\n");
}
END_TEST

/* The object's clock shows BUSY a second; START is of that clock. */
START_TEST(what_was_born_since_is_counted_from_zero)
{
    const struct made_instance one[] = { { "a:1", { 0, 1, 100, 0 } } };
    const struct made_instance then[] = {
        { "a:1", { BUSY / 10, 1, 100, 0 } },
        { "young:2", { BUSY / 4, 2, BUSY * 3 / 2, 0 } },
        { "just:3", { BUSY / 4, 3, BUSY - 1000, 0 } }, /* within the slack */
        { "old:4", { BUSY / 4, 4, BUSY - 1001, 0 } },
        { "wild:5", { BUSY / 4, 5, UINT64_MAX, 0 } },
        { "hidden:6", { BUSY / 4, 6, BUSY * 3 / 2, 1 } },
        { "_Total", { BUSY / 4, 0, BUSY * 3 / 2, 0 } },
    };
    struct maker m;

    make_begin(&m, log_path(), "h", &born, NS_PER_S);
    make_sample(&m, SECOND, one, 1);
    make_sample(&m, 2 * SECOND, then, 7);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(*)\\% Time", NULL),
                     "1: a:1=|first _Total=|first\n"
                     "2: a:1=10 young:2=25 just:3=25 old:4=|first "
                     "wild:5=|first hidden:6=|unreadable _Total=|first\n");
}
END_TEST

START_TEST(what_was_born_since_is_in_the_total)
{
    const struct made_instance one[] = { { "a:1", { 0, 1, 100, 0 } } };
    const struct made_instance two[] = {
        { "a:1", { BUSY / 10, 1, 100, 0 } },
        { "young:2", { BUSY / 4, 2, BUSY * 3 / 2, 0 } },
    };
    const struct made_instance again[] = {
        { "a:1", { BUSY / 10, 1, 100, 0 } },
        { "young:2", { BUSY / 2, 2, BUSY * 5 / 2, 0 } }, /* another one */
    };
    struct maker m;

    make_begin(&m, log_path(), "h", &born, NS_PER_S);
    make_sample(&m, SECOND, one, 1);
    make_sample(&m, 2 * SECOND, two, 2);
    make_sample(&m, 3 * SECOND, again, 2);
    make_end(&m);
    for (size_t k = 0; k < 2; k++)
        ck_assert_str_eq(
            replayed(log_path(),
                     k ? "\\Task(_Total)\\% Time" : "\\Task(*)\\% Time", NULL),
            k ? "1: _Total=|first\n2: _Total=35\n3: _Total=50\n"
              : "1: a:1=|first _Total=|first\n"
                "2: a:1=10 young:2=25 _Total=35\n"
                "3: a:1=0 young:2=50 _Total=50\n");
}
END_TEST

/* Nothing is known of what was before: it may have been there. */
START_TEST(no_birth_is_seen_over_a_gap)
{
    const struct made_instance one[] = { { "a:1", { 0, 1, 100, 0 } } };
    const struct made_instance two[] = {
        { "a:1", { BUSY / 10, 1, 100, 0 } },
        { "young:2", { BUSY / 4, 2, BUSY * 3 / 2, 0 } },
    };
    struct maker m;

    make_begin(&m, log_path(), "h", &born, NS_PER_S);
    make_sample(&m, SECOND, one, 1);
    make_gap(&m, PL_GAP_DISK_FULL, 1);
    make_sample(&m, 2 * SECOND, two, 2);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(*:*)\\% Time", NULL),
                     "1: a:1=|first\n"
                     "2: a:1=|gap young:2=|gap\n");
}
END_TEST

/* Windows: a sum over processes bears the clock for its start. */
START_TEST(total_of_processes_is_paired_by_its_name)
{
    static const char *const names[] = { "_Total", "_Total/_Total" };

    for (size_t k = 0; k < 2; k++) {
        const struct made_instance old[] = { { names[k], { 0, 0, 100, 0 } },
                                             { "Idle:0", { 0, 0, 1, 0 } } };
        const struct made_instance now[] = {
            { "Idle:0", { BUSY / 4, 0, 1, 0 } },
            { names[k], { BUSY / 2, 0, 200, 0 } }
        };
        const char *path = path_in(temp_dir(), k ? "threads" : "processes");
        char expected[128];
        struct maker m;

        make_begin(&m, path, "h", &process, NS_PER_S);
        make_sample(&m, 0, old, 2);
        make_sample(&m, SECOND, now, 2);
        make_end(&m);
        sprintf(expected, "0: %s=|first Idle:0=|first\n1: Idle:0=25 %s=50\n",
                names[k], names[k]);
        ck_assert_str_eq(replayed(path, "\\Task(*)\\% Time", NULL), expected);
    }
}
END_TEST

START_TEST(process_is_paired_across_exec)
{
    const struct made_instance sh[] = { { "sh:7", { 0, 7, 100, 0 } },
                                        { "z:9", { 0, 9, 100, 0 } } };
    const struct made_instance vi[] = { { "vi:7", { BUSY / 2, 7, 100, 0 } },
                                        { "z:9", { 0, 9, 100, 0 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    make_sample(&m, 0, sh, 2);
    make_sample(&m, SECOND, vi, 2);
    make_end(&m);
    /* The value stands under the newer name, the older is not 'absent'. */
    ck_assert_str_eq(replayed(log_path(), "\\Task(*)\\% Time", NULL),
                     "0: sh:7=|first z:9=|first _Total=|first\n"
                     "1: vi:7=50 z:9=0 _Total=50\n");
}
END_TEST

START_TEST(unreadable_in_either_sample_is_blank)
{
    struct maker m;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    for (int i = 0; i < 4; i++) {
        struct made_instance now[] = {
            { "a:1", { (uint64_t)i * BUSY / 10, 1, 1, i == 1 } }
        };

        make_sample(&m, i * SECOND, now, 1);
    }
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(a:1)\\% Time", NULL),
                     "0: a:1=|first\n"
                     "1: a:1=|unreadable\n"
                     "2: a:1=|unreadable\n"
                     "3: a:1=10\n");
}
END_TEST

/* What the pair lacks is told before what the counter lacks. */
START_TEST(nothing_to_compare_with_comes_before_unreadable)
{
    const struct made_instance a[] = { { "a:1", { 0, 1, 1, 1 } } };
    const struct made_instance ab[] = { { "a:1", { 0, 1, 1, 1 } },
                                        { "b:2", { 0, 2, 2, 1 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    make_sample(&m, 0, a, 1);
    make_sample(&m, SECOND, ab, 2);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(*:?)\\% Time", NULL),
                     "0: a:1=|first\n"
                     "1: a:1=|unreadable b:2=|first\n");
}
END_TEST

START_TEST(total_is_the_sum_of_those_with_a_pair)
{
    const struct made_instance t0[] = { { "a", { 100, 1 } },
                                        { "b", { 900, 1 } } };
    const struct made_instance t1[] = { { "a", { 150, 1 } },
                                        { "b", { 990, 1 } },
                                        { "c", { 9999999, 1 } } };
    const struct made_instance t2[] = { { "a", { 160, 1 } },
                                        { "c", { 9999999 + 5, 1 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, t0, 2);
    make_sample(&m, SECOND, t1, 3);
    make_sample(&m, 2 * SECOND, t2, 2);
    make_end(&m);
    /* Neither c's arrival nor b's departure makes a spike. */
    ck_assert_str_eq(replayed(log_path(), "\\Disk(_Total)\\*", NULL),
                     "0: _Total=|first\n"
                     "1: _Total=140\n"
                     "2: _Total=15\n");
}
END_TEST

enum { LEFT_OUT = 1 << 4, UNREADABLE = 1 << 0 };

static const struct made_counter stacked_counters[] = {
    { RATE, "Bytes/sec", PERF_COUNTER_BULK_COUNT, 0, PL_TOTAL_SUM },
    { GAUGE, "Size", PERF_COUNTER_LARGE_RAWCOUNT, 0, PL_TOTAL_SUM },
    { FLAGS, "Flags", PERF_COUNTER_RAWCOUNT_HEX, PL_NO_FLAG, PL_TOTAL_NONE },
};
static const struct made_object stacked = { .index = 900,
                                            .name = "Disk",
                                            .counters = stacked_counters,
                                            .num_counters = 3,
                                            .flags_counter = FLAGS,
                                            .some_left_out = true };

/* Nor does what cannot be read of those make the total a part. */
START_TEST(total_leaves_out_what_others_count_already)
{
    const struct made_instance zero[] = {
        { "sda", { 0, 8, 0 } },
        { "dm-0", { 0, 8, LEFT_OUT } },
        { "tmp", { 0, 8, LEFT_OUT | UNREADABLE } },
        { "sdb", { 0, 8, 2 } },
    };
    const struct made_instance one[] = {
        { "sda", { 100, 8, 0 } },
        { "dm-0", { 100, 8, LEFT_OUT } },
        { "tmp", { 9, 8, LEFT_OUT | UNREADABLE } },
        { "sdb", { 10, 8, 2 } },
    };
    struct maker m;

    make_begin(&m, log_path(), "h", &stacked, NS_PER_S);
    make_sample(&m, 0, zero, 4);
    make_sample(&m, SECOND, one, 4);
    make_sample(&m, 2 * SECOND, zero + 1, 2);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(_Total)\\*", NULL),
                     "0: _Total=|first _Total=16\n"
                     "1: _Total=110 _Total=16\n"
                     "2:\n");
    ck_assert_str_eq(replayed(log_path(), "\\Disk(*)\\Bytes/sec", NULL),
                     "0: sda=|first dm-0=|first tmp=|first sdb=|first "
                     "_Total=|first\n"
                     "1: sda=100 dm-0=100 tmp=|unreadable sdb=10 _Total=110\n"
                     "2: dm-0=|negative tmp=|unreadable sda=|absent "
                     "sdb=|absent\n");
}
END_TEST

static const struct made_counter idle_counters[] = {
    { RATE, "% Busy", PERF_100NSEC_TIMER_INV, PL_NO_FLAG, PL_TOTAL_MEAN },
    { GAUGE, "Level", PERF_COUNTER_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_MEAN },
    { PID, "Count", PERF_COUNTER_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_SUM },
};
static const struct made_object cpus = {
    .index = 920, .name = "Cpu", .counters = idle_counters, .num_counters = 3
};

START_TEST(mean_total_of_inverse_timers_and_gauges)
{
    const struct made_instance t0[] = { { "0", { 0, 1, 4 } },
                                        { "1", { 0, 2, 5 } } };
    /* idle 30 % and 80 %: busy 70 and 20, on average 45 */
    const struct made_instance t1[] = { { "0", { 3 * BUSY / 10, 1, 4 } },
                                        { "1", { 8 * BUSY / 10, 2, 5 } } };
    struct maker m;
    char *text;

    make_begin(&m, log_path(), "h", &cpus, NS_PER_S);
    make_sample(&m, 0, t0, 2);
    make_sample(&m, SECOND, t1, 2);
    make_end(&m);
    text = replayed(log_path(), "\\Cpu(_Total)\\*", NULL);
    ck_assert_ptr_nonnull(strstr(text, "0: _Total=|first _Total=1.5 "
                                       "_Total=9\n"));
    ck_assert_ptr_nonnull(strstr(text, "1: _Total=4"));
    ck_assert_double_eq_tol(strtod(strstr(text, "1: _Total=") + 10, NULL), 45,
                            1e-9);
}
END_TEST

static const struct {
    enum pl_gap_cause cause;
    const char *second;
} gaps[] = {
    /* late and suspend: the pair holds over its true length */
    { PL_GAP_LATE, "3: a=10\n" },          { PL_GAP_SUSPEND, "3: a=10\n" },
    { PL_GAP_SYNC_FAILED, "3: a=10\n" },   { PL_GAP_DISK_FULL, "3: a=|gap\n" },
    { PL_GAP_DISK_ERROR, "3: a=|gap\n" },  { PL_GAP_TOO_LARGE, "3: a=|gap\n" },
    { PL_GAP_SPACE_GUARD, "3: a=|gap\n" }, { PL_GAP_RING_FULL, "3: a=|gap\n" },
};

START_TEST(gap_breaks_pairs_only_if_samples_were_lost)
{
    const struct made_instance t0[] = { { "a", { 0, 0 } } };
    const struct made_instance t3[] = { { "a", { 30, 0 } } };
    const struct made_instance t4[] = { { "a", { 35, 0 } } };
    char want[128];
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, t0, 1);
    make_gap(&m, gaps[_i].cause, 2);
    make_sample(&m, 3 * SECOND, t3, 1);
    make_sample(&m, 4 * SECOND, t4, 1);
    make_end(&m);
    snprintf(want, sizeof want, "0: a=|first\n%s4: a=5\n", gaps[_i].second);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(a)\\Bytes/sec", NULL), want);
}
END_TEST

START_TEST(restart_makes_no_pair)
{
    const struct made_instance t[] = { { "a", { 1000, 5 } } };
    const struct made_instance later[] = { { "a", { 3000, 5 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, t, 1);
    make_end(&m);
    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, SECOND, later, 1);
    make_sample(&m, 2 * SECOND, later, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(a)\\*", NULL),
                     "0: a=|first a=5\n"
                     "1: a=|first a=5\n"
                     "2: a=0 a=5\n");
}
END_TEST

/* "host:instance=value" of all rows, in order. */
static char *with_hosts(const char *path)
{
    static char text[4096];
    struct pl_registry registry = { 0 };
    struct pl_counter_path_list none = { 0 };
    struct pl_replay_options options = { .registry = &registry,
                                         .choice = { .paths = &none },
                                         .want_absent = true };
    char *operand = (char *)(uintptr_t)path;
    struct pl_host_logs tapes;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    ck_assert_int_eq(pl_host_logs_open(&tapes, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &tapes.tapes[0], &options), PL_OK);
    while (!pl_replay_peek(r, &t)) {
        ck_assert_int_eq(pl_replay_row(r, &row), PL_OK);
        for (size_t i = 0; i < row.num_cells; i++)
            if (row.cells[i].value.kind == PL_VALUE_INTEGER)
                p += sprintf(p, "%s:%s\\%s=%d ", row.cells[i].group->host->name,
                             row.cells[i].group->object->name,
                             row.cells[i].group->instance,
                             (int)row.cells[i].value.integer);
    }
    pl_replay_stop(r);
    pl_host_logs_release(&tapes);
    pl_registry_release(&registry);
    return text;
}

START_TEST(another_host_or_object_has_its_own_name)
{
    static const struct made_object renamed = { .index = 900,
                                                .name = "Drive",
                                                .counters = disk_counters,
                                                .num_counters = 2 };
    const struct made_instance t[] = { { "a", { 0, 1 } } };
    const struct made_instance u[] = { { "a", { 0, 2 } } };
    const struct made_instance v[] = { { "a", { 0, 3 } } };
    struct maker m;

    make_begin(&m, log_path(), "one", &disk, NS_PER_S);
    make_sample(&m, 0, t, 1);
    make_end(&m);
    make_begin(&m, log_path(), "two", &disk, NS_PER_S);
    make_sample(&m, SECOND, u, 1);
    make_end(&m);
    make_begin(&m, log_path(), "two", &renamed, NS_PER_S);
    make_sample(&m, 2 * SECOND, v, 1);
    make_end(&m);
    ck_assert_str_eq(with_hosts(log_path()),
                     "one:Disk\\a=1 two:Disk\\a=2 two:Drive\\a=3 ");
}
END_TEST

START_TEST(counter_that_comes_later_is_shown)
{
    static const struct made_object fewer = { .index = 900,
                                              .name = "Disk",
                                              .counters = disk_counters,
                                              .num_counters = 1 };
    const struct made_instance t[] = { { "a", { 0, 7 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &fewer, NS_PER_S);
    make_sample(&m, 0, t, 1);
    make_end(&m);
    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, SECOND, t, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(a)\\*", NULL),
                     "0: a=|first\n1: a=|first a=7\n");
}
END_TEST

START_TEST(total_without_unreadable_members_is_partial)
{
    struct maker m;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    for (int i = 0; i < 2; i++) {
        struct made_instance now[] = {
            { "a:1", { (uint64_t)i * BUSY / 10, 1, 1, 0 } },
            { "b:2", { (uint64_t)i * BUSY / 10, 2, 1, 1 } },
        };

        make_sample(&m, i * SECOND, now, 2);
    }
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Task(_Total)\\% Time", NULL),
                     "0: _Total=|first\n1: _Total=10|partial\n");
}
END_TEST

START_TEST(two_tapes_of_one_host_share_nothing_that_goes_away)
{
    const struct made_instance old[] = { { "a", { 0, 1 } } };
    const struct made_instance xy[] = { { "x", { 0, 1 } }, { "y", { 0, 2 } } };
    char one[512], two[512], *operands[] = { one, two };
    struct pl_registry registry = { 0 };
    struct pl_counter_path_list none = { 0 };
    struct pl_replay_options options = { .registry = &registry,
                                         .choice = { .paths = &none },
                                         .want_absent = true };
    struct pl_replay *r[2];
    struct pl_host_logs tapes;
    struct maker m;
    const char *bad;
    int rows = 0;

    /* A machine that was renamed, and a log with its new name alone. */
    snprintf(one, sizeof one, "%s", path_in(temp_dir(), "one.plog"));
    snprintf(two, sizeof two, "%s", path_in(temp_dir(), "two.plog"));
    make_begin(&m, one, "old", &disk, NS_PER_S);
    make_sample(&m, 0, old, 1);
    make_end(&m);
    make_begin(&m, one, "new", &disk, NS_PER_S);
    for (int i = 0; i < 4; i++)
        make_sample(&m, (10 + i) * SECOND, i ? xy + 1 : xy, i ? 1 : 2);
    make_end(&m);
    make_begin(&m, two, "new", &disk, NS_PER_S);
    for (int i = 0; i < 4; i++)
        make_sample(&m, (10 + i) * SECOND, xy, i % 2 ? 1 : 2);
    make_end(&m);
    ck_assert_int_eq(pl_host_logs_open(&tapes, operands, 2, &bad), PL_OK);
    ck_assert_uint_eq(tapes.num, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pl_replay_start(&r[i], &tapes.tapes[i], &options),
                         PL_OK);
    for (bool more = true; more;) { /* in turn, as an export does */
        more = false;
        for (int i = 0; i < 2; i++) {
            struct pl_row row;
            int64_t t;

            if (pl_replay_peek(r[i], &t))
                continue;
            ck_assert_int_eq(pl_replay_row(r[i], &row), PL_OK);
            for (size_t k = 0; k < row.num_cells; k++)
                ck_assert_ptr_nonnull(row.cells[k].group->instance);
            more = true;
            rows++;
        }
    }
    ck_assert_int_eq(rows, 9);
    pl_replay_stop(r[0]);
    pl_replay_stop(r[1]);
    pl_host_logs_release(&tapes);
    pl_registry_release(&registry);
}
END_TEST

START_TEST(damage_between_two_samples_is_said)
{
    struct maker m;
    uint8_t *bytes;
    char *text;
    size_t n;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (int i = 0; i < 70; i++) { /* two chunks: keys at 0 and 60 */
        struct made_instance now[] = { { "a", { (uint64_t)i * 10, 3 } } };

        make_sample(&m, i * SECOND, now, 1);
    }
    make_end(&m);
    bytes = read_file(log_path(), &n);
    bytes[n / 2] ^= 1; /* somewhere in the first chunk */
    write_file(log_path(), bytes, n);
    free(bytes);
    text = replayed(log_path(), "\\Disk(a)\\Bytes/sec", NULL);
    ck_assert_ptr_nonnull(strstr(text, "\n60: a=|damaged\n61: a=10\n"));
    ck_assert_ptr_null(strstr(text, "\n59:"));
    ck_assert_ptr_nonnull(strstr(text, "1: a=10\n"));
}
END_TEST

START_TEST(window_has_one_sample_before_it)
{
    struct pl_time_range w = { .has_from = true,
                               .has_to = true,
                               .from_ns = MADE_START + 2 * (int64_t)NS_PER_S,
                               .to_ns = MADE_START + 4 * (int64_t)NS_PER_S };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (int i = 0; i < 8; i++) {
        struct made_instance now[] = { { "a", { (uint64_t)(i * i), 0 } } };

        make_sample(&m, i * SECOND + 3, now, 1); /* 3 ms late each time */
    }
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(a)\\Bytes/sec", &w),
                     "3: a=5\n"
                     "4: a=7\n");
}
END_TEST

/* The objects that a replay of the window meets, in their order. */
static const char *met(const struct pl_time_range *window)
{
    static char text[256];
    struct pl_registry registry = { 0 };
    struct pl_counter_path_list none = { 0 };
    struct pl_replay_options options = { .registry = &registry,
                                         .choice = { .paths = &none },
                                         .window = *window };
    char *operand = (char *)(uintptr_t)log_path();
    struct pl_host_logs tapes;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    ck_assert_int_eq(pl_host_logs_open(&tapes, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &tapes.tapes[0], &options), PL_OK);
    while (!pl_replay_peek(r, &t))
        ck_assert_int_eq(pl_replay_row(r, &row), PL_OK);
    for (uint32_t i = 0; i < registry.num_objects; i++)
        for (const struct pl_object_names *o = registry.objects; o; o = o->next)
            if (o->rank == i)
                p += sprintf(p, "%s ", o->name);
    pl_replay_stop(r);
    pl_host_logs_release(&tapes);
    pl_registry_release(&registry);
    return text;
}

/* Blocks outside a window are not even parsed, but for the one before it. */
START_TEST(window_has_its_own_names)
{
    struct pl_time_range w = { .has_from = true,
                               .has_to = true,
                               .from_ns = MADE_START + 3 * (int64_t)NS_PER_S,
                               .to_ns = MADE_START + 5 * (int64_t)NS_PER_S };
    static const struct made_object objects[] = {
        { 901, "One", disk_counters, 2, { 0 }, 0, 0, 0, false },
        { 902, "Two", disk_counters, 2, { 0 }, 0, 0, 0, false },
        { 903, "Three", disk_counters, 2, { 0 }, 0, 0, 0, false },
    };
    static const size_t order[] = { 0, 1, 0, 2, 1, 2, 0, 0 };
    const struct made_instance now[] = { { "a", { 1, 2 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (size_t i = 0; i < 8; i++) {
        m.object = &objects[order[i]];
        make_sample(&m, (int64_t)i * SECOND, now, 1);
    }
    make_end(&m);
    ck_assert_str_eq(met(&w), "#903 #902 ");
}
END_TEST

START_TEST(sample_before_a_window_has_its_own_titles)
{
    struct pl_time_range w = { .has_from = true,
                               .from_ns = MADE_START + 2 * (int64_t)NS_PER_S };
    const struct made_instance now[] = { { "a", { 1, 2 } } };
    struct pl_buf titles = { 0 };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (int i = 0; i < 3; i++)
        make_sample(&m, i * SECOND, now, 1);
    ck_assert_int_eq(pl_titles_set(m.titles, disk.index, PL_TITLE_NAME,
                                   PL_LANGUAGE_ENGLISH, pl_text_of("Drive")),
                     PL_OK);
    pl_titles_write(m.titles, &titles);
    pl_writer_titles(m.writer, &titles);
    make_sample(&m, 3 * SECOND, now, 1);
    make_end(&m);
    pl_buf_release(&titles);
    ck_assert_str_eq(met(&w), "Disk Drive ");
}
END_TEST

START_TEST(names_of_lost_titles_are_numbers)
{
    static const struct made_counter nameless[] = {
        { GAUGE, NULL, PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, 0 },
        { GAUGE, NULL, PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, 0 },
    };
    static const struct made_object odd = {
        .index = 930, .name = "Odd", .counters = nameless, .num_counters = 2
    };
    const struct made_instance t[] = { { NULL, { 11, 12 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &odd, NS_PER_S);
    make_sample(&m, 0, t, 1);
    make_sample(&m, SECOND, t, 1);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Odd\\[#]1004", NULL),
                     "0: -=11 -=12\n1: -=11 -=12\n");
}
END_TEST

static const struct {
    int64_t utc_ms;
    uint64_t interval_ms;
    int64_t row_ms;
} row_times[] = {
    { 10000, 1000, 10000 },
    { 10400, 1000, 10000 }, /* late */
    { 9999, 1000, 10000 },  /* a clock read just before: 1 ms is forgiven */
    { 9998, 1000, 9000 },
    { 10009, 10, 10010 }, /* a tenth of 10 ms is 1 ms */
    { 10008, 10, 10000 },
    { 10007, 0, 10007 }, /* imports: to the millisecond */
    { -1500, 1000, -2000 },
};

START_TEST(row_time_is_a_multiple_of_the_interval)
{
    ck_assert_int_eq(pl_row_time(row_times[_i].utc_ms * 1000000,
                                 row_times[_i].interval_ms * 1000000),
                     row_times[_i].row_ms * 1000000);
}
END_TEST

START_TEST(storm_of_new_processes_is_paired_right)
{
    enum { N = 3000 };
    static struct made_instance now[N];
    static char names[2 * N][32];
    struct maker m;
    char *text;

    make_begin(&m, log_path(), "h", &process, NS_PER_S);
    /* All names change at once (exec), all identities stay. */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            snprintf(names[round * N + i], 32, "%c%d:%d", round ? 'b' : 'a', i,
                     i);
            now[i] = (struct made_instance){ names[round * N + i],
                                             { (uint64_t)(round * i * 1000),
                                               (uint64_t)i, 5, 0 } };
        }
        make_sample(&m, round * SECOND, now, N);
    }
    make_end(&m);
    text = replayed(log_path(), "\\Task(?2999:2999)\\% Time", NULL);
    /* 2999 * 1000 of 10^7 */
    ck_assert_str_eq(text, "0: a2999:2999=|first\n1: b2999:2999=29.99\n");
}
END_TEST

int main(void)
{
    TCase *pairs = tcase_create("pairs"), *holes = tcase_create("holes");
    TCase *names = tcase_create("names"),
          *all[] = { pairs, holes, names, NULL };

    tcase_add_test(pairs, rates_need_two_samples_and_gauges_one);
    tcase_add_test(pairs, counter_that_fell_is_blank_and_goes_on_from_there);
    tcase_add_test(pairs, instances_come_and_go_and_come_again);
    tcase_add_test(pairs, counter_that_vanishes_is_told_once_and_may_come_back);
    tcase_add_test(pairs, reused_pid_is_a_new_process);
    tcase_add_test(pairs, total_of_processes_is_paired_by_its_name);
    tcase_add_test(pairs, what_was_born_since_is_counted_from_zero);
    tcase_add_test(pairs, what_was_born_since_is_in_the_total);
    tcase_add_test(pairs, no_birth_is_seen_over_a_gap);
    tcase_add_test(pairs, process_is_paired_across_exec);
    tcase_add_test(pairs, unreadable_in_either_sample_is_blank);
    tcase_add_test(pairs, nothing_to_compare_with_comes_before_unreadable);
    tcase_add_test(pairs, total_is_the_sum_of_those_with_a_pair);
    tcase_add_test(pairs, total_leaves_out_what_others_count_already);
    tcase_add_test(pairs, mean_total_of_inverse_timers_and_gauges);
    tcase_add_test(pairs, storm_of_new_processes_is_paired_right);
    tcase_add_loop_test(holes, gap_breaks_pairs_only_if_samples_were_lost, 0,
                        sizeof gaps / sizeof *gaps);
    tcase_add_test(holes, restart_makes_no_pair);
    tcase_add_test(holes, another_host_or_object_has_its_own_name);
    tcase_add_test(holes, counter_that_comes_later_is_shown);
    tcase_add_test(pairs, total_without_unreadable_members_is_partial);
    tcase_add_test(pairs, two_tapes_of_one_host_share_nothing_that_goes_away);
    tcase_add_test(holes, damage_between_two_samples_is_said);
    tcase_add_test(holes, window_has_one_sample_before_it);
    tcase_add_test(names, window_has_its_own_names);
    tcase_add_test(names, sample_before_a_window_has_its_own_titles);
    tcase_add_test(names, object_without_counters_to_show_may_change);
    tcase_add_test(names, equal_names_get_numbers_in_their_order);
    tcase_add_test(names, equal_names_get_numbers_anew_when_one_has_gone);
    tcase_add_test(names, names_of_lost_titles_are_numbers);
    tcase_add_loop_test(names, row_time_is_a_multiple_of_the_interval, 0,
                        sizeof row_times / sizeof *row_times);
    return run_suite("replay", all);
}
