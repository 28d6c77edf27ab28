/* The order of dates by the user's settings. */
#include "format/time/date_order.h"

#include <windows.h>

enum pl_date_order pl_date_order(void)
{
    wchar_t order[2];

    if (!GetLocaleInfoEx(LOCALE_NAME_USER_DEFAULT, LOCALE_IDATE, order, 2))
        return PL_DATE_ORDER_UNKNOWN;
    return order[0] == L'0'   ? PL_DATE_MONTH_FIRST
           : order[0] == L'1' ? PL_DATE_DAY_FIRST
                              : PL_DATE_ORDER_UNKNOWN;
}
