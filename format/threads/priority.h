/*                                                 format/threads/priority.h
 * The priority of work that no one waits for.  priority_posix.c and
 * priority_windows.c implement it.
 */
#ifndef PL_FORMAT_THREADS_PRIORITY_H
#define PL_FORMAT_THREADS_PRIORITY_H

/*
 * From now on this program takes only the processor and disk time that others
 * leave, and is the first to be ended if memory runs out: on Linux SCHED_IDLE,
 * nice 19, the idle class of I/O, and oom_score_adj 1000.  What the system
 * refuses stays as it is.
 */
void pl_priority_idle(void);

#endif
