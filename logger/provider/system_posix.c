/* The system underneath the library: a lock, fork, clocks. */
#include "logger/provider/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock;
static unsigned depth;
static int cancelable; /* of the lock's holder */

static void was_locked(int before)
{
    if (!depth++)
        cancelable = before;
}

void pl_prov_lock(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&lock);
    was_locked(before);
}

bool pl_prov_try_lock(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (pthread_mutex_trylock(&lock)) {
        pthread_setcancelstate(before, NULL);
        return false;
    }
    was_locked(before);
    return true;
}

void pl_prov_unlock(void)
{
    int before = --depth ? PTHREAD_CANCEL_DISABLE : cancelable;

    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(before, NULL);
}

/* ---- fork and exit ------------------------------------------------------ */

static int unprepared; /* an errno value */

static int make_lock(void)
{
    pthread_mutexattr_t how;
    int error = pthread_mutexattr_init(&how);

    if (error)
        return error;
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    error = pthread_mutex_init(&lock, &how);
    pthread_mutexattr_destroy(&how);
    return error;
}

/* The lock is the parent's thread's, which has another number. */
static void in_child(void)
{
    pl_prov_in_child();
    make_lock();
    for (unsigned i = 0; i < depth; i++)
        pthread_mutex_lock(&lock);
    pl_prov_unlock();
}

static void prepare_once(void)
{
    unprepared = make_lock();
    if (!unprepared)
        unprepared = pthread_atfork(pl_prov_lock, pl_prov_unlock, in_child);
    if (!unprepared && atexit(pl_prov_at_exit))
        unprepared = ENOMEM;
}

int pl_prov_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_once);
    return unprepared;
}

/* ---- who and when ------------------------------------------------------- */

static int64_t now_ns(clockid_t id)
{
    struct timespec t = { 0, 0 };

    clock_gettime(id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

uint64_t pl_prov_random(void)
{
    uint64_t id = 0;

    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id || !id)
        id = (uint64_t)now_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40 ^ 1;
    return id;
}

uint32_t pl_prov_process(void)
{
    return (uint32_t)getpid();
}

uint32_t pl_prov_user(void)
{
    return (uint32_t)geteuid();
}

int64_t pl_prov_utc_ns(void)
{
    return now_ns(CLOCK_REALTIME);
}

PL_PROV_API uint64_t pl_prov_ticks(void)
{
    return (uint64_t)now_ns(CLOCK_MONOTONIC) / 100;
}

PL_PROV_API uint64_t pl_prov_clock(void)
{
    return (uint64_t)now_ns(CLOCK_BOOTTIME) / 100;
}
