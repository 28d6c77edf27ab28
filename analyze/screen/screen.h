/*                                                    analyze/screen/screen.h
 * Shows a log on a terminal, by ncurses: draws what browse.h makes, and hands
 * keys on.  Only cells that changed are sent, and nothing while nothing
 * changes.  Attributes are bold and reverse; there are no colours.
 */
#ifndef PL_ANALYZE_SCREEN_SCREEN_H
#define PL_ANALYZE_SCREEN_SCREEN_H

#include "analyze/browse/browse.h"
#include "format/cli/message.h"

/*
 * Check that there is a terminal that can show it, before logs are read.
 * Reports what is missing.
 */
enum pl_exit pl_screen_check(const char *command);

/* Until the user quits.  Reports what went wrong. */
enum pl_exit pl_screen_run(const char *command, struct pl_browse *b);

#endif
