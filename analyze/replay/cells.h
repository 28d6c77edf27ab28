/*                                                   analyze/replay/cells.h
 * The cells of a row being made, in a pl_pairing.
 */
#ifndef PL_ANALYZE_REPLAY_CELLS_H
#define PL_ANALYZE_REPLAY_CELLS_H

#include "analyze/replay/pair.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for 'more' cells, and for their steps.  False: out of memory. */
bool pl_cells_reserve(struct pl_pairing *p, size_t more);

/* Append one; 'step' only counts if steps are wanted.  PL_NOMEM. */
enum pl_status pl_cells_add(struct pl_pairing *p, const struct pl_cell_at *cell,
                            const struct pl_step_at *step);

/* The value of a step. */
struct pl_value pl_cells_value(const struct pl_pairing *p,
                               const struct pl_planned *c,
                               const struct pl_step *step);

/*
 * The text of a text counter, which has its place when the row is complete
 * and pl_cells_place_texts was called.  PL_NOMEM.
 */
enum pl_status pl_cells_text(struct pl_pairing *p, struct pl_samples *samples,
                             const struct pl_pair *pair,
                             const struct pl_planned *c, struct pl_value *v);
void pl_cells_place_texts(struct pl_pairing *p);

#endif
