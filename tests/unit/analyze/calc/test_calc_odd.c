/*
 * The calculator: pairs of readings that are odd, options, exactness and sums,
 * with results worked out by hand.
 */
#include "format/block/winperf.h"
#include "tests/unit/analyze/calc/readings.h"

#include <math.h>
#include <stddef.h>

/* ---- odd inputs --------------------------------------------------------- */

#define AT(field) offsetof(struct pl_reading, field)

/* The pair start, end with one field set in each; fields are 8 bytes wide. */
static const struct {
    const char *what;
    uint32_t type;
    uint32_t size; /* of counter and base */
    bool has_base;
    size_t field;
    int64_t older, newer;
    enum pl_cell want;
    double value; /* where there is one */
} odd_inputs[] = {
    { "count fell", PERF_COUNTER_COUNTER, 4, false, AT(value), 10, 9,
      PL_CELL_NEGATIVE, 0 },
    { "8-byte count fell", PERF_COUNTER_BULK_COUNT, 8, false, AT(value), -1, 9,
      PL_CELL_NEGATIVE, 0 },
    { "change fell", PERF_COUNTER_DELTA, 4, false, AT(value), 10, 9,
      PL_CELL_NEGATIVE, 0 },
    { "count did not move", PERF_COUNTER_COUNTER, 4, false, AT(value), 9, 9,
      PL_CELL_GOOD, 0 },
    /* unsigned: 2^63 + 5 is more than 2^63 - 5, not less; 10 in 2 s */
    { "count passed 2^63", PERF_COUNTER_BULK_COUNT, 8, false, AT(value),
      INT64_MAX - 4, INT64_MIN + 5, PL_CELL_GOOD, 5 },
    { "average's base fell", PERF_AVERAGE_BULK, 8, true, AT(base), 10, 9,
      PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "sample's base fell", PERF_SAMPLE_FRACTION, 4, true, AT(base), 10, 9,
      PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "precision's clock fell", PERF_PRECISION_100NS_TIMER, 8, true, AT(base),
      10, 9, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "precision's clock stood", PERF_PRECISION_SYSTEM_TIMER, 8, true, AT(base),
      10, 10, PL_CELL_ZERO_TIME, 0 },
    { "nothing averaged: bulk", PERF_AVERAGE_BULK, 8, true, AT(base), 10, 10,
      PL_CELL_GOOD, 0 },
    { "nothing averaged: timer", PERF_AVERAGE_TIMER, 8, true, AT(base), 10, 10,
      PL_CELL_GOOD, 0 },
    { "no sample", PERF_SAMPLE_FRACTION, 4, true, AT(base), 10, 10,
      PL_CELL_GOOD, 0 },
    { "fraction of nothing", PERF_RAW_FRACTION, 4, true, AT(base), 10, 0,
      PL_CELL_ZERO_BASE, 0 },
    { "large fraction of nothing", PERF_LARGE_RAW_FRACTION, 8, true, AT(base),
      10, 0, PL_CELL_ZERO_BASE, 0 },
    { "fraction after a larger base", PERF_RAW_FRACTION, 4, true, AT(base), 99,
      50, PL_CELL_GOOD, 700 },
    /* bases have no sign: 100 * 350 / 2^64 */
    { "fraction of a huge base", PERF_LARGE_RAW_FRACTION, 8, true, AT(base), 1,
      -1, PL_CELL_GOOD, 350 / 18446744073709551616.0 * 100 },
    { "no components", PERF_COUNTER_MULTI_TIMER, 8, true, AT(base), 4, 0,
      PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "components below 0", PERF_100NSEC_MULTI_TIMER_INV, 8, true, AT(base), 4,
      -1, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "components below 0 in 4 bytes", PERF_100NSEC_MULTI_TIMER, 4, true,
      AT(base), 4, 0xFFFFFFFF, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "tick clock stood, multi", PERF_COUNTER_MULTI_TIMER, 4, true,
      AT(perf_time), 3000, 3000, PL_CELL_ZERO_TIME, 0 },
    { "tick clock fell", PERF_COUNTER_COUNTER, 4, false, AT(perf_time), 9, 8,
      PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "100 ns clock fell", PERF_100NSEC_TIMER, 8, false, AT(time_100ns), 9, 8,
      PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "object's clock fell", PERF_OBJ_TIME_TIMER, 8, false, AT(object_time), 9,
      8, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "clock fell from below 0", PERF_COUNTER_QUEUELEN_TYPE, 4, false,
      AT(perf_time), 5, -5, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "clock's step is no number", PERF_COUNTER_TIMER, 8, false, AT(perf_time),
      INT64_MIN, INT64_MAX, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "clock fell through all of 64 bits", PERF_COUNTER_TIMER, 8, false,
      AT(perf_time), INT64_MAX, INT64_MIN, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    /* clocks have a sign: -1000 to 1000 are 2000 ticks */
    { "clock passed 0", PERF_COUNTER_TIMER, 8, false, AT(perf_time), -1000,
      1000, PL_CELL_GOOD, 12.5 },
    { "tick clock stood", PERF_COUNTER_COUNTER, 4, false, AT(perf_time), 9, 9,
      PL_CELL_ZERO_TIME, 0 },
    { "100 ns clock stood", PERF_100NSEC_MULTI_TIMER, 8, true, AT(time_100ns),
      9, 9, PL_CELL_ZERO_TIME, 0 },
    { "object's clock stood", PERF_PRECISION_OBJECT_TIMER, 8, false,
      AT(object_time), 9, 9, PL_CELL_ZERO_TIME, 0 },
    { "object's clock fell, precision", PERF_PRECISION_OBJECT_TIMER, 8, false,
      AT(object_time), 9, 8, PL_CELL_NEGATIVE_DENOMINATOR, 0 },
    { "clock stood, not looked at", PERF_PRECISION_OBJECT_TIMER, 8, true,
      AT(object_time), 9, 9, PL_CELL_GOOD, 2500 },
    { "clock stood, not looked at either", PERF_AVERAGE_TIMER, 8, true,
      AT(perf_time), 9, 9, PL_CELL_GOOD, 0.025 },
    /* 250 in 10,000 s */
    { "long sleep", PERF_COUNTER_COUNTER, 4, false, AT(perf_time), 1000,
      10001000, PL_CELL_GOOD, 0.025 },
    { "no tick frequency: rate", PERF_COUNTER_COUNTER, 4, false, AT(perf_freq),
      0, 0, PL_CELL_NO_TIMEBASE, 0 },
    { "tick frequency below 0: rate", PERF_SAMPLE_COUNTER, 4, false,
      AT(perf_freq), -5, -5, PL_CELL_NO_TIMEBASE, 0 },
    { "no tick frequency: average", PERF_AVERAGE_TIMER, 8, true, AT(perf_freq),
      0, 0, PL_CELL_NO_TIMEBASE, 0 },
    { "no tick frequency: ratio", PERF_COUNTER_TIMER, 8, false, AT(perf_freq),
      0, 0, PL_CELL_GOOD, 12.5 },
    { "no tick frequency: queue", PERF_COUNTER_QUEUELEN_TYPE, 4, false,
      AT(perf_freq), 0, 0, PL_CELL_GOOD, 0.125 },
    { "no object's frequency: ratio", PERF_OBJ_TIME_TIMER, 8, false,
      AT(object_freq), 0, 0, PL_CELL_NO_TIMEBASE, 0 },
    { "no object's frequency: elapsed", PERF_ELAPSED_TIME, 8, false,
      AT(object_freq), 0, 0, PL_CELL_NO_TIMEBASE, 0 },
    { "object's frequency below 0", PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 8,
      false, AT(object_freq), -1, -1, PL_CELL_NO_TIMEBASE, 0 },
    { "no object's frequency, not used", PERF_PRECISION_OBJECT_TIMER, 8, true,
      AT(object_freq), 0, 0, PL_CELL_GOOD, 2500 },
    { "other machine: rate", PERF_COUNTER_COUNTER, 4, false, AT(perf_freq), 999,
      1000, PL_CELL_FIRST, 0 },
    { "other machine: 100 ns timer", PERF_100NSEC_TIMER, 8, false,
      AT(perf_freq), 999, 1000, PL_CELL_FIRST, 0 },
    { "frequency gone", PERF_COUNTER_COUNTER, 4, false, AT(perf_freq), 1000, 0,
      PL_CELL_FIRST, 0 },
    { "other machine: one sample is enough", PERF_RAW_FRACTION, 4, true,
      AT(perf_freq), 999, 1000, PL_CELL_GOOD, 700 },
    { "object's frequency changed", PERF_OBJ_TIME_TIMER, 8, false,
      AT(object_freq), 249, 250, PL_CELL_FIRST, 0 },
    { "object's frequency changed, precision", PERF_PRECISION_OBJECT_TIMER, 8,
      true, AT(object_freq), 249, 250, PL_CELL_GOOD, 2500 },
    { "no tick frequency: elapsed", 0x30040500, 8, false, AT(perf_freq), 0, 0,
      PL_CELL_NO_TIMEBASE, 0 },
    { "object's frequency changed, not used", PERF_COUNTER_TIMER, 8, false,
      AT(object_freq), 249, 250, PL_CELL_GOOD, 12.5 },
    { "elapsed: no start", PERF_ELAPSED_TIME, 8, false, AT(value), 0, 0,
      PL_CELL_GOOD, 0 },
    { "elapsed: starts now", PERF_ELAPSED_TIME, 8, false, AT(value), 0, 900,
      PL_CELL_GOOD, 0 },
    { "elapsed: starts later", PERF_ELAPSED_TIME, 8, false, AT(value), 0, 901,
      PL_CELL_GOOD, 0 },
    { "elapsed: starts beyond signs", PERF_ELAPSED_TIME, 8, false, AT(value), 0,
      -1, PL_CELL_GOOD, 0 },
    { "elapsed: clock below 0", PERF_ELAPSED_TIME, 8, false, AT(object_time), 0,
      -9, PL_CELL_GOOD, 0 },
    { "elapsed: a tick ago", PERF_ELAPSED_TIME, 8, false, AT(value), 0, 899,
      PL_CELL_GOOD, 0.004 },
    /* 2100 idle in 2000: -5 % */
    { "idle ahead of the clock", PERF_COUNTER_TIMER_INV, 8, false, AT(value), 0,
      2100, PL_CELL_CLAMPED, 0 },
    { "idle ahead, 100 ns", PERF_100NSEC_TIMER_INV, 8, false, AT(value), 0,
      20000001, PL_CELL_CLAMPED, 0 },
    /* 50 - 102,000 / 2000 = -1 */
    { "idle ahead, multi", PERF_COUNTER_MULTI_TIMER_INV, 8, true, AT(value), 0,
      102000, PL_CELL_CLAMPED, 0 },
    { "idle all the time", PERF_COUNTER_TIMER_INV, 8, false, AT(value), 0, 2000,
      PL_CELL_GOOD, 0 },
    /* 2100 of 2000 */
    { "busy beyond the clock", PERF_COUNTER_TIMER, 8, false, AT(value), 0, 2100,
      PL_CELL_GOOD, 105 },
    { "double that is none", PERF_DOUBLE_RAW, 8, false, AT(value), 0,
      0x7FF8000000000000, PL_CELL_UNSUPPORTED, 0 },
    { "double without end", PERF_DOUBLE_RAW, 8, false, AT(value), 0,
      0x7FF0000000000000, PL_CELL_UNSUPPORTED, 0 },
};

START_TEST(odd_input_has_its_status)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_value v;

    older.size = newer.size = odd_inputs[_i].size;
    older.base_size = newer.base_size = odd_inputs[_i].size;
    older.has_base = newer.has_base = odd_inputs[_i].has_base;
    memcpy((char *)&older + odd_inputs[_i].field, &odd_inputs[_i].older, 8);
    memcpy((char *)&newer + odd_inputs[_i].field, &odd_inputs[_i].newer, 8);
    v = value_of(odd_inputs[_i].type, &older, &newer, &plain);
    ck_assert_msg(v.cell == odd_inputs[_i].want, "%s: %s", odd_inputs[_i].what,
                  pl_cell_name(v.cell));
    if (pl_cell_has_value(v.cell))
        ck_assert_msg(v.number == odd_inputs[_i].value, "%s: %.17g",
                      odd_inputs[_i].what, v.number);
    else
        ck_assert_int_eq(v.kind, PL_VALUE_NONE);
}
END_TEST

static const struct {
    uint32_t type;
    enum pl_cell want;
    double value;
} without_base[] = {
    { PERF_SAMPLE_FRACTION, PL_CELL_NO_BASE, 0 },
    { PERF_RAW_FRACTION, PL_CELL_NO_BASE, 0 },
    { PERF_LARGE_RAW_FRACTION, PL_CELL_NO_BASE, 0 },
    { PERF_AVERAGE_TIMER, PL_CELL_NO_BASE, 0 },
    { PERF_AVERAGE_BULK, PL_CELL_NO_BASE, 0 },
    { PERF_PRECISION_SYSTEM_TIMER, PL_CELL_NO_BASE, 0 },
    { PERF_PRECISION_100NS_TIMER, PL_CELL_NO_BASE, 0 },
    { PERF_COUNTER_MULTI_TIMER_INV, PL_CELL_NO_BASE, 0 },
    { PERF_100NSEC_MULTI_TIMER_INV, PL_CELL_NO_BASE, 0 },
    /* 250 of 500 */
    { PERF_PRECISION_OBJECT_TIMER, PL_CELL_GOOD, 50 },
    /* one component: 250 of 2000, of 20,000,000 */
    { PERF_COUNTER_MULTI_TIMER, PL_CELL_GOOD, 12.5 },
    { PERF_100NSEC_MULTI_TIMER, PL_CELL_GOOD, 0.00125 },
};

START_TEST(lack_of_a_base_means_what_the_type_says)
{
    struct pl_value v = value_of(without_base[_i].type, &start, &end, &plain);

    ck_assert_msg(v.cell == without_base[_i].want, "%08x: %s",
                  without_base[_i].type, pl_cell_name(v.cell));
    if (v.cell == PL_CELL_GOOD)
        ck_assert_double_eq(v.number, without_base[_i].value);
}
END_TEST

START_TEST(base_of_another_size_is_unsupported)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;

    older.has_base = newer.has_base = true;
    older.base_size = newer.base_size = 2;
    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, &older, &newer, &plain).cell,
                     PL_CELL_UNSUPPORTED);
    /* unless the formula does not use it */
    ck_assert_int_eq(value_of(PERF_SAMPLE_COUNTER, &older, &newer, &plain).cell,
                     PL_CELL_GOOD);
}
END_TEST

START_TEST(redefined_counter_begins_anew)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;

    older.size = 4;
    ck_assert_int_eq(value_of(PERF_COUNTER_TIMER, &older, &newer, &plain).cell,
                     PL_CELL_FIRST);
    older = start;
    newer.has_base = true;
    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, &older, &newer, &plain).cell,
                     PL_CELL_FIRST);
    older.has_base = true;
    older.base_size = 4;
    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, &older, &newer, &plain).cell,
                     PL_CELL_FIRST);
}
END_TEST

START_TEST(of_several_causes_the_earlier_is_named)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;

    newer.value = 99;
    newer.base = 39;
    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, &older, &newer, &plain).cell,
                     PL_CELL_NO_BASE);
    older.has_base = newer.has_base = true;
    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, &older, &newer, &plain).cell,
                     PL_CELL_NEGATIVE);
    newer.perf_time = older.perf_time;
    ck_assert_int_eq(value_of(PERF_COUNTER_TIMER, &older, &newer, &plain).cell,
                     PL_CELL_NEGATIVE);
    newer.value = 350;
    newer.base = 0;
    ck_assert_int_eq(
        value_of(PERF_COUNTER_MULTI_TIMER, &older, &newer, &plain).cell,
        PL_CELL_NEGATIVE_DENOMINATOR);
    newer.value = 99;
    older.perf_freq = newer.perf_freq = 0;
    ck_assert_int_eq(
        value_of(PERF_COUNTER_COUNTER, &older, &newer, &plain).cell,
        PL_CELL_NO_TIMEBASE);
    older.has_base = newer.has_base = false;
    ck_assert_int_eq(value_of(PERF_AVERAGE_TIMER, &older, &newer, &plain).cell,
                     PL_CELL_NO_BASE);
}
END_TEST

/* What the pair lacks is reported before what the counter lacks. */
START_TEST(first_comes_before_other_causes)
{
    struct pl_reading newer = end;

    ck_assert_int_eq(value_of(PERF_AVERAGE_BULK, NULL, &newer, &plain).cell,
                     PL_CELL_FIRST);
    newer.object_freq = 0;
    ck_assert_int_eq(value_of(PERF_OBJ_TIME_TIMER, NULL, &newer, &plain).cell,
                     PL_CELL_FIRST);
}
END_TEST

/* ---- options ------------------------------------------------------------ */

START_TEST(unwrap32_undoes_the_wrap_of_4_bytes_only)
{
    const struct pl_calc_options options = { .unwrap32 = true };
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_value v;

    /* 2^32 - 16 to 4: 20 in 2 s */
    older.value = 0xFFFFFFF0;
    newer.value = 4;
    older.size = newer.size = 4;
    v = value_of(PERF_COUNTER_COUNTER, &older, &newer, &options);
    ck_assert_int_eq(v.cell, PL_CELL_WRAPPED);
    ck_assert_double_eq(v.number, 10);
    older.size = newer.size = 8;
    v = value_of(PERF_COUNTER_BULK_COUNT, &older, &newer, &options);
    ck_assert_int_eq(v.cell, PL_CELL_NEGATIVE);

    /* 250 bytes in operations 2^32 - 5 to 5 */
    older.value = 100;
    newer.value = 350;
    older.has_base = newer.has_base = true;
    older.base = 0xFFFFFFFB;
    newer.base = 5;
    v = value_of(PERF_AVERAGE_BULK, &older, &newer, &options);
    ck_assert_int_eq(v.cell, PL_CELL_NEGATIVE_DENOMINATOR);
    older.base_size = newer.base_size = 4;
    v = value_of(PERF_AVERAGE_BULK, &older, &newer, &options);
    ck_assert_int_eq(v.cell, PL_CELL_WRAPPED);
    ck_assert_double_eq(v.number, 25);
}
END_TEST

START_TEST(cap100_stops_percentages_except_multi)
{
    const struct pl_calc_options options = { .cap100 = true };
    struct pl_reading older = start;
    struct pl_reading newer = end;

    newer.value = 100 + 2100;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_TIMER, &older, &newer, &options).number, 100);
    ck_assert_double_eq(
        value_of(PERF_COUNTER_MULTI_TIMER, &older, &newer, &options).number,
        105);
    /* 2100 in 2 s is no percentage */
    ck_assert_double_eq(
        value_of(PERF_COUNTER_BULK_COUNT, &older, &newer, &options).number,
        1050);
}
END_TEST

START_TEST(pdh_multi_has_seconds_instead_of_ticks)
{
    const struct pl_calc_options options = { .pdh_multi = true };
    struct pl_reading older = start;
    struct pl_reading newer = end;

    /* F = 1000: 250 ticks / (2000 ticks / 1000) = 125, by 5, from 500 */
    older.has_base = newer.has_base = true;
    newer.base = 5;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_MULTI_TIMER, &older, &newer, &options).number,
        2500);
    newer.base = 500;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_MULTI_TIMER_INV, &older, &newer, &options).number,
        37500);
    newer.base = 5;
    ck_assert_double_eq(
        value_of(PERF_100NSEC_MULTI_TIMER, &older, &newer, &options).number,
        100 * (250.0 / 20000000) / 5);
    ck_assert_double_eq(
        value_of(PERF_COUNTER_TIMER, &older, &newer, &options).number, 12.5);
    older.perf_freq = newer.perf_freq = 0;
    ck_assert_int_eq(
        value_of(PERF_COUNTER_MULTI_TIMER, &older, &newer, &options).cell,
        PL_CELL_NO_TIMEBASE);
}
END_TEST

/* ---- exactness ---------------------------------------------------------- */

START_TEST(counts_are_exact_beyond_what_a_double_holds)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_value v;

    older.value = 0;
    newer.value = UINT64_C(0xFFFFFFFFFFFFFFFD);
    v = value_of(PERF_COUNTER_LARGE_RAWCOUNT, &older, &newer, &plain);
    ck_assert(v.integer == newer.value);
    v = value_of(PERF_COUNTER_LARGE_DELTA, &older, &newer, &plain);
    ck_assert(v.integer == newer.value);
    v = value_of(PERF_COUNTER_LARGE_RAWCOUNT_HEX, &older, &newer, &plain);
    ck_assert(v.integer == newer.value);
    ck_assert_uint_eq(v.digits, 16);
    newer.size = 4;
    v = value_of(PERF_COUNTER_LARGE_RAWCOUNT_HEX, NULL, &newer, &plain);
    ck_assert_uint_eq(v.digits, 8);
}
END_TEST

/*
 * The subtraction is exact although neither number is as a double, and the
 * order of operations is the one that decides the last digit.  Each pair was
 * searched so that the other orders give another double.
 */
START_TEST(last_digit_is_that_of_the_stated_order)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;
    double n, clock;

    older.value = UINT64_C(0xFFFFFFFFFFFFF000);
    newer.value = older.value + 7;
    older.perf_freq = newer.perf_freq = 10000000;
    newer.perf_time = older.perf_time + 10000049;
    n = 7;
    clock = 10000049;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_BULK_COUNT, &older, &newer, &plain).number,
        n / (clock / 1e7));
    ck_assert_double_ne(n / (clock / 1e7), n * 1e7 / clock);

    older.has_base = newer.has_base = true;
    older.base = 0;
    newer.base = 25;
    ck_assert_double_eq(
        value_of(PERF_PRECISION_100NS_TIMER, &older, &newer, &plain).number,
        n / 25 * 100);
    ck_assert_double_ne(n / 25 * 100, n * 100 / 25);
    newer.value = 7;
    ck_assert_double_eq(
        value_of(PERF_LARGE_RAW_FRACTION, &older, &newer, &plain).number,
        n / 25 * 100);

    older.value = 0;
    newer.value = 14;
    n = 14;
    newer.perf_time = older.perf_time + 20;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_TIMER_INV, &older, &newer, &plain).number,
        100 * (1 - n / 20));
    ck_assert_double_ne(100 * (1 - n / 20), 100 - 100 * (n / 20));
    newer.value = 7;
    n = 7;
    newer.perf_time = older.perf_time + 25;
    ck_assert_double_eq(
        value_of(PERF_COUNTER_TIMER, &older, &newer, &plain).number,
        100 * (n / 25));
    ck_assert_double_ne(100 * (n / 25), 100 * n / 25);
}
END_TEST

/* ---- sums --------------------------------------------------------------- */

START_TEST(sum_of_neighbouring_steps_is_the_step_across)
{
    static const uint32_t types[] = {
        PERF_COUNTER_BULK_COUNT,    PERF_COUNTER_TIMER,
        PERF_100NSEC_TIMER_INV,     PERF_OBJ_TIME_TIMER,
        PERF_PRECISION_100NS_TIMER, PERF_PRECISION_OBJECT_TIMER,
        PERF_COUNTER_QUEUELEN_TYPE, PERF_SAMPLE_FRACTION,
        PERF_AVERAGE_TIMER,         PERF_AVERAGE_BULK,
        PERF_COUNTER_LARGE_DELTA,
    };

    for (size_t i = 0; i < COUNT(types); i++) {
        struct pl_formula scratch;
        const struct pl_formula *f = pl_formula_of(types[i], 8, &scratch);
        struct pl_reading a = start, b = end, c = end;
        struct pl_step ab, bc, ac, sum;

        a.has_base = b.has_base = c.has_base = true;
        c.value += 77;
        c.base += 1003;
        c.perf_time += 1500;
        c.time_100ns += 15000000;
        c.object_time += 375;
        pl_step_make(f, &a, &b, &plain, &ab);
        pl_step_make(f, &b, &c, &plain, &bc);
        pl_step_make(f, &a, &c, &plain, &ac);
        sum = ab;
        sum.n += bc.n;
        sum.base += bc.base;
        sum.clock += bc.clock;
        ck_assert_int_eq(ac.cell, PL_CELL_GOOD);
        ck_assert_double_eq(f->eval(&sum), f->eval(&ac));
        ck_assert(f->eval(&ac) != f->eval(&ab));
    }
}
END_TEST

START_TEST(sum_of_instances_over_one_clock_is_their_total)
{
    struct pl_formula scratch;
    const struct pl_formula *rate =
        pl_formula_of(PERF_COUNTER_BULK_COUNT, 8, &scratch);
    const struct pl_formula *mean =
        pl_formula_of(PERF_AVERAGE_BULK, 8, &scratch);
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_step one, other;

    pl_step_make(rate, &older, &newer, &plain, &one);
    newer.value = 850;
    pl_step_make(rate, &older, &newer, &plain, &other);
    one.n += other.n; /* 250 + 750 in 2 s */
    ck_assert_double_eq(rate->eval(&one), 500);

    /* 250 bytes in 10 operations, 750 in 30: 25 each */
    older.has_base = newer.has_base = true;
    newer.value = 350;
    pl_step_make(mean, &older, &newer, &plain, &one);
    newer.value = 850;
    newer.base = 70;
    pl_step_make(mean, &older, &newer, &plain, &other);
    one.n += other.n;
    one.base += other.base;
    ck_assert_double_eq(mean->eval(&one), 25);
}
END_TEST

int main(void)
{
    TCase *odd = tcase_create("odd inputs");
    TCase *rest = tcase_create("options, digits, sums");
    TCase *const all[] = { odd, rest, NULL };

    tcase_add_loop_test(odd, odd_input_has_its_status, 0, COUNT(odd_inputs));
    tcase_add_loop_test(odd, lack_of_a_base_means_what_the_type_says, 0,
                        COUNT(without_base));
    tcase_add_test(odd, base_of_another_size_is_unsupported);
    tcase_add_test(odd, redefined_counter_begins_anew);
    tcase_add_test(odd, of_several_causes_the_earlier_is_named);
    tcase_add_test(odd, first_comes_before_other_causes);

    tcase_add_test(rest, unwrap32_undoes_the_wrap_of_4_bytes_only);
    tcase_add_test(rest, cap100_stops_percentages_except_multi);
    tcase_add_test(rest, pdh_multi_has_seconds_instead_of_ticks);
    tcase_add_test(rest, counts_are_exact_beyond_what_a_double_holds);
    tcase_add_test(rest, last_digit_is_that_of_the_stated_order);
    tcase_add_test(rest, sum_of_neighbouring_steps_is_the_step_across);
    tcase_add_test(rest, sum_of_instances_over_one_clock_is_their_total);
    return run_suite("calc_odd", all);
}
