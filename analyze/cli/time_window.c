/* The window that --from, --to and --at choose. */
#include "analyze/cli/time_window.h"

#include "analyze/cli/given_time.h"
#include "analyze/replay/replay.h"
#include "format/time/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the times of one command line are read against. */
struct window_of {
    const char *command;
    const char *option; /* see pl_times */
    const struct pl_host_logs *logs;
    struct pl_given_span span;
    int64_t reach_ns; /* a time of day may be so long after the log's end */
    bool has_end;
};

enum { WINDOW_TEXT = 2 * PL_INSTANT_TEXT + 128 };
#define HALF_A_DAY (43200 * PL_NS_PER_SEC)

/* ---- what the log spans -------------------------------------------------- */

static void find_first(struct window_of *w)
{
    const struct pl_host_logs *logs = w->logs;

    w->span.first_ns = logs->logs[0].first_utc;
    for (size_t i = 1; i < logs->num; i++)
        if (logs->logs[i].first_utc < w->span.first_ns)
            w->span.first_ns = logs->logs[i].first_utc;
    w->span.from_ns = w->span.first_ns;
}

static enum pl_exit need_end(struct window_of *w)
{
    uint64_t interval_ns;
    int64_t utc_ns;
    enum pl_exit code;

    if (w->has_end)
        return PL_EXIT_GOOD;
    code = pl_host_logs_last_time_or_say(w->logs, &utc_ns, &interval_ns);
    if (code)
        return code;
    w->span.last_ns = pl_row_time(utc_ns, interval_ns);
    w->has_end = true;
    return PL_EXIT_GOOD;
}

/* ---- one time ------------------------------------------------------------ */

static enum pl_exit say_wrong(const struct window_of *w, const char *option,
                              const char *arg, const char *why)
{
    pl_say("%s: --%s '%s': %s; known are %s", w->command,
           w->option ? w->option : option, arg, why, pl_given_forms);
    return PL_EXIT_FAILED;
}

static enum pl_exit take_time(struct window_of *w, const char *option,
                              const char *arg, enum pl_given_rule rule,
                              struct pl_given_at *at)
{
    char why[PL_GIVEN_WHY];
    struct pl_given_span span;
    struct pl_given_time t;
    enum pl_exit code = PL_EXIT_GOOD;

    if (pl_given_time_read(arg, pl_date_order(), &t, why))
        return say_wrong(w, option, arg, why);
    /* A pipe has no beginning to count from, either. */
    if (pl_given_time_needs_end(&t, rule) || t.kind == PL_GIVEN_AHEAD)
        code = need_end(w);
    span = w->span;
    if (t.kind == PL_GIVEN_CLOCK && span.last_ns < INT64_MAX - w->reach_ns)
        span.last_ns += w->reach_ns;
    if (!code)
        *at = pl_given_time_find(&t, rule, &span);
    return code;
}

/* ---- windows ------------------------------------------------------------- */

/* The last instant of a length of time, which is not 0. */
static int64_t last_of(int64_t from_ns, uint64_t length)
{
    const int64_t to_ns = (int64_t)((uint64_t)from_ns + length - 1);

    return to_ns < from_ns ? INT64_MAX : to_ns;
}

/*
 * What a time names, with its first row, and of each session at least the row
 * that covers it: the range has room for the longest interval there is then.
 */
static enum pl_exit take_unit(struct window_of *w, const struct pl_given_at *at,
                              struct pl_time_range *window)
{
    const bool is_stream = pl_host_logs_is_stream(w->logs);
    uint64_t length = (uint64_t)at->end_ns - (uint64_t)at->ns;
    uint64_t interval_ns = 0;
    const char *bad = NULL;
    enum pl_status s = PL_OK;

    if (!is_stream)
        s = pl_host_logs_interval_at(w->logs, at->ns, &interval_ns, &bad);
    if (s)
        return pl_say_status(bad, s, NULL);
    length = length ? length : 1;
    *window = (struct pl_time_range){
        .has_from = true,
        .has_to = true,
        .has_unit = !is_stream,
        .from_ns = at->ns > INT64_MIN ? at->ns - 1 : at->ns,
        .to_ns = last_of(at->ns, length > interval_ns ? length : interval_ns),
        .unit_from_ns = at->ns,
        .unit_to_ns = last_of(at->ns, length),
    };
    return PL_EXIT_GOOD;
}

/*
 * The last time of day whose window has something of the log: the log of a
 * machine that died at 03:11:50 answers 03:12+-2m of that day.  A window
 * begins after its first instant.  Of times of day beyond half a day, the one
 * before is nearer to the log's end.
 */
static int64_t reach_of(int64_t around)
{
    return around > HALF_A_DAY ? HALF_A_DAY : around ? around - 1 : 0;
}

static enum pl_exit take_around(struct window_of *w, const char *arg,
                                struct pl_time_range *window)
{
    struct pl_given_at at;
    int64_t around;
    size_t n;
    bool wrong = pl_given_around(arg, &n, &around);
    char *text = pl_text_copy((struct pl_text){ arg, n });
    enum pl_exit code;

    if (!text)
        return pl_say_status(w->command, PL_NOMEM, NULL);
    w->reach_ns = reach_of(around);
    code = wrong ? say_wrong(w, "at", arg,
                             "after +- belongs a length of time, "
                             "as in '03:12 +-2m'")
                 : take_time(w, "at", text, PL_GIVEN_LAST, &at);
    free(text);
    if (code)
        return code;
    if (!around)
        return take_unit(w, &at, window);
    *window = (struct pl_time_range){
        .has_from = true,
        .has_to = true,
        .from_ns = at.ns < INT64_MIN + around ? INT64_MIN : at.ns - around,
        .to_ns = at.ns > INT64_MAX - around ? INT64_MAX : at.ns + around,
    };
    return PL_EXIT_GOOD;
}

static enum pl_exit say_backwards(const struct window_of *w, int64_t from_ns,
                                  int64_t to_ns)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT];

    pl_say("%s: --%s %s: from %s to %s %s", w->command,
           w->option ? w->option : "from",
           w->option ? "ends before it begins" : "is not before --to",
           pl_zone_text(from_ns, from), pl_zone_text(to_ns, to),
           pl_zone_name());
    return PL_EXIT_FAILED;
}

static enum pl_exit take_ends(struct window_of *w, const struct pl_times *times,
                              struct pl_time_range *window)
{
    struct pl_given_at from = { 0 }, to = { 0 };
    enum pl_exit code = PL_EXIT_GOOD;

    if (times->from)
        code = take_time(w, "from", times->from, PL_GIVEN_LAST, &from);
    if (!code && times->from)
        w->span.from_ns = from.ns;
    if (!code && times->to)
        code = take_time(w, "to", times->to,
                         times->from ? PL_GIVEN_NEXT : PL_GIVEN_LAST, &to);
    if (code)
        return code;
    if (times->from && times->to && from.ns == to.ns)
        return take_unit(w, &to, window);
    if (times->from && times->to && from.ns > to.ns)
        return say_backwards(w, from.ns, to.ns);
    *window = (struct pl_time_range){
        .has_from = times->from != NULL,
        .has_to = times->to != NULL,
        .from_ns = from.ns,
        .to_ns = to.ns,
    };
    return PL_EXIT_GOOD;
}

enum pl_exit pl_time_window(const char *command, const struct pl_times *times,
                            const struct pl_host_logs *logs,
                            struct pl_time_range *window)
{
    struct window_of w = { .command = command,
                           .option = times->option,
                           .logs = logs };

    find_first(&w);
    if (!times->at)
        return take_ends(&w, times, window);
    if (!times->from && !times->to)
        return take_around(&w, times->at, window);
    pl_say("%s: --at does not go with --from and --to; give a window with one "
           "or the other",
           command);
    return PL_EXIT_FAILED;
}

void pl_window_before(struct pl_time_range *window, int64_t length_ns)
{
    window->has_unit = false;
    window->to_ns =
        window->from_ns < INT64_MAX ? window->from_ns + 1 : window->from_ns;
    window->from_ns = window->to_ns < INT64_MIN + length_ns
                          ? INT64_MIN
                          : window->to_ns - length_ns;
}

static int64_t earlier(int64_t ns, int64_t by_ns)
{
    return ns < INT64_MIN + by_ns ? INT64_MIN : ns - by_ns;
}

void pl_window_shift(struct pl_time_range *window, int64_t by_ns)
{
    window->from_ns = earlier(window->from_ns, by_ns);
    window->to_ns = earlier(window->to_ns, by_ns);
    window->unit_from_ns = earlier(window->unit_from_ns, by_ns);
    window->unit_to_ns = earlier(window->unit_to_ns, by_ns);
}

/* ---- messages ------------------------------------------------------------ */

/* What is given beyond these years, such as 9999-12-31, is in one of them. */
static bool is_of_outermost_year(int64_t ns)
{
    const struct pl_civil c = pl_civil_of(ns);

    return c.year <= PL_GIVEN_FIRST_YEAR || c.year >= PL_GIVEN_LAST_YEAR;
}

/* As it was given where that says more: true. */
static bool put_end(int64_t ns, const char *given, char out[PL_INSTANT_TEXT])
{
    const bool as_given =
        given && is_of_outermost_year(ns) && strlen(given) < PL_INSTANT_TEXT;

    if (as_given)
        strcpy(out, given);
    else
        pl_zone_text(ns, out);
    return as_given;
}

/* "from A to B ZONE", "after A ZONE", "up to B ZONE", "at A ZONE" */
static const char *window_text(const struct pl_times *times,
                               const struct pl_time_range *w,
                               char out[WINDOW_TEXT])
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT];

    /* What begins with a row is stored as what follows the instant before. */
    const bool with_row =
        w->from_ns < INT64_MAX && (w->from_ns + 1) % PL_NS_PER_MS == 0;

    if (put_end(w->from_ns + with_row, times->at ? times->at : times->from,
                from) &&
        times->at) {
        snprintf(out, WINDOW_TEXT, "at %s %s", from, pl_zone_name());
        return out;
    }
    put_end(w->to_ns, times->to, to);
    if (w->has_from && w->has_to)
        snprintf(out, WINDOW_TEXT, "from %s to %s %s", from, to,
                 pl_zone_name());
    else
        snprintf(out, WINDOW_TEXT, "%s %s %s", w->has_from ? "after" : "up to",
                 w->has_from ? from : to, pl_zone_name());
    return out;
}

void pl_say_window(const struct pl_times *times,
                   const struct pl_time_range *window)
{
    char text[WINDOW_TEXT];

    if (pl_times_given(times) && pl_stderr_is_terminal())
        pl_say("samples %s", window_text(times, window, text));
}

const char *pl_span_text(int64_t first_ns, int64_t last_ns,
                         char out[PL_SPAN_TEXT])
{
    char first[PL_INSTANT_TEXT], last[PL_INSTANT_TEXT];

    pl_zone_text(first_ns, first);
    pl_zone_text(last_ns, last);
    if (last_ns >= first_ns)
        snprintf(out, PL_SPAN_TEXT, "spans %s to %s", first, last);
    else
        snprintf(out, PL_SPAN_TEXT,
                 "begins at %s and, with its clock set back, ends at %s", first,
                 last);
    return out;
}

void pl_say_window_empty(const struct pl_host_logs *logs,
                         const struct pl_times *times,
                         const struct pl_time_range *window)
{
    struct window_of w = { .logs = logs };
    uint64_t interval_ns;
    char text[WINDOW_TEXT], span[PL_SPAN_TEXT];
    int64_t last_ns;

    if (pl_host_logs_is_stream(logs) ||
        pl_host_logs_last_time(logs, &last_ns, &interval_ns)) {
        pl_say("%s: no samples %s", logs->logs[0].paths[0],
               window_text(times, window, text));
        return;
    }
    find_first(&w);
    pl_say("%s: no samples %s; it %s; times are given as %s",
           logs->logs[0].paths[0], window_text(times, window, text),
           pl_span_text(pl_row_time(w.span.first_ns, interval_ns),
                        pl_row_time(last_ns, interval_ns), span),
           pl_given_forms);
}
