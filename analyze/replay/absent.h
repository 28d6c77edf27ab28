/*                                                  analyze/replay/absent.h
 * Series that the older sample had and the newer one does not have.
 */
#ifndef PL_ANALYZE_REPLAY_ABSENT_H
#define PL_ANALYZE_REPLAY_ABSENT_H

#include "analyze/replay/pairing.h"

/* Append a cell for each, in the one row in which that is told.  PL_NOMEM. */
enum pl_status pl_absent_cells(struct pl_pairing *p,
                               struct pl_samples *samples);

#endif
