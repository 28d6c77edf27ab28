/* Figures for people. */
#include "analyze/output/readable.h"

#include "format/time/time_text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Digits after the point so that there are three in all. */
static int decimals(double v)
{
    return fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0;
}

/* A plain number where it is whole and short. */
static void put_with_unit(double v, const char *prefix, const char *unit,
                          char out[PL_READABLE_TEXT])
{
    bool whole = !*prefix && v == floor(v);
    bool apart = *prefix || (*unit && *unit != '/');

    snprintf(out, PL_READABLE_TEXT, "%.*f%s%s%s", whole ? 0 : decimals(v), v,
             apart ? " " : "", prefix, unit);
}

static void put_with_prefix(double v, const char *unit,
                            char out[PL_READABLE_TEXT])
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
    double scaled = v;
    size_t i = 0;

    while (fabs(scaled) >= 999.5 &&
           i + 1 < sizeof prefixes / sizeof *prefixes) {
        scaled /= 1000;
        i++;
    }
    if (fabs(scaled) >= 1e9) /* no counter reaches it, but a damaged log may */
        snprintf(out, PL_READABLE_TEXT, "%.2e%s%s", v,
                 *unit && *unit != '/' ? " " : "", unit);
    else
        put_with_unit(scaled, prefixes[i], unit, out);
}

static void put_seconds(double v, char out[PL_READABLE_TEXT])
{
    static const char *const units[] = { "s", "ms", "us", "ns" };
    size_t i = 0;

    while (v != 0 && fabs(v) < 0.9995 && i + 1 < sizeof units / sizeof *units) {
        v *= 1000;
        i++;
    }
    if (v == 0 || fabs(v) >= 1e9)
        snprintf(out, PL_READABLE_TEXT, v == 0 ? "0 s" : "%.2e s", v);
    else
        put_with_unit(v, "", units[i], out);
}

static void put_duration(double v, char out[PL_READABLE_TEXT])
{
    char text[PL_DURATION_TEXT];

    if (v < 0 || v > 9e9)
        put_seconds(v, out);
    else
        snprintf(out, PL_READABLE_TEXT, "%s",
                 pl_duration_text((uint64_t)v * (uint64_t)PL_NS_PER_SEC, text));
}

const char *pl_readable(double v, enum pl_figure_unit unit,
                        char out[PL_READABLE_TEXT])
{
    if (!isfinite(v))
        snprintf(out, PL_READABLE_TEXT, "-");
    else if (unit == PL_UNIT_PERCENT)
        snprintf(out, PL_READABLE_TEXT, fabs(v) < 1e9 ? "%.1f %%" : "%.2e %%",
                 v);
    else if (unit == PL_UNIT_CODE)
        snprintf(out, PL_READABLE_TEXT, fabs(v) < 1e15 ? "%.0f" : "%.2e", v);
    else if (unit == PL_UNIT_SECONDS)
        put_seconds(v, out);
    else if (unit == PL_UNIT_DURATION)
        put_duration(v, out);
    else
        put_with_prefix(v,
                        unit == PL_UNIT_BYTES              ? "B"
                        : unit == PL_UNIT_BYTES_PER_SECOND ? "B/s"
                        : unit == PL_UNIT_PER_SECOND       ? "/s"
                                                           : "",
                        out);
    return out;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), len = strlen(end);

    return n >= len && !strcmp(name + n - len, end);
}

enum pl_figure_unit pl_unit_of_counter(const char *name)
{
    bool bytes = strstr(name, "Bytes") && !strstr(name, "MBytes") &&
                 !strstr(name, "KBytes");

    if (*name == '%')
        return PL_UNIT_PERCENT;
    if (ends_in(name, "/sec"))
        return bytes ? PL_UNIT_BYTES_PER_SECOND : PL_UNIT_PER_SECOND;
    if (strstr(name, "sec/") || ends_in(name, " sec"))
        return PL_UNIT_SECONDS;
    if (!strcmp(name, "Elapsed Time") || ends_in(name, "Up Time"))
        return PL_UNIT_DURATION;
    return bytes || !strncmp(name, "Working Set", strlen("Working Set"))
               ? PL_UNIT_BYTES
               : PL_UNIT_NUMBER;
}
