/*                                                     logger/record/stop.h
 * Requests from outside to a running recorder: to end, or to begin a new
 * segment.  A request interrupts pl_sleep_until(), one just before
 * it within a second.  stop_posix.c (signals) and
 * stop_windows.c (console events) implement it.
 */
#ifndef PL_LOGGER_RECORD_STOP_H
#define PL_LOGGER_RECORD_STOP_H

#include <stdbool.h>

/*
 * From now on requests are only noted, for the calling thread; a further
 * request to end, a second or more after the first, ends the program at once.
 * 'rotates': requests for a new segment are accepted; if false, they are
 * requests to end.
 */
void pl_stop_catch(bool rotates);

/* True after a request to end. */
bool pl_stop_asked(void);

/* True once after each request for a new segment. */
bool pl_stop_take_rotation(void);

/* The recording has ended; another command may follow in this process. */
void pl_stop_release(void);

#endif
