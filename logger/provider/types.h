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
};

/* NULL: a type that cannot be published. */
static inline const struct pl_prov_type *pl_prov_type_of(uint32_t type)
{
    /* clang-format off */
    static const struct pl_prov_type types[] = {
        { PERF_COUNTER_RAWCOUNT, 0, false },
        { PERF_COUNTER_LARGE_RAWCOUNT, 0, false },
        { PERF_COUNTER_RAWCOUNT_HEX, 0, false },
        { PERF_COUNTER_LARGE_RAWCOUNT_HEX, 0, false },
        { PERF_COUNTER_COUNTER, 0, false },
        { PERF_COUNTER_BULK_COUNT, 0, false },
        { PERF_SAMPLE_COUNTER, 0, false },
        { PERF_COUNTER_DELTA, 0, false },
        { PERF_COUNTER_LARGE_DELTA, 0, false },
        { PERF_COUNTER_TIMER, 0, false },
        { PERF_COUNTER_TIMER_INV, 0, false },
        { PERF_100NSEC_TIMER, 0, false },
        { PERF_100NSEC_TIMER_INV, 0, false },
        { PERF_COUNTER_QUEUELEN_TYPE, 0, false },
        { PERF_COUNTER_LARGE_QUEUELEN_TYPE, 0, false },
        { PERF_COUNTER_100NS_QUEUELEN_TYPE, 0, false },
        { PERF_ELAPSED_TIME, 0, false },
        { PERF_AVERAGE_TIMER, PERF_AVERAGE_BASE, false },
        { PERF_AVERAGE_BULK, PERF_AVERAGE_BASE, false },
        { PERF_RAW_FRACTION, PERF_RAW_BASE, false },
        { PERF_LARGE_RAW_FRACTION, PERF_LARGE_RAW_BASE, false },
        { PERF_SAMPLE_FRACTION, PERF_SAMPLE_BASE, false },
        { PERF_COUNTER_MULTI_TIMER, PERF_COUNTER_MULTI_BASE, false },
        { PERF_COUNTER_MULTI_TIMER_INV, PERF_COUNTER_MULTI_BASE, false },
        { PERF_100NSEC_MULTI_TIMER, PERF_COUNTER_MULTI_BASE, false },
        { PERF_100NSEC_MULTI_TIMER_INV, PERF_COUNTER_MULTI_BASE, false },
        { PERF_PRECISION_SYSTEM_TIMER, PERF_LARGE_RAW_BASE, false },
        { PERF_PRECISION_100NS_TIMER, PERF_LARGE_RAW_BASE, false },
        { PERF_AVERAGE_BASE, 0, true },
        { PERF_RAW_BASE, 0, true },
        { PERF_LARGE_RAW_BASE, 0, true },
        { PERF_SAMPLE_BASE, 0, true },
        { PERF_COUNTER_MULTI_BASE, 0, true },
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

#endif
