/*                                              analyze/replay/other_sums.h
 * What the instances that are not among the busiest (ranking.h) add up to:
 * _Other, of one object on one host.  Most of the values of most logs end here,
 * so they are added up where they are calculated (pl_replay_add_up), or else
 * from the cells of a row.  Values are added in the order of the cells, since
 * sums of floating-point numbers depend on it.  cap100 is for the sum, too.
 */
#ifndef PL_ANALYZE_REPLAY_OTHER_SUMS_H
#define PL_ANALYZE_REPLAY_OTHER_SUMS_H

#include "analyze/replay/replay.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one counter of one _Other is of. */
struct pl_other_sum {
    double sum;
    uint32_t good;
    uint8_t why;  /* enum pl_cell reason of a member, if none had a value */
    bool partial; /* some member's value was */
    bool any;
};

struct pl_other; /* the sums of one _Other */

struct pl_others {
    struct pl_calc_options calc; /* set by the caller, all others zero */
    struct pl_cell_at *cells;    /* cells of the row that were not added up */
    size_t num_cells, cap_cells;
    struct pl_other *others;
    size_t num, cap;
    size_t last; /* index of the _Other found last */
};

/*
 * The sums of _Other 'other', by slot: as many as the group has now.  NULL: no
 * memory.
 */
struct pl_other_sum *pl_others_sums(struct pl_others *o,
                                    struct pl_group *other);

/* Add the value of a member, whatever kind it is. */
void pl_other_sum_add(struct pl_other_sum *t, const struct pl_value *v);

/* Add the value 0 of a member that did nothing. */
static inline void pl_other_sum_add_nothing(struct pl_other_sum *t)
{
    t->any = true;
    t->good++;
}

/* Move the cells that belong to _Other from the row to the sums.  PL_NOMEM. */
enum pl_status pl_others_filter(struct pl_others *o, struct pl_row *row);

/* The cells of all _Other, host by host; then the sums are cleared. */
enum pl_status pl_others_end(struct pl_others *o, int64_t time_ns,
                             enum pl_status (*take)(void *ctx,
                                                    const struct pl_row *row),
                             void *ctx);

void pl_others_release(struct pl_others *o);

#endif
