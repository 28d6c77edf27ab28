/*                                          analyze/output/cleanup_signal.h
 * What to do before INT, TERM, HUP or PIPE ends the program, unless it was begun
 * with that signal ignored, as by nohup, or ignores it.
 */
#ifndef PL_ANALYZE_OUTPUT_CLEANUP_SIGNAL_H
#define PL_ANALYZE_OUTPUT_CLEANUP_SIGNAL_H

#include <stdbool.h>

/*
 * From now on 'clean' is called first, from a signal handler: it may only
 * delete files and read volatile variables.  NULL: nothing is.
 */
void pl_cleanup_signal_catch(void (*clean)(void));

/*
 * Between these two calls signals are blocked, so that a file and the name of
 * it that 'clean' reads change together.
 */
void pl_cleanup_signal_hold(void);
void pl_cleanup_signal_release(void);

/* True if a signal is blocked now: the caller may end early, and release it. */
bool pl_cleanup_signal_waits(void);

#endif
