/*                                               analyze/output/interrupt.h
 * What to do before INT, TERM or HUP ends the program, unless it was begun with
 * that signal ignored, as by nohup.
 */
#ifndef PL_ANALYZE_OUTPUT_INTERRUPT_H
#define PL_ANALYZE_OUTPUT_INTERRUPT_H

/*
 * From now on 'clean' is called first, from a signal handler: it may delete
 * files and look at what is volatile, no more.
 */
void pl_interrupt_catch(void (*clean)(void));

/*
 * Between these two a signal waits, so that what was made and what 'clean'
 * knows of it do not differ.
 */
void pl_interrupt_hold(void);
void pl_interrupt_release(void);

#endif
