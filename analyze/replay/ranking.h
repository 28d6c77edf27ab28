/*                                                 analyze/replay/ranking.h
 * The busiest instances of each object.  A first pass over all rows measures
 * them; then the rest becomes one instance, _Other, where adding up is right:
 * values of rates and timers.  _Total takes no part.  Series that never had a
 * value may be left out, too.
 */
#ifndef PL_ANALYZE_REPLAY_RANKING_H
#define PL_ANALYZE_REPLAY_RANKING_H

#include "analyze/replay/replay.h"
#include "analyze/replay/series_registry.h"
#include "analyze/replay/interval_sums.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_ranking {
    uint64_t num;           /* instances of each object; 0: all */
    struct pl_text counter; /* by which; n 0: the object's default counter */
    bool by_peak;           /* not by the mean */
};

/* "5", "5:max", "5:% Processor Time", "5:% Processor Time:max".  PL_USAGE. */
enum pl_status pl_parse_top(const char *text, struct pl_ranking *out);

/* The slot of 'o' to rank by; PL_NO_SLOT: it has no counters yet. */
uint32_t pl_ranking_slot(const struct pl_ranking *t,
                         const struct pl_object_names *o);

struct pl_ranking_measures {
    struct pl_ranking top;
    struct pl_interval_sums sums; /* one window, which is all of the time */
};

void pl_ranking_measures_begin(struct pl_ranking_measures *m,
                               const struct pl_ranking *top,
                               const struct pl_calc_options *calc);

/* A row with steps; also notes which series have values.  PL_NOMEM. */
enum pl_status pl_ranking_measures_add(struct pl_ranking_measures *m,
                                       const struct pl_row *row);

/* Tell each group how busy it was, and release 'm'. */
enum pl_status pl_ranking_measures_end(struct pl_ranking_measures *m);

/*
 * After that: decide which groups of 'r' are shown.  The others get 'other',
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
