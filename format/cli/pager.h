/*                                                      format/cli/pager.h
 * Shows long output on a terminal page by page, as git does: by $PAGER, or
 * less, which ends by itself what fits on one screen.
 */
#ifndef PL_FORMAT_CLI_PAGER_H
#define PL_FORMAT_CLI_PAGER_H

#include <stdbool.h>

/*
 * From now on standard output goes to a pager.  False: it does not, as it is no
 * terminal, PAGER is empty or "cat", there is no such program, or the system
 * has none.
 */
bool pl_pager_start(void);

/*
 * Wait until the user has left the pager; a user who leaves early has seen what
 * was wanted, so no error follows.  Nothing can be printed on standard output
 * after that.
 */
void pl_pager_end(void);

#endif
