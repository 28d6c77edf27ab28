/*                                         analyze/replay/vanished_series.h
 * Series that the older sample had and the newer one does not have.
 */
#ifndef PL_ANALYZE_REPLAY_VANISHED_SERIES_H
#define PL_ANALYZE_REPLAY_VANISHED_SERIES_H

#include "analyze/replay/row_values.h"

/* Append a cell for each, in the one row in which that is told.  PL_NOMEM. */
enum pl_status pl_vanished_series_cells(struct pl_row_values *p,
                                        struct pl_sample_view *samples);

#endif
