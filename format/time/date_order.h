/*                                                 format/time/date_order.h
 * Which comes first where a date is written in numbers, as in 03/04/2026: the
 * user's locale decides.
 */
#ifndef PL_FORMAT_BASE_DATE_ORDER_H
#define PL_FORMAT_BASE_DATE_ORDER_H

enum pl_date_order {
    PL_DATE_ORDER_UNKNOWN, /* no locale is set, or years come first in it */
    PL_DATE_DAY_FIRST,
    PL_DATE_MONTH_FIRST,
};

/*
 * The order of the user's locale: of LC_ALL, LC_TIME or LANG, whichever is set
 * first; on Windows of its settings.
 */
enum pl_date_order pl_date_order(void);

/* The order in a format of strftime() such as "%d.%m.%Y". */
enum pl_date_order pl_date_order_of_format(const char *format);

#endif
