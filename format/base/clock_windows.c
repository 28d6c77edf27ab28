/*
 * Clocks and random numbers of Windows.  The performance counter continues
 * while the machine sleeps, so it is the clock that counts suspended time.
 */
#define _CRT_RAND_S
#include "format/base/file.h"

#include <stdlib.h>
#include <windows.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
/* From 1601, the epoch of FILETIME, to 1970, in units of 100 ns. */
#define EPOCH_100NS INT64_C(116444736000000000)
/*
 * The longest single wait: a timer does not count the time that the machine
 * sleeps, so the clock is read again after each wait.
 */
#define LONGEST_WAIT (10 * NS_PER_SEC)

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x00000002
#endif

static int64_t in_100ns(const FILETIME *t)
{
    return (int64_t)((uint64_t)t->dwHighDateTime << 32 | t->dwLowDateTime);
}

uint64_t pl_random(void)
{
    unsigned high = 0, low = 0;

    while (!high && !low) {
        if (rand_s(&high) || rand_s(&low))
            low = (unsigned)pl_clock_boot() ^ GetCurrentProcessId();
    }
    return (uint64_t)high << 32 | low;
}

int64_t pl_clock_utc(void)
{
    FILETIME t;

    GetSystemTimePreciseAsFileTime(&t);
    return (in_100ns(&t) - EPOCH_100NS) * 100;
}

int64_t pl_clock_boot(void)
{
    LARGE_INTEGER now, frequency;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    return now.QuadPart / frequency.QuadPart * NS_PER_SEC +
           now.QuadPart % frequency.QuadPart * NS_PER_SEC / frequency.QuadPart;
}

int64_t pl_clock_steady(void)
{
    return pl_clock_boot();
}

int64_t pl_clock_cpu(void)
{
    FILETIME made, ended, kernel, user;

    if (!GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user))
        return 0;
    return (in_100ns(&kernel) + in_100ns(&user)) * 100;
}

void pl_sleep(uint64_t ns)
{
    Sleep((DWORD)((ns + NS_PER_MS - 1) / NS_PER_MS));
}

static HANDLE make_timer(void)
{
    HANDLE timer = CreateWaitableTimerExW(
        NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);

    if (!timer) /* before Windows 10 1803 */
        timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    return timer;
}

/* False: an asynchronous procedure call ended the wait, which is how another
 * thread ends a sleep. */
static bool wait_for(int64_t ns)
{
    static HANDLE timer;
    LARGE_INTEGER due = { .QuadPart = -(ns + 99) / 100 };

    if (!timer)
        timer = make_timer();
    if (!timer || !SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        return SleepEx((DWORD)(ns / NS_PER_MS + 1), TRUE) != WAIT_IO_COMPLETION;
    return WaitForSingleObjectEx(timer, INFINITE, TRUE) != WAIT_IO_COMPLETION;
}

bool pl_sleep_until(int64_t boot_ns)
{
    int64_t left;

    while ((left = boot_ns - pl_clock_boot()) > 0)
        if (!wait_for(left < LONGEST_WAIT ? left : LONGEST_WAIT))
            return false;
    return true;
}
