/* The order of day and month in a format of dates. */
#include "format/time/date_order.h"

#include <string.h>

/* What strftime() has for a day, a month and a year; %D begins with a month. */
static const char days[] = "de", months[] = "mbBhD", years[] = "YyCGgF";

enum pl_date_order pl_date_order_of_format(const char *format)
{
    const char *s = format;

    while ((s = strchr(s, '%')) != NULL && *++s) {
        s += strspn(s, "-_0^#EO"); /* flags */
        if (!*s || strchr(years, *s))
            break;
        if (strchr(days, *s))
            return PL_DATE_DAY_FIRST;
        if (strchr(months, *s))
            return PL_DATE_MONTH_FIRST;
        s++;
    }
    return PL_DATE_ORDER_UNKNOWN;
}
