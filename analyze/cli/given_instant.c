/* Finds the instant that a given time stands for in a log. */
#include "analyze/cli/given_time.h"

#include "format/time/zone.h"

/*
 * Logs are untrusted, and near the ends of what an instant can be, days and
 * offsets would overflow.
 */
#define LEAST (INT64_MIN + 90 * PL_NS_PER_DAY)
#define MOST (INT64_MAX - 90 * PL_NS_PER_DAY)

static int64_t within(int64_t ns)
{
    return ns < LEAST ? LEAST : ns > MOST ? MOST : ns;
}

/* 'length' is not negative. */
static int64_t before(int64_t ns, int64_t length)
{
    return ns < INT64_MIN + length ? INT64_MIN : ns - length;
}

static int64_t after(int64_t ns, int64_t length)
{
    return ns > INT64_MAX - length ? INT64_MAX : ns + length;
}

/* ---- the calendar of the zone, or of the offset that was given ----------- */

static int64_t offset_ns(const struct pl_given_time *t, int64_t utc_ns)
{
    return (t->has_offset ? t->offset_s : pl_zone_offset(utc_ns)) *
           PL_NS_PER_SEC;
}

static int64_t to_utc(const struct pl_given_time *t, const struct pl_civil *c,
                      bool later)
{
    if (t->has_offset)
        return pl_civil_to_ns(c) - t->offset_s * PL_NS_PER_SEC;
    return later ? pl_zone_to_utc_later(c) : pl_zone_to_utc(c);
}

/* The time of day, 'days' after the day on which 'utc_ns' is. */
static int64_t on_day(const struct pl_given_time *t, int64_t utc_ns, int days,
                      bool later)
{
    const int64_t at = within(utc_ns);
    const struct pl_civil day = pl_civil_of(at + offset_ns(t, at));
    struct pl_civil c = t->civil;

    c.year = day.year;
    c.month = day.month;
    c.day = day.day + days;
    return to_utc(t, &c, later);
}

/* ---- times of day -------------------------------------------------------- */

/* Of an hour that is repeated, the later reading comes later. */
static int64_t last_such(const struct pl_given_time *t, int64_t last_ns)
{
    for (int days = 0; days > -2; days--)
        for (int later = 1; later >= 0; later--) {
            int64_t ns = on_day(t, last_ns, days, later);

            if (ns <= last_ns)
                return ns;
        }
    return on_day(t, last_ns, -2, true);
}

static int64_t next_such(const struct pl_given_time *t, int64_t from_ns)
{
    /* 24:00 of the day before is today. */
    for (int days = -1; days < 2; days++)
        for (int later = 0; later <= 1; later++) {
            int64_t ns = on_day(t, from_ns, days, later);

            if (ns >= from_ns)
                return ns;
        }
    return on_day(t, from_ns, 2, false);
}

/* ---- all kinds ----------------------------------------------------------- */

bool pl_given_time_needs_end(const struct pl_given_time *t,
                             enum pl_given_rule rule)
{
    return t->kind == PL_GIVEN_BACK || t->kind == PL_GIVEN_DAY ||
           (t->kind == PL_GIVEN_CLOCK && rule == PL_GIVEN_LAST);
}

static int64_t find(const struct pl_given_time *t, enum pl_given_rule rule,
                    const struct pl_given_span *span)
{
    switch (t->kind) {
    case PL_GIVEN_BACK:
        return before(span->last_ns, t->ns);
    case PL_GIVEN_AHEAD:
        return after(span->from_ns, t->ns);
    case PL_GIVEN_DATE:
        return to_utc(t, &t->civil, false);
    case PL_GIVEN_DAY:
        return on_day(t, span->last_ns, -t->days_back, false);
    case PL_GIVEN_CLOCK:
        return rule == PL_GIVEN_NEXT ? next_such(t, span->from_ns)
                                     : last_such(t, span->last_ns);
    default:
        return t->ns;
    }
}

struct pl_given_at pl_given_time_find(const struct pl_given_time *t,
                                      enum pl_given_rule rule,
                                      const struct pl_given_span *span)
{
    const int64_t ns = find(t, rule, span);

    /* A day of the zone may have 23 hours, or 25. */
    return (struct pl_given_at){ ns, t->whole_day ? on_day(t, ns, 1, false)
                                                  : after(ns, t->unit_ns) };
}
