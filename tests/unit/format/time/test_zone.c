/* Zones: offsets, both edges of daylight time, names that are none. */
#include "format/time/zone.h"

#include "tests/support/support.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SECOND PL_NS_PER_SEC

static int64_t utc(int year, int month, int day, int hour, int minute,
                   int second)
{
    const struct pl_civil c = { .year = year,
                                .month = month,
                                .day = day,
                                .hour = hour,
                                .minute = minute,
                                .second = second };

    return pl_civil_to_ns(&c);
}

static int64_t in_zone(int year, int month, int day, int hour, int minute)
{
    const struct pl_civil c = {
        .year = year, .month = month, .day = day, .hour = hour, .minute = minute
    };

    return pl_zone_to_utc(&c);
}

/*
 * Before all others: once a named zone has been in force, the machine's own
 * one is remembered and the environment is not asked any more.
 */
START_TEST(machine_is_asked_for_its_zone)
{
    char name[64];
    int32_t minutes;

    unsetenv("TZ"); /* then /etc says it, or says nothing */
    pl_zone_of_machine(name, sizeof name, &minutes);
    if (*name) {
        ck_assert_int_eq(pl_zone_set("local"), PL_OK);
        ck_assert_str_eq(pl_zone_name(), name);
    }

    setenv("TZ", "NoSuch/Zone", 1);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_str_eq(name, "");
    ck_assert_int_eq(pl_zone_set("local"), PL_OK);
    ck_assert_str_eq(pl_zone_name(), "local");

    setenv("TZ", "", 1);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_str_eq(name, "UTC");

    setenv("TZ", "/usr/share/zoneinfo/Asia/Tokyo", 1);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_str_eq(name, "Asia/Tokyo");

    setenv("TZ", ":Asia/Kolkata", 1); /* no daylight time: +05:30 all year */
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_str_eq(name, "Asia/Kolkata");
    ck_assert_int_eq(minutes, 330);
    ck_assert_int_eq(pl_zone_set("local"), PL_OK);
    ck_assert_str_eq(pl_zone_name(), "Asia/Kolkata");
    ck_assert_int_eq(pl_zone_offset(utc(2026, 7, 1, 0, 0, 0)), 19800);

    /* and is still known when another zone is in force, which stays */
    ck_assert_int_eq(pl_zone_set("Asia/Tokyo"), PL_OK);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_str_eq(name, "Asia/Kolkata");
    ck_assert_int_eq(minutes, 330);
    ck_assert_str_eq(pl_zone_name(), "Asia/Tokyo");
    ck_assert_int_eq(pl_zone_offset(0), 32400);
    ck_assert_int_eq(pl_zone_set("UTC"), PL_OK);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_int_eq(minutes, 330);
    ck_assert_int_eq(pl_zone_set("local"), PL_OK);
    ck_assert_str_eq(pl_zone_name(), "Asia/Kolkata");
    ck_assert_int_eq(pl_zone_offset(0), 19800);
    pl_zone_of_machine(name, sizeof name, &minutes);
    ck_assert_int_eq(pl_zone_offset(0), 19800);
}
END_TEST

static const struct {
    const char *name;
    const char *shown;
    int32_t offset;
} fixed[] = {
    { "UTC", "UTC", 0 },           { "+02:00", "+02:00", 7200 },
    { "-0530", "-05:30", -19800 }, { "+9", "+09:00", 32400 },
    { "-11", "-11:00", -39600 },   { "+00:00", "+00:00", 0 },
    { "-00:30", "-00:30", -1800 }, { "+23:59", "+23:59", 86340 },
};

START_TEST(fixed_offset_holds_at_any_time)
{
    const int64_t t = utc(2026, 7, 1, 12, 0, 0);

    ck_assert_int_eq(pl_zone_set("Asia/Tokyo"), PL_OK);
    ck_assert_int_eq(pl_zone_set(fixed[_i].name), PL_OK);
    ck_assert_str_eq(pl_zone_name(), fixed[_i].shown);
    ck_assert_int_eq(pl_zone_offset(t), fixed[_i].offset);
    ck_assert_int_eq(pl_zone_offset(INT64_MIN), fixed[_i].offset);
    ck_assert_int_eq(pl_zone_offset(INT64_MAX), fixed[_i].offset);
    ck_assert(in_zone(2026, 7, 1, 12, 0) == t - fixed[_i].offset * SECOND);
    ck_assert(pl_zone_is_constant(0, t));
}
END_TEST

static const char *const no_zones[] = {
    "",
    "/UTC",
    "Europe/Nowhere",
    "Europe",
    "europe/berlin ",
    "zone.tab",
    "../zoneinfo/UTC",
    "/etc/localtime",
    "CET-1CEST",
    "+",
    "+24:00",
    "+1:60",
    "+123",
    "+02:00x",
    "+2:3",
    "-:30",
    "+12345",
    "02:00",
};

START_TEST(unknown_zone_is_refused_and_changes_nothing)
{
    ck_assert_int_eq(pl_zone_set("Europe/Berlin"), PL_OK);
    ck_assert_msg(pl_zone_set(no_zones[_i]) == PL_USAGE, "%s", no_zones[_i]);
    ck_assert_str_eq(pl_zone_name(), "Europe/Berlin");
    ck_assert_int_eq(pl_zone_offset(0), 3600);
}
END_TEST

START_TEST(utc_is_in_force_before_the_first_call)
{
    ck_assert_str_eq(pl_zone_name(), "UTC");
    ck_assert_int_eq(pl_zone_offset(utc(2026, 7, 1, 0, 0, 0)), 0);
}
END_TEST

/*
 * Berlin in 2026: summer time from 29 March 01:00 UTC, when 02:00 becomes
 * 03:00, to 25 October 01:00 UTC, when 03:00 becomes 02:00.
 */
START_TEST(offset_changes_on_the_second)
{
    const int64_t spring = utc(2026, 3, 29, 1, 0, 0);
    const int64_t autumn = utc(2026, 10, 25, 1, 0, 0);

    ck_assert_int_eq(pl_zone_set("Europe/Berlin"), PL_OK);
    ck_assert_int_eq(pl_zone_offset(spring - 1), 3600);
    ck_assert_int_eq(pl_zone_offset(spring), 7200);
    ck_assert_int_eq(pl_zone_offset(autumn - 1), 7200);
    ck_assert_int_eq(pl_zone_offset(autumn), 3600);
    /* before 1970 too: New York's winter of 1969 came on 26 October 06:00 */
    ck_assert_int_eq(pl_zone_set("America/New_York"), PL_OK);
    ck_assert_int_eq(pl_zone_offset(utc(1969, 10, 26, 6, 0, 0) - 1), -14400);
    ck_assert_int_eq(pl_zone_offset(utc(1969, 10, 26, 6, 0, 0)), -18000);
}
END_TEST

START_TEST(range_is_constant_up_to_the_change)
{
    const int64_t spring = utc(2026, 3, 29, 1, 0, 0);
    const int64_t autumn = utc(2026, 10, 25, 1, 0, 0);

    ck_assert_int_eq(pl_zone_set("Europe/Berlin"), PL_OK);
    ck_assert(pl_zone_is_constant(spring, autumn - 1));
    ck_assert(!pl_zone_is_constant(spring - 1, spring));
    ck_assert(!pl_zone_is_constant(spring, autumn));
    /* both ends in winter, a summer between */
    ck_assert(!pl_zone_is_constant(spring - 1, autumn));
    ck_assert(pl_zone_is_constant(autumn, autumn));
    ck_assert_int_eq(pl_zone_set("Asia/Kolkata"), PL_OK);
    ck_assert(pl_zone_is_constant(spring - 1, autumn));
}
END_TEST

START_TEST(local_time_means_one_instant)
{
    ck_assert_int_eq(pl_zone_set("Europe/Berlin"), PL_OK);
    ck_assert(in_zone(2026, 1, 1, 1, 0) == utc(2026, 1, 1, 0, 0, 0));
    ck_assert(in_zone(2026, 7, 1, 2, 0) == utc(2026, 7, 1, 0, 0, 0));
    /* around the skipped hour */
    ck_assert(in_zone(2026, 3, 29, 1, 59) == utc(2026, 3, 29, 0, 59, 0));
    ck_assert(in_zone(2026, 3, 29, 3, 0) == utc(2026, 3, 29, 1, 0, 0));
    /* 02:30 is none: an hour on it is 03:30 of summer, 01:30 UTC */
    ck_assert(in_zone(2026, 3, 29, 2, 0) == utc(2026, 3, 29, 1, 0, 0));
    ck_assert(in_zone(2026, 3, 29, 2, 30) == utc(2026, 3, 29, 1, 30, 0));
    /* 02:30 is twice: first in summer, 00:30 UTC */
    ck_assert(in_zone(2026, 10, 25, 1, 59) == utc(2026, 10, 24, 23, 59, 0));
    ck_assert(in_zone(2026, 10, 25, 2, 0) == utc(2026, 10, 25, 0, 0, 0));
    ck_assert(in_zone(2026, 10, 25, 2, 30) == utc(2026, 10, 25, 0, 30, 0));
    ck_assert(in_zone(2026, 10, 25, 3, 0) == utc(2026, 10, 25, 2, 0, 0));
}
END_TEST

/* Samoa went over the date line: there was no 30 December 2011. */
START_TEST(skipped_day_is_moved_on_by_a_day)
{
    ck_assert_int_eq(pl_zone_set("Pacific/Apia"), PL_OK);
    ck_assert(in_zone(2011, 12, 29, 23, 0) == utc(2011, 12, 30, 9, 0, 0));
    /* noon of the day that was not is noon of the 31st, 14 hours east */
    ck_assert(in_zone(2011, 12, 30, 12, 0) == utc(2011, 12, 30, 22, 0, 0));
    ck_assert(in_zone(2011, 12, 31, 0, 0) == utc(2011, 12, 30, 10, 0, 0));
}
END_TEST

START_TEST(every_local_hour_of_a_year_reads_back)
{
    static const char *const zones[] = { "Europe/Berlin", "America/New_York",
                                         "Australia/Lord_Howe",
                                         "America/St_Johns" };

    for (size_t z = 0; z < COUNT(zones); z++) {
        ck_assert_int_eq(pl_zone_set(zones[z]), PL_OK);
        for (int64_t t = utc(2026, 1, 1, 0, 0, 0); t < utc(2027, 1, 1, 0, 0, 0);
             t += 1800 * SECOND) {
            const struct pl_civil shown =
                pl_civil_of(t + pl_zone_offset(t) * SECOND);
            const int64_t back = pl_zone_to_utc(&shown);

            /* t itself, or the earlier instant that shows the same */
            if (back > t || back + pl_zone_offset(back) * SECOND !=
                                t + pl_zone_offset(t) * SECOND)
                ck_abort_msg("%s: instant %lld", zones[z], (long long)t);
        }
    }
}
END_TEST

int main(void)
{
    TCase *zones = tcase_create("zones");
    TCase *const all[] = { zones, NULL };

    tcase_add_test(zones, utc_is_in_force_before_the_first_call);
    tcase_add_test(zones, machine_is_asked_for_its_zone);
    tcase_add_loop_test(zones, fixed_offset_holds_at_any_time, 0, COUNT(fixed));
    tcase_add_loop_test(zones, unknown_zone_is_refused_and_changes_nothing, 0,
                        COUNT(no_zones));
    tcase_add_test(zones, offset_changes_on_the_second);
    tcase_add_test(zones, range_is_constant_up_to_the_change);
    tcase_add_test(zones, local_time_means_one_instant);
    tcase_add_test(zones, skipped_day_is_moved_on_by_a_day);
    tcase_add_test(zones, every_local_hour_of_a_year_reads_back);
    return run_suite("zone", all);
}
