/* Reads a time as a user writes it. */
#include "analyze/cli/given_time.h"

#include <stdio.h>
#include <string.h>

#define MINUTE (60 * PL_NS_PER_SEC)

const char pl_given_forms[] =
    "03:12, 03:12:07, 'yesterday 14:00', 2026-11-22, "
    "2026-11-22T03:12, 22.11.2026 03:12, 11/22/2026 3:12 PM, -10m before the "
    "log's end, +5m after --from, @1795246502";

/* ---- characters ---------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_char(const char **s, char c)
{
    if (**s != c)
        return false;
    ++*s;
    return true;
}

static void skip_blanks(const char **s)
{
    while (**s == ' ')
        ++*s;
}

/* A word of ASCII letters, in any case. */
static bool take_word(const char **s, const char *word)
{
    const char *p = *s;

    for (; *word; p++, word++)
        if ((*p | 0x20) != *word)
            return false;
    *s = p;
    return true;
}

/* A number of 1 to 'most' digits; returns how many there were, 0: none. */
static int take_number(const char **s, int most, int *out)
{
    int n = 0;

    for (*out = 0; n < most && is_digit(**s); n++)
        *out = *out * 10 + (*(*s)++ - '0');
    return n;
}

static bool take_two_digits(const char **s, int *out)
{
    return take_number(s, 2, out) == 2;
}

/* A fraction's digits; 'last' is the value of one in the last place. */
static bool take_fraction(const char **s, int32_t *ns, int64_t *last)
{
    int64_t scale = PL_NS_PER_SEC;

    if (!is_digit(**s))
        return false;
    for (*ns = 0; is_digit(**s); ++*s) {
        if (scale == 1)
            continue; /* finer than a nanosecond */
        scale /= 10;
        *ns += (int32_t)scale * (**s - '0');
    }
    *last = scale;
    return true;
}

/* ---- time of day --------------------------------------------------------- */

/* AM or PM, by which 12 is the first hour. */
static bool take_half(const char **s, struct pl_civil *c)
{
    const char *p = *s;
    bool pm;

    skip_blanks(&p);
    pm = take_word(&p, "pm");
    if (!pm && !take_word(&p, "am"))
        return true;
    *s = p;
    if (c->hour < 1 || c->hour > 12)
        return false;
    c->hour = c->hour % 12 + (pm ? 12 : 0);
    return true;
}

static bool is_clock(const struct pl_civil *c)
{
    if (c->hour == 24) /* the end of a day */
        return !c->minute && !c->second && !c->ns;
    return c->hour < 24 && c->minute < 60 && c->second <= 60;
}

/* H:MM[:SS[.fraction]] [AM|PM] */
static bool take_clock(const char **s, struct pl_given_time *t)
{
    struct pl_civil *c = &t->civil;

    if (!take_number(s, 2, &c->hour) || !take_char(s, ':') ||
        !take_two_digits(s, &c->minute))
        return false;
    t->unit_ns = MINUTE;
    if (take_char(s, ':')) {
        if (!take_two_digits(s, &c->second))
            return false;
        t->unit_ns = PL_NS_PER_SEC;
        if ((take_char(s, '.') || take_char(s, ',')) &&
            !take_fraction(s, &c->ns, &t->unit_ns))
            return false;
    }
    return take_half(s, c) && is_clock(c);
}

/* ---- days ---------------------------------------------------------------- */

/* False for a 30th of February: it is refused, not taken as March. */
static bool is_date(const struct pl_civil *c)
{
    /* The calendar repeats after 400 years; 1800 to 2199 are instants. */
    const int year = c->year % 400 + (c->year % 400 < 200 ? 2000 : 1600);
    const struct pl_civil day = { year, c->month, c->day, 0, 0, 0, 0 };

    return c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           pl_civil_of(pl_civil_to_ns(&day)).day == c->day;
}

/* 9999-12-31, as of databases, is later than all samples. */
static void keep_to_instants(struct pl_civil *c)
{
    if (c->year > PL_GIVEN_LAST_YEAR) {
        c->year = PL_GIVEN_LAST_YEAR;
        c->month = 12;
        c->day = 31;
    } else if (c->year < PL_GIVEN_FIRST_YEAR) {
        c->year = PL_GIVEN_FIRST_YEAR;
        c->month = c->day = 1;
    }
}

/* Two readings of a date, of which nothing chooses one. */
static void say_ambiguous(const struct pl_civil *c, char why[PL_GIVEN_WHY])
{
    snprintf(why, PL_GIVEN_WHY,
             "is it %04d-%02d-%02d or %04d-%02d-%02d? Write it so: the locale "
             "(LC_TIME) does not say whether days or months come first",
             c->year, c->month, c->day, c->year, c->day, c->month);
}

/* The order of two numbers before a year. */
static bool set_day_and_month(int a, int b, char separator,
                              enum pl_date_order order, struct pl_civil *c,
                              char why[PL_GIVEN_WHY])
{
    if (separator == '.' || a > 12)
        order = PL_DATE_DAY_FIRST;
    else if (b > 12 || a == b)
        order = PL_DATE_MONTH_FIRST;
    c->day = order == PL_DATE_DAY_FIRST ? a : b;
    c->month = order == PL_DATE_DAY_FIRST ? b : a;
    if (order != PL_DATE_ORDER_UNKNOWN)
        return true;
    if (is_date(c))
        say_ambiguous(c, why);
    return false;
}

/* Y-M-D, D.M.Y or M/D/Y; '-', '/' and '.' are allowed in all of them. */
static bool take_date(const char **s, struct pl_civil *c,
                      enum pl_date_order order, char why[PL_GIVEN_WHY])
{
    int a, b, digits = take_number(s, 4, &a);
    char separator = **s;

    if (!digits || !separator || !strchr("-/.", separator))
        return false;
    ++*s;
    if (!take_number(s, 2, &b) || !take_char(s, separator))
        return false;
    if (digits == 4) {
        c->year = a;
        c->month = b;
        if (!take_number(s, 2, &c->day))
            return false;
    } else if (digits > 2 || take_number(s, 4, &c->year) != 4 ||
               !set_day_and_month(a, b, separator, order, c, why)) {
        return false;
    }
    if (!is_date(c))
        return false;
    keep_to_instants(c);
    return true;
}

static bool take_day(const char **s, struct pl_given_time *t,
                     enum pl_date_order order, char why[PL_GIVEN_WHY])
{
    t->kind = PL_GIVEN_DAY;
    if (take_word(s, "today"))
        return true;
    t->days_back = 1;
    if (take_word(s, "yesterday"))
        return true;
    t->kind = PL_GIVEN_DATE;
    return take_date(s, &t->civil, order, why);
}

/* What parts a day from its time: a T, blanks, or a comma and blanks. */
static bool take_gap(const char **s)
{
    const char *begin = *s;

    if (take_word(s, "t"))
        return true;
    take_char(s, ',');
    skip_blanks(s);
    return *s != begin;
}

/* True if H: or HH: comes next. */
static bool begins_clock(const char *s)
{
    return is_digit(s[0]) && (s[1] == ':' || (is_digit(s[1]) && s[2] == ':'));
}

/* ---- zones --------------------------------------------------------------- */

/* Z, UTC, +HH:MM, +HHMM, +HH or nothing. */
static bool take_offset(const char **s, struct pl_given_time *t)
{
    int hours, minutes = 0, sign = 1;

    skip_blanks(s);
    t->has_offset = true;
    if (take_word(s, "utc") || take_word(s, "z"))
        return true;
    if (take_char(s, '-'))
        sign = -1;
    else if (!take_char(s, '+')) {
        t->has_offset = false;
        return true;
    }
    if (!take_two_digits(s, &hours))
        return false;
    if ((take_char(s, ':') || is_digit(**s)) && !take_two_digits(s, &minutes))
        return false;
    t->offset_s = sign * (hours * 3600 + minutes * 60);
    return hours <= 14 && minutes < 60;
}

/* ---- the forms ----------------------------------------------------------- */

/* "@1795246502.5", after the '@' */
static bool read_epoch(const char *s, struct pl_given_time *t)
{
    int64_t seconds = 0;
    int32_t part = 0;

    if (!is_digit(*s))
        return false;
    for (; is_digit(*s); s++) {
        seconds = seconds * 10 + (*s - '0');
        if (seconds > INT64_MAX / PL_NS_PER_SEC - 1)
            return false;
    }
    t->kind = PL_GIVEN_INSTANT;
    t->unit_ns = PL_NS_PER_SEC;
    if (take_char(&s, '.') && !take_fraction(&s, &part, &t->unit_ns))
        return false;
    t->ns = seconds * PL_NS_PER_SEC + part;
    return !*s;
}

static bool read_length(const char *s, enum pl_given_kind kind,
                        struct pl_given_time *t)
{
    uint64_t ns;

    if (pl_parse_duration(s, &ns))
        return false;
    t->kind = kind;
    t->ns = (int64_t)ns;
    return true;
}

static bool read_calendar(const char *s, enum pl_date_order order,
                          struct pl_given_time *t, char why[PL_GIVEN_WHY])
{
    if (begins_clock(s)) {
        t->kind = PL_GIVEN_CLOCK;
        if (!take_clock(&s, t))
            return false;
    } else {
        bool gap;

        if (!take_day(&s, t, order, why))
            return false;
        gap = take_gap(&s);
        t->whole_day = !begins_clock(s);
        t->unit_ns = PL_NS_PER_DAY;
        if (t->whole_day ? gap && s[-1] != ' ' : !gap || !take_clock(&s, t))
            return false;
    }
    if (!take_offset(&s, t))
        return false;
    skip_blanks(&s);
    return !*s;
}

enum pl_status pl_given_time_read(const char *text, enum pl_date_order order,
                                  struct pl_given_time *out,
                                  char why[PL_GIVEN_WHY])
{
    bool good;

    *out = (struct pl_given_time){ .kind = PL_GIVEN_INSTANT };
    why[0] = '\0';
    skip_blanks(&text);
    if (*text == '@')
        good = read_epoch(text + 1, out);
    else if (*text == '-')
        good = read_length(text + 1, PL_GIVEN_BACK, out);
    else if (*text == '+')
        good = read_length(text + 1, PL_GIVEN_AHEAD, out);
    else
        good = read_calendar(text, order, out, why);
    if (!good && !*why)
        snprintf(why, PL_GIVEN_WHY, "not a time");
    return good ? PL_OK : PL_USAGE;
}

enum pl_status pl_given_around(const char *text, size_t *n, int64_t *ns)
{
    static const char *const signs[] = { "+-", "+/-", "\xc2\xb1" };
    uint64_t length;

    *n = strlen(text);
    *ns = 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *at = strstr(text, signs[i]);

        if (!at)
            continue;
        *n = (size_t)(at - text);
        while (*n && text[*n - 1] == ' ')
            --*n;
        at += strlen(signs[i]);
        skip_blanks(&at);
        if (pl_parse_duration(at, &length))
            return PL_USAGE;
        *ns = (int64_t)length;
        return PL_OK;
    }
    return PL_OK;
}
