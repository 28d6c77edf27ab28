/*
 * The calculator: a pair of readings for every type and every word, with results
 * worked out by hand.
 */
#include "analyze/replay/quick.h"
#include "format/block/winperf.h"
#include "tests/support/logs.h"
#include "tests/unit/analyze/calc/readings.h"

#include <string.h>

/* ---- every type --------------------------------------------------------- */

#define WORD(word) word, #word

/* The table of types as winperf.h and this calculator have it. */
static const struct {
    uint32_t type;
    const char *name;
    uint32_t size;
    uint64_t n0, n1, b0, b1;
    bool has_base;
    enum pl_value_kind kind;
    double want;
} golden[] = {
    /* 250 in 2 s */
    { WORD(PERF_COUNTER_COUNTER), 4, 100, 350, 0, 0, false, PL_VALUE_DOUBLE,
      125 },
    { WORD(PERF_COUNTER_BULK_COUNT), 8, 100, 350, 0, 0, false, PL_VALUE_DOUBLE,
      125 },
    /* a base that follows (dB = 10) is not looked at */
    { WORD(PERF_SAMPLE_COUNTER), 4, 100, 350, 40, 50, true, PL_VALUE_DOUBLE,
      125 },
    /* 250 of 2000 ticks: one eighth */
    { WORD(PERF_COUNTER_TIMER), 8, 100, 350, 0, 0, false, PL_VALUE_DOUBLE,
      12.5 },
    { WORD(PERF_COUNTER_TIMER_INV), 8, 100, 350, 0, 0, false, PL_VALUE_DOUBLE,
      87.5 },
    /* 5,000,000 of 20,000,000: a quarter */
    { WORD(PERF_100NSEC_TIMER), 8, 7, 5000007, 0, 0, false, PL_VALUE_DOUBLE,
      25 },
    { WORD(PERF_100NSEC_TIMER_INV), 8, 7, 5000007, 0, 0, false, PL_VALUE_DOUBLE,
      75 },
    /* 250 of 500 */
    { WORD(PERF_OBJ_TIME_TIMER), 8, 100, 350, 0, 0, false, PL_VALUE_DOUBLE,
      50 },
    /* 3000 of 2000 ticks by 4 components: 1.5 / 4; the older M is not used */
    { WORD(PERF_COUNTER_MULTI_TIMER), 8, 100, 3100, 9, 4, true, PL_VALUE_DOUBLE,
      37.5 },
    /* 100 (4 - 1.5) */
    { WORD(PERF_COUNTER_MULTI_TIMER_INV), 8, 100, 3100, 9, 4, true,
      PL_VALUE_DOUBLE, 250 },
    /* 30,000,000 of 20,000,000 by 4 */
    { WORD(PERF_100NSEC_MULTI_TIMER), 8, 1, 30000001, 9, 4, true,
      PL_VALUE_DOUBLE, 37.5 },
    { WORD(PERF_100NSEC_MULTI_TIMER_INV), 8, 1, 30000001, 9, 4, true,
      PL_VALUE_DOUBLE, 250 },
    /* 250 of the base's 400, whatever the other clocks say */
    { WORD(PERF_PRECISION_SYSTEM_TIMER), 8, 100, 350, 1000, 1400, true,
      PL_VALUE_DOUBLE, 62.5 },
    { WORD(PERF_PRECISION_100NS_TIMER), 8, 100, 350, 1000, 1400, true,
      PL_VALUE_DOUBLE, 62.5 },
    { WORD(PERF_PRECISION_OBJECT_TIMER), 8, 100, 350, 1000, 1400, true,
      PL_VALUE_DOUBLE, 62.5 },
    /* without a base the object's clock: 250 of 500 */
    { WORD(PERF_PRECISION_OBJECT_TIMER), 8, 100, 350, 0, 0, false,
      PL_VALUE_DOUBLE, 50 },
    /* 5000 waiting ticks in 2000 ticks, not in 2 s */
    { WORD(PERF_COUNTER_QUEUELEN_TYPE), 4, 0, 5000, 0, 0, false,
      PL_VALUE_DOUBLE, 2.5 },
    { WORD(PERF_COUNTER_LARGE_QUEUELEN_TYPE), 8, 0, 5000, 0, 0, false,
      PL_VALUE_DOUBLE, 2.5 },
    /* 50,000,000 in 20,000,000 */
    { WORD(PERF_COUNTER_100NS_QUEUELEN_TYPE), 8, 0, 50000000, 0, 0, false,
      PL_VALUE_DOUBLE, 2.5 },
    /* 1250 in 500 */
    { WORD(PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE), 8, 0, 1250, 0, 0, false,
      PL_VALUE_DOUBLE, 2.5 },
    /* 3 hits more in 10 samples more */
    { WORD(PERF_SAMPLE_FRACTION), 4, 5, 8, 40, 50, true, PL_VALUE_DOUBLE, 30 },
    /* 8 of 50 now; the older sample is not used */
    { WORD(PERF_RAW_FRACTION), 4, 5, 8, 9, 50, true, PL_VALUE_DOUBLE, 16 },
    { WORD(PERF_LARGE_RAW_FRACTION), 8, 5, 8, 9, 50, true, PL_VALUE_DOUBLE,
      16 },
    /* 250 ticks are 0.25 s, in 10 operations */
    { WORD(PERF_AVERAGE_TIMER), 8, 100, 350, 40, 50, true, PL_VALUE_DOUBLE,
      0.025 },
    { WORD(PERF_AVERAGE_TIMER), 4, 100, 350, 40, 50, true, PL_VALUE_DOUBLE,
      0.025 },
    { WORD(PERF_AVERAGE_BULK), 8, 100, 350, 40, 50, true, PL_VALUE_DOUBLE, 25 },
    /* started at 650 of 900 now: 250 at 250 a second */
    { WORD(PERF_ELAPSED_TIME), 8, 0, 650, 0, 0, false, PL_VALUE_DOUBLE, 1 },
    { WORD(PERF_COUNTER_DELTA), 4, 100, 350, 0, 0, false, PL_VALUE_INTEGER,
      250 },
    { WORD(PERF_COUNTER_LARGE_DELTA), 8, 100, 350, 0, 0, false,
      PL_VALUE_INTEGER, 250 },
    { WORD(PERF_COUNTER_RAWCOUNT), 4, 100, 35, 0, 0, false, PL_VALUE_INTEGER,
      35 },
    { WORD(PERF_COUNTER_LARGE_RAWCOUNT), 8, 100, 35, 0, 0, false,
      PL_VALUE_INTEGER, 35 },
    { WORD(PERF_COUNTER_RAWCOUNT_HEX), 4, 100, 35, 0, 0, false, PL_VALUE_HEX,
      35 },
    { WORD(PERF_COUNTER_LARGE_RAWCOUNT_HEX), 8, 100, 35, 0, 0, false,
      PL_VALUE_HEX, 35 },
    { PL_NUMBER_DEC_1000, NULL, 4, 100, 3500, 0, 0, false, PL_VALUE_DOUBLE,
      3.5 },
    { PL_NUMBER_LARGE_DEC_1000, NULL, 8, 100, 3500, 0, 0, false,
      PL_VALUE_DOUBLE, 3.5 },
    /* the bits of the double -1.5: sign, exponent 1023, half */
    { WORD(PERF_DOUBLE_RAW), 8, 0, 0xBFF8000000000000, 0, 0, false,
      PL_VALUE_DOUBLE, -1.5 },
    { PERF_TYPE_ZERO, NULL, 4, 100, 350, 0, 0, false, PL_VALUE_DOUBLE, 0 },
    { WORD(PERF_COUNTER_TEXT), 32, 0, 0, 0, 0, false, PL_VALUE_TEXT, 0 },
    { WORD(PERF_COUNTER_NODATA), 0, 0, 0, 0, 0, false, PL_VALUE_NONE, 0 },
    { WORD(PERF_SAMPLE_BASE), 4, 0, 9, 0, 0, false, PL_VALUE_NONE, 0 },
    { WORD(PERF_AVERAGE_BASE), 4, 0, 9, 0, 0, false, PL_VALUE_NONE, 0 },
    { WORD(PERF_RAW_BASE), 4, 0, 9, 0, 0, false, PL_VALUE_NONE, 0 },
    { WORD(PERF_LARGE_RAW_BASE), 8, 0, 9, 0, 0, false, PL_VALUE_NONE, 0 },
    { WORD(PERF_COUNTER_MULTI_BASE), 8, 0, 9, 0, 0, false, PL_VALUE_NONE, 0 },
};

START_TEST(type_gives_the_value_worked_out_by_hand)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_value v;

    older.value = golden[_i].n0;
    newer.value = golden[_i].n1;
    older.base = golden[_i].b0;
    newer.base = golden[_i].b1;
    older.has_base = newer.has_base = golden[_i].has_base;
    older.size = newer.size = golden[_i].size;
    v = value_of(golden[_i].type, &older, &newer, &plain);
    ck_assert_msg(v.cell == PL_CELL_GOOD, "%08x: %s", golden[_i].type,
                  pl_cell_name(v.cell));
    ck_assert_int_eq(v.kind, golden[_i].kind);
    if (v.kind == PL_VALUE_DOUBLE)
        ck_assert_double_eq(v.number, golden[_i].want);
    else
        ck_assert_double_eq((double)v.integer, golden[_i].want);
}
END_TEST

START_TEST(every_type_is_in_the_table_under_its_name)
{
    for (size_t i = 0; i < COUNT(golden); i++) {
        struct pl_formula scratch;
        const struct pl_formula *f =
            pl_formula_of(golden[i].type, golden[i].size, &scratch);

        ck_assert_ptr_nonnull(f);
        ck_assert_ptr_ne(f, &scratch);
        ck_assert_uint_eq(f->type, golden[i].type);
        ck_assert_pstr_eq(f->name, golden[i].name);
        ck_assert_int_eq(f->is_base, pl_type_is_base(golden[i].type));
    }
}
END_TEST

/*
 * A word with a reserved bit is in no table, yet all fields that matter are
 * those of the type it was made from.
 */
START_TEST(unknown_word_is_calculated_like_the_row_of_its_fields)
{
    for (size_t i = 0; i < COUNT(golden); i++) {
        struct pl_formula scratch, unused;
        const struct pl_formula *known =
            pl_formula_of(golden[i].type, golden[i].size, &unused);
        const struct pl_formula *odd =
            pl_formula_of(golden[i].type | 0x80, golden[i].size, &scratch);

        if (golden[i].type == PERF_DOUBLE_RAW)
            continue; /* itself a reserved bit beside a decimal number */
        ck_assert_msg(odd != NULL, "%s", golden[i].name);
        if (odd == &scratch) /* hexadecimals are known by their size */
            ck_assert_uint_eq(odd->type, golden[i].type | 0x80);
        else
            ck_assert_int_eq(odd->kind, PL_VALUE_HEX);
        ck_assert_int_eq(odd->clock, known->clock);
        ck_assert_int_eq(odd->kind, known->kind);
        ck_assert_int_eq(odd->needs_two, known->needs_two);
        ck_assert_int_eq(odd->needs_base, known->needs_base);
        ck_assert_int_eq(known->needs_base, known->base != 0);
        ck_assert(!known->base || pl_type_is_base(known->base));
        ck_assert_int_eq(odd->is_base, known->is_base);
        if (golden[i].type != PL_NUMBER_LARGE_DEC_1000)
            ck_assert_msg(odd->eval == known->eval, "%s", golden[i].name);
    }
}
END_TEST

START_TEST(first_sample_is_enough_for_types_of_now_only)
{
    for (size_t i = 0; i < COUNT(golden); i++) {
        struct pl_formula scratch;
        struct pl_reading newer = end;
        const struct pl_formula *f =
            pl_formula_of(golden[i].type, golden[i].size, &scratch);
        struct pl_step step;

        newer.has_base = true;
        newer.value = golden[i].n1;
        pl_step_make(f, NULL, &newer, &plain, &step);
        ck_assert_msg(step.cell ==
                          (f->needs_two ? PL_CELL_FIRST : PL_CELL_GOOD),
                      "%s: %s", golden[i].name, pl_cell_name(step.cell));
    }
}
END_TEST

/* Which types those are, listed without the table under test. */
static const uint32_t of_now[] = {
    PERF_RAW_FRACTION,     PERF_LARGE_RAW_FRACTION, PERF_ELAPSED_TIME,
    PERF_COUNTER_RAWCOUNT, PERF_DOUBLE_RAW,         PERF_COUNTER_RAWCOUNT_HEX,
    PERF_COUNTER_TEXT,     PERF_COUNTER_NODATA,     PERF_SAMPLE_BASE,
    PL_NUMBER_DEC_1000,
};

START_TEST(types_of_now_do_not_ask_for_two_samples)
{
    struct pl_formula scratch;

    for (size_t i = 0; i < COUNT(of_now); i++)
        ck_assert_msg(!pl_formula_of(of_now[i], 8, &scratch)->needs_two, "%08x",
                      of_now[i]);
    /* and these two do, although their words have no delta bit */
    ck_assert(pl_formula_of(PERF_AVERAGE_TIMER, 8, &scratch)->needs_two);
    ck_assert(pl_formula_of(PERF_AVERAGE_BULK, 8, &scratch)->needs_two);
}
END_TEST

/* ---- words -------------------------------------------------------------- */

static const struct {
    uint32_t ordinal;
    uint32_t size;
    uint32_t type;
} ordinals[] = {
    { 1, 4, PERF_COUNTER_COUNTER },
    { 2, 8, PERF_COUNTER_TIMER },
    { 3, 4, PERF_COUNTER_QUEUELEN_TYPE },
    { 3, 8, PERF_COUNTER_LARGE_QUEUELEN_TYPE },
    { 4, 8, PERF_COUNTER_BULK_COUNT },
    { 5, 16, PERF_COUNTER_TEXT },
    { 6, 4, PERF_COUNTER_RAWCOUNT },
    { 6, 8, PERF_COUNTER_LARGE_RAWCOUNT },
    { 7, 4, PERF_SAMPLE_FRACTION },
    { 8, 4, PERF_SAMPLE_COUNTER },
    { 9, 0, PERF_COUNTER_NODATA },
    { 10, 8, PERF_COUNTER_TIMER_INV },
    { 11, 4, PERF_SAMPLE_BASE },
    { 12, 4, PERF_AVERAGE_TIMER },
    { 13, 4, PERF_AVERAGE_BASE },
    { 14, 8, PERF_AVERAGE_BULK },
    { 15, 8, PERF_100NSEC_TIMER },
    { 16, 8, PERF_100NSEC_TIMER_INV },
    { 17, 8, PERF_COUNTER_MULTI_TIMER },
    { 18, 8, PERF_COUNTER_MULTI_TIMER_INV },
    { 19, 8, PERF_COUNTER_MULTI_BASE },
    { 20, 8, PERF_100NSEC_MULTI_TIMER },
    { 21, 8, PERF_100NSEC_MULTI_TIMER_INV },
    /* words of other tables for types of ours */
    { 0x30020500, 8, PERF_AVERAGE_TIMER },
    { 0x00020500, 8, PERF_AVERAGE_BULK },
    { 0x00020400, 8, PERF_AVERAGE_BULK },
    { 0x40030503, 8, PERF_LARGE_RAW_BASE },
    /* the counter's size, not the word's, is what hexadecimals show */
    { PERF_COUNTER_RAWCOUNT_HEX, 8, PERF_COUNTER_LARGE_RAWCOUNT_HEX },
    { PERF_COUNTER_LARGE_RAWCOUNT_HEX, 4, PERF_COUNTER_RAWCOUNT_HEX },
    { 22, 4, PERF_COUNTER_RAWCOUNT_HEX }, /* no ordinal any more */
};

START_TEST(other_spelling_is_the_modern_type)
{
    struct pl_formula scratch;
    const struct pl_formula *f =
        pl_formula_of(ordinals[_i].ordinal, ordinals[_i].size, &scratch);
    const struct pl_formula *flagged =
        pl_formula_of(ordinals[_i].ordinal | PERF_COUNTER_HISTOGRAM_TYPE,
                      ordinals[_i].size, &scratch);

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->type, ordinals[_i].type);
    ck_assert_ptr_eq(f, flagged);
}
END_TEST

START_TEST(zero_takes_no_bytes)
{
    struct pl_formula scratch;

    ck_assert_ptr_nonnull(pl_formula_of(PERF_TYPE_ZERO, 0, &scratch));
}
END_TEST

START_TEST(histogram_flag_alone_is_a_hexadecimal_count)
{
    struct pl_formula scratch;
    const struct pl_formula *f =
        pl_formula_of(PERF_COUNTER_HISTOGRAM_TYPE, 4, &scratch);

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->type, PERF_COUNTER_RAWCOUNT_HEX);
}
END_TEST

static const struct {
    const char *what;
    uint32_t type;
    bool has_base;
    double want; /* of the pair start, end */
} odd_words[] = {
    /* 250 in 20,000,000 units of 100 ns, 2 s */
    { "rate by the 100 ns clock", 0x10510500, false, 125 },
    { "rate by the object's clock", 0x10610500, false, 125 },
    { "rate without display", 0x00410500, false, 125 },
    { "rate that forgot its delta bit", 0x10010500, false, 125 },
    { "timer that says it is small", 0x20410400, false, 12.5 },
    { "inverse timer by the object's clock", 0x21610500, false, 50 },
    /* 250 of 500 by 50 components: 100 * 0.5 / 50 */
    { "multi timer by the object's clock", 0x22610500, true, 1 },
    /* 250 units of 100 ns in 10 operations */
    { "average of 100 ns", 0x30120500, true, 250 / 1e7 / 10 },
    { "fraction of deltas, 8 bytes", 0x20C20500, true, 2500 },
    { "raw fraction with another low byte", 0x20020501, true, 700 },
    /* started at tick 350 of 3000, 1000 a second */
    { "elapsed by the tick clock", 0x30040500, false, 2.65 },
    { "queue by an object's clock, small", 0x00650400, false, 0.5 },
    { "decimal with a suffix", 0x20010100, false, 350 },
    { "thousandths with a suffix", 0x20020100, false, 0.35 },
    { "counter's plain value", 0x00000500, false, 350 },
    { "counter's change, other low byte", 0x00400577, false, 250 },
    { "zero", 0x20000D00, false, 0 },
};

START_TEST(word_in_no_table_follows_its_fields)
{
    struct pl_reading older = start;
    struct pl_reading newer = end;
    struct pl_value v;

    older.has_base = newer.has_base = odd_words[_i].has_base;
    v = value_of(odd_words[_i].type, &older, &newer, &plain);
    ck_assert_msg(v.cell == PL_CELL_GOOD, "%s: %s", odd_words[_i].what,
                  pl_cell_name(v.cell));
    if (v.kind == PL_VALUE_INTEGER)
        ck_assert_double_eq((double)v.integer, odd_words[_i].want);
    else
        ck_assert_msg(v.number == odd_words[_i].want, "%s: %.17g",
                      odd_words[_i].what, v.number);
}
END_TEST

static const struct {
    const char *what;
    uint32_t type;
    enum pl_value_kind kind;
    bool is_base;
} silent_words[] = {
    { "base without number", 0x40030400, PL_VALUE_NONE, true },
    { "base that is to be shown", 0x00030500, PL_VALUE_NONE, true },
    { "base of a multi timer, 4 bytes", 0x42030400, PL_VALUE_NONE, true },
    { "number that is not to be shown", 0x40010000, PL_VALUE_NONE, false },
    { "rate that is not to be shown", 0x40410400, PL_VALUE_NONE, false },
    { "text in a code page", 0x00010B00, PL_VALUE_TEXT, false },
};

START_TEST(word_without_a_number_shows_none)
{
    struct pl_formula scratch;
    const struct pl_formula *f =
        pl_formula_of(silent_words[_i].type, 4, &scratch);

    ck_assert_msg(f != NULL, "%s", silent_words[_i].what);
    ck_assert_int_eq(f->kind, silent_words[_i].kind);
    ck_assert_int_eq(f->is_base, silent_words[_i].is_base);
    ck_assert(!f->eval && !f->needs_two && !f->name);
    ck_assert_int_eq(value_of(silent_words[_i].type, NULL, &start, &plain).cell,
                     PL_CELL_GOOD);
}
END_TEST

static const struct {
    const char *what;
    uint32_t type;
    uint32_t size;
} unsupported[] = {
    { "number of no subtype", 0x00030000, 4 },
    { "histogram, the subtype", 0x00460400, 4 },
    { "counter of no subtype", 0x00480400, 4 },
    { "both timers at once", 0x20710500, 8 },
    { "rate, inverse", 0x11410500, 8 },
    { "fraction of one delta", 0x20420400, 4 },
    { "fraction, inverse", 0x21020400, 4 },
    { "count of 2 bytes", PERF_COUNTER_RAWCOUNT, 2 },
    { "count of 0 bytes", PERF_COUNTER_RAWCOUNT, 0 },
    { "rate of 16 bytes", PERF_COUNTER_BULK_COUNT, 16 },
    { "double of 4 bytes", PERF_DOUBLE_RAW, 4 },
    { "unknown word of 3 bytes", 0x10510500, 3 },
};

START_TEST(what_has_no_formula_is_refused)
{
    struct pl_formula scratch;

    ck_assert_msg(
        !pl_formula_of(unsupported[_i].type, unsupported[_i].size, &scratch),
        "%s", unsupported[_i].what);
}
END_TEST

/* ---- the simple way ------------------------------------------------------- */

/* The step as pl_formula_way tells it; false: it takes more. */
static bool simple_step(const struct pl_formula *f,
                        const struct pl_reading *older,
                        const struct pl_reading *newer, struct pl_step *step)
{
    enum pl_quick_way way = pl_quick_way_of(f, newer->has_base);
    struct pl_step general;

    /* Clock and frequency are those of any step of the same formula. */
    pl_step_make(f, &start, &end, &plain, &general);
    *step = (struct pl_step){ .n = newer->value,
                              .clock = general.clock,
                              .freq = general.freq };
    if (way == PL_QUICK_NOT)
        return false;
    if (way == PL_QUICK_NOW)
        return true;
    step->n -= older->value;
    if (f->needs_base)
        step->base = newer->base - older->base;
    return newer->value >= older->value &&
           (!f->needs_base || newer->base >= older->base);
}

START_TEST(simple_way_makes_the_step_of_the_general_one)
{
    struct pl_formula scratch;
    const struct pl_formula *f =
        pl_formula_of(golden[_i].type, golden[_i].size, &scratch);
    struct pl_reading older = start, newer = end;
    uint64_t state = 77 + (uint64_t)_i;
    struct pl_step general, simple;
    struct pl_value want, got;

    older.size = newer.size = golden[_i].size;
    for (int i = 0; i < 2000; i++) {
        older.has_base = newer.has_base = random_next(&state) % 4 != 0;
        older.value = random_next(&state) % 4;
        newer.value = random_next(&state) % 4;
        older.base = random_next(&state) % 4;
        newer.base = random_next(&state) % 4;
        if (!simple_step(f, &older, &newer, &simple))
            continue;
        pl_step_make(f, &older, &newer, &plain, &general);
        want = pl_formula_value(f, &general, &plain);
        got = pl_formula_value(f, &simple, &plain);
        ck_assert_int_eq(got.cell, want.cell);
        ck_assert_int_eq(got.kind, want.kind);
        ck_assert_mem_eq(&got.number, &want.number, sizeof got.number);
        ck_assert_uint_eq(got.integer, want.integer);
    }
}
END_TEST

START_TEST(most_types_go_the_simple_way)
{
    size_t simple = 0;

    for (size_t i = 0; i < COUNT(golden); i++) {
        struct pl_formula scratch;

        simple += pl_quick_way_of(
                      pl_formula_of(golden[i].type, golden[i].size, &scratch),
                      golden[i].has_base) != PL_QUICK_NOT;
    }
    ck_assert_uint_ge(simple, 15);
}
END_TEST

START_TEST(status_has_a_name)
{
    ck_assert_str_eq(pl_cell_name(PL_CELL_GOOD), "");
    for (int c = PL_CELL_GOOD + 1; c < PL_NUM_CELLS; c++) {
        const char *name = pl_cell_name((enum pl_cell)c);

        ck_assert_ptr_nonnull(name);
        ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz_"),
                          strlen(name));
        for (int d = 0; d < c; d++)
            ck_assert_str_ne(name, pl_cell_name((enum pl_cell)d));
    }
    ck_assert_str_eq(pl_cell_name(PL_CELL_NEGATIVE_DENOMINATOR),
                     "negative_denominator");
    ck_assert_str_eq(pl_cell_name(PL_CELL_PARTIAL), "partial");
}
END_TEST

int main(void)
{
    TCase *types = tcase_create("types");
    TCase *words = tcase_create("words");
    TCase *const all[] = { types, words, NULL };

    tcase_add_loop_test(types, type_gives_the_value_worked_out_by_hand, 0,
                        COUNT(golden));
    tcase_add_test(types, every_type_is_in_the_table_under_its_name);
    tcase_add_test(types,
                   unknown_word_is_calculated_like_the_row_of_its_fields);
    tcase_add_loop_test(types, simple_way_makes_the_step_of_the_general_one, 0,
                        COUNT(golden));
    tcase_add_test(types, most_types_go_the_simple_way);
    tcase_add_test(types, status_has_a_name);
    tcase_add_test(types, first_sample_is_enough_for_types_of_now_only);
    tcase_add_test(types, types_of_now_do_not_ask_for_two_samples);

    tcase_add_loop_test(words, other_spelling_is_the_modern_type, 0,
                        COUNT(ordinals));
    tcase_add_test(words, zero_takes_no_bytes);
    tcase_add_test(words, histogram_flag_alone_is_a_hexadecimal_count);
    tcase_add_loop_test(words, word_in_no_table_follows_its_fields, 0,
                        COUNT(odd_words));
    tcase_add_loop_test(words, word_without_a_number_shows_none, 0,
                        COUNT(silent_words));
    tcase_add_loop_test(words, what_has_no_formula_is_refused, 0,
                        COUNT(unsupported));
    return run_suite("calc", all);
}
