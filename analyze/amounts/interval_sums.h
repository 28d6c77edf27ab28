/*                                          analyze/amounts/interval_sums.h
 * Longer intervals than the recorded one: the rows of a window (t - T, t]
 * become one row at t.  Rates, timers and differences are calculated from the
 * sums over all pairs of samples in the window, so no count is lost; see
 * pl_formula_join.
 *
 * Rates and timers are taken over all the time of the window that the host's
 * good pairs of samples cover, whether an instance was there for all of it or
 * not.  So values of instances add up: to _Other, and to _Total.
 *
 * A pair belongs to the window of its newer sample.  A value has the status
 * 'partial' if it begins after the window does, ends an interval or more before
 * the window does, or if a pair in it failed.  If none was good, the cell is
 * blank, with the first cause in the order of enum pl_cell.
 */
#ifndef PL_ANALYZE_AMOUNTS_INTERVAL_SUMS_H
#define PL_ANALYZE_AMOUNTS_INTERVAL_SUMS_H

#include "analyze/replay/replay.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What a window's value is: calculated from all samples, or one of the values
 * of its rows.
 */
enum pl_every_way { PL_EVERY_ALL, PL_EVERY_MAX, PL_EVERY_MIN, PL_EVERY_LAST };

struct pl_every {
    int64_t ns; /* T; 0: no windows */
    enum pl_every_way way;
};

/*
 * "1m", "1h:max", "10s:min", "5m:last".  PL_USAGE: not such a text, or too
 * long.
 */
enum pl_status pl_parse_every(const char *text, struct pl_every *out);

/* What to give instead. */
#define PL_EVERY_WANTED                                                        \
    "give a length of time such as 1m, for means and sums, or "                \
    "1m:max, 1m:min, 1m:last"

/*
 * The end of the window that holds an instant.  Windows end at multiples of T
 * since 1970 in UTC; with T of an hour or more at such multiples of the local
 * time of the zone in force, so a day may have 23 or 25 hours.  An hour that
 * comes twice makes two windows if T fits into it, else the longer one has
 * both.
 */
int64_t pl_every_end(const struct pl_every *e, int64_t utc_ns);

/* The end of the window before the one that ends at 'end_ns'. */
int64_t pl_every_start(const struct pl_every *e, int64_t end_ns);

/* ---- sums ---------------------------------------------------------------- */

struct pl_sum;     /* one series in the current window */
struct pl_covered; /* how much of the window the samples of a host cover */

struct pl_interval_sums {
    struct pl_every every;
    struct pl_calc_options calc;
    struct pl_registry *registry; /* vanished groups are dropped from */
    bool forget;                  /* it, if nothing else holds them */
    int64_t start_ns, end_ns;
    bool open; /* there is a current window */
    struct pl_sum *sums;
    size_t num, cap;
    uint32_t met;               /* groups so far */
    struct pl_covered *covered; /* by rank of hosts, from the first one on */
    size_t num_covered, cap_covered;
    uint32_t first_rank; /* of hosts whose rows are added */
};

/*
 * Add a row, which must have steps, calculated without cap100: that is for the
 * values of windows.  If the row belongs to another window, the
 * caller has closed this one.  PL_NOMEM.
 */
enum pl_status pl_interval_sums_add(struct pl_interval_sums *s,
                                    const struct pl_row *row);

/*
 * End the window: its row goes to 'take', by host, object and instance, in
 * several parts.  Texts in it live until pl_interval_sums_clear.  Returns what
 * 'take' returned.
 */
enum pl_status pl_interval_sums_close(
    struct pl_interval_sums *s,
    enum pl_status (*take)(void *ctx, const struct pl_row *row), void *ctx);

/*
 * The value of a series in the window so far; without one its cell says why.
 * Texts in it live until the next row.
 */
struct pl_value pl_interval_sums_value(const struct pl_interval_sums *s,
                                       const struct pl_group *g, uint32_t slot);

/* True if nothing but the sums of the window holds the group. */
bool pl_interval_sums_alone(const struct pl_group *g);

/* Drop such a group, and what it did in the window. */
void pl_interval_sums_leave_out(struct pl_interval_sums *s, struct pl_group *g);

/* Drop the current window.  Call it before the next row is added. */
void pl_interval_sums_clear(struct pl_interval_sums *s);

void pl_interval_sums_release(struct pl_interval_sums *s);

#endif
