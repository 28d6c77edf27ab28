/* Which series a path list wants. */
#include "analyze/series/series_filter.h"
#include "tests/support/support.h"

static const struct {
    const char *path;
    const char *object, *instance, *counter;
    bool want;
} choices[] = {
    { "\\Disk(sda)\\Reads", "Disk", "sda", "Reads", true },
    { "\\disk(SDA)\\reads", "Disk", "sda", "Reads", true },
    { "\\Disk(sd?)\\*", "Disk", "sda", "Reads", true },
    { "\\Disk(sdb)\\*", "Disk", "sda", "Reads", false },
    { "\\Disk\\Reads", "Disk", "sda", "Reads", true },
    { "Disk", "Disk", "sda", "Reads", true },
    { "\\\\web\\Disk(*)\\*", "Disk", "sda", "Reads", true },
    { "\\\\db\\Disk(*)\\*", "Disk", "sda", "Reads", false },
    { "\\Memory\\*", "Disk", "sda", "Reads", false },
    { "\\Memory\\Free*", "Memory", NULL, "Free Bytes", true },
    { "\\Memory(x)\\Free*", "Memory", NULL, "Free Bytes", false },
    { "\\Disk(a)b)\\Reads", "Disk", "a)b", "Reads", true },
    { "\\Disk([*])\\Reads", "Disk", "*", "Reads", true },
    { "\\Disk([*])\\Reads", "Disk", "x", "Reads", false },
};

START_TEST(path_chooses_series)
{
    struct pl_counter_path_list list = { 0 };
    bool matched[1] = { false };
    struct pl_series_filter choice = { .paths = &list, .matched = matched };
    const char *why;

    ck_assert_int_eq(pl_counter_path_list_add(&list, choices[_i].path, &why),
                     PL_OK);
    ck_assert_int_eq(pl_series_filter_has(&choice, "web", choices[_i].object,
                                          choices[_i].instance,
                                          choices[_i].counter),
                     choices[_i].want);
    ck_assert_int_eq(matched[0], choices[_i].want);
    if (choices[_i].want)
        ck_assert(pl_series_filter_has_counter(&choice, choices[_i].object,
                                               choices[_i].counter));
    if (choices[_i].want)
        ck_assert(
            pl_series_filter_has_object(&choice, "web", choices[_i].object));
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(counter_of_any_instance)
{
    struct pl_counter_path_list list = { 0 };
    const struct pl_series_filter choice = { .paths = &list }, all = { 0 };
    const char *why;

    ck_assert(pl_series_filter_has_counter(&all, "Disk", "Reads"));
    ck_assert_int_eq(
        pl_counter_path_list_add(&list, "\\\\web\\D*(sda)\\R*", &why), PL_OK);
    ck_assert(pl_series_filter_has_counter(&choice, "Disk", "Reads"));
    ck_assert(!pl_series_filter_has_counter(&choice, "Disk", "Writes"));
    ck_assert(!pl_series_filter_has_counter(&choice, "Memory", "Reads"));
    pl_counter_path_list_release(&list);
}
END_TEST

/* Paths given with one another, and what is asked: a counter Reads of Disk. */
static const struct {
    const char *paths[2];
    bool everywhere, records, matched[2];
} everywheres[] = {
    { { "\\Disk(*)\\Reads" }, true, true, { true } },
    { { "\\Disk\\R*" }, true, true, { true } },
    { { "\\\\*\\Disk(*)\\*" }, true, true, { true } },
    { { "\\Disk(s*)\\Reads" }, false, true, { false } },
    { { "\\\\web\\Disk(*)\\Reads" }, false, true, { false } },
    { { "\\Disk(*)\\Writes" }, false, true, { false } },
    { { "\\Disk(*)\\Reads", "\\Memory\\*" }, true, true, { true, false } },
    { { "\\Disk(*)\\Reads", "\\Disk(sda)\\*" }, false, true, { true, false } },
    { { "\\Disk(*)\\Reads", "\\Disk(sda)\\*" }, true, false, { false } },
};

START_TEST(counter_of_every_instance)
{
    struct pl_counter_path_list list = { 0 };
    bool matched[2] = { false };
    struct pl_series_filter choice = { .paths = &list };
    const char *why;

    for (size_t i = 0; i < 2 && everywheres[_i].paths[i]; i++)
        ck_assert_int_eq(
            pl_counter_path_list_add(&list, everywheres[_i].paths[i], &why),
            PL_OK);
    if (everywheres[_i].records)
        choice.matched = matched;
    ck_assert_int_eq(pl_series_filter_has_everywhere(&choice, "Disk", "Reads"),
                     everywheres[_i].everywhere);
    ck_assert_mem_eq(matched, everywheres[_i].matched, sizeof matched);
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(brief_choice_is_not_of_every_process)
{
    const struct pl_series_filter brief = { .brief = true }, full = { 0 };

    ck_assert(!pl_series_filter_has_everywhere(&brief, "Process", "x"));
    ck_assert(!pl_series_filter_has_everywhere(&brief, "Thread", "x"));
    ck_assert(pl_series_filter_has_everywhere(&brief, "Processor", "x"));
    ck_assert(pl_series_filter_has_everywhere(&full, "Process", "x"));
}
END_TEST

START_TEST(brief_choice_keeps_single_processes_out)
{
    const struct pl_series_filter brief = { .brief = true }, full = { 0 };

    ck_assert(pl_series_filter_has(&brief, "h", "Process", "_Total", "x"));
    ck_assert(!pl_series_filter_has(&brief, "h", "Process", "sh:7", "x"));
    ck_assert(pl_series_filter_has(&brief, "h", "Processor", "0", "x"));
    ck_assert(pl_series_filter_has(&brief, "h", "Memory", NULL, "x"));
    ck_assert(pl_series_filter_has(&full, "h", "Process", "sh:7", "x"));
}
END_TEST

int main(void)
{
    TCase *series = tcase_create("series");
    TCase *all[] = { series, NULL };

    tcase_add_loop_test(series, path_chooses_series, 0,
                        sizeof choices / sizeof *choices);
    tcase_add_test(series, brief_choice_keeps_single_processes_out);
    tcase_add_test(series, counter_of_any_instance);
    tcase_add_loop_test(series, counter_of_every_instance, 0,
                        (int)(sizeof everywheres / sizeof *everywheres));
    tcase_add_test(series, brief_choice_is_not_of_every_process);
    return run_suite("select", all);
}
