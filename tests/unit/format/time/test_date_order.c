/* The order of dates in locales. */
#include "format/time/date_order.h"
#include "tests/support/support.h"

#include <stdlib.h>

static const struct {
    const char *format;
    enum pl_date_order want;
} formats[] = {
    { "%d.%m.%Y", PL_DATE_DAY_FIRST },    { "%d/%m/%y", PL_DATE_DAY_FIRST },
    { "%-d.%-m.%Y", PL_DATE_DAY_FIRST },  { "%A %d %B %Y", PL_DATE_DAY_FIRST },
    { "%e.%m.%Y", PL_DATE_DAY_FIRST },    { "%m/%d/%Y", PL_DATE_MONTH_FIRST },
    { "%D", PL_DATE_MONTH_FIRST },        { "%Od/%Om/%Oy", PL_DATE_DAY_FIRST },
    { "%b %d, %Y", PL_DATE_MONTH_FIRST }, { "%Y-%m-%d", PL_DATE_ORDER_UNKNOWN },
    { "%F", PL_DATE_ORDER_UNKNOWN },      { "%y/%m/%d", PL_DATE_ORDER_UNKNOWN },
    { "", PL_DATE_ORDER_UNKNOWN },        { "100%", PL_DATE_ORDER_UNKNOWN },
    { "%-", PL_DATE_ORDER_UNKNOWN },
};

START_TEST(format_tells_the_order)
{
    ck_assert_int_eq(pl_date_order_of_format(formats[_i].format),
                     formats[_i].want);
}
END_TEST

#ifndef _WIN32
/* The C library's own locale has American dates, but it is no choice. */
START_TEST(no_locale_is_no_choice)
{
    static const char *const none[] = { "C", "POSIX", "C.UTF-8", "no_SUCH" };

    unsetenv("LC_ALL");
    unsetenv("LC_TIME");
    unsetenv("LANG");
    ck_assert_int_eq(pl_date_order(), PL_DATE_ORDER_UNKNOWN);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("LC_TIME", none[i], 1);
        ck_assert_int_eq(pl_date_order(), PL_DATE_ORDER_UNKNOWN);
    }
}
END_TEST
#endif

int main(void)
{
    TCase *order = tcase_create("order");
    TCase *all[] = { order, NULL };

    tcase_add_loop_test(order, format_tells_the_order, 0,
                        sizeof formats / sizeof *formats);
#ifndef _WIN32
    tcase_add_test(order, no_locale_is_no_choice);
#endif
    return run_suite("date_order", all);
}
