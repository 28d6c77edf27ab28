/*                                                      analyze/calc/calc.h
 * The counter calculator of Windows NT's performance monitor: from raw values
 * of one or two samples to the displayed number.  A type word becomes a formula
 * (pl_formula_of), a pair of readings becomes a step, where every special case
 * is decided once (pl_step_make), a step becomes a value (pl_formula_value).
 * Steps of several instances may be added up in between: that is how _Total and
 * longer intervals are made.
 *
 * Sources: winperf.h (1992 and today), "Optimizing Windows NT" tables 12.3 and
 * 12.4, the Windows 2000 resource kit, [MS-PCQ], and the order of operations
 * that reproduces Windows' own CSV digit for digit.
 */
#ifndef PL_ANALYZE_CALC_CALC_H
#define PL_ANALYZE_CALC_CALC_H

#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PL_FREQ_100NS INT64_C(10000000)

/*
 * Why a cell is blank, or a remark on its value.  The order is the order in
 * which causes are tested.
 */
enum pl_cell {
    PL_CELL_GOOD = 0,
    /* blanks decided before the calculator, by pairing */
    PL_CELL_DAMAGED,    /* damaged bytes lie between the samples */
    PL_CELL_GAP,        /* samples are missing in between */
    PL_CELL_FIRST,      /* nothing earlier to compare with */
    PL_CELL_ABSENT,     /* instance or counter vanished */
    PL_CELL_UNREADABLE, /* the recorder could not read it */
    PL_CELL_SOURCE_ERROR,
    PL_CELL_CLOCK_STEP,
    /* blanks decided here */
    PL_CELL_UNSUPPORTED, /* no formula for the type, size or bit pattern */
    PL_CELL_NO_BASE,
    PL_CELL_NO_TIMEBASE, /* frequency <= 0 */
    PL_CELL_NEGATIVE,    /* the counter fell */
    PL_CELL_NEGATIVE_DENOMINATOR,
    PL_CELL_ZERO_TIME,
    PL_CELL_ZERO_BASE, /* RAW_FRACTION with a base of 0 */
    /* values with a remark */
    PL_CELL_WRAPPED, /* a 4-byte counter, assumed to have wrapped */
    PL_CELL_CLAMPED, /* an inverse timer below 0, shown as 0 */
    PL_CELL_PARTIAL,
    PL_NUM_CELLS
};

/* "", "damaged", "gap", "first" ...: the Status column; never NULL. */
const char *pl_cell_name(enum pl_cell c);

/* True if a cell of this status shows a value. */
static inline bool pl_cell_has_value(enum pl_cell c)
{
    return c == PL_CELL_GOOD || c >= PL_CELL_WRAPPED;
}

enum pl_clock {
    PL_CLOCK_NONE,
    PL_CLOCK_TICK,   /* PERF_DATA_BLOCK.PerfTime, PerfFreq */
    PL_CLOCK_100NS,  /* PERF_DATA_BLOCK.PerfTime100nSec */
    PL_CLOCK_OBJECT, /* PERF_OBJECT_TYPE.PerfTime, PerfFreq */
};

enum pl_value_kind {
    PL_VALUE_NONE, /* a label, a base: nothing to show */
    PL_VALUE_DOUBLE,
    PL_VALUE_INTEGER, /* exact, unsigned */
    PL_VALUE_HEX,     /* 0x and 'digits' digits */
    /* letters; the caller, who has the block, fills in 'text' */
    PL_VALUE_TEXT,
};

struct pl_step {
    uint64_t n;        /* dN; N1 for types that use one sample */
    uint64_t base;     /* dB; B1 for fractions of now; M1 for MULTI types */
    int64_t clock;     /* dP, dH or dO; O1 - N1 for ELAPSED_TIME */
    int64_t freq;      /* of that clock, the newer sample's */
    enum pl_cell cell; /* GOOD, WRAPPED or why there is no value */
};

/* How the bytes of a counter are read. */
enum pl_reads {
    PL_READS_NOTHING, /* no number: a label, letters, a denominator */
    PL_READS_COUNT,   /* unsigned, of 4 or 8 bytes */
    PL_READS_DOUBLE,
};

/*
 * What a step is divided by; pl_step_make fills in 'clock' and 'base'
 * accordingly.
 */
enum pl_divisor {
    PL_BY_NOTHING,
    PL_BY_CLOCK,      /* difference of the clock */
    PL_BY_BASE,       /* difference of the base */
    PL_BY_BASE_NOW,   /* the base of the newer sample */
    PL_BY_COMPONENTS, /* the clock times the number of components (MULTI) */
    PL_BY_OWN_CLOCK,  /* a clock that is the base (PRECISION) */
    PL_BY_START,      /* nothing: 'clock' is the time since a start */
};

/*
 * Values with one of these simple shapes; all others are calculated by 'eval'.
 */
enum pl_shape {
    PL_SHAPE_OTHER,
    PL_SHAPE_COUNT,      /* n, an integer */
    PL_SHAPE_PER_SECOND, /* n / (clock / freq) */
    PL_SHAPE_PERCENT,    /* 100 * (n / clock), which cap100 concerns */
};

enum pl_trait {
    PL_FORMULA_ADDS_UP = 1,  /* values of instances may be summed */
    PL_FORMULA_INVERSE = 2,  /* counts what the value leaves out: idle time */
    PL_FORMULA_MULTI = 4,    /* 'base' is a number of components */
    PL_FORMULA_NO_TOTAL = 8, /* no _Total, whatever a log states */
};

/*
 * How counters of one type are calculated.  Read-only; formulas of the table
 * are static.
 */
struct pl_formula {
    uint32_t type;    /* as in the table, flag and ordinals resolved */
    uint32_t base;    /* type of the base that winperf.h pairs it with; or 0 */
    const char *name; /* "PERF_100NSEC_TIMER"; NULL for composed words */
    enum pl_clock clock;
    enum pl_value_kind kind;
    bool needs_two;  /* two samples */
    bool needs_base; /* uses the next definition, if it is a base */
    bool is_base;    /* it is a denominator itself, never shown */
    bool needs_freq; /* needs the frequency of the clock */
    uint8_t reads;   /* enum pl_reads */
    uint8_t divisor; /* enum pl_divisor */
    uint8_t shape;   /* enum pl_shape */
    uint8_t traits;  /* enum pl_trait, added */
    double (*eval)(const struct pl_step *s);
};

/*
 * The formula of a type word; 'size' is CounterSize.  Accepts 1992's ordinals,
 * the histogram flag, the spellings of counter-type tables that differ from
 * winperf.h, and for a word in no table composes the formula from its bit
 * fields in *scratch (which must then live as long as the result).  NULL if
 * there is none: PL_CELL_UNSUPPORTED.
 */
const struct pl_formula *pl_formula_of(uint32_t type, uint32_t size,
                                       struct pl_formula *scratch);

/*
 * The current type word for 'type': 1992's numbers and other spellings
 * replaced, the histogram flag cleared.  And its name in winperf.h,
 * "PERF_100NSEC_TIMER"; NULL if it has no name there.
 */
uint32_t pl_type_resolve(uint32_t type, uint32_t size);
const char *pl_type_name(uint32_t type, uint32_t size);

/* True if that current word is a denominator's, see pl_type_is_base. */
bool pl_type_resolves_to_base(uint32_t type, uint32_t size);

/* One counter of one instance in one sample, with the clock it needs. */
struct pl_reading {
    uint64_t value;
    uint64_t base; /* or M, zero-extended */
    bool has_base; /* a base is defined, whatever its size */
    uint32_t size; /* CounterSize of the value: 4 or 8 */
    uint32_t base_size;
    int64_t perf_time, perf_freq; /* of the block */
    int64_t time_100ns;           /* of the block */
    int64_t object_time, object_freq;
};

struct pl_calc_options {
    bool unwrap32;  /* a 4-byte counter that fell has wrapped */
    bool cap100;    /* percentages without MULTI stop at 100 */
    bool pdh_multi; /* MULTI timers times F, as PDH calculates them */
};

/*
 * Make the step from 'older' (NULL: there is none) to 'newer'.  step->cell says
 * whether it is good; every special case of the inputs is decided here, a
 * missing base included.  Readings of two samples whose frequency differs are
 * not compared: the newer counts as a first one.
 *
 * Good steps of one formula and one newer sample, or of one counter over time,
 * add up: n, base and clock each; only what is the same in both stays (the
 * clock in the first case, M in the second).
 */
void pl_step_make(const struct pl_formula *f, const struct pl_reading *older,
                  const struct pl_reading *newer,
                  const struct pl_calc_options *options, struct pl_step *step);

/*
 * How values of one counter over time are joined to one of a longer interval:
 * the formula over the sum of their steps, their mean weighed by time, or the
 * last.
 */
enum pl_join { PL_JOIN_SUM, PL_JOIN_MEAN, PL_JOIN_LAST };

enum pl_join pl_formula_join(const struct pl_formula *f);

/* True for rates and timers: values of several instances may be summed. */
bool pl_formula_adds_up(const struct pl_formula *f);

/*
 * True if steps of several instances, added up, are the step of their sum: they
 * are divided by one clock, or by bases that add up with them.  False if each
 * is taken from, or divided by, something of its own (inverse timers, MULTI and
 * PRECISION timers, times since a start): then their values are added up.
 */
bool pl_formula_adds_steps(const struct pl_formula *f);

/*
 * Add a good step of 'f' to a sum of such steps, keeping the newer one's M and
 * remark.  False, and the sum is unchanged: their clocks run at different
 * frequencies, or the sum would not fit.
 */
bool pl_step_add(const struct pl_formula *f, struct pl_step *sum,
                 const struct pl_step *step);

/* 'kind' says which of the numbers is set. */
struct pl_value {
    enum pl_cell cell;
    enum pl_value_kind kind;
    union {
        double number; /* PL_VALUE_DOUBLE */
        struct {
            uint64_t integer; /* PL_VALUE_INTEGER, PL_VALUE_HEX */
            uint8_t digits;   /* PL_VALUE_HEX: 8 or 16 */
        };
        /* PL_VALUE_TEXT: UTF-8, valid as long as its row */
        struct pl_text text;
    };
};

/*
 * The value of a good step; for any other step its cell and PL_VALUE_NONE.
 * Division by a base of 0 in AVERAGE and SAMPLE types gives 0; an inverse timer
 * below 0 is clamped.
 */
struct pl_value pl_formula_value(const struct pl_formula *f,
                                 const struct pl_step *step,
                                 const struct pl_calc_options *options);

/*
 * The same whatever options->cap100 is, for values that are calculated with
 * further; and what that option makes of a value in the end.
 */
struct pl_value pl_formula_uncapped(const struct pl_formula *f,
                                    const struct pl_step *step,
                                    const struct pl_calc_options *options);
void pl_value_cap(struct pl_value *v, const struct pl_formula *f,
                  const struct pl_calc_options *options);

#ifdef __cplusplus
}
#endif

#endif
