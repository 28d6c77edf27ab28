/*                                         analyze/replay/vanished_series.h
 * Series that the older sample has and the newer one lacks.
 */
#ifndef PL_ANALYZE_REPLAY_VANISHED_SERIES_H
#define PL_ANALYZE_REPLAY_VANISHED_SERIES_H

#include "analyze/replay/row_values.h"

/* Append a cell for each, in the one row that reports it.  PL_NOMEM. */
enum pl_status pl_vanished_series_cells(struct pl_row_values *p,
                                        struct pl_sample_view *samples);

#endif
