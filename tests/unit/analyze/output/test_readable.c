/* Figures for people. */
#include "analyze/output/readable.h"
#include "tests/support/support.h"

#include <math.h>

static const struct {
    double v;
    enum pl_figure_unit unit;
    const char *want;
} figures[] = {
    { 0, PL_UNIT_NUMBER, "0" },
    { 7, PL_UNIT_NUMBER, "7" },
    { 1.234, PL_UNIT_NUMBER, "1.23" },
    { 9.996, PL_UNIT_NUMBER, "10.0" },
    { 12.34, PL_UNIT_NUMBER, "12.3" },
    { 99.96, PL_UNIT_NUMBER, "100" },
    { 123.4, PL_UNIT_NUMBER, "123" },
    { 999.4, PL_UNIT_NUMBER, "999" },
    { 999.6, PL_UNIT_NUMBER, "1.00 k" },
    { 12345, PL_UNIT_NUMBER, "12.3 k" },
    { 65534, PL_UNIT_CODE, "65534" },
    { -1500, PL_UNIT_NUMBER, "-1.50 k" },
    { 12.34, PL_UNIT_PERCENT, "12.3 %" },
    { 0, PL_UNIT_PERCENT, "0.0 %" },
    { 812, PL_UNIT_BYTES, "812 B" },
    { 42056217, PL_UNIT_BYTES, "42.1 MB" },
    { 42056217, PL_UNIT_BYTES_PER_SECOND, "42.1 MB/s" },
    { 3.5, PL_UNIT_BYTES_PER_SECOND, "3.50 B/s" },
    { 4.51, PL_UNIT_PER_SECOND, "4.51/s" },
    { 5021, PL_UNIT_PER_SECOND, "5.02 k/s" },
    { 0, PL_UNIT_SECONDS, "0 s" },
    { 0.00025, PL_UNIT_SECONDS, "250 us" },
    { 0.0123, PL_UNIT_SECONDS, "12.3 ms" },
    { 0.9996, PL_UNIT_SECONDS, "1.00 s" },
    { 2.5e-10, PL_UNIT_SECONDS, "0.25 ns" },
    { 93784, PL_UNIT_DURATION, "1d2h" },
    { 1e300, PL_UNIT_BYTES, "1.00e+300 B" },
    { 1e300, PL_UNIT_PERCENT, "1.00e+300 %" },
    { 1e300, PL_UNIT_DURATION, "1.00e+300 s" },
    { NAN, PL_UNIT_BYTES, "-" },
    { INFINITY, PL_UNIT_NUMBER, "-" },
};

START_TEST(figure_has_few_digits)
{
    char out[PL_READABLE_TEXT];

    ck_assert_str_eq(pl_readable(figures[_i].v, figures[_i].unit, out),
                     figures[_i].want);
}
END_TEST

static const struct {
    const char *counter;
    enum pl_figure_unit want;
} units[] = {
    { "% Processor Time", PL_UNIT_PERCENT },
    { "Disk Bytes/sec", PL_UNIT_BYTES_PER_SECOND },
    { "Page Faults/sec", PL_UNIT_PER_SECOND },
    { "Avg. Disk sec/Read", PL_UNIT_SECONDS },
    { "Avg. Collection sec", PL_UNIT_SECONDS },
    { "Avg. Disk Bytes/Read", PL_UNIT_BYTES },
    { "Working Set - Private", PL_UNIT_BYTES },
    { "Available MBytes", PL_UNIT_NUMBER },
    { "System Up Time", PL_UNIT_DURATION },
    { "Elapsed Time", PL_UNIT_DURATION },
    { "Processes", PL_UNIT_NUMBER },
};

START_TEST(unit_is_in_the_name)
{
    ck_assert_int_eq(pl_unit_of_counter(units[_i].counter), units[_i].want);
}
END_TEST

int main(void)
{
    TCase *readable = tcase_create("readable");
    TCase *all[] = { readable, NULL };

    tcase_add_loop_test(readable, figure_has_few_digits, 0,
                        sizeof figures / sizeof *figures);
    tcase_add_loop_test(readable, unit_is_in_the_name, 0,
                        sizeof units / sizeof *units);
    return run_suite("readable", all);
}
