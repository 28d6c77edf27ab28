/* What is missing between samples, and what is shown around it. */
#include "tests/support/replayed.h"

#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    struct pl_host_logs logs;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    ck_assert_int_eq(pl_host_logs_open(&logs, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &logs.logs[0], &options), PL_OK);
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
    pl_host_logs_release(&logs);
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

static const struct pl_time_range from_2_to_4_s = {
    .has_from = true,
    .has_to = true,
    .from_ns = MADE_START + 2 * (int64_t)NS_PER_S,
    .to_ns = MADE_START + 4 * (int64_t)NS_PER_S
};

START_TEST(window_has_one_sample_before_it)
{
    struct pl_time_range w = from_2_to_4_s;
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

/* A clock that is set back comes into the window once more. */
START_TEST(window_that_ends_is_over_with_the_first_row_after_it)
{
    static const int64_t seconds[] = { 0, 1, 2, 3, 4, 5, 6, 7, 3, 4, 5 };
    struct pl_time_range w = from_2_to_4_s;
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        struct made_instance now[] = { { "a", { i * i, 0 } } };

        make_sample(&m, seconds[i] * SECOND, now, 1);
    }
    make_end(&m);
    w.ends = _i;
    ck_assert_str_eq(
        replayed(log_path(), "\\Disk(a)\\Bytes/sec", &w),
        _i ? "3: a=5\n4: a=7\n"
           : "3: a=5\n4: a=7\n3: a=|negative_denominator\n4: a=17\n");
}
END_TEST

int main(void)
{
    TCase *holes = tcase_create("holes");

    tcase_add_loop_test(holes, gap_breaks_pairs_only_if_samples_were_lost, 0,
                        sizeof gaps / sizeof *gaps);
    tcase_add_test(holes, restart_makes_no_pair);
    tcase_add_test(holes, another_host_or_object_has_its_own_name);
    tcase_add_test(holes, counter_that_comes_later_is_shown);
    tcase_add_test(holes, damage_between_two_samples_is_said);
    tcase_add_test(holes, window_has_one_sample_before_it);
    tcase_add_loop_test(
        holes, window_that_ends_is_over_with_the_first_row_after_it, 0, 2);
    return run_suite("replay", (TCase *[]){ holes, NULL });
}
