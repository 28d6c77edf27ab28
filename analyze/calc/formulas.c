/* Counter types: one table, and one function per formula. */
#include "analyze/calc/calc.h"

#include "format/block/winperf.h"

#include <stddef.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/*
 * The order of operations is part of each function: it decides the last digit,
 * and these orders give the same digits as Windows.  Denominators are checked
 * when the step is made, except for averages over no event at all.
 */
static double whole(const struct pl_step *s)
{
    return (double)s->n;
}

static double thousandth(const struct pl_step *s)
{
    return (double)s->n / 1000;
}

/* For counters whose 8 bytes are a double. */
static double stored_double(const struct pl_step *s)
{
    double v;

    memcpy(&v, &s->n, sizeof v);
    return v;
}

static double zero(const struct pl_step *s)
{
    (void)s;
    return 0;
}

static double per_second(const struct pl_step *s)
{
    return (double)s->n / ((double)s->clock / (double)s->freq);
}

static double per_tick(const struct pl_step *s)
{
    return (double)s->n / (double)s->clock;
}

static double percent_of_time(const struct pl_step *s)
{
    return 100 * ((double)s->n / (double)s->clock);
}

static double percent_not_idle(const struct pl_step *s)
{
    return 100 * (1 - (double)s->n / (double)s->clock);
}

static double percent_multi(const struct pl_step *s)
{
    return 100 * ((double)s->n / (double)s->clock) / (double)s->base;
}

/* Not divided by the number of components M: runs from 0 to 100 M. */
static double percent_multi_not_idle(const struct pl_step *s)
{
    return 100 * ((double)s->base - (double)s->n / (double)s->clock);
}

static double percent_of_base(const struct pl_step *s)
{
    return (double)s->n / (double)s->base * 100;
}

static double percent_of_samples(const struct pl_step *s)
{
    return s->base ? 100 * ((double)s->n / (double)s->base) : 0;
}

static double average(const struct pl_step *s)
{
    return s->base ? (double)s->n / (double)s->base : 0;
}

static double average_seconds(const struct pl_step *s)
{
    return s->base ? (double)s->n / (double)s->freq / (double)s->base : 0;
}

static double elapsed_seconds(const struct pl_step *s)
{
    return (double)s->clock / (double)s->freq;
}

/* ---- the table ----------------------------------------------------------- */
#define WORD(word, base) word, base, #word

enum {
    ADDS_UP = PL_FORMULA_ADDS_UP,
    INVERSE = PL_FORMULA_INVERSE,
    MULTI = PL_FORMULA_MULTI,
    NO_TOTAL = PL_FORMULA_NO_TOTAL,
};

/* clang-format off */
/*
 * Every calculation: its inputs and its function.  All other code, quick.c
 * included, reads these rows.
 */
/*      name                    two    base   is_base freq   reads             divided by        shape                traits                     eval */
#define PER_SECOND              true,  false, false,  true,  PL_READS_COUNT,   PL_BY_CLOCK,      PL_SHAPE_PER_SECOND, ADDS_UP,                   per_second
#define PERCENT_OF_TIME         true,  false, false,  false, PL_READS_COUNT,   PL_BY_CLOCK,      PL_SHAPE_PERCENT,    ADDS_UP,                   percent_of_time
#define PERCENT_NOT_IDLE        true,  false, false,  false, PL_READS_COUNT,   PL_BY_CLOCK,      PL_SHAPE_OTHER,      ADDS_UP | INVERSE,         percent_not_idle
#define PERCENT_MULTI           true,  true,  false,  false, PL_READS_COUNT,   PL_BY_COMPONENTS, PL_SHAPE_OTHER,      ADDS_UP | MULTI,           percent_multi
#define PERCENT_MULTI_NOT_IDLE  true,  true,  false,  false, PL_READS_COUNT,   PL_BY_COMPONENTS, PL_SHAPE_OTHER,      ADDS_UP | MULTI | INVERSE, percent_multi_not_idle
#define PERCENT_OF_BASE         true,  true,  false,  false, PL_READS_COUNT,   PL_BY_OWN_CLOCK,  PL_SHAPE_OTHER,      ADDS_UP,                   percent_of_base
#define PER_TICK                true,  false, false,  false, PL_READS_COUNT,   PL_BY_CLOCK,      PL_SHAPE_OTHER,      0,                         per_tick
#define PERCENT_OF_SAMPLES      true,  true,  false,  false, PL_READS_COUNT,   PL_BY_BASE,       PL_SHAPE_OTHER,      0,                         percent_of_samples
#define PERCENT_OF_BASE_NOW     false, true,  false,  false, PL_READS_COUNT,   PL_BY_BASE_NOW,   PL_SHAPE_OTHER,      0,                         percent_of_base
#define AVERAGE_SECONDS         true,  true,  false,  true,  PL_READS_COUNT,   PL_BY_BASE,       PL_SHAPE_OTHER,      0,                         average_seconds
#define AVERAGE                 true,  true,  false,  false, PL_READS_COUNT,   PL_BY_BASE,       PL_SHAPE_OTHER,      0,                         average
#define ELAPSED                 false, false, false,  true,  PL_READS_COUNT,   PL_BY_START,      PL_SHAPE_OTHER,      0,                         elapsed_seconds
#define DELTA                   true,  false, false,  false, PL_READS_COUNT,   PL_BY_NOTHING,    PL_SHAPE_COUNT,      0,                         whole
#define NOW                     false, false, false,  false, PL_READS_COUNT,   PL_BY_NOTHING,    PL_SHAPE_COUNT,      0,                         whole
#define BITS                    false, false, false,  false, PL_READS_COUNT,   PL_BY_NOTHING,    PL_SHAPE_OTHER,      0,                         whole
#define THOUSANDTH              false, false, false,  false, PL_READS_COUNT,   PL_BY_NOTHING,    PL_SHAPE_OTHER,      0,                         thousandth
#define STORED_DOUBLE           false, false, false,  false, PL_READS_DOUBLE,  PL_BY_NOTHING,    PL_SHAPE_OTHER,      NO_TOTAL,                  stored_double
#define ZERO                    false, false, false,  false, PL_READS_NOTHING, PL_BY_NOTHING,    PL_SHAPE_OTHER,      0,                         zero
#define NO_NUMBER               false, false, false,  false, PL_READS_NOTHING, PL_BY_NOTHING,    PL_SHAPE_OTHER,      0,                         NULL
#define DENOMINATOR             false, false, true,   false, PL_READS_NOTHING, PL_BY_NOTHING,    PL_SHAPE_OTHER,      0,                         NULL

static const struct pl_formula formulas[] = {
/*    type, its base, its name                                        clock            kind              calculation */
    { WORD(PERF_COUNTER_COUNTER, 0),                                  PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PER_SECOND },
    { WORD(PERF_COUNTER_BULK_COUNT, 0),                               PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PER_SECOND },
    { WORD(PERF_SAMPLE_COUNTER, 0),                                   PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PER_SECOND },
    { WORD(PERF_COUNTER_TIMER, 0),                                    PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PERCENT_OF_TIME },
    { WORD(PERF_COUNTER_TIMER_INV, 0),                                PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PERCENT_NOT_IDLE },
    { WORD(PERF_100NSEC_TIMER, 0),                                    PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PERCENT_OF_TIME },
    { WORD(PERF_100NSEC_TIMER_INV, 0),                                PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PERCENT_NOT_IDLE },
    { WORD(PERF_OBJ_TIME_TIMER, 0),                                   PL_CLOCK_OBJECT, PL_VALUE_DOUBLE,  PERCENT_OF_TIME },
    { WORD(PERF_COUNTER_MULTI_TIMER, PERF_COUNTER_MULTI_BASE),        PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PERCENT_MULTI },
    { WORD(PERF_COUNTER_MULTI_TIMER_INV, PERF_COUNTER_MULTI_BASE),    PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PERCENT_MULTI_NOT_IDLE },
    { WORD(PERF_100NSEC_MULTI_TIMER, PERF_COUNTER_MULTI_BASE),        PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PERCENT_MULTI },
    { WORD(PERF_100NSEC_MULTI_TIMER_INV, PERF_COUNTER_MULTI_BASE),    PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PERCENT_MULTI_NOT_IDLE },
    { WORD(PERF_PRECISION_SYSTEM_TIMER, PERF_LARGE_RAW_BASE),         PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PERCENT_OF_BASE },
    { WORD(PERF_PRECISION_100NS_TIMER, PERF_LARGE_RAW_BASE),          PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PERCENT_OF_BASE },
    { WORD(PERF_PRECISION_OBJECT_TIMER, PERF_LARGE_RAW_BASE),         PL_CLOCK_OBJECT, PL_VALUE_DOUBLE,  PERCENT_OF_BASE },
    { WORD(PERF_COUNTER_QUEUELEN_TYPE, 0),                            PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PER_TICK },
    { WORD(PERF_COUNTER_LARGE_QUEUELEN_TYPE, 0),                      PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  PER_TICK },
    { WORD(PERF_COUNTER_100NS_QUEUELEN_TYPE, 0),                      PL_CLOCK_100NS,  PL_VALUE_DOUBLE,  PER_TICK },
    { WORD(PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 0),                   PL_CLOCK_OBJECT, PL_VALUE_DOUBLE,  PER_TICK },
    { WORD(PERF_SAMPLE_FRACTION, PERF_SAMPLE_BASE),                   PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  PERCENT_OF_SAMPLES },
    { WORD(PERF_RAW_FRACTION, PERF_RAW_BASE),                         PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  PERCENT_OF_BASE_NOW },
    { WORD(PERF_LARGE_RAW_FRACTION, PERF_LARGE_RAW_BASE),             PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  PERCENT_OF_BASE_NOW },
    { WORD(PERF_AVERAGE_TIMER, PERF_AVERAGE_BASE),                    PL_CLOCK_TICK,   PL_VALUE_DOUBLE,  AVERAGE_SECONDS },
    { WORD(PERF_AVERAGE_BULK, PERF_AVERAGE_BASE),                     PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  AVERAGE },
    { WORD(PERF_ELAPSED_TIME, 0),                                     PL_CLOCK_OBJECT, PL_VALUE_DOUBLE,  ELAPSED },
    { WORD(PERF_COUNTER_DELTA, 0),                                    PL_CLOCK_NONE,   PL_VALUE_INTEGER, DELTA },
    { WORD(PERF_COUNTER_LARGE_DELTA, 0),                              PL_CLOCK_NONE,   PL_VALUE_INTEGER, DELTA },
    { WORD(PERF_COUNTER_RAWCOUNT, 0),                                 PL_CLOCK_NONE,   PL_VALUE_INTEGER, NOW },
    { WORD(PERF_COUNTER_LARGE_RAWCOUNT, 0),                           PL_CLOCK_NONE,   PL_VALUE_INTEGER, NOW },
    { WORD(PERF_COUNTER_RAWCOUNT_HEX, 0),                             PL_CLOCK_NONE,   PL_VALUE_HEX,     BITS },
    { WORD(PERF_COUNTER_LARGE_RAWCOUNT_HEX, 0),                       PL_CLOCK_NONE,   PL_VALUE_HEX,     BITS },
    { PL_NUMBER_DEC_1000, 0, NULL,                                    PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  THOUSANDTH },
    { PL_NUMBER_LARGE_DEC_1000, 0, NULL,                              PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  THOUSANDTH },
    { WORD(PERF_DOUBLE_RAW, 0),                                       PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  STORED_DOUBLE },
    { PERF_TYPE_ZERO, 0, NULL,                                        PL_CLOCK_NONE,   PL_VALUE_DOUBLE,  ZERO },
    { WORD(PERF_COUNTER_TEXT, 0),                                     PL_CLOCK_NONE,   PL_VALUE_TEXT,    NO_NUMBER },
    { WORD(PERF_COUNTER_NODATA, 0),                                   PL_CLOCK_NONE,   PL_VALUE_NONE,    NO_NUMBER },
    { WORD(PERF_SAMPLE_BASE, 0),                                      PL_CLOCK_NONE,   PL_VALUE_NONE,    DENOMINATOR },
    { WORD(PERF_AVERAGE_BASE, 0),                                     PL_CLOCK_NONE,   PL_VALUE_NONE,    DENOMINATOR },
    { WORD(PERF_RAW_BASE, 0),                                         PL_CLOCK_NONE,   PL_VALUE_NONE,    DENOMINATOR },
    { WORD(PERF_LARGE_RAW_BASE, 0),                                   PL_CLOCK_NONE,   PL_VALUE_NONE,    DENOMINATOR },
    { WORD(PERF_COUNTER_MULTI_BASE, 0),                               PL_CLOCK_NONE,   PL_VALUE_NONE,    DENOMINATOR },
};

/* winperf.h of 1992 numbered the types; the index here is that number. */
static const uint32_t ordinals[] = {
    [1] = PERF_COUNTER_COUNTER,      [2] = PERF_COUNTER_TIMER,
    [3] = PERF_COUNTER_QUEUELEN_TYPE,[4] = PERF_COUNTER_BULK_COUNT,
    [5] = PERF_COUNTER_TEXT,         [6] = PERF_COUNTER_RAWCOUNT,
    [7] = PERF_SAMPLE_FRACTION,      [8] = PERF_SAMPLE_COUNTER,
    [9] = PERF_COUNTER_NODATA,       [10] = PERF_COUNTER_TIMER_INV,
    [11] = PERF_SAMPLE_BASE,         [12] = PERF_AVERAGE_TIMER,
    [13] = PERF_AVERAGE_BASE,        [14] = PERF_AVERAGE_BULK,
    [15] = PERF_100NSEC_TIMER,       [16] = PERF_100NSEC_TIMER_INV,
    [17] = PERF_COUNTER_MULTI_TIMER, [18] = PERF_COUNTER_MULTI_TIMER_INV,
    [19] = PERF_COUNTER_MULTI_BASE,  [20] = PERF_100NSEC_MULTI_TIMER,
    [21] = PERF_100NSEC_MULTI_TIMER_INV,
};
/* clang-format on */

/*
 * Other type words in use for a type of the table: "Optimizing Windows NT"
 * composes the averages differently (and 4-byte bases without a number in the
 * low byte, which needs no row), WMI numbers the 8-byte base.
 */
static const struct {
    uint32_t spelled;
    uint32_t type;
} spellings[] = {
    { 0x30020500, PERF_AVERAGE_TIMER },
    { 0x00020500, PERF_AVERAGE_BULK },
    { 0x00020400, PERF_AVERAGE_BULK },
    { 0x40030503, PERF_LARGE_RAW_BASE },
};

/* ---- from a type word to its formula ------------------------------------- */

/* The two fields that every rule begins with: type and subtype. */
static uint32_t family(uint32_t type)
{
    return type & (PERF_TYPE_MASK | PERF_SUBTYPE_MASK);
}

uint32_t pl_type_resolve(uint32_t type, uint32_t size)
{
    const uint32_t large = size == 8 ? PERF_SIZE_LARGE : PERF_SIZE_DWORD;
    uint32_t word = type & ~PERF_COUNTER_HISTOGRAM_TYPE;

    if (word > 0 && word < COUNT(ordinals)) {
        word = ordinals[word];
        /* these two have one number for both sizes */
        if (word == PERF_COUNTER_QUEUELEN_TYPE || word == PERF_COUNTER_RAWCOUNT)
            word |= large;
        return word;
    }
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (word == spellings[i].spelled)
            return spellings[i].type;
    /* The number of digits shown follows the counter's size, not the word's. */
    if (family(word) == PERF_COUNTER_RAWCOUNT_HEX &&
        !(word & PERF_DISPLAY_NOSHOW))
        return PERF_COUNTER_RAWCOUNT_HEX | large;
    return word;
}

bool pl_type_resolves_to_base(uint32_t type, uint32_t size)
{
    return pl_type_is_base(pl_type_resolve(type, size));
}

static const struct pl_formula *find(uint32_t word)
{
    for (size_t i = 0; i < COUNT(formulas); i++)
        if (formulas[i].type == word)
            return &formulas[i];
    return NULL;
}

const char *pl_type_name(uint32_t type, uint32_t size)
{
    const struct pl_formula *f = find(pl_type_resolve(type, size));

    return f ? f->name : NULL;
}

/*
 * The fields of a word that select a formula, so that words of equal shape are
 * calculated alike.  Size and timer are never among them: the size is in the
 * definition, and the timer only selects the clock.
 */
static uint32_t shape(uint32_t word)
{
    const uint32_t modifiers =
        word & (PERF_INVERSE_COUNTER | PERF_MULTI_COUNTER);
    const uint32_t display = word & PERF_DISPLAY_MASK;

    if (pl_type_is_base(word))
        return family(word);
    if (family(word) == (PERF_TYPE_COUNTER | PERF_COUNTER_FRACTION))
        return family(word) | display | modifiers |
               (word & (PERF_DELTA_COUNTER | PERF_DELTA_BASE));
    if (display == PERF_DISPLAY_NOSHOW)
        return PERF_DISPLAY_NOSHOW; /* a label, whatever its other fields are */
    switch (word & PERF_TYPE_MASK) {
    case PERF_TYPE_NUMBER:
        return family(word);
    case PERF_TYPE_COUNTER:
        if (family(word) == (PERF_TYPE_COUNTER | PERF_COUNTER_VALUE) &&
            !(word & PERF_DELTA_COUNTER))
            return PERF_TYPE_NUMBER | PERF_NUMBER_DECIMAL;
        return family(word) | modifiers |
               (display == PERF_DISPLAY_PERCENT ? PERF_DISPLAY_PERCENT : 0);
    default:
        return word & PERF_TYPE_MASK;
    }
}

static bool clock_of_timer(uint32_t word, enum pl_clock *clock)
{
    switch (word & PERF_TIMER_MASK) {
    case PERF_TIMER_TICK:
        *clock = PL_CLOCK_TICK;
        return true;
    case PERF_TIMER_100NS:
        *clock = PL_CLOCK_100NS;
        return true;
    case PERF_OBJECT_TIMER:
        *clock = PL_CLOCK_OBJECT;
        return true;
    default:
        return false;
    }
}

/*
 * A word in no table is calculated by the row with the same fields, on its own
 * clock.
 */
static const struct pl_formula *compose(uint32_t word, struct pl_formula *out)
{
    for (size_t i = 0; i < COUNT(formulas); i++) {
        if (shape(formulas[i].type) != shape(word))
            continue;
        *out = formulas[i];
        out->type = word;
        out->name = NULL;
        if (out->clock != PL_CLOCK_NONE && !clock_of_timer(word, &out->clock))
            return NULL;
        return out;
    }
    return NULL;
}

static bool size_fits(const struct pl_formula *f, uint32_t size)
{
    switch ((enum pl_reads)f->reads) {
    case PL_READS_NOTHING:
        return true;
    case PL_READS_DOUBLE:
        return size == sizeof(double);
    case PL_READS_COUNT:
        break;
    }
    return size == 4 || size == 8;
}

const struct pl_formula *pl_formula_of(uint32_t type, uint32_t size,
                                       struct pl_formula *scratch)
{
    uint32_t word = pl_type_resolve(type, size);
    const struct pl_formula *f = find(word);

    if (!f)
        f = compose(word, scratch);
    return f && size_fits(f, size) ? f : NULL;
}
