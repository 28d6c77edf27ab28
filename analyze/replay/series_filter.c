/* Choosing series and time. */
#include "analyze/replay/series_filter.h"

#include "format/base/time_text.h"
#include "format/base/zone.h"

#include <stdlib.h>
#include <string.h>

/* ---- series -------------------------------------------------------------- */

static bool part_fits(struct pl_text pattern, const char *name)
{
    return !pattern.p || pl_pattern_match(pattern, pl_text_of(name));
}

bool pl_series_filter_has_object(const struct pl_series_filter *c,
                                 const char *host, const char *object)
{
    if (!c->paths || !c->paths->num)
        return true;
    for (size_t i = 0; i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->host, host) && part_fits(p->object, object))
            return true;
    }
    return false;
}

bool pl_series_filter_has_instance(const struct pl_series_filter *c,
                                   const char *host, const char *object,
                                   const char *instance)
{
    for (size_t i = 0; c->paths && i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->host, host) && part_fits(p->object, object) &&
            part_fits(p->instance, instance ? instance : ""))
            return true;
    }
    return !c->paths || !c->paths->num;
}

bool pl_series_filter_needs(const struct pl_series_filter *c,
                            const char *object, const char *counter)
{
    if (strcmp(object, "Process") != 0 && strcmp(object, "Process V2") != 0)
        return false;
    for (size_t i = 0; c->needed && c->needed[i]; i++)
        if (!strcmp(counter, c->needed[i]))
            return true;
    return false;
}

static bool is_crowded(const char *object)
{
    return !strcmp(object, "Process") || !strcmp(object, "Thread");
}

bool pl_series_filter_has(const struct pl_series_filter *c, const char *host,
                          const char *object, const char *instance,
                          const char *counter)
{
    struct pl_counter_path_walk walk;
    bool has = false;
    size_t i;

    if (!c->paths || !c->paths->num)
        return !c->brief || !is_crowded(object) || !instance ||
               !strcmp(instance, "_Total");
    pl_counter_path_walk_start(&walk, object, instance ? instance : "",
                               counter);
    while ((i = pl_counter_path_walk_next(&walk, c->paths)) != SIZE_MAX) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (!part_fits(p->host, host) || !part_fits(p->object, object) ||
            !part_fits(p->instance, instance ? instance : "") ||
            !part_fits(p->counter, counter))
            continue;
        has = true;
        if (!c->matched)
            break;
        c->matched[i] = true;
    }
    return has;
}

static bool has_counter(const struct pl_series_filter *c, const char *object,
                        const char *counter)
{
    for (size_t i = 0; i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->object, object) && part_fits(p->counter, counter))
            return true;
    }
    return false;
}

/* PL_NO_SLOT: there are several, or none. */
static uint32_t only_counter(const struct pl_series_filter *c,
                             const struct pl_object_names *o)
{
    uint32_t only = PL_NO_SLOT;

    if (!c->paths || !c->paths->num)
        return PL_NO_SLOT;
    for (uint32_t i = 0; i < o->num_counters; i++) {
        if (!has_counter(c, o->name, o->counters[i].name))
            continue;
        if (only != PL_NO_SLOT)
            return PL_NO_SLOT;
        only = i;
    }
    return only;
}

uint32_t pl_series_filter_rank_slot(const struct pl_series_filter *c,
                                    const struct pl_object_names *o)
{
    struct pl_text wanted = c->top ? c->top->counter : (struct pl_text){ 0 };
    uint32_t only;

    for (uint32_t i = 0; wanted.n && i < o->num_counters; i++)
        if (pl_pattern_match(wanted, pl_text_of(o->counters[i].name)))
            return i;
    only = only_counter(c, o);
    if (only != PL_NO_SLOT)
        return only;
    if (o->default_slot < o->num_counters)
        return o->default_slot;
    return o->num_counters ? 0 : PL_NO_SLOT;
}

/* ---- time ---------------------------------------------------------------- */

bool pl_time_is_from_end(const char *text)
{
    return *text == '-';
}

/* Exactly 'n' digits; advances past them. */
static bool take_digits(const char **s, int n, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, ++*s) {
        if (**s < '0' || **s > '9')
            return false;
        *out = *out * 10 + (**s - '0');
    }
    return true;
}

static bool take_char(const char **s, char c)
{
    if (**s != c)
        return false;
    ++*s;
    return true;
}

/* HH:MM[:SS[.fraction]] */
static bool take_clock(const char **s, struct pl_civil *c)
{
    if (!take_digits(s, 2, &c->hour) || !take_char(s, ':') ||
        !take_digits(s, 2, &c->minute))
        return false;
    if (take_char(s, ':')) {
        int32_t scale = 100000000;

        if (!take_digits(s, 2, &c->second))
            return false;
        if (take_char(s, '.') || take_char(s, ',')) {
            if (**s < '0' || **s > '9')
                return false;
            for (; **s >= '0' && **s <= '9'; ++*s, scale /= 10)
                c->ns += scale * (**s - '0');
        }
    }
    if (c->hour == 24) /* the end of a day */
        return !c->minute && !c->second && !c->ns;
    return c->hour < 24 && c->minute < 60 && c->second <= 60;
}

/* False for a 30th of February: it is refused, not taken as March. */
static bool is_date(const struct pl_civil *c)
{
    const struct pl_civil day = { c->year, c->month, c->day, 0, 0, 0, 0 };

    return c->month >= 1 && c->month <= 12 &&
           pl_civil_of(pl_civil_to_ns(&day)).day == c->day;
}

static bool take_date(const char **s, struct pl_civil *c)
{
    return take_digits(s, 4, &c->year) && take_char(s, '-') &&
           take_digits(s, 2, &c->month) && take_char(s, '-') &&
           take_digits(s, 2, &c->day) && is_date(c);
}

/* Z, +HH:MM, +HHMM, +HH or nothing; *fixed says whether there was one. */
static bool take_offset(const char **s, bool *fixed, int64_t *seconds)
{
    int hours, minutes = 0, sign = 1;

    *fixed = true;
    *seconds = 0;
    if (take_char(s, 'Z') || take_char(s, 'z'))
        return true;
    if (take_char(s, '-'))
        sign = -1;
    else if (!take_char(s, '+')) {
        *fixed = false;
        return true;
    }
    if (!take_digits(s, 2, &hours))
        return false;
    take_char(s, ':');
    if (**s && !take_digits(s, 2, &minutes))
        return false;
    *seconds = sign * (hours * 3600 + minutes * 60);
    return hours <= 14 && minutes < 60;
}

static enum pl_status parse_epoch(const char *text, int64_t *out)
{
    int64_t seconds = 0, fraction = 0, scale = PL_NS_PER_SEC / 10;
    const char *s = text;

    for (; *s >= '0' && *s <= '9'; s++) {
        seconds = seconds * 10 + (*s - '0');
        if (seconds > INT64_MAX / PL_NS_PER_SEC - 1)
            return PL_USAGE;
    }
    if (s == text)
        return PL_USAGE;
    if (take_char(&s, '.'))
        for (; *s >= '0' && *s <= '9'; s++, scale /= 10)
            fraction += scale * (*s - '0');
    *out = seconds * PL_NS_PER_SEC + fraction;
    return *s ? PL_USAGE : PL_OK;
}

static enum pl_status parse_civil(const char *text, int64_t first_ns,
                                  int64_t *out)
{
    int64_t local =
        (int64_t)((uint64_t)first_ns +
                  (uint64_t)(pl_zone_offset(first_ns) * PL_NS_PER_SEC));
    struct pl_civil day = pl_civil_of(local);
    struct pl_civil c = { day.year, day.month, day.day, 0, 0, 0, 0 };
    const char *s = text;
    bool fixed = false;
    int64_t offset = 0;

    if (strlen(text) >= 3 && text[2] == ':') {
        if (!take_clock(&s, &c))
            return PL_USAGE;
    } else {
        if (!take_date(&s, &c))
            return PL_USAGE;
        if ((take_char(&s, 'T') || take_char(&s, ' ')) && !take_clock(&s, &c))
            return PL_USAGE;
    }
    if (!take_offset(&s, &fixed, &offset) || *s || c.year < 1678 ||
        c.year > 2261)
        return PL_USAGE;
    *out = fixed ? pl_civil_to_ns(&c) - offset * PL_NS_PER_SEC
                 : pl_zone_to_utc(&c);
    return PL_OK;
}

enum pl_status pl_parse_time(const char *text, int64_t first_ns,
                             int64_t last_ns, int64_t *out)
{
    uint64_t back;

    if (*text == '@')
        return parse_epoch(text + 1, out);
    if (!pl_time_is_from_end(text))
        return parse_civil(text, first_ns, out);
    if (pl_parse_duration(text + 1, &back))
        return PL_USAGE;
    /* Logs are untrusted: their end may be before INT64_MIN + back. */
    *out = last_ns < INT64_MIN + (int64_t)back ? INT64_MIN
                                               : last_ns - (int64_t)back;
    return PL_OK;
}
