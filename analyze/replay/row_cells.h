/*                                               analyze/replay/row_cells.h
 * The cells of a row being made, in a pl_row_values.
 */
#ifndef PL_ANALYZE_REPLAY_ROW_CELLS_H
#define PL_ANALYZE_REPLAY_ROW_CELLS_H

#include "analyze/replay/counter_delta.h"

#include <stdbool.h>
#include <stddef.h>

bool pl_row_cells_grow(struct pl_row_values *p, size_t more);

/* Room for 'more' cells, and for their steps.  False: out of memory. */
static inline bool pl_row_cells_reserve(struct pl_row_values *p, size_t more)
{
    return (!p->want_steps && p->cap_cells - p->num_cells >= more) ||
           pl_row_cells_grow(p, more);
}

/* Append one; 'step' is only stored if steps are wanted.  PL_NOMEM. */
enum pl_status pl_row_cells_add(struct pl_row_values *p,
                                const struct pl_cell_at *cell,
                                const struct pl_step_at *step);

/* The value of a step. */
struct pl_value pl_row_cells_value(const struct pl_row_values *p,
                                   const struct pl_planned_counter *c,
                                   const struct pl_step *step);

/*
 * The text of a text counter.  Its address is final once the row is complete
 * and pl_row_cells_place_texts was called.  PL_NOMEM.
 */
enum pl_status pl_row_cells_text(struct pl_row_values *p,
                                 struct pl_sample_view *samples,
                                 const struct pl_counter_delta *pair,
                                 const struct pl_planned_counter *c,
                                 struct pl_value *v);
void pl_row_cells_place_texts(struct pl_row_values *p);

#endif
