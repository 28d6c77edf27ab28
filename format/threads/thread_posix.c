/* A second thread with POSIX threads. */
#include "format/threads/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum {
    MOST_PROMPT = -20,       /* nice */
    SHORTEST_SLICE = 100000, /* ns, which the kernel allows */
};

struct pl_thread {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    void (*run)(void *arg);
    void *arg;
};

static void *run(void *p)
{
    struct pl_thread *t = p;

    t->run(t->arg);
    return NULL;
}

static void release(struct pl_thread *t)
{
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->woken);
    free(t);
}

/* Who waits for the lock lends its priority to the holder. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

static bool has_chosen_priority(void)
{
    int policy;
    struct sched_param p;

    return pthread_getschedparam(pthread_self(), &policy, &p) ||
           policy != SCHED_OTHER || getpriority(PRIO_PROCESS, 0) != 0;
}

#ifdef __linux__
/* struct sched_attr of uapi/linux/sched/types.h, its first version. */
struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period; /* ns */
};

/*
 * A thread that wakes takes the processor from another one at once only if its
 * slice is shorter; else, up to the next tick, 4 ms here and there, the other
 * runs on (kernel/sched/fair.c, do_preempt_short).  Before Linux 6.12 it has no
 * effect.
 */
static void shorten_slice(void)
{
    struct sched_attributes a = { .size = sizeof a,
                                  .policy = (uint32_t)sched_getscheduler(0),
                                  .nice = getpriority(PRIO_PROCESS, 0),
                                  .slice = SHORTEST_SLICE };

    if (a.policy == SCHED_OTHER)
        syscall(SYS_sched_setattr, 0, &a, 0);
}
#endif

/*
 * Not a real-time priority: it would change what is recorded, as the kernel lets
 * such a thread dirty more memory and shows it these limits in /proc/vmstat
 * (domain_dirty_limits() in mm/page-writeback.c), and nothing would bound it.
 */
void pl_thread_be_prompt(void)
{
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL); /* nanoseconds */
#endif
    if (!has_chosen_priority())
        setpriority(PRIO_PROCESS, 0, MOST_PROMPT);
#ifdef __linux__
    shorten_slice();
#endif
}

enum pl_status pl_thread_start(struct pl_thread **out, void (*call)(void *arg),
                               void *arg)
{
    struct pl_thread *t = malloc(sizeof *t);
    sigset_t all, before;
    int error;

    if (!t)
        return PL_NOMEM;
    t->run = call;
    t->arg = arg;
    init_lock(&t->lock);
    pthread_cond_init(&t->woken, NULL);
    *out = t;
    /* Signals go to the first thread, whose sleep they interrupt. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&t->thread, NULL, run, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return PL_OK;
    release(t);
    errno = error;
    return PL_IO;
}

/* Not more than the program is allowed to use, as in a container. */
unsigned pl_thread_processors(void)
{
    long num = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t allowed;

    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        num = CPU_COUNT(&allowed);
#endif
    return num > 0 ? (unsigned)num : 1;
}

void pl_thread_join(struct pl_thread *t)
{
    pthread_join(t->thread, NULL);
    release(t);
}

void pl_thread_lock(struct pl_thread *t)
{
    pthread_mutex_lock(&t->lock);
}

void pl_thread_unlock(struct pl_thread *t)
{
    pthread_mutex_unlock(&t->lock);
}

void pl_thread_wait(struct pl_thread *t)
{
    pthread_cond_wait(&t->woken, &t->lock);
}

void pl_thread_wake(struct pl_thread *t)
{
    pthread_cond_signal(&t->woken);
}
