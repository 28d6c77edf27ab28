/*                                                 logger/windows/suspend.h
 * Time the machine was suspended.  Windows has one clock that includes it and
 * one that does not, but both advance only with the timer interrupt, up to 16
 * ms apart: a difference of less than half a second is not a suspension.
 */
#ifndef PL_WINDOWS_SUSPEND_H
#define PL_WINDOWS_SUSPEND_H

#include <stdint.h>

struct pl_suspend {
    int64_t slept_ns; /* so far */
};

/* Look at both clocks, in ns; returns the time slept so far. */
static inline int64_t pl_suspend_update(struct pl_suspend *s, int64_t with_ns,
                                        int64_t without_ns)
{
    const int64_t least = 500000000;
    const int64_t slept = with_ns - without_ns;

    if (slept - s->slept_ns > least)
        s->slept_ns = slept;
    return s->slept_ns;
}

#endif
