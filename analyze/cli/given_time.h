/*                                                  analyze/cli/given_time.h
 * A time as a user writes it: "03:12", "yesterday 14:00", "-10m".  Reading it
 * (pl_given_time_read) is apart from finding the instant it stands for
 * (pl_given_time_find), which needs to know what the log spans.  Neither reads
 * a log or a clock; times without an offset are of the zone in force (zone.h).
 *
 *     03:12, 03:12:07.5, 3:12 PM    the last such time before the log's end, or
 *                                   for PL_GIVEN_NEXT the first after 'from'
 *     today, yesterday 14:00        today is the day of the log's end
 *     2026-11-22, 2026-11-22T03:12  also 2026/11/22, with blanks for the T
 *     22.11.2026 03:12              with dots the day comes first
 *     11/22/2026 3:12 PM            also with dashes; in the locale's order if
 *                                   the numbers leave two
 *     -10m, +5m                     before the log's end; after 'from'
 *     @1795246502.5                 seconds since 1970-01-01 00:00 UTC
 *
 * Z, UTC or +02:00 may follow those that have a day or a time of day.
 */
#ifndef PL_ANALYZE_CLI_GIVEN_TIME_H
#define PL_ANALYZE_CLI_GIVEN_TIME_H

#include "format/time/date_order.h"
#include "format/base/status.h"
#include "format/time/time_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All instants of these years are instants of samples; dates beyond them are
 * their first or last day. */
enum { PL_GIVEN_FIRST_YEAR = 1678, PL_GIVEN_LAST_YEAR = 2261 };

enum pl_given_kind {
    PL_GIVEN_INSTANT, /* 'ns' since 1970 */
    PL_GIVEN_BACK,    /* 'ns' before the log's end */
    PL_GIVEN_AHEAD,   /* 'ns' after 'from' */
    PL_GIVEN_DATE,    /* 'civil' */
    PL_GIVEN_DAY,     /* its time of day, 'days_back' before the last day */
    PL_GIVEN_CLOCK,   /* its time of day */
};

struct pl_given_time {
    enum pl_given_kind kind;
    int64_t ns;
    struct pl_civil civil;
    int days_back;
    bool has_offset;
    int32_t offset_s; /* seconds east of UTC, if it has_offset */
    bool whole_day;   /* a date without time of day */
    /*
     * How long it lasts: a minute where there are no seconds, a second where
     * there is no fraction; 0 for an instant.
     */
    int64_t unit_ns;
};

enum { PL_GIVEN_WHY = 160 };

/* The forms above in one line, for messages. */
extern const char pl_given_forms[];

/*
 * PL_USAGE: it is no time; 'why' then says so, in words that follow the text in
 * a message.  'order' decides about dates such as 03/04/2026.
 */
enum pl_status pl_given_time_read(const char *text, enum pl_date_order order,
                                  struct pl_given_time *out,
                                  char why[PL_GIVEN_WHY]);

/*
 * Take "+-2m" or "±2m" off the end of a text: *n is the length of what is
 * before, *ns the length of time, 0 if there is none.  PL_USAGE: it is none.
 */
enum pl_status pl_given_around(const char *text, size_t *n, int64_t *ns);

/* Which of the times of day on all days is meant. */
enum pl_given_rule {
    PL_GIVEN_LAST, /* the last one up to the log's end */
    PL_GIVEN_NEXT, /* the first one not before 'from' */
};

struct pl_given_span {
    int64_t first_ns, last_ns; /* the log's first and last row */
    int64_t from_ns;           /* what PL_GIVEN_AHEAD and NEXT count from */
};

/* True if span.last_ns is needed: the log must be read to its end. */
bool pl_given_time_needs_end(const struct pl_given_time *t,
                             enum pl_given_rule rule);

/* From 'ns' up to, but not including, 'end_ns', which is 'ns' for an instant.
 */
struct pl_given_at {
    int64_t ns, end_ns;
};

/* What the zone skips is moved on by the length of the jump. */
struct pl_given_at pl_given_time_find(const struct pl_given_time *t,
                                      enum pl_given_rule rule,
                                      const struct pl_given_span *span);

#endif
