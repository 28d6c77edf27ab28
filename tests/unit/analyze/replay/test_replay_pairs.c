/* Which samples of a counter make a pair, and what follows for totals. */
#include "tests/support/replayed.h"

#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

START_TEST(counter_that_vanishes_is_once_reported_and_may_come_back)
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

/* What the pair lacks is reported before what the counter lacks. */
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

START_TEST(two_logs_of_one_host_share_nothing_that_goes_away)
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
    struct pl_host_logs logs;
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
    ck_assert_int_eq(pl_host_logs_open(&logs, operands, 2, &bad), PL_OK);
    ck_assert_uint_eq(logs.num, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pl_replay_start(&r[i], &logs.logs[i], &options),
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
    pl_host_logs_release(&logs);
    pl_registry_release(&registry);
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
    TCase *pairs = tcase_create("pairs");

    tcase_add_test(pairs, rates_need_two_samples_and_gauges_one);
    tcase_add_test(pairs, counter_that_fell_is_blank_and_goes_on_from_there);
    tcase_add_test(pairs, instances_come_and_go_and_come_again);
    tcase_add_test(pairs,
                   counter_that_vanishes_is_once_reported_and_may_come_back);
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
    tcase_add_test(pairs, total_without_unreadable_members_is_partial);
    tcase_add_test(pairs, two_logs_of_one_host_share_nothing_that_goes_away);
    return run_suite("replay_pairs", (TCase *[]){ pairs, NULL });
}
