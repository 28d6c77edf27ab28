/* Numbers as text: they read back, are as short as can be, and look right. */
#include "analyze/output/number.h"

#include "tests/support/read_number.h"
#include "tests/support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/*
 * The text with a terminator.  Sweeps call it millions of times, and each
 * ck_assert is a system call: only failures speak.
 */
static void put(double v, char text[PL_NUMBER_TEXT + 1])
{
    size_t n = pl_number_put(v, text);

    if (n > PL_NUMBER_TEXT)
        ck_abort_msg("%.17g takes %zu bytes", v, n);
    text[n] = '\0';
}

static const struct {
    double v;
    const char *want;
} golden[] = {
    { 0.0, "0" },
    { -0.0, "0" },
    { 1, "1" },
    { -1, "-1" },
    { 10, "10" },
    { 0.1, "0.1" },
    { -0.25, "-0.25" },
    { 12.5, "12.5" },
    { 1.0 / 3, "0.3333333333333333" },
    { 100.0 / 3, "33.333333333333336" },
    { 123456.789, "123456.789" },
    /* 2^53 is the end of the integers' own way */
    { 9007199254740991, "9007199254740991" },
    { 9007199254740992, "9007199254740992" },
    { 9007199254740994, "9007199254740994" },
    { 4503599627370495.5, "4503599627370495.5" },
    { 18446744073709551616.0, "18446744073709552000" },
    { 1e15, "1000000000000000" },
    { 1e20, "100000000000000000000" },
    { -1e20, "-100000000000000000000" },
    /* plain notation ends below 1e21 */
    { 999999999999999868928.0, "999999999999999900000" },
    { 1e21, "1e+21" },
    { 1.5e21, "1.5e+21" },
    { -1e21, "-1e+21" },
    /* and at 1e-7 */
    { 1e-7, "0.0000001" },
    { 1.25e-7, "0.000000125" },
    { 9.99e-8, "9.99e-08" },
    { -1e-8, "-1e-08" },
    { 1.2345678901234566e-7, "0.00000012345678901234566" },
    { DBL_MAX, "1.7976931348623157e+308" },
    { DBL_MIN, "2.2250738585072014e-308" },
    { 5e-324, "5e-324" },
    { 1e-100, "1e-100" },
    { 1e100, "1e+100" },
    { INFINITY, "" },
    { -INFINITY, "" },
    { NAN, "" },
};

static const struct {
    double v;
    unsigned digits;
    const char *want;
} rounded[] = {
    { 0, 3, "0" },
    { -0.0, 3, "0" },
    { 1, 1, "1" },
    { 1, 17, "1" },
    { 0.1, 17, "0.10000000000000001" },
    { 100.0 / 3, 1, "30" },
    { 100.0 / 3, 2, "33" },
    { 100.0 / 3, 4, "33.33" },
    { -200.0 / 3, 4, "-66.67" },
    { 99.96, 3, "100" },
    { 99.94, 3, "99.9" },
    { 1.005, 3, "1" }, /* the double is below */
    { 123456, 3, "123000" },
    { 100000, 3, "100000" },
    { 0.00012345, 2, "0.00012" },
    { 9.96e-8, 2, "0.0000001" },
    { 1.25e-9, 2, "1.3e-09" }, /* and this one above */
    { 1.5e300, 5, "1.5e+300" },
    { 2e300, 5, "2e+300" },
    { 2e300, 1, "2e+300" },
    { INFINITY, 3, "" },
    { NAN, 3, "" },
};

START_TEST(rounded_number_has_no_more_digits)
{
    char text[PL_NUMBER_TEXT + 1];

    text[pl_number_put_rounded(rounded[_i].v, rounded[_i].digits, text)] = 0;
    ck_assert_str_eq(text, rounded[_i].want);
}
END_TEST

/* NULL: it is no number. */
static const struct {
    const char *text;
    const double *number;
} readings[] = {
    { "0.1", &(const double){ 0.1 } },
    { "-12.5e-1", &(const double){ -1.25 } },
    { "+7", &(const double){ 7 } },
    { ".5", &(const double){ 0.5 } },
    { "5.", &(const double){ 5 } },
    { "2.2250738585072011e-308", &(const double){ 2.2250738585072011e-308 } },
    { "179769313486231570000e288", &(const double){ 1.7976931348623157e308 } },
    { "1e309", NULL },
    { "", NULL },
    { "+", NULL },
    { "+-5", NULL },
    { "1,5", NULL },
    { "1.5 ", NULL },
    { " 1.5", NULL },
    { "0x10", NULL },
    { "inf", NULL },
    { "nan", NULL },
};

START_TEST(numbers_are_read)
{
    const char *text = readings[_i].text;
    double v = 0;

    ck_assert_int_eq(pl_number_read(text, strlen(text), &v),
                     readings[_i].number != NULL);
    if (readings[_i].number)
        ck_assert_double_eq(v, *readings[_i].number);
}
END_TEST

/* In the C locale snprintf is the definition. */
START_TEST(seventeen_digits_are_those_of_printf)
{
    uint64_t random = 88172645463325252;

    for (size_t i = 0; i < 1000000; i++) {
        char text[PL_NUMBER_TEXT + 1], want[64];
        double v = i < COUNT(golden) ? golden[i].v : 0;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (i >= COUNT(golden))
            memcpy(&v, &random, sizeof v);
        if (i >= COUNT(golden) && i % 2)
            v = (double)(random >> 20) / (double)(i + 1);
        if (i >= COUNT(golden) && i % 4 == 2) /* halves of a digit among them */
            v = ldexp((double)(random >> 11), -(int)(i % 72));
        text[pl_number_put_17g(v, text)] = 0;
        snprintf(want, sizeof want, "%.17g", v);
        if (strcmp(text, isfinite(v) ? want : "") != 0)
            ck_abort_msg("%s instead of %s", text, want);
    }
}
END_TEST

START_TEST(number_looks_as_written_here)
{
    char text[PL_NUMBER_TEXT + 1];

    put(golden[_i].v, text);
    ck_assert_str_eq(text, golden[_i].want);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Significant digits of a number's text. */
static int digits_of(const char *text)
{
    int digits = 0;
    int zeros = 0; /* at the end, so far */

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && !digits))
            continue;
        digits++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits - zeros;
}

static void check_text(double v)
{
    char text[PL_NUMBER_TEXT + 1];
    const double size = fabs(v);
    const char *end;

    put(v, text);
    if (read_number(text, &end) != v || end == text || *end)
        ck_abort_msg("%.17g became %s", v, text);
    if ((strchr(text, 'e') == NULL) != (size >= 1e-7 && size < 1e21))
        ck_abort_msg("%.17g has the wrong notation: %s", v, text);
}

/* No text of one digit less reads back. */
static void check_shortest(double v)
{
    char text[PL_NUMBER_TEXT + 1];
    char shorter[PL_NUMBER_TEXT + 1];
    int digits;

    put(v, text);
    digits = digits_of(text);
    if (digits < 2)
        return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, v);
    if (read_number(shorter, NULL) == v)
        ck_abort_msg("%s, but %s would do", text, shorter);
}

START_TEST(any_bit_pattern_reads_back)
{
    uint64_t state = 0x9E3779B97F4A7C15;

    for (int i = 0; i < 2000000; i++) {
        uint64_t bits = next_random(&state);
        double v;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        check_text(v);
        if (i % 16 == 0)
            check_shortest(v);
    }
}
END_TEST

START_TEST(number_of_everyday_size_reads_back)
{
    uint64_t state = 42;

    for (int i = 0; i < 2000000; i++) {
        uint64_t bits = next_random(&state);
        double v = ldexp((double)(bits >> 11), (int)(bits % 96) - 77);

        if (v == 0)
            continue;
        check_text(i % 2 ? v : -v);
        if (i % 16 == 0)
            check_shortest(v);
    }
}
END_TEST

START_TEST(quotient_of_counts_reads_back)
{
    uint64_t state = 7;

    for (int i = 0; i < 500000; i++) {
        uint64_t bits = next_random(&state);
        double v = (double)(bits >> 40) / (double)((bits & 0xFFFFFF) + 1);

        if (v == 0)
            continue;
        check_text(v);
        check_shortest(v);
    }
}
END_TEST

/*
 * Decimals of few places, whose digits are known, and the doubles beside them,
 * which need more; up to both ends of the way that such decimals have.
 */
START_TEST(decimal_of_few_places_is_put_as_it_is)
{
    uint64_t state = 11;

    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&state);
        uint64_t digits =
            (bits >> 8) % UINT64_C(10000000000000000) >> bits % 50;
        double v = (double)digits / 1e8;
        char text[PL_NUMBER_TEXT + 1], want[PL_NUMBER_TEXT];
        size_t n = (size_t)snprintf(want, sizeof want, "%d.%08d",
                                    (int)(digits / 100000000),
                                    (int)(digits % 100000000));

        if (digits < 10)
            continue; /* below plain notation */
        while (want[n - 1] == '0')
            n--;
        want[want[n - 1] == '.' ? n - 1 : n] = '\0';
        put(v, text);
        if (digits < UINT64_C(1000000000000000) && strcmp(text, want) != 0)
            ck_abort_msg("%s instead of %s", text, want);
        check_text(nextafter(v, INFINITY));
        check_shortest(nextafter(v, INFINITY));
        check_text(nextafter(v, 0));
        check_shortest(nextafter(v, 0));
    }
}
END_TEST

/* Neighbours of every power of ten and of two, where digits are tricky. */
START_TEST(neighbours_of_powers_read_back)
{
    for (int e = -323; e <= 308; e++) {
        char power[16];
        double v;

        snprintf(power, sizeof power, "1e%d", e);
        v = read_number(power, NULL);
        check_text(v);
        check_shortest(v);
        check_text(nextafter(v, INFINITY));
        if (e > -323)
            check_text(nextafter(v, 0));
    }
    for (int e = -1073; e < 1024; e++) {
        check_text(ldexp(1, e));
        check_text(nextafter(ldexp(1, e), INFINITY));
        check_text(nextafter(ldexp(1, e), 0));
    }
}
END_TEST

static const struct {
    uint64_t v;
    const char *decimal;
    unsigned digits;
    const char *hex;
} integers[] = {
    { 0, "0", 8, "0x00000000" },
    { 9, "9", 8, "0x00000009" },
    { 4294967295, "4294967295", 8, "0xffffffff" },
    { 4294967295, "4294967295", 16, "0x00000000ffffffff" },
    { 9007199254740993, "9007199254740993", 16, "0x0020000000000001" },
    { UINT64_MAX, "18446744073709551615", 16, "0xffffffffffffffff" },
    { 0x0123456789ABCDEF, "81985529216486895", 16, "0x0123456789abcdef" },
};

START_TEST(integer_is_exact)
{
    char text[PL_NUMBER_TEXT + 1] = { 0 };

    text[pl_integer_put(integers[_i].v, text)] = '\0';
    ck_assert_str_eq(text, integers[_i].decimal);
    text[pl_hex_put(integers[_i].v, integers[_i].digits, text)] = '\0';
    ck_assert_str_eq(text, integers[_i].hex);
}
END_TEST

int main(void)
{
    TCase *golden_case = tcase_create("golden");
    TCase *sweeps = tcase_create("sweeps");
    TCase *const all[] = { golden_case, sweeps, NULL };

    tcase_set_timeout(sweeps, 300); /* sanitizers are slow */
    tcase_add_loop_test(golden_case, number_looks_as_written_here, 0,
                        COUNT(golden));
    tcase_add_loop_test(golden_case, integer_is_exact, 0, COUNT(integers));
    tcase_add_loop_test(golden_case, numbers_are_read, 0, COUNT(readings));
    tcase_add_loop_test(golden_case, rounded_number_has_no_more_digits, 0,
                        COUNT(rounded));
    tcase_add_test(sweeps, seventeen_digits_are_those_of_printf);
    tcase_add_test(sweeps, any_bit_pattern_reads_back);
    tcase_add_test(sweeps, number_of_everyday_size_reads_back);
    tcase_add_test(sweeps, quotient_of_counts_reads_back);
    tcase_add_test(sweeps, decimal_of_few_places_is_put_as_it_is);
    tcase_add_test(sweeps, neighbours_of_powers_read_back);
    return run_suite("number", all);
}
