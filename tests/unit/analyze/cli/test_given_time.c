/* Times as people say them: what is understood, and which instant it is. */
#include "analyze/cli/given_time.h"
#include "format/time/zone.h"
#include "tests/support/support.h"

#include <string.h>

/* A log from 2026-11-21 07:35:02.250 to 2026-11-22 14:20:30 UTC. */
#define FIRST INT64_C(1795246502250000000)
#define LAST INT64_C(1795357230000000000)
/* What --to counts from: 2026-11-21 23:00 UTC. */
#define FROM INT64_C(1795302000000000000)

#define UNKNOWN PL_DATE_ORDER_UNKNOWN
#define DAY_FIRST PL_DATE_DAY_FIRST
#define MONTH_FIRST PL_DATE_MONTH_FIRST

/* By a zone without a database of zones, as every system has. */
static const struct {
    const char *text;
    const char *zone;
    enum pl_given_rule rule;
    enum pl_date_order order;
    const char *want, *end; /* UTC; end NULL: it is an instant */
} cases[] = {
    /* A time of day is the last one before the end. */
    { "03:10", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 03:10:00.000",
      "2026-11-22 03:11:00.000" },
    { "3:10", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 03:10:00.000",
      "2026-11-22 03:11:00.000" },
    { "14:20", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:20:00.000",
      "2026-11-22 14:21:00.000" },
    { "14:20:30", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:20:30.000",
      "2026-11-22 14:20:31.000" },
    { "14:20:30.5", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 14:20:30.500",
      "2026-11-21 14:20:30.600" },
    { "14:20:31", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 14:20:31.000",
      "2026-11-21 14:20:32.000" },
    { "03:10:12.25", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 03:10:12.250",
      "2026-11-22 03:10:12.260" },
    { "03:10:12,5", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 03:10:12.500",
      "2026-11-22 03:10:12.600" },
    { "24:00", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 00:00:00.000",
      "2026-11-22 00:01:00.000" },
    { "3:10 PM", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 15:10:00.000",
      "2026-11-21 15:11:00.000" },
    { "12:05am", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 00:05:00.000",
      "2026-11-22 00:06:00.000" },
    { "12:05pm", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 12:05:00.000",
      "2026-11-22 12:06:00.000" },
    /* By the clocks of the zone: there the log ends on the 23rd at 04:20. */
    { "04:10", "+14:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:10:00.000",
      "2026-11-22 14:11:00.000" },
    { "04:30", "+14:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 14:30:00.000",
      "2026-11-21 14:31:00.000" },
    { "23:00", "-10:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 09:00:00.000",
      "2026-11-22 09:01:00.000" },
    /* An offset is that of the day, too. */
    { "04:30Z", "+14:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 04:30:00.000",
      "2026-11-22 04:31:00.000" },
    { "04:30+14:00", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 14:30:00.000",
      "2026-11-21 14:31:00.000" },
    { "04:10 +1400", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:10:00.000",
      "2026-11-22 14:11:00.000" },
    /* For --to it is the first one not before --from. */
    { "01:00", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-22 01:00:00.000",
      "2026-11-22 01:01:00.000" },
    { "23:30", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-21 23:30:00.000",
      "2026-11-21 23:31:00.000" },
    { "23:00", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-21 23:00:00.000",
      "2026-11-21 23:01:00.000" },
    { "22:59:59", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-22 22:59:59.000",
      "2026-11-22 23:00:00.000" },
    { "24:00", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-22 00:00:00.000",
      "2026-11-22 00:01:00.000" },
    { "24:00", "+01:00", PL_GIVEN_NEXT, UNKNOWN, "2026-11-21 23:00:00.000",
      "2026-11-21 23:01:00.000" },
    /* Days are counted from the log's end. */
    { "today", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 00:00:00.000",
      "2026-11-23 00:00:00.000" },
    { "Yesterday", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 00:00:00.000",
      "2026-11-22 00:00:00.000" },
    { "yesterday 14:00", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-21 14:00:00.000", "2026-11-21 14:01:00.000" },
    { "TODAY 23:00:00", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 23:00:00.000", "2026-11-22 23:00:01.000" },
    { "yesterday 14:00", "+14:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 00:00:00.000", "2026-11-22 00:01:00.000" },
    { "yesterday 2:30 pm", "UTC", PL_GIVEN_NEXT, UNKNOWN,
      "2026-11-21 14:30:00.000", "2026-11-21 14:31:00.000" },
    /* Dates. */
    { "2026-11-22", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 00:00:00.000",
      "2026-11-23 00:00:00.000" },
    { "2026-11-22", "+02:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 22:00:00.000",
      "2026-11-22 22:00:00.000" },
    { "2026-12-31", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-12-31 00:00:00.000",
      "2027-01-01 00:00:00.000" },
    { "2026-11-22Z", "+02:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 00:00:00.000", "2026-11-23 00:00:00.000" },
    { "9999-12-31", "UTC", PL_GIVEN_LAST, UNKNOWN, "2261-12-31 00:00:00.000",
      "2262-01-01 00:00:00.000" },
    { "2400-02-29", "UTC", PL_GIVEN_LAST, UNKNOWN, "2261-12-31 00:00:00.000",
      "2262-01-01 00:00:00.000" },
    { "0001-01-01", "UTC", PL_GIVEN_LAST, UNKNOWN, "1678-01-01 00:00:00.000",
      "1678-01-02 00:00:00.000" },
    { "31.12.1601", "UTC", PL_GIVEN_LAST, UNKNOWN, "1678-01-01 00:00:00.000",
      "1678-01-02 00:00:00.000" },
    { "2026-11-22T03:10", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:11:00.000" },
    { "2026-11-22 03:10:12", "-01:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 04:10:12.000", "2026-11-22 04:10:13.000" },
    { "2026-11-22t03:10:12.125Z", "+05:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:12.125", "2026-11-22 03:10:12.126" },
    { "2026-11-22T03:10:00+02:00", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 01:10:00.000", "2026-11-22 01:10:01.000" },
    { "2026-11-22T03:10:00-0530", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 08:40:00.000", "2026-11-22 08:40:01.000" },
    { "2026-11-22 03:10:00.000 UTC", "+05:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:10:00.001" },
    { "2026/11/22 3:10", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:11:00.000" },
    { "2026.11.22", "UTC", PL_GIVEN_LAST, DAY_FIRST, "2026-11-22 00:00:00.000",
      "2026-11-23 00:00:00.000" },
    { " 2026-11-22  3:10 ", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:11:00.000" },
    { "22.11.2026 03:10", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:11:00.000" },
    { "22.11.2026, 03:10:12", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:12.000", "2026-11-22 03:10:13.000" },
    { "4.3.2026", "UTC", PL_GIVEN_LAST, MONTH_FIRST, "2026-03-04 00:00:00.000",
      "2026-03-05 00:00:00.000" },
    { "11/22/2026 3:10 PM", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 15:10:00.000", "2026-11-22 15:11:00.000" },
    { "11/22/2026", "UTC", PL_GIVEN_LAST, DAY_FIRST, "2026-11-22 00:00:00.000",
      "2026-11-23 00:00:00.000" },
    { "22/11/2026", "UTC", PL_GIVEN_LAST, MONTH_FIRST,
      "2026-11-22 00:00:00.000", "2026-11-23 00:00:00.000" },
    { "22-11-2026 03:10", "UTC", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-22 03:10:00.000", "2026-11-22 03:11:00.000" },
    { "04/03/2026", "UTC", PL_GIVEN_LAST, DAY_FIRST, "2026-03-04 00:00:00.000",
      "2026-03-05 00:00:00.000" },
    { "04/03/2026", "UTC", PL_GIVEN_LAST, MONTH_FIRST,
      "2026-04-03 00:00:00.000", "2026-04-04 00:00:00.000" },
    { "11/11/2026", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-11 00:00:00.000",
      "2026-11-12 00:00:00.000" },
    /* Lengths and seconds. */
    { "-10m", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:10:30.000", NULL },
    { "-1.5s", "+03:00", PL_GIVEN_NEXT, UNKNOWN, "2026-11-22 14:20:28.500",
      NULL },
    { "-90", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 14:19:00.000", NULL },
    { "+5m", "UTC", PL_GIVEN_NEXT, UNKNOWN, "2026-11-21 23:05:00.000", NULL },
    { "+1h", "+03:00", PL_GIVEN_LAST, UNKNOWN, "2026-11-22 00:00:00.000",
      NULL },
    { "@1795246502", "+05:00", PL_GIVEN_LAST, UNKNOWN,
      "2026-11-21 07:35:02.000", "2026-11-21 07:35:03.000" },
    { "@1795246502.5", "UTC", PL_GIVEN_LAST, UNKNOWN, "2026-11-21 07:35:02.500",
      "2026-11-21 07:35:02.600" },
};

static const struct pl_given_span span = { FIRST, LAST, FROM };

static struct pl_given_at find(const char *text, enum pl_date_order order,
                               enum pl_given_rule rule)
{
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    ck_assert_msg(pl_given_time_read(text, order, &t, why) == PL_OK,
                  "'%s' was refused: %s", text, why);
    return pl_given_time_find(&t, rule, &span);
}

START_TEST(time_is_found)
{
    char text[PL_INSTANT_TEXT];
    struct pl_given_at at;

    ck_assert_int_eq(pl_zone_set(cases[_i].zone), PL_OK);
    at = find(cases[_i].text, cases[_i].order, cases[_i].rule);
    ck_assert_str_eq(pl_instant_text(at.ns, text), cases[_i].want);
    if (cases[_i].end)
        ck_assert_str_eq(pl_instant_text(at.end_ns, text), cases[_i].end);
    else
        ck_assert_int_eq(at.end_ns, at.ns);
}
END_TEST

static const char *const refused[] = {
    "",
    "noon",
    "07:60",
    "25:00",
    "24:01",
    "7:4",
    "13:10 PM",
    "0:10 am",
    "03:10x",
    "03:10:12.",
    "03:10:61",
    "2026-13-01",
    "2026-02-30",
    "2026-11-22T",
    "2026-11-22T03:10x",
    "2026-11",
    "2026-11-22 xx",
    "2026-11-22,",
    "22.11.26",
    "32.11.2026",
    "2026-11/22",
    "9999-02-29",
    "1900-02-29",
    "22.13.2026",
    "2026-11-2203:10",
    "2026-11-22T08:00+15:00",
    "@",
    "@12x",
    "@1.",
    "-",
    "+",
    "-10q",
    "@99999999999999999999",
    "tomorrow",
    "yesterday14:00",
    "13/13/2026",
    "2026-11-22T08:00+0",
};

START_TEST(what_is_no_time_is_refused)
{
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    ck_assert_msg(pl_given_time_read(refused[_i], DAY_FIRST, &t, why) ==
                      PL_USAGE,
                  "'%s' was taken", refused[_i]);
    ck_assert_str_eq(why, "not a time");
}
END_TEST

START_TEST(date_with_two_readings_is_refused)
{
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    ck_assert_int_eq(pl_given_time_read("04/03/2026 10:00", UNKNOWN, &t, why),
                     PL_USAGE);
    ck_assert_ptr_nonnull(strstr(why, "is it 2026-04-03 or 2026-03-04?"));
}
END_TEST

START_TEST(only_some_need_the_end)
{
    static const struct {
        const char *text;
        bool last, next;
    } needs[] = {
        { "03:10", true, false },       { "-10m", true, true },
        { "yesterday", true, true },    { "+5m", false, false },
        { "2026-11-22", false, false }, { "@5", false, false },
    };
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        ck_assert_int_eq(pl_given_time_read(needs[i].text, UNKNOWN, &t, why),
                         PL_OK);
        ck_assert_int_eq(pl_given_time_needs_end(&t, PL_GIVEN_LAST),
                         needs[i].last);
        ck_assert_int_eq(pl_given_time_needs_end(&t, PL_GIVEN_NEXT),
                         needs[i].next);
    }
}
END_TEST

START_TEST(around_is_taken_off)
{
    static const struct {
        const char *text;
        size_t n;
        int64_t ns;
    } around[] = {
        { "03:12", 5, 0 },
        { "03:12 +-2m", 5, 120 * PL_NS_PER_SEC },
        { "03:12+/-90", 5, 90 * PL_NS_PER_SEC },
        { "-0s  \xc2\xb1 1h", 3, 3600 * PL_NS_PER_SEC },
        { "2026-11-22T03:12+02:00", 22, 0 },
    };
    int64_t ns;
    size_t n;

    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        ck_assert_int_eq(pl_given_around(around[i].text, &n, &ns), PL_OK);
        ck_assert_uint_eq(n, around[i].n);
        ck_assert_int_eq(ns, around[i].ns);
    }
    ck_assert_int_eq(pl_given_around("03:12 +-", &n, &ns), PL_USAGE);
    ck_assert_int_eq(pl_given_around("03:12 +-2x", &n, &ns), PL_USAGE);
}
END_TEST

/*
 * Berlin, 2026: on 25 October 03:00 becomes 02:00 at 01:00 UTC, on 29 March
 * 02:00 becomes 03:00 at 01:00 UTC.
 */
static const struct {
    const char *text;
    const char *from, *last; /* UTC */
    enum pl_given_rule rule;
    const char *want, *end; /* UTC */
} jumps[] = {
    /* Both 02:30 are before the end, so it is the second. */
    { "02:30", NULL, "2026-10-25T03:00", PL_GIVEN_LAST,
      "2026-10-25 01:30:00.000", "2026-10-25 01:31:00.000" },
    /* Only the first one is. */
    { "02:30", NULL, "2026-10-25T01:10", PL_GIVEN_LAST,
      "2026-10-25 00:30:00.000", "2026-10-25 00:31:00.000" },
    { "02:30", NULL, "2026-10-25T00:10", PL_GIVEN_LAST,
      "2026-10-24 00:30:00.000", "2026-10-24 00:31:00.000" },
    /* The first one after --from. */
    { "02:30", "2026-10-25T00:00", "2026-10-26T00:00", PL_GIVEN_NEXT,
      "2026-10-25 00:30:00.000", "2026-10-25 00:31:00.000" },
    { "02:30", "2026-10-25T00:40", "2026-10-26T00:00", PL_GIVEN_NEXT,
      "2026-10-25 01:30:00.000", "2026-10-25 01:31:00.000" },
    { "02:30", "2026-10-25T01:40", "2026-10-26T00:00", PL_GIVEN_NEXT,
      "2026-10-26 01:30:00.000", "2026-10-26 01:31:00.000" },
    /* With its date it is the first one, and an offset chooses. */
    { "2026-10-25T02:30", NULL, "2026-10-26T00:00", PL_GIVEN_LAST,
      "2026-10-25 00:30:00.000", "2026-10-25 00:31:00.000" },
    { "2026-10-25T02:30+01:00", NULL, "2026-10-26T00:00", PL_GIVEN_LAST,
      "2026-10-25 01:30:00.000", "2026-10-25 01:31:00.000" },
    /* 02:30 is skipped in March, and moved on to 03:30. */
    { "02:30", NULL, "2026-03-29T03:00", PL_GIVEN_LAST,
      "2026-03-29 01:30:00.000", "2026-03-29 01:31:00.000" },
    { "02:30", NULL, "2026-03-29T01:10", PL_GIVEN_LAST,
      "2026-03-28 01:30:00.000", "2026-03-28 01:31:00.000" },
    { "02:30", "2026-03-29T00:40", "2026-03-30T00:00", PL_GIVEN_NEXT,
      "2026-03-29 01:30:00.000", "2026-03-29 01:31:00.000" },
    /* Days of 25 and of 23 hours. */
    { "2026-10-25", NULL, "2026-10-26T00:00", PL_GIVEN_LAST,
      "2026-10-24 22:00:00.000", "2026-10-25 23:00:00.000" },
    { "yesterday", NULL, "2026-03-29T23:00", PL_GIVEN_LAST,
      "2026-03-28 23:00:00.000", "2026-03-29 22:00:00.000" },
    { "today 12:00", NULL, "2026-03-29T03:00", PL_GIVEN_LAST,
      "2026-03-29 10:00:00.000", "2026-03-29 10:01:00.000" },
};

START_TEST(daylight_time_is_minded)
{
    struct pl_given_span of = { FIRST, LAST, FROM };
    char why[PL_GIVEN_WHY], text[PL_INSTANT_TEXT];
    struct pl_given_time t;
    struct pl_given_at at;

    ck_assert_int_eq(pl_zone_set("UTC"), PL_OK);
    of.last_ns = find(jumps[_i].last, UNKNOWN, PL_GIVEN_LAST).ns;
    if (jumps[_i].from)
        of.from_ns = find(jumps[_i].from, UNKNOWN, PL_GIVEN_LAST).ns;
    if (!use_zone("Europe/Berlin"))
        return;
    ck_assert_int_eq(pl_given_time_read(jumps[_i].text, UNKNOWN, &t, why),
                     PL_OK);
    at = pl_given_time_find(&t, jumps[_i].rule, &of);
    ck_assert_str_eq(pl_instant_text(at.ns, text), jumps[_i].want);
    ck_assert_str_eq(pl_instant_text(at.end_ns, text), jumps[_i].end);
}
END_TEST

/* Logs are untrusted: at the ends of time nothing overflows. */
START_TEST(ends_of_time_do_no_harm)
{
    static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1,
                                    0,         INT64_MAX - 1, INT64_MAX };
    static const char *const texts[] = { "00:00",      "23:59:59.999999999",
                                         "today",      "yesterday 12:00",
                                         "-1000w",     "+1000w",
                                         "2261-12-31", "1678-01-01T00:00",
                                         "24:00+14:00" };
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    ck_assert_int_eq(pl_zone_set("+14:00"), PL_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            const struct pl_given_span of = { ends[k], ends[k], ends[k] };

            ck_assert_int_eq(pl_given_time_read(texts[i], UNKNOWN, &t, why),
                             PL_OK);
            for (int rule = 0; rule < 2; rule++) {
                struct pl_given_at at =
                    pl_given_time_find(&t, (enum pl_given_rule)rule, &of);

                ck_assert_int_ge(at.end_ns, at.ns);
            }
        }
}
END_TEST

int main(void)
{
    TCase *forms = tcase_create("forms"), *days = tcase_create("days");
    TCase *all[] = { forms, days, NULL };

    tcase_add_loop_test(forms, time_is_found, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(forms, what_is_no_time_is_refused, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(forms, date_with_two_readings_is_refused);
    tcase_add_test(forms, only_some_need_the_end);
    tcase_add_test(forms, around_is_taken_off);
    tcase_add_loop_test(days, daylight_time_is_minded, 0,
                        sizeof jumps / sizeof *jumps);
    tcase_add_test(days, ends_of_time_do_no_harm);
    return run_suite("given_time", all);
}
