/* Which series a path list wants. */
#include "analyze/replay/series_filter.h"
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
    return run_suite("select", all);
}
