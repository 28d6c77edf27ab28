/*                                          analyze/output/cleanup_signal.h
 * What to do before INT, TERM or HUP ends the program, unless it was begun with
 * that signal ignored, as by nohup.
 */
#ifndef PL_ANALYZE_OUTPUT_CLEANUP_SIGNAL_H
#define PL_ANALYZE_OUTPUT_CLEANUP_SIGNAL_H

/*
 * From now on 'clean' is called first, from a signal handler: it may delete
 * files and look at what is volatile, no more.
 */
void pl_cleanup_signal_catch(void (*clean)(void));

/*
 * Between these two a signal waits, so that what was made and what 'clean'
 * knows of it do not differ.
 */
void pl_cleanup_signal_hold(void);
void pl_cleanup_signal_release(void);

#endif
