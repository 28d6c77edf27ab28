/* A second thread with Windows threads. */
#include "format/threads/thread.h"

#include <errno.h>
#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

struct pl_thread {
    HANDLE handle;
    SRWLOCK lock;
    CONDITION_VARIABLE woken;
    void (*run)(void *arg);
    void *arg;
};

static unsigned __stdcall run(void *p)
{
    struct pl_thread *t = p;

    t->run(t->arg);
    return 0;
}

enum pl_status pl_thread_start(struct pl_thread **out, void (*call)(void *arg),
                               void *arg)
{
    struct pl_thread *t = malloc(sizeof *t);

    if (!t)
        return PL_NOMEM;
    t->run = call;
    t->arg = arg;
    InitializeSRWLock(&t->lock);
    InitializeConditionVariable(&t->woken);
    *out = t;
    t->handle = (HANDLE)_beginthreadex(NULL, 0, run, t, 0, NULL);
    if (t->handle)
        return PL_OK;
    free(t);
    return PL_IO;
}

void pl_thread_be_prompt(void)
{
}

unsigned pl_thread_processors(void)
{
    SYSTEM_INFO system;

    GetSystemInfo(&system);
    return (unsigned)system.dwNumberOfProcessors;
}

void pl_thread_join(struct pl_thread *t)
{
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
    free(t);
}

void pl_thread_lock(struct pl_thread *t)
{
    AcquireSRWLockExclusive(&t->lock);
}

void pl_thread_unlock(struct pl_thread *t)
{
    ReleaseSRWLockExclusive(&t->lock);
}

void pl_thread_wait(struct pl_thread *t)
{
    SleepConditionVariableSRW(&t->woken, &t->lock, INFINITE, 0);
}

void pl_thread_wake(struct pl_thread *t)
{
    WakeConditionVariable(&t->woken);
}
