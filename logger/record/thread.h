/*                                                   logger/record/thread.h
 * The recorder's second thread, with a lock and a condition that the two
 * share.  thread_posix.c and thread_windows.c implement it.
 */
#ifndef PL_LOGGER_RECORD_THREAD_H
#define PL_LOGGER_RECORD_THREAD_H

#include "format/base/status.h"

struct pl_thread;

/*
 * Call run(arg) in a new thread, which gets no signals; *out is set before it
 * runs.  PL_NOMEM, PL_IO.
 */
enum pl_status pl_thread_start(struct pl_thread **out, void (*run)(void *arg),
                               void *arg);

/* Wait until the thread has ended, and free 't'. */
void pl_thread_join(struct pl_thread *t);

void pl_thread_lock(struct pl_thread *t);
void pl_thread_unlock(struct pl_thread *t);

/* With the lock held: release it until woken; may also return spuriously. */
void pl_thread_wait(struct pl_thread *t);
void pl_thread_wake(struct pl_thread *t);

#endif
