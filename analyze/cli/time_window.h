/*                                                 analyze/cli/time_window.h
 * --from, --to and --at as a window of a log, for all commands that have them;
 * what was given is read by given_time.h.  Rows are in the window by their row
 * time, from < t <= to.  Where --from and --to are the same, and for --at
 * without +-, the window is what the time names: that second, minute or day,
 * its first row included, but at least one interval, so that --at shows the
 * sample that covers it.  With +-, a time of day is the last one whose window
 * has any of the log, so it may be after the log's end, by half a day.
 */
#ifndef PL_ANALYZE_CLI_TIME_WINDOW_H
#define PL_ANALYZE_CLI_TIME_WINDOW_H

#include "analyze/input/host_log.h"
#include "analyze/series/series_filter.h"
#include "format/time/zone.h"
#include "format/cli/message.h"

#include <stdbool.h>

/* The arguments; NULL: not given. */
struct pl_times {
    const char *from, *to, *at;
    const char *option; /* of all of them, "against"; NULL: of each its own */
};

static inline bool pl_times_given(const struct pl_times *t)
{
    return t->from || t->to || t->at;
}

/*
 * The window of the logs, in the zone in force; it may be necessary to find the
 * last sample.  Failures are reported.
 */
enum pl_exit pl_time_window(const char *command, const struct pl_times *times,
                            const struct pl_host_logs *logs,
                            struct pl_time_range *window);

/*
 * Instead of a window that begins with a moment, one of this length that ends
 * with it.
 */
void pl_window_before(struct pl_time_range *window, int64_t length_ns);

/* Move a window back by a length of time. */
void pl_window_shift(struct pl_time_range *window, int64_t by_ns);

/* On a terminal, name the window that was taken. */
void pl_say_window(const struct pl_times *times,
                   const struct pl_time_range *window);

enum { PL_SPAN_TEXT = 2 * PL_INSTANT_TEXT + 64 };

/*
 * "spans A to B", or where a clock was set back before what the log begins with,
 * where it begins and ends.
 */
const char *pl_span_text(int64_t first_ns, int64_t last_ns,
                         char out[PL_SPAN_TEXT]);

/* Report that no sample is in the window that was made of 'times'. */
void pl_say_window_empty(const struct pl_host_logs *logs,
                         const struct pl_times *times,
                         const struct pl_time_range *window);

#endif
