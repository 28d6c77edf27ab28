/*                                              analyze/replay/row_values.h
 * Two neighbouring samples become values: which instance of the newer one was
 * which of the older (by identity where the recorder says what that is, else
 * by name), what each wanted counter comes to, and what _Total is of an object
 * that brings none.
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
    bool paired; /* the value is of the time between two neighbouring samples:
                    both have the instance, or it was born later */
    struct pl_value value;
};

/* What a cell was made of, for those who make longer intervals of many. */
struct pl_step_at {
    const struct pl_planned_counter *counter; /* NULL: the series has gone */
    struct pl_step step; /* of a mean, over all members' time */
};

struct pl_row_values {
    struct pl_calc_options calc;
    bool names_only;           /* note which series occur, compute nothing */
    bool made_up;              /* blocks are made of single counters, see
                         * pl_session.titles_made_up */
    bool want_absent;          /* a cell for a series that vanishes */
    bool want_steps;           /* fill 'steps' */
    enum pl_cell why_unpaired; /* GOOD: the older sample is the neighbour */
    bool clock_stepped; /* and 100 ns clocks of the blocks stepped with it */
    /* the row; valid until the next one */
    struct pl_cell_at *cells;
    size_t num_cells, cap_cells;
    struct pl_step_at *steps; /* one per cell, if they are wanted */
    size_t cap_steps;
    struct pl_buf texts; /* what text cells point into */
    /* scratch */
    struct pl_object_totals *totals; /* by place of the object in the sample */
    size_t num_totals, cap_totals;
    bool *in_plan; /* by slot, of the object being looked at */
    size_t cap_in_plan;
    struct pl_instance_match match;
};

/* All zero but the first fields is a fresh start. */
void pl_row_values_release(struct pl_row_values *p);

/* Fill p->cells for the newer of 'samples'.  PL_NOMEM. */
enum pl_status pl_row_values_row(struct pl_row_values *p,
                                 struct pl_sample_view *samples);

#endif
