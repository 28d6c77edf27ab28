/* Where windows of time end, in UTC and where clocks are moved. */
#include "analyze/cli/given_time.h"
#include "analyze/amounts/interval_sums.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

static int64_t at(const char *text)
{
    const struct pl_given_span none = { 0, 0, 0 };
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;

    ck_assert_msg(pl_given_time_read(text, PL_DATE_ORDER_UNKNOWN, &t, why) ==
                      PL_OK,
                  "%s", text);
    return pl_given_time_find(&t, PL_GIVEN_LAST, &none).ns;
}

static const struct {
    const char *text;
    int64_t ns;
    enum pl_every_way way;
} good[] = {
    { "1m", 60 * PL_NS_PER_SEC, PL_EVERY_ALL },
    { "250ms:max", 250 * PL_NS_PER_MS, PL_EVERY_MAX },
    { "1h:min", 3600 * PL_NS_PER_SEC, PL_EVERY_MIN },
    { "1d:last", 86400 * PL_NS_PER_SEC, PL_EVERY_LAST },
};

START_TEST(length_and_way_are_read)
{
    struct pl_every e;

    ck_assert_int_eq(pl_parse_every(good[_i].text, &e), PL_OK);
    ck_assert_int_eq(e.ns, good[_i].ns);
    ck_assert_int_eq(e.way, good[_i].way);
}
END_TEST

static const char *const bad[] = { "",
                                   "0",
                                   "0s",
                                   "x",
                                   "1m:",
                                   "1m:mean",
                                   "1m:maxx",
                                   ":max",
                                   "-1m",
                                   "20y",
                                   "4000d",
                                   "1m:max:min",
                                   "00000000000000000000000000000001s" };

START_TEST(other_words_are_refused)
{
    struct pl_every e;

    ck_assert_msg(pl_parse_every(bad[_i], &e) == PL_USAGE, "%s", bad[_i]);
}
END_TEST

/* An instant, and where the window around it begins and ends. */
static const struct {
    const char *zone, *every, *when, *start, *end;
} cases[] = {
    /* (t - T, t]: a multiple of T is the end of its own window */
    { "UTC", "1m", "2026-11-21T07:35:00Z", "2026-11-21T07:34:00Z",
      "2026-11-21T07:35:00Z" },
    { "UTC", "1m", "2026-11-21T07:35:00.000000001Z", "2026-11-21T07:35:00Z",
      "2026-11-21T07:36:00Z" },
    { "UTC", "7s", "1970-01-01T00:00:08Z", "1970-01-01T00:00:07Z",
      "1970-01-01T00:00:14Z" },
    { "UTC", "7s", "1969-12-31T23:59:59Z", "1969-12-31T23:59:53Z",
      "1970-01-01T00:00:00Z" },
    { "UTC", "7s", "1969-12-31T23:59:53Z", "1969-12-31T23:59:46Z",
      "1969-12-31T23:59:53Z" },
    { "UTC", "1d", "2026-11-21T07:35:00Z", "2026-11-21T00:00:00Z",
      "2026-11-22T00:00:00Z" },
    /* below an hour the zone does not matter, from there on it does */
    { "Asia/Kolkata", "59m", "1970-01-01T00:00:01Z", "1970-01-01T00:00:00Z",
      "1970-01-01T00:59:00Z" },
    { "Asia/Kolkata", "1h", "2026-11-21T07:35:00Z", "2026-11-21T07:30:00Z",
      "2026-11-21T08:30:00Z" },
    { "Europe/Berlin", "1d", "2026-11-21T23:00:00Z", "2026-11-20T23:00:00Z",
      "2026-11-21T23:00:00Z" },
    /* summer begins at 01:00Z of this day, which has 23 hours */
    { "Europe/Berlin", "1d", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z",
      "2026-03-29T22:00:00Z" },
    { "Europe/Berlin", "6h", "2026-03-29T00:30:00Z", "2026-03-28T23:00:00Z",
      "2026-03-29T04:00:00Z" },
    { "Europe/Berlin", "6h", "2026-03-29T01:30:00Z", "2026-03-28T23:00:00Z",
      "2026-03-29T04:00:00Z" },
    { "Europe/Berlin", "1h", "2026-03-29T00:30:00Z", "2026-03-29T00:00:00Z",
      "2026-03-29T01:00:00Z" },
    { "Europe/Berlin", "1h", "2026-03-29T01:30:00Z", "2026-03-29T01:00:00Z",
      "2026-03-29T02:00:00Z" },
    /* 02:00 is skipped: this window ends where it would have been */
    { "Europe/Berlin", "2h", "2026-03-29T00:30:00Z", "2026-03-28T23:00:00Z",
      "2026-03-29T01:00:00Z" },
    { "Europe/Berlin", "2h", "2026-03-29T01:30:00Z", "2026-03-29T01:00:00Z",
      "2026-03-29T02:00:00Z" },
    /* winter begins at 01:00Z of this day, which has 25 hours */
    { "Europe/Berlin", "1d", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z",
      "2026-10-25T23:00:00Z" },
    { "Europe/Berlin", "1h", "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z",
      "2026-10-25T01:00:00Z" },
    { "Europe/Berlin", "1h", "2026-10-25T01:00:00Z", "2026-10-25T00:00:00Z",
      "2026-10-25T01:00:00Z" },
    { "Europe/Berlin", "1h", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z",
      "2026-10-25T02:00:00Z" },
    /* 02:00 comes twice, and the window from the first on has three hours */
    { "Europe/Berlin", "2h", "2026-10-25T00:00:00Z", "2026-10-24T22:00:00Z",
      "2026-10-25T00:00:00Z" },
    { "Europe/Berlin", "2h", "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z",
      "2026-10-25T03:00:00Z" },
    { "Europe/Berlin", "2h", "2026-10-25T01:00:00Z", "2026-10-25T00:00:00Z",
      "2026-10-25T03:00:00Z" },
    { "Europe/Berlin", "2h", "2026-10-25T02:30:00Z", "2026-10-25T00:00:00Z",
      "2026-10-25T03:00:00Z" },
    /* midnight comes twice in Havana, and is skipped there in spring */
    { "America/Havana", "1d", "2026-11-01T04:00:00Z", "2026-10-31T04:00:00Z",
      "2026-11-01T04:00:00Z" },
    { "America/Havana", "1d", "2026-11-01T05:00:00Z", "2026-11-01T04:00:00Z",
      "2026-11-02T05:00:00Z" },
    { "America/Havana", "1d", "2026-03-08T04:30:00Z", "2026-03-07T05:00:00Z",
      "2026-03-08T05:00:00Z" },
    /* half an hour */
    { "Australia/Lord_Howe", "1h", "2026-04-04T14:45:00Z",
      "2026-04-04T14:00:00Z", "2026-04-04T15:30:00Z" },
    { "Australia/Lord_Howe", "1h", "2026-04-04T15:15:00Z",
      "2026-04-04T14:00:00Z", "2026-04-04T15:30:00Z" },
    /* the day that Samoa left out */
    { "Pacific/Apia", "1d", "2011-12-30T09:59:00Z", "2011-12-29T10:00:00Z",
      "2011-12-30T10:00:00Z" },
    { "Pacific/Apia", "1d", "2011-12-30T10:01:00Z", "2011-12-30T10:00:00Z",
      "2011-12-31T10:00:00Z" },
};

START_TEST(window_of_an_instant)
{
    struct pl_every e;
    int64_t end;

    if (!use_zone(cases[_i].zone))
        return;
    ck_assert_int_eq(pl_parse_every(cases[_i].every, &e), PL_OK);
    end = pl_every_end(&e, at(cases[_i].when));
    ck_assert_int_eq(end, at(cases[_i].end));
    ck_assert_int_eq(pl_every_start(&e, end), at(cases[_i].start));
}
END_TEST

/* Every quarter of an hour of two days lies in a window that ends at or behind it, and
 * windows follow each other without a hole. */
START_TEST(windows_tile_time)
{
    static const char *const zones[] = { "Europe/Berlin", "America/Havana",
                                         "Australia/Lord_Howe", "+05:45" };
    static const char *const days[] = {
        "2026-03-07T12:00Z", "2026-03-28T12:00Z", "2026-04-03T12:00Z",
        "2026-10-24T12:00Z", "2026-10-31T12:00Z"
    };
    static const char *const lengths[] = { "1h", "90m", "2h",  "3h",
                                           "5h", "7h",  "12h", "1d" };

    for (size_t z = 0; z < 4; z++)
        for (size_t d = 0; d < 5; d++)
            for (size_t l = 0; l < 8; l++) {
                struct pl_every e;
                int64_t from = at(days[d]), last;

                if (!use_zone(zones[z]))
                    continue;
                ck_assert_int_eq(pl_parse_every(lengths[l], &e), PL_OK);
                last = pl_every_end(&e, from);
                for (int i = 0; i < 2 * 96; i++) {
                    int64_t t = from + i * 15 * 60 * PL_NS_PER_SEC;
                    int64_t end = pl_every_end(&e, t);

                    ck_assert_msg(end >= t && end >= last, "%s %s", zones[z],
                                  lengths[l]);
                    if (end != last) {
                        ck_assert_msg(pl_every_start(&e, end) == last,
                                      "%s %s %s", zones[z], days[d],
                                      lengths[l]);
                        ck_assert_msg(last < t, "%s %s %s", zones[z], days[d],
                                      lengths[l]);
                    }
                    last = end;
                }
            }
}
END_TEST

/* Logs are other people's: no time makes it overflow or hang. */
START_TEST(ends_of_time)
{
    static const int64_t times[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1,
                                     INT64_MAX };
    struct pl_every e;

    if (!use_zone("Europe/Berlin"))
        return;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++) {
            pl_parse_every(k ? "3660d" : "1s", &e);
            ck_assert_int_eq(pl_every_end(&e, times[i]), times[i]);
            ck_assert_int_eq(pl_every_start(&e, times[i]), times[i]);
        }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("window");
    TCase *all[] = { t, NULL };

    tcase_add_loop_test(t, length_and_way_are_read, 0,
                        (int)(sizeof good / sizeof *good));
    tcase_add_loop_test(t, other_words_are_refused, 0,
                        (int)(sizeof bad / sizeof *bad));
    tcase_add_loop_test(t, window_of_an_instant, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_test(t, windows_tile_time);
    tcase_add_test(t, ends_of_time);
    return run_suite("window", all);
}
