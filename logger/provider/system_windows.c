/* The system underneath the library: a lock and clocks; there is no fork. */
#define _CRT_RAND_S
#include "logger/provider/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <windows.h>

/* From 1601, where Windows' time begins, to 1970, in 100 ns. */
#define EPOCH_100NS INT64_C(116444736000000000)
#define TICKS_PER_SEC 10000000

static SRWLOCK lock = SRWLOCK_INIT;

void pl_prov_lock(void)
{
    AcquireSRWLockExclusive(&lock);
}

bool pl_prov_try_lock(void)
{
    return TryAcquireSRWLockExclusive(&lock);
}

void pl_prov_unlock(void)
{
    ReleaseSRWLockExclusive(&lock);
}

int pl_prov_prepare(void)
{
    static bool prepared;
    bool good;

    pl_prov_lock();
    if (!prepared)
        prepared = !atexit(pl_prov_at_exit);
    good = prepared;
    pl_prov_unlock();
    return good ? 0 : ENOMEM;
}

uint64_t pl_prov_random(void)
{
    unsigned high = 0, low = 0;

    if (rand_s(&high) || rand_s(&low) || !(high | low))
        low = (unsigned)pl_prov_ticks() | 1;
    return (uint64_t)high << 32 | low;
}

uint32_t pl_prov_process(void)
{
    return GetCurrentProcessId();
}

/* Users have no numbers here. */
uint32_t pl_prov_user(void)
{
    return 0;
}

int64_t pl_prov_utc_ns(void)
{
    FILETIME t;

    GetSystemTimePreciseAsFileTime(&t);
    return ((int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) -
            EPOCH_100NS) *
           100;
}

/* The performance counter goes on while the machine sleeps, as Windows' own
 * counters of time do. */
PL_PROV_API uint64_t pl_prov_ticks(void)
{
    LARGE_INTEGER now, frequency;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    return (uint64_t)(now.QuadPart / frequency.QuadPart * TICKS_PER_SEC +
                      now.QuadPart % frequency.QuadPart * TICKS_PER_SEC /
                          frequency.QuadPart);
}

PL_PROV_API uint64_t pl_prov_clock(void)
{
    return pl_prov_ticks();
}
