/*                                                     logger/record/stop.h
 * What people ask of a running recorder from outside: to end, or to begin a
 * new segment.  A request ends pl_sleep_until().  stop_posix.c (signals) and
 * stop_windows.c (the console) implement it.
 */
#ifndef PL_LOGGER_RECORD_STOP_H
#define PL_LOGGER_RECORD_STOP_H

#include <stdbool.h>

/*
 * From now on requests are only noted, for the thread that calls this; being
 * asked to end a second time ends the program at once.  'rotates': the request
 * for a new segment is understood, else it is one to end.
 */
void pl_stop_catch(bool rotates);

/* True after a request to end. */
bool pl_stop_asked(void);

/* True once after each request for a new segment. */
bool pl_stop_take_rotation(void);

/* The recording has ended; another command may follow. */
void pl_stop_release(void);

#endif
