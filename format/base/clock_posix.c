/* Clocks and random numbers of POSIX systems. */
#include "format/base/file.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint64_t pl_random(void)
{
    uint64_t v = 0;

    while (!v)
        if (getrandom(&v, sizeof v, 0) != sizeof v)
            v = (uint64_t)read_clock(CLOCK_REALTIME) * 0x9E3779B97F4A7C15u ^
                (uint64_t)getpid();
    return v;
}

int64_t pl_clock_utc(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t pl_clock_boot(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t pl_clock_steady(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t pl_clock_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void pl_sleep(uint64_t ns)
{
    struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

    nanosleep(&t, NULL);
}

bool pl_sleep_until(int64_t boot_ns)
{
    struct timespec t = { (time_t)(boot_ns / 1000000000),
                          (long)(boot_ns % 1000000000) };

    return !clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL);
}
