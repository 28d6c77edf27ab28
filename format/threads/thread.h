/*                                                   format/threads/thread.h
 * A second thread, with a lock and a condition that it shares with the thread
 * that started it, and the priority of the calling one.  thread_posix.c and
 * thread_windows.c implement it.
 */
#ifndef PL_FORMAT_THREADS_THREAD_H
#define PL_FORMAT_THREADS_THREAD_H

#include "format/base/status.h"

struct pl_thread;

/*
 * Call run(arg) in a new thread, which gets no signals; *out is set before it
 * runs.  PL_NOMEM, PL_IO.
 */
enum pl_status pl_thread_start(struct pl_thread **out, void (*run)(void *arg),
                               void *arg);

/*
 * Let the calling thread, and those that it starts from now on, run before
 * others as soon as they wake.  Where that is not permitted, or a priority was
 * chosen for this program, all stays as it is, but for the kernel's tolerance of
 * late wake-ups and the slice of processor time, which become the least.  On
 * Linux it is a nice value of -20, which takes CAP_SYS_NICE or a limit NICE of
 * 40.
 */
void pl_thread_be_prompt(void);

/* How many threads this program can run at once here; at least 1. */
unsigned pl_thread_processors(void);

/* Wait until the thread has ended, and free 't'. */
void pl_thread_join(struct pl_thread *t);

void pl_thread_lock(struct pl_thread *t);
void pl_thread_unlock(struct pl_thread *t);

/* With the lock held: release it until woken; may also return spuriously. */
void pl_thread_wait(struct pl_thread *t);
void pl_thread_wake(struct pl_thread *t);

#endif
