/*                                                  logger/provider/types.h
 * The counter types that may be published, and the base that each needs.
 * Shared by the library, which checks tables, and the logger, which validates
 * regions.
 */
#ifndef PL_PROVIDER_TYPES_H
#define PL_PROVIDER_TYPES_H

#include "logger/provider/pl_provider.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_prov_type {
    uint32_t type;
    uint32_t base; /* type of the row that must follow; 0: none */
    bool is_base;
    bool clamps; /* what is too large for 4 bytes is the largest there; else it
                    wraps */
    bool since_boot; /* a time of birth */
    bool adds_up;    /* instances have a sum; sums of moments have no meaning */
};

/* NULL: a type that cannot be published. */
static inline const struct pl_prov_type *pl_prov_type_of(uint32_t type)
{
    /* clang-format off */
    /*                  is_base clamp  boot   adds_up */
#define PL_COUNT        false, false, false, true
#define PL_GAUGE        false, true,  false, true
#define PL_BITS         false, true,  false, false
#define PL_BIRTH        false, false, true,  false
#define PL_BASE         true,  false, false, false
#define PL_CLAMPED_BASE true,  true,  false, false
    static const struct pl_prov_type types[] = {
        { PERF_COUNTER_RAWCOUNT,             0,                       PL_GAUGE },
        { PERF_COUNTER_LARGE_RAWCOUNT,       0,                       PL_GAUGE },
        { PERF_COUNTER_RAWCOUNT_HEX,         0,                       PL_BITS },
        { PERF_COUNTER_LARGE_RAWCOUNT_HEX,   0,                       PL_BITS },
        { PERF_COUNTER_COUNTER,              0,                       PL_COUNT },
        { PERF_COUNTER_BULK_COUNT,           0,                       PL_COUNT },
        { PERF_SAMPLE_COUNTER,               0,                       PL_COUNT },
        { PERF_COUNTER_DELTA,                0,                       PL_COUNT },
        { PERF_COUNTER_LARGE_DELTA,          0,                       PL_COUNT },
        { PERF_COUNTER_TIMER,                0,                       PL_COUNT },
        { PERF_COUNTER_TIMER_INV,            0,                       PL_COUNT },
        { PERF_100NSEC_TIMER,                0,                       PL_COUNT },
        { PERF_100NSEC_TIMER_INV,            0,                       PL_COUNT },
        { PERF_COUNTER_QUEUELEN_TYPE,        0,                       PL_COUNT },
        { PERF_COUNTER_LARGE_QUEUELEN_TYPE,  0,                       PL_COUNT },
        { PERF_COUNTER_100NS_QUEUELEN_TYPE,  0,                       PL_COUNT },
        { PERF_ELAPSED_TIME,                 0,                       PL_BIRTH },
        { PERF_AVERAGE_TIMER,                PERF_AVERAGE_BASE,       PL_COUNT },
        { PERF_AVERAGE_BULK,                 PERF_AVERAGE_BASE,       PL_COUNT },
        { PERF_RAW_FRACTION,                 PERF_RAW_BASE,           PL_GAUGE },
        { PERF_LARGE_RAW_FRACTION,           PERF_LARGE_RAW_BASE,     PL_COUNT },
        { PERF_SAMPLE_FRACTION,              PERF_SAMPLE_BASE,        PL_COUNT },
        { PERF_COUNTER_MULTI_TIMER,          PERF_COUNTER_MULTI_BASE, PL_COUNT },
        { PERF_COUNTER_MULTI_TIMER_INV,      PERF_COUNTER_MULTI_BASE, PL_COUNT },
        { PERF_100NSEC_MULTI_TIMER,          PERF_COUNTER_MULTI_BASE, PL_COUNT },
        { PERF_100NSEC_MULTI_TIMER_INV,      PERF_COUNTER_MULTI_BASE, PL_COUNT },
        { PERF_PRECISION_SYSTEM_TIMER,       PERF_LARGE_RAW_BASE,     PL_COUNT },
        { PERF_PRECISION_100NS_TIMER,        PERF_LARGE_RAW_BASE,     PL_COUNT },
        { PERF_AVERAGE_BASE,                 0,                       PL_BASE },
        { PERF_RAW_BASE,                     0,                       PL_CLAMPED_BASE },
        { PERF_LARGE_RAW_BASE,               0,                       PL_BASE },
        { PERF_SAMPLE_BASE,                  0,                       PL_BASE },
        { PERF_COUNTER_MULTI_BASE,           0,                       PL_BASE },
    };
#undef PL_COUNT
#undef PL_GAUGE
#undef PL_BITS
#undef PL_BIRTH
#undef PL_BASE
#undef PL_CLAMPED_BASE
    /* clang-format on */

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

#endif
