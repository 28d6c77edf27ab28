/* Reads the clocks for the instant of a sample. */
#include "logger/sampler.h"

#include "format/time/time_text.h"

#include <time.h>

static int64_t clock_ns(clockid_t id)
{
    struct timespec t = { 0, 0 };

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * PL_NS_PER_SEC + t.tv_nsec;
}

void pl_sampler_clocks(struct pl_tick *tick)
{
    int64_t begun_ns;
    int tries = 0;

    do {
        begun_ns = clock_ns(CLOCK_BOOTTIME);
        tick->utc_ns = clock_ns(CLOCK_REALTIME);
        tick->monotonic_ns = clock_ns(CLOCK_MONOTONIC);
        tick->boot_ns = clock_ns(CLOCK_BOOTTIME);
    } while (tick->boot_ns - begun_ns > PL_NS_PER_MS &&
             ++tries < PL_CLOCKS_TRIES);
}
