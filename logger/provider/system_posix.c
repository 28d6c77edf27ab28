/* The system underneath the library: a lock, fork, clocks. */
#include "logger/provider/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void pl_prov_lock(void)
{
    pthread_mutex_lock(&lock);
}

bool pl_prov_try_lock(void)
{
    return pthread_mutex_trylock(&lock) == 0;
}

void pl_prov_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- fork and exit ---------------------------------------------------------*/

static void (*when_child)(void);
static void (*when_exit)(void);

static void in_child(void)
{
    when_child();
    pl_prov_unlock();
}

static int unprepared; /* an errno value */

static void prepare_once(void)
{
    unprepared = pthread_atfork(pl_prov_lock, pl_prov_unlock, in_child);
    if (!unprepared && atexit(when_exit))
        unprepared = ENOMEM;
}

int pl_prov_prepare(void (*child)(void), void (*at_exit)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pl_prov_lock();
    when_child = child;
    when_exit = at_exit;
    pl_prov_unlock();
    pthread_once(&once, prepare_once);
    return unprepared;
}

/* ---- who and when ----------------------------------------------------------*/

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
