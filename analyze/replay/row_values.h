/*                                              analyze/replay/row_values.h
 * Calculates the values of one row from two neighbouring samples: which
 * instance of the newer one was which of the older (by identity where the
 * recorder states one, else by name), the value of each wanted counter, and
 * _Total of an object whose block has none.
 */
#ifndef PL_ANALYZE_REPLAY_ROW_VALUES_H
#define PL_ANALYZE_REPLAY_ROW_VALUES_H

#include "analyze/calc/calc.h"
#include "analyze/replay/instance_match.h"
#include "analyze/replay/sample_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_cell_at {
    struct pl_group *group;
    uint32_t slot;
    /*
     * the value covers the time between two neighbouring samples: both have the
     * instance, or it was born later
     */
    bool paired;
    struct pl_value value;
};

/* The step that a cell was calculated from, for sums over longer intervals. */
struct pl_step_at {
    const struct pl_planned_counter *counter; /* NULL: the series vanished */
    struct pl_step step; /* of a mean, over all members' time */
};

struct pl_row_values {
    struct pl_calc_options calc;
    /* only note which series occur, calculate nothing */
    bool names_only;
    /* the same, but calculate the counters that instances are ranked by */
    bool ranks_only;
    /* blocks are composed of single counters, see pl_session.titles_made_up */
    bool made_up;
    bool want_absent; /* add a cell for a series that vanishes */
    bool want_steps;  /* fill 'steps' */
    /* values of what is part of _Other are added up here; NULL: are cells */
    struct pl_others *others;
    /* why there is no pair; GOOD: the older sample is the neighbour */
    enum pl_cell why_unpaired;
    /* the wall clock stepped, and the blocks' 100 ns clocks with it */
    bool clock_stepped;
    /* the row; valid until the next one */
    struct pl_cell_at *cells;
    size_t num_cells, cap_cells;
    struct pl_step_at *steps; /* one per cell, if want_steps */
    size_t cap_steps;
    struct pl_buf texts; /* what text cells point into */
    /* scratch */
    struct pl_object_totals *totals; /* by place of the object in the sample */
    size_t num_totals, cap_totals;
    bool *in_plan; /* by slot, of the object being read */
    size_t cap_in_plan;
    uint32_t *useful; /* counters of its plan that are in a result, in order */
    size_t num_useful, cap_useful;
    /* the same: slots of those that are 0 where an instance is idle; the others */
    uint32_t *resting, *moving;
    size_t num_resting, cap_resting, num_moving, cap_moving;
    struct pl_instance_match match;
};

/* All zero but the first fields is a valid initial state. */
void pl_row_values_release(struct pl_row_values *p);

/* Fill p->cells for the newer of 'samples'.  PL_NOMEM. */
enum pl_status pl_row_values_row(struct pl_row_values *p,
                                 struct pl_sample_view *samples);

#endif
