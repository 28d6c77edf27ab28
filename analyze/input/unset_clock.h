/*                                               analyze/input/unset_clock.h
 * A machine whose clock has no battery begins each boot in 1970, or at any other
 * time, until its clock is set.
 */
#ifndef PL_ANALYZE_INPUT_UNSET_CLOCK_H
#define PL_ANALYZE_INPUT_UNSET_CLOCK_H

#include "analyze/input/log_discovery.h"

/*
 * Set right_utc of entries that are sorted by host, session and number: where a
 * session began before there were such logs, or in the future, its clock was not
 * set then.  Its files begin at what the clock at its end would have shown, which
 * is that of this machine while it is being recorded.  All others begin when they
 * say, as do those whose clock was not right at the end either.
 */
void pl_log_discovery_set_clocks(struct pl_log_discovery *e);

#endif
