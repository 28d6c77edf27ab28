/* Reads the clocks for the instant of a sample. */
#include "format/base/file.h"
#include "logger/sampler.h"
#include "logger/windows/suspend.h"

#include <windows.h>

#define NS_PER_MS INT64_C(1000000)

void pl_sampler_clocks(struct pl_tick *tick)
{
    static struct pl_suspend suspend;
    ULONGLONG awake_100ns = 0;
    int64_t begun_ns, slept;
    int tries = 0;

    QueryUnbiasedInterruptTime(&awake_100ns);
    slept = pl_suspend_update(&suspend, (int64_t)GetTickCount64() * NS_PER_MS,
                              (int64_t)awake_100ns * 100);
    do {
        begun_ns = pl_clock_boot();
        tick->utc_ns = pl_clock_utc();
        tick->boot_ns = pl_clock_boot();
    } while (tick->boot_ns - begun_ns > NS_PER_MS && ++tries < PL_CLOCKS_TRIES);
    tick->monotonic_ns = tick->boot_ns - slept;
}
