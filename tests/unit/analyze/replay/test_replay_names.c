/* Names and times of what a replay shows. */
#include "tests/support/replayed.h"

#include "tests/support/support.h"

#include <stdio.h>

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

START_TEST(numbers_have_as_many_digits_as_they_need)
{
    struct made_instance many[12];
    struct maker m;

    for (unsigned i = 0; i < 12; i++)
        many[i] = (struct made_instance){ "x", { 0, i + 1 } };
    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, many, 12);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(x#1*)\\Size", NULL),
                     "0: x#1=2 x#10=11 x#11=12\n");
}
END_TEST

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

/* The last x stands where it stood before y, but one x before it has gone. */
START_TEST(equal_names_go_down_when_one_before_has_gone)
{
    const struct made_instance all[] = { { "x", { 0, 1 } },
                                         { "x", { 0, 2 } },
                                         { "y", { 0, 9 } },
                                         { "x", { 0, 3 } } };
    struct maker m;

    make_begin(&m, log_path(), "h", &disk, NS_PER_S);
    make_sample(&m, 0, all, 4);
    make_sample(&m, SECOND, all + 1, 3);
    make_end(&m);
    ck_assert_str_eq(replayed(log_path(), "\\Disk(*)\\Size", NULL),
                     "0: x=1 x#1=2 y=9 x#2=3\n"
                     "1: x=2 y=9 x#1=3 x#2=|absent\n");
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
    struct pl_host_logs logs;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    ck_assert_int_eq(pl_host_logs_open(&logs, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &logs.logs[0], &options), PL_OK);
    while (!pl_replay_peek(r, &t))
        ck_assert_int_eq(pl_replay_row(r, &row), PL_OK);
    for (uint32_t i = 0; i < registry.num_objects; i++)
        for (const struct pl_object_names *o = registry.objects; o; o = o->next)
            if (o->rank == i)
                p += sprintf(p, "%s ", o->name);
    pl_replay_stop(r);
    pl_host_logs_release(&logs);
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

int main(void)
{
    TCase *names = tcase_create("names");

    tcase_add_test(names, window_has_its_own_names);
    tcase_add_test(names, sample_before_a_window_has_its_own_titles);
    tcase_add_test(names, object_without_counters_to_show_may_change);
    tcase_add_test(names, equal_names_get_numbers_in_their_order);
    tcase_add_test(names, numbers_have_as_many_digits_as_they_need);
    tcase_add_test(names, equal_names_get_numbers_anew_when_one_has_gone);
    tcase_add_test(names, equal_names_go_down_when_one_before_has_gone);
    tcase_add_test(names, names_of_lost_titles_are_numbers);
    tcase_add_loop_test(names, row_time_is_a_multiple_of_the_interval, 0,
                        sizeof row_times / sizeof *row_times);
    return run_suite("replay_names", (TCase *[]){ names, NULL });
}
