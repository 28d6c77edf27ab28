/* The order of dates by the locale's own format. */
#include "format/time/date_order.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The locale of times, as setlocale() would choose it; NULL: none is set. */
static const char *chosen_locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_TIME", "LANG" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return value;
    }
    return NULL;
}

/* Its dates are American, but it is what programs have that were given none. */
static bool is_no_choice(const char *locale)
{
    return !strcmp(locale, "C") || !strncmp(locale, "C.", 2) ||
           !strcmp(locale, "POSIX");
}

enum pl_date_order pl_date_order(void)
{
    const char *name = chosen_locale();
    enum pl_date_order order;
    locale_t locale;

    if (!name || is_no_choice(name))
        return PL_DATE_ORDER_UNKNOWN;
    /* Only this locale: numbers of the program stay as they are. */
    locale = newlocale(LC_TIME_MASK, name, (locale_t)0);
    if (!locale)
        return PL_DATE_ORDER_UNKNOWN;
    order = pl_date_order_of_format(nl_langinfo_l(D_FMT, locale));
    freelocale(locale);
    return order;
}
