/*                                                analyze/amounts/ranking.h
 * The busiest instances of each object, ranked by the same rule everywhere.  A
 * first pass over all rows measures them; the remaining ones are then added up
 * to one instance, _Other, for the counters that have a sum: rates and timers.
 * _Total and Windows' Idle are not ranked.  Series that never had a value may
 * be left out, too.
 *
 * The rule: the total amount an instance did.  For rates, timers and queue
 * lengths that is what was counted (operations, bytes, busy seconds), for
 * differences their sum; for all others, which are momentary values, the
 * integral over time, which orders as their mean does, with 0 while an instance
 * does not exist.
 */
#ifndef PL_ANALYZE_AMOUNTS_RANKING_H
#define PL_ANALYZE_AMOUNTS_RANKING_H

#include "analyze/replay/replay.h"
#include "analyze/series/series_filter.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "5", "5:% Processor Time", either with ":max" or ":mean" at its end.
 * PL_USAGE.
 */
enum pl_status pl_parse_top(const char *text, struct pl_ranking *out);

/* True for instances that are shown but not ranked: _Total, Windows' Idle. */
bool pl_ranking_excludes(const char *object, const char *instance);

/* False: the value has no finite number. */
static inline bool pl_value_number(const struct pl_value *v, double *number)
{
    if (!pl_cell_has_value(v->cell) ||
        (v->kind != PL_VALUE_INTEGER && v->kind != PL_VALUE_DOUBLE))
        return false;
    *number = v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;
    return isfinite(*number);
}

/* Add a cell of a row; cells without a finite number are ignored. */
void pl_score_add(struct pl_score *s, enum pl_ranking_way way,
                  const struct pl_row *row, const struct pl_cell_at *cell);

/* The final score; the greater, the busier.  0 without a value. */
double pl_score_of(const struct pl_score *s, enum pl_ranking_way way);

/* Add all cells of a row to the scores, and note which series have values. */
void pl_measure_row(const struct pl_ranking *top, const struct pl_row *row);

/*
 * After all rows: decide which groups of 'r' are shown.  The others get
 * 'other', and those of their series that cannot be added up are no longer
 * wanted.  PL_NOMEM.
 */
enum pl_status pl_ranking_choose(struct pl_registry *r,
                                 const struct pl_ranking *top);

/* Mark series that never had a value as not wanted. */
void pl_drop_empty(struct pl_registry *r);

#endif
