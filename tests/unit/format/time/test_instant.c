/* Instants, durations and sizes: worked values, round trips, refusals. */
#include "format/time/time_text.h"

#include "tests/support/support.h"

#include <stdbool.h>

#define SEC PL_NS_PER_SEC

/* Seconds are those 'date -u -d ... +%s' prints. */
static const struct {
    const char *what;
    int64_t ns;
    struct pl_civil want;
} instants[] = {
    { "epoch", 0, { 1970, 1, 1, 0, 0, 0, 0 } },
    { "one before", -1, { 1969, 12, 31, 23, 59, 59, 999999999 } },
    { "last of 1969", -SEC, { 1969, 12, 31, 23, 59, 59, 0 } },
    { "leap day", 951782400 * SEC, { 2000, 2, 29, 0, 0, 0, 0 } },
    { "its next day", 951868800 * SEC, { 2000, 3, 1, 0, 0, 0, 0 } },
    { "1900 was no leap year", -2203891200 * SEC, { 1900, 3, 1, 0, 0, 0, 0 } },
    { "nor is 2100", 4107542400 * SEC, { 2100, 3, 1, 0, 0, 0, 0 } },
    { "end of a leap year",
      1735689599 * SEC + 5,
      { 2024, 12, 31, 23, 59, 59, 5 } },
    { "beyond 32 bits", 4294967296 * SEC, { 2106, 2, 7, 6, 28, 16, 0 } },
    { "the last", INT64_MAX, { 2262, 4, 11, 23, 47, 16, 854775807 } },
    { "the first", INT64_MIN, { 1677, 9, 21, 0, 12, 43, 145224192 } },
};

START_TEST(an_instant_has_one_civil_time)
{
    struct pl_civil want = instants[_i].want;
    struct pl_civil c = pl_civil_of(instants[_i].ns);

    ck_assert_msg(c.year == want.year && c.month == want.month &&
                      c.day == want.day && c.hour == want.hour &&
                      c.minute == want.minute && c.second == want.second &&
                      c.ns == want.ns,
                  "%s: %d-%d-%d %d:%d:%d.%d", instants[_i].what, c.year,
                  c.month, c.day, c.hour, c.minute, c.second, c.ns);
    ck_assert_msg(pl_civil_to_ns(&want) == instants[_i].ns, "%s",
                  instants[_i].what);
}
END_TEST

START_TEST(every_day_of_four_centuries_follows_the_one_before)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31 };
    struct pl_civil want = { .year = 1850, .month = 1, .day = 1 };
    int64_t ns = pl_civil_to_ns(&want);

    while (want.year < 2250) {
        struct pl_civil c = pl_civil_of(ns);
        bool leap = want.year % 4 == 0 &&
                    (want.year % 100 != 0 || want.year % 400 == 0);

        if (c.year != want.year || c.month != want.month || c.day != want.day ||
            pl_civil_to_ns(&c) != ns)
            ck_abort_msg("%d-%d-%d", want.year, want.month, want.day);
        ns += 86400 * SEC;
        if (++want.day > lengths[want.month - 1] + (want.month == 2 && leap)) {
            want.day = 1;
            want.year += want.month == 12;
            want.month = want.month % 12 + 1;
        }
    }
}
END_TEST

START_TEST(fields_out_of_range_carry_over)
{
    struct pl_civil c = { 2024, 2, 28, 47, 61, 61, 0 };
    struct pl_civil want = { 2024, 3, 1, 0, 2, 1, 0 };

    ck_assert_int_eq(pl_civil_to_ns(&c), pl_civil_to_ns(&want));
}
END_TEST

static const struct {
    int64_t ns;
    uint16_t want[8];
} systemtimes[] = {
    { 0, { 1970, 1, 4, 1, 0, 0, 0, 0 } }, /* a Thursday */
    { -1, { 1969, 12, 3, 31, 23, 59, 59, 999 } },
    { 951782400 * SEC + 7999999, { 2000, 2, 2, 29, 0, 0, 0, 7 } },
    { 259200 * SEC, { 1970, 1, 0, 4, 0, 0, 0, 0 } }, /* a Sunday is 0 */
};

START_TEST(a_systemtime_has_its_weekday)
{
    uint16_t out[8];

    pl_instant_to_systemtime(systemtimes[_i].ns, out);
    ck_assert_mem_eq(out, systemtimes[_i].want, sizeof out);
}
END_TEST

static const struct {
    const char *text;
    uint64_t ns; /* 0: refused, but for "0" */
} durations[] = {
    { "250ms", 250000000 },
    { "1s", 1000000000 },
    { "7", 7000000000 },
    { "1.5s", 1500000000 },
    { "5m", 300000000000 },
    { "5min", 300000000000 },
    { "2h", 7200000000000 },
    { "1.5h", 5400000000000 },
    { "1d", 86400000000000 },
    { "2w", 1209600000000000 },
    { "3us", 3000 },
    { "4ns", 4 },
    { "0.000000001", 1 },
    { "0.0000000019s", 1 }, /* below the resolution: cut */
    { "9000000000s", UINT64_C(9000000000000000000) },
    { "9000000001s", 0 },
    { "9000000000.5s", 0 },
    { "36028797018963968s", 0 },    /* 2^55: would be 0 ns mod 2^64 */
    { "99999999999999999999s", 0 }, /* no 64-bit number */
    { "18446744073709551615w", 0 },
    { "9000000000000000001ns", 0 },
    { "", 0 },
    { "s", 0 },
    { ".5s", 0 },
    { "5.s", 0 },
    { "-1s", 0 },
    { "+1s", 0 },
    { " 1s", 0 },
    { "1 s", 0 },
    { "1sec", 0 },
    { "1S", 0 },
    { "1s1", 0 },
    { "1e3", 0 },
    { "1,5s", 0 },
    { "0x10", 0 },
    { "1h30m", 5400000000000 },
    { "1d1h", 90000000000000 },
    { "1s500ms", 1500000000 },
    { "2d4h3m2.5s", 187382500000000 },
    { "8999999999s999ms", UINT64_C(8999999999999000000) },
    { "9000000000s1ns", 0 },
    { "1m1h", 0 }, /* the larger first */
    { "1m1min", 0 },
    { "1h1h", 0 },
    { "1.5h30m", 0 },
    { "1h30", 0 },
    { "1h 30m", 0 },
    { "1h-30m", 0 },
    { "30 1h", 0 },
};

START_TEST(a_duration)
{
    uint64_t ns = 0;
    enum pl_status s = pl_parse_duration(durations[_i].text, &ns);

    if (durations[_i].ns) {
        ck_assert_msg(s == PL_OK, "%s", durations[_i].text);
        ck_assert_uint_eq(ns, durations[_i].ns);
    } else {
        ck_assert_msg(s == PL_USAGE, "%s", durations[_i].text);
    }
}
END_TEST

static const struct {
    const char *text;
    uint64_t bytes; /* 0: refused, but for "0" */
} sizes[] = {
    { "4096", 4096 },
    { "4096B", 4096 },
    { "64K", 65536 },
    { "64k", 65536 },
    { "64KB", 65536 },
    { "64KiB", 65536 },
    { "64M", UINT64_C(64) << 20 },
    { "1G", UINT64_C(1) << 30 },
    { "1.5M", 1572864 },
    { "1.5G", UINT64_C(1610612736) },
    { "0.5T", UINT64_C(549755813888) },
    { "2T", UINT64_C(2) << 40 },
    { "9223372036854775807", INT64_MAX },
    { "9223372036854775808", 0 },
    { "8388608T", 0 },
    { "16777216T", 0 }, /* would be 0 mod 2^64 */
    { "", 0 },
    { "K", 0 },
    { "-1", 0 },
    { "1P", 0 },
    { "1KK", 0 },
    { "1b", 0 },
    { "1 K", 0 },
    { "1iB", 0 },
    { "1KBx", 0 },
};

START_TEST(a_size)
{
    uint64_t bytes = 0;
    enum pl_status s = pl_parse_size(sizes[_i].text, &bytes);

    if (sizes[_i].bytes) {
        ck_assert_msg(s == PL_OK, "%s", sizes[_i].text);
        ck_assert_uint_eq(bytes, sizes[_i].bytes);
    } else {
        ck_assert_msg(s == PL_USAGE, "%s", sizes[_i].text);
    }
}
END_TEST

static const struct {
    const char *text;
    uint64_t n;
    enum pl_status want;
} counts[] = {
    { "0", 0, PL_OK },
    { "42", 42, PL_OK },
    { "", 0, PL_USAGE },
    { "-1", 0, PL_USAGE },
    { "1.0", 0, PL_USAGE },
    { "1s", 0, PL_USAGE },
    { "99999999999999999999", 0, PL_USAGE },
};

START_TEST(a_count)
{
    uint64_t n = 0;

    ck_assert_msg(pl_parse_count(counts[_i].text, &n) == counts[_i].want, "%s",
                  counts[_i].text);
    if (!counts[_i].want)
        ck_assert_uint_eq(n, counts[_i].n);
}
END_TEST

START_TEST(nothing_at_all_is_a_length_too)
{
    uint64_t n = 1;

    ck_assert_int_eq(pl_parse_duration("0", &n), PL_OK);
    ck_assert_uint_eq(n, 0);
    n = 1;
    ck_assert_int_eq(pl_parse_size("0", &n), PL_OK);
    ck_assert_uint_eq(n, 0);
}
END_TEST

static const struct {
    uint64_t ns;
    const char *want;
} lengths[] = {
    { 0, "0s" },
    { 1, "1ns" },
    { 250000000, "250ms" },
    { 1000000000, "1s" },
    { 1500000000, "1s500ms" },
    { 90000000000, "1m30s" },
    { 3600000000000, "1h" },
    { 3605000000000, "1h" }, /* the two largest units: hours, minutes */
    { 187200000000000, "2d4h" },
    { UINT64_MAX, "213503d23h" },
};

START_TEST(a_length_is_told_in_its_two_largest_units)
{
    char out[PL_DURATION_TEXT];
    uint64_t again = 1;

    ck_assert_str_eq(pl_duration_text(lengths[_i].ns, out), lengths[_i].want);
    if (lengths[_i].ns == UINT64_MAX)
        return;
    ck_assert_int_eq(pl_parse_duration(out, &again), PL_OK); /* is read back */
    ck_assert_str_eq(pl_duration_text(again, out), lengths[_i].want);
}
END_TEST

static const struct {
    uint64_t bytes;
    const char *want;
} volumes[] = {
    { 0, "0 B" },
    { 999, "999 B" },
    { 1000, "1.0 kB" },
    { 1500000, "1.5 MB" },
    { 999949, "999.9 kB" },
    { 999950, "1.0 MB" }, /* never "1000.0 kB" */
    { UINT64_MAX, "18446.7 PB" },
};

START_TEST(a_size_is_told_in_powers_of_1000)
{
    char out[PL_SIZE_TEXT];

    ck_assert_str_eq(pl_size_text(volumes[_i].bytes, out), volumes[_i].want);
}
END_TEST

START_TEST(an_instant_is_told_to_the_millisecond)
{
    char out[PL_INSTANT_TEXT];

    ck_assert_str_eq(pl_instant_text(951782400 * SEC + 250999999, out),
                     "2000-02-29 00:00:00.250");
    ck_assert_str_eq(pl_instant_text(-1, out), "1969-12-31 23:59:59.999");
    ck_assert_str_eq(pl_instant_text(INT64_MIN, out),
                     "1677-09-21 00:12:43.145");
}
END_TEST

#define NUM(table) (sizeof(table) / sizeof *(table))

int main(void)
{
    TCase *t = tcase_create("instant");

    tcase_add_loop_test(t, an_instant_has_one_civil_time, 0, NUM(instants));
    tcase_add_test(t, every_day_of_four_centuries_follows_the_one_before);
    tcase_add_test(t, fields_out_of_range_carry_over);
    tcase_add_loop_test(t, a_systemtime_has_its_weekday, 0, NUM(systemtimes));
    tcase_add_loop_test(t, a_duration, 0, NUM(durations));
    tcase_add_loop_test(t, a_size, 0, NUM(sizes));
    tcase_add_loop_test(t, a_count, 0, NUM(counts));
    tcase_add_test(t, nothing_at_all_is_a_length_too);
    tcase_add_loop_test(t, a_length_is_told_in_its_two_largest_units, 0,
                        NUM(lengths));
    tcase_add_loop_test(t, a_size_is_told_in_powers_of_1000, 0, NUM(volumes));
    tcase_add_test(t, an_instant_is_told_to_the_millisecond);
    return run_suite("instant", (TCase *[]){ t, NULL });
}
