/* Times as people write them, and which series a path list wants. */
#include "analyze/replay/series_filter.h"
#include "format/base/time_text.h"
#include "format/base/zone.h"
#include "tests/support/support.h"

/* 2026-11-21 07:35:02.250 UTC, and a log of an hour behind it. */
#define FIRST INT64_C(1795246502250000000)
#define LAST (FIRST + INT64_C(3600) * 1000000000)

static const struct {
    const char *text;
    const char *zone;
    const char *want; /* UTC; NULL: refused */
} times[] = {
    { "2026-11-21T08:00", "UTC", "2026-11-21 08:00:00.000" },
    { "2026-11-21 08:00:30", "UTC", "2026-11-21 08:00:30.000" },
    { "2026-11-21T08:00:30.125Z", "+05:00", "2026-11-21 08:00:30.125" },
    { "2026-11-21T08:00:00+02:00", "UTC", "2026-11-21 06:00:00.000" },
    { "2026-11-21T08:00:00-0530", "UTC", "2026-11-21 13:30:00.000" },
    { "2026-11-21", "UTC", "2026-11-21 00:00:00.000" },
    { "2026-11-21T08:00", "+02:00", "2026-11-21 06:00:00.000" },
    { "07:40", "UTC", "2026-11-21 07:40:00.000" },
    { "07:40:09", "UTC", "2026-11-21 07:40:09.000" },
    /* In Kiritimati the log began on the 21st at 21:35. */
    { "21:40", "+14:00", "2026-11-21 07:40:00.000" },
    { "@1795246502", "+05:00", "2026-11-21 07:35:02.000" },
    { "@1795246502.5", "UTC", "2026-11-21 07:35:02.500" },
    { "-10m", "UTC", "2026-11-21 08:25:02.250" },
    { "-1.5s", "UTC", "2026-11-21 08:35:00.750" },
    { "", "UTC", NULL },
    { "noon", "UTC", NULL },
    { "7:40", "UTC", NULL },
    { "07:60", "UTC", NULL },
    { "25:00", "UTC", NULL },
    { "2026-13-01", "UTC", NULL },
    { "2026-11-21T", "UTC", NULL },
    { "2026-11-21T08:00x", "UTC", NULL },
    { "2026-11-21T08:00+15:00", "UTC", NULL },
    { "9999-01-01", "UTC", NULL },
    { "@", "UTC", NULL },
    { "@12x", "UTC", NULL },
    { "@99999999999999999999", "UTC", NULL },
    { "-", "UTC", NULL },
    { "-10", "UTC", "2026-11-21 08:34:52.250" },
};

START_TEST(time_is_understood_or_refused)
{
    char text[PL_INSTANT_TEXT];
    int64_t t;
    enum pl_status s;

    ck_assert_int_eq(pl_zone_set(times[_i].zone), PL_OK);
    s = pl_parse_time(times[_i].text, FIRST, LAST, &t);
    if (!times[_i].want) {
        ck_assert_msg(s == PL_USAGE, "'%s' was taken", times[_i].text);
        return;
    }
    ck_assert_msg(s == PL_OK, "'%s' was refused", times[_i].text);
    ck_assert_str_eq(pl_instant_text(t, text), times[_i].want);
}
END_TEST

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
        ck_assert(
            pl_series_filter_has_object(&choice, "web", choices[_i].object));
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
    TCase *time = tcase_create("time"), *series = tcase_create("series");
    TCase *all[] = { time, series, NULL };

    tcase_add_loop_test(time, time_is_understood_or_refused, 0,
                        sizeof times / sizeof *times);
    tcase_add_loop_test(series, path_chooses_series, 0,
                        sizeof choices / sizeof *choices);
    tcase_add_test(series, brief_choice_keeps_single_processes_out);
    return run_suite("select", all);
}
