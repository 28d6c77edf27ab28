/*                                                 analyze/replay/ranking.h
 * The busiest instances of each object, by one rule wherever instances are
 * ranked.  A first pass over all rows measures them; then the rest becomes one
 * instance, _Other, where adding up is right: values of rates and timers.
 * _Total takes no part, nor does Windows' Idle.  Series that never had a value
 * may be left out, too.
 *
 * The rule: what an instance did in all.  Of rates, timers and lengths of
 * queues that is what was counted (operations, bytes, busy seconds), of
 * differences their sum; of all others, which hold for a moment, the sum over
 * time, so that one orders as by their mean, 0 while an instance is not there.
 */
#ifndef PL_ANALYZE_REPLAY_RANKING_H
#define PL_ANALYZE_REPLAY_RANKING_H

#include "analyze/replay/replay.h"
#include "analyze/replay/series_filter.h"
#include "analyze/replay/series_registry.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "5", "5:% Processor Time", either with ":max" or ":mean" at its end.
 * PL_USAGE.
 */
enum pl_status pl_parse_top(const char *text, struct pl_ranking *out);

/* It is shown, but has no place among the busiest: _Total, Windows' Idle. */
bool pl_ranking_excludes(const char *object, const char *instance);

/* False: it has no finite number to show. */
bool pl_value_number(const struct pl_value *v, double *number);

/* Add a cell of a row; those without a finite number count nothing. */
void pl_score_add(struct pl_score *s, enum pl_ranking_way way,
                  const struct pl_row *row, const struct pl_cell_at *cell);

/* What it comes to; the greater, the busier.  0 without a value. */
double pl_score_of(const struct pl_score *s, enum pl_ranking_way way);

/* A row also notes which of its series have values. */
void pl_measure_row(const struct pl_ranking *top, const struct pl_row *row);

/*
 * After all rows: decide which groups of 'r' are shown.  The others get 'other',
 * and those of their series that cannot be added up are no longer wanted.
 * PL_NOMEM.
 */
enum pl_status pl_ranking_choose(struct pl_registry *r,
                                 const struct pl_ranking *top);

/* Series that never had a value are no longer wanted. */
void pl_drop_empty(struct pl_registry *r);

/* ---- the second pass -------------------------------------------------------- */

struct pl_other; /* what is gathered for one _Other */

struct pl_others {
    struct pl_cell_at *cells; /* of the row, without those that were added up */
    size_t num_cells, cap_cells;
    struct pl_other *others;
    size_t num, cap;
    size_t last; /* that was looked for */
};

/* Take what belongs to _Other out of the row.  PL_NOMEM. */
enum pl_status pl_others_filter(struct pl_others *o, struct pl_row *row);

/* The cells of all _Other of one host after the other; then begin anew. */
enum pl_status pl_others_end(struct pl_others *o, int64_t time_ns,
                             enum pl_status (*take)(void *ctx,
                                                    const struct pl_row *row),
                             void *ctx);

void pl_others_release(struct pl_others *o);

#endif
