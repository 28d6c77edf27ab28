/*                                  tests/unit/analyze/calc/readings.h
 * Two readings of a counter whose value by each type is easily worked out by
 * hand.
 */
#ifndef PL_TESTS_UNIT_ANALYZE_CALC_READINGS_H
#define PL_TESTS_UNIT_ANALYZE_CALC_READINGS_H

#include "analyze/calc/calc.h"
#include "tests/support/support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct pl_calc_options plain;

/*
 * Two seconds by each clock, every clock with numbers of its own:
 * dP = 2000 at F = 1000, dH = 20,000,000, dO = 500 at OF = 250.
 */
static const struct pl_reading start = {
    .value = 100,
    .base = 40,
    .size = 8,
    .base_size = 8,
    .perf_time = 1000,
    .perf_freq = 1000,
    .time_100ns = 50000000,
    .object_time = 400,
    .object_freq = 250,
};
static const struct pl_reading end = {
    .value = 350,
    .base = 50,
    .size = 8,
    .base_size = 8,
    .perf_time = 3000,
    .perf_freq = 1000,
    .time_100ns = 70000000,
    .object_time = 900,
    .object_freq = 250,
};

static inline struct pl_value value_of(uint32_t type,
                                       const struct pl_reading *older,
                                       const struct pl_reading *newer,
                                       const struct pl_calc_options *options)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(type, newer->size, &scratch);
    struct pl_step step;

    ck_assert_msg(f != NULL, "no formula for %08x", type);
    pl_step_make(f, older, newer, options, &step);
    return pl_formula_value(f, &step, options);
}

#endif
