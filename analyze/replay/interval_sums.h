/*                                           analyze/replay/interval_sums.h
 * Longer intervals than the recorded one: rows are gathered in windows
 * (t - T, t] and become one row at t.  What is counted from sample to sample
 * is calculated from the sum of all pairs of the window, so nothing is lost
 * between them; see pl_formula_join.
 *
 * Rates and timers are over all the time of the window that the host's good
 * pairs of samples cover, whether an instance was there for all of it or not.
 * So values of instances add up: to _Other, and to _Total.
 *
 * A pair belongs to the window of its newer sample.  A value has the status
 * 'partial' if it begins after the window does, ends an interval or more
 * before the window does, or if a pair in it failed.  If none was good, the
 * cell is blank, with the first cause in the order of enum pl_cell.
 */
#ifndef PL_ANALYZE_REPLAY_INTERVAL_SUMS_H
#define PL_ANALYZE_REPLAY_INTERVAL_SUMS_H

#include "analyze/replay/replay.h"
#include "analyze/replay/series_registry.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* What a window's value is: calculated from all, or one of those calculated. */
enum pl_every_way { PL_EVERY_ALL, PL_EVERY_MAX, PL_EVERY_MIN, PL_EVERY_LAST };

struct pl_every {
    int64_t ns; /* T; 0: no windows */
    enum pl_every_way way;
};

/* "1m", "1h:max", "10s:min", "5m:last".  PL_USAGE: it is none, or too long. */
enum pl_status pl_parse_every(const char *text, struct pl_every *out);

/*
 * Where the window of an instant ends.  Windows end at multiples of T since
 * 1970 in UTC; with T of an hour or more where clocks of the zone in force
 * show such a multiple, so a day may have 23 or 25 hours.  An hour that comes
 * twice makes two windows if T fits into it, else the longer one has both.
 */
int64_t pl_every_end(const struct pl_every *e, int64_t utc_ns);

/* Where the window ends that comes before the one that ends at 'end_ns'. */
int64_t pl_every_start(const struct pl_every *e, int64_t end_ns);

/* ---- sums ------------------------------------------------------------------ */

struct pl_sum;     /* one series in the window under way */
struct pl_covered; /* how much of it the samples of a host cover */

struct pl_interval_sums {
    struct pl_every every;
    struct pl_calc_options calc;
    struct pl_registry *registry; /* groups that have gone are dropped from */
    bool forget;                  /* it, if nothing else holds them */
    int64_t start_ns, end_ns;
    bool open; /* there is a window under way */
    struct pl_sum *sums;
    size_t num, cap;
    struct pl_covered *covered; /* by rank of hosts */
    size_t num_covered, cap_covered;
};

/*
 * Add a row, which must have steps.  The caller has closed the window before
 * if the row belongs to another one.  PL_NOMEM.
 */
enum pl_status pl_interval_sums_add(struct pl_interval_sums *s,
                                    const struct pl_row *row);

/*
 * End the window: its row goes to 'take', by host, object and instance, in
 * several parts.  Texts in it live until pl_interval_sums_clear.  What 'take' says.
 */
enum pl_status pl_interval_sums_close(
    struct pl_interval_sums *s,
    enum pl_status (*take)(void *ctx, const struct pl_row *row), void *ctx);

/* Then there is no window under way.  Before the next row is added. */
void pl_interval_sums_clear(struct pl_interval_sums *s);

void pl_interval_sums_release(struct pl_interval_sums *s);

#endif
