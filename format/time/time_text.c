/* Instants, durations and sizes as numbers and as text. */
#include "format/time/time_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Days since 1970-01-01 of a proleptic Gregorian date, and back; years begin
 * in March so that the leap day is the last of its year.
 */
static int64_t days_of(int64_t y, int m, int d)
{
    int64_t era, yoe, doy;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    yoe = y - era * 400;
    doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

struct pl_civil pl_civil_of(int64_t ns)
{
    int64_t seconds = floor_div(ns, PL_NS_PER_SEC);
    int64_t days = floor_div(seconds, 86400);
    int64_t rest = seconds - days * 86400;
    int64_t z = days + 719468;
    int64_t era = floor_div(z, 146097);
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    struct pl_civil c;

    c.day = (int)(doy - (153 * mp + 2) / 5 + 1);
    c.month = (int)(mp < 10 ? mp + 3 : mp - 9);
    c.year = (int)(yoe + era * 400 + (c.month <= 2));
    c.hour = (int)(rest / 3600);
    c.minute = (int)(rest / 60 % 60);
    c.second = (int)(rest % 60);
    c.ns = (int32_t)((ns % PL_NS_PER_SEC + PL_NS_PER_SEC) % PL_NS_PER_SEC);
    return c;
}

int64_t pl_civil_to_ns(const struct pl_civil *c)
{
    int64_t seconds = days_of(c->year, c->month, c->day) * 86400 +
                      c->hour * INT64_C(3600) + c->minute * INT64_C(60) +
                      c->second;

    /* Unsigned: the earliest instants lie in a second whose beginning is out
     * of range. */
    return (int64_t)((uint64_t)seconds * PL_NS_PER_SEC + (uint64_t)c->ns);
}

void pl_instant_to_systemtime(int64_t utc_ns, uint16_t out[8])
{
    struct pl_civil c = pl_civil_of(utc_ns);
    int64_t days = floor_div(utc_ns, PL_NS_PER_DAY);

    out[0] = (uint16_t)c.year;
    out[1] = (uint16_t)c.month;
    out[2] = (uint16_t)(((days + 4) % 7 + 7) % 7); /* 1970 began a Thursday */
    out[3] = (uint16_t)c.day;
    out[4] = (uint16_t)c.hour;
    out[5] = (uint16_t)c.minute;
    out[6] = (uint16_t)c.second;
    out[7] = (uint16_t)(c.ns / PL_NS_PER_MS);
}

/*
 * Digits with an optional fraction: value = whole + part / 10^9.
 * Returns the first character after them, NULL if there is no number.
 */
static const char *parse_decimal(const char *s, uint64_t *whole, uint32_t *part)
{
    const char *start = s;
    uint32_t scale = 100000000;

    *whole = 0;
    *part = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (*whole > (UINT64_MAX - 9) / 10)
            return NULL;
        *whole = *whole * 10 + (uint64_t)(*s - '0');
    }
    if (s == start)
        return NULL;
    if (*s == '.') {
        const char *digits = ++s;

        for (; *s >= '0' && *s <= '9'; s++) {
            *part += scale * (uint32_t)(*s - '0');
            scale /= 10;
        }
        if (s == digits)
            return NULL;
    }
    return s;
}

/* Multiply by a unit's factor; the fraction is in units of 10^-9. */
static enum pl_status scale_decimal(uint64_t whole, uint32_t part,
                                    uint64_t factor, uint64_t limit,
                                    uint64_t *out)
{
    uint64_t fraction;

    if (whole > limit / factor)
        return PL_USAGE;
    fraction =
        factor / 1000000000 * part + factor % 1000000000 * part / 1000000000;
    *out = whole * factor + fraction;
    return *out > limit ? PL_USAGE : PL_OK;
}

struct duration_unit {
    const char *name;
    uint64_t ns;
};

/* The unit that the letters at *s are, which are skipped; NULL: none. */
static const struct duration_unit *take_unit(const char **s)
{
    static const struct duration_unit units[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "ms", 1000000 },
        { "s", 1000000000 },
        { "m", UINT64_C(60) * 1000000000 },
        { "min", UINT64_C(60) * 1000000000 },
        { "h", UINT64_C(3600) * 1000000000 },
        { "d", UINT64_C(86400) * 1000000000 },
        { "w", UINT64_C(604800) * 1000000000 },
    };
    size_t n = strspn(*s, "abcdefghijklmnopqrstuvwxyz");

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n == strlen(units[i].name) && !strncmp(*s, units[i].name, n)) {
            *s += n;
            return &units[i];
        }
    return NULL;
}

enum pl_status pl_parse_duration(const char *text, uint64_t *ns)
{
    const uint64_t limit = UINT64_C(9000000000000000000);
    uint64_t whole, length, larger = UINT64_MAX;
    uint32_t part;
    const char *s = parse_decimal(text, &whole, &part);

    if (s && !*s)
        return scale_decimal(whole, part, PL_NS_PER_SEC, limit, ns);
    for (*ns = 0; s; s = parse_decimal(s, &whole, &part)) {
        const struct duration_unit *unit = take_unit(&s);

        if (!unit || unit->ns >= larger ||
            scale_decimal(whole, part, unit->ns, limit - *ns, &length))
            return PL_USAGE;
        *ns += length;
        larger = unit->ns;
        if (!*s)
            return PL_OK;
        if (part) /* "1.5h30m" */
            return PL_USAGE;
    }
    return PL_USAGE;
}

enum pl_status pl_parse_size(const char *text, uint64_t *bytes)
{
    static const char letters[] = "KMGT";
    uint64_t whole, factor = 1;
    uint32_t part;
    const char *unit = parse_decimal(text, &whole, &part);
    const char *letter;

    if (!unit)
        return PL_USAGE;
    if (*unit && (letter = strchr(letters, *unit & ~0x20)) != NULL && *letter) {
        factor = UINT64_C(1) << 10 * (letter - letters + 1);
        unit++;
        if (*unit == 'i')
            unit++;
    }
    if (*unit == 'B')
        unit++;
    if (*unit)
        return PL_USAGE;
    return scale_decimal(whole, part, factor, INT64_MAX, bytes);
}

enum pl_status pl_parse_count(const char *text, uint64_t *n)
{
    uint32_t part;
    const char *end = parse_decimal(text, n, &part);

    return end && !*end && !strchr(text, '.') ? PL_OK : PL_USAGE;
}

const char *pl_instant_text(int64_t utc_ns, char out[PL_INSTANT_TEXT])
{
    struct pl_civil c = pl_civil_of(utc_ns);

    snprintf(out, PL_INSTANT_TEXT, "%04d-%02d-%02d %02d:%02d:%02d.%03d", c.year,
             c.month, c.day, c.hour, c.minute, c.second,
             (int)(c.ns / PL_NS_PER_MS));
    return out;
}

const char *pl_duration_text(uint64_t ns, char out[PL_DURATION_TEXT])
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {
        { "d", UINT64_C(86400) * 1000000000 },
        { "h", UINT64_C(3600) * 1000000000 },
        { "m", UINT64_C(60) * 1000000000 },
        { "s", 1000000000 },
        { "ms", 1000000 },
        { "us", 1000 },
        { "ns", 1 },
    };
    size_t used = 0;
    int parts = 0;

    out[0] = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units && parts < 2; i++) {
        uint64_t n = ns / units[i].ns;

        if (!n && !parts)
            continue;
        if (n)
            used += (size_t)snprintf(out + used, PL_DURATION_TEXT - used,
                                     "%" PRIu64 "%s", n, units[i].unit);
        ns %= units[i].ns;
        parts++;
    }
    if (!used)
        snprintf(out, PL_DURATION_TEXT, "0s");
    return out;
}

const char *pl_size_text(uint64_t bytes, char out[PL_SIZE_TEXT])
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    double v = (double)bytes;
    size_t i = 0;

    if (bytes < 1000) {
        snprintf(out, PL_SIZE_TEXT, "%" PRIu64 " B", bytes);
        return out;
    }
    while (v >= 999.95 && i < sizeof units / sizeof *units - 1) {
        v /= 1000;
        i++;
    }
    snprintf(out, PL_SIZE_TEXT, "%.1f %s", v, units[i]);
    return out;
}
