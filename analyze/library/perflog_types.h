/*                                          analyze/library/perflog_types.h
 * What libperflog's functions give and take: statuses, texts, cells, and the
 * counter calculator of Windows NT's performance monitor, which makes the
 * displayed number of the raw values of one or two samples.  A type word
 * becomes a formula (pl_formula_of), a pair of readings becomes a step, where
 * every special case is decided once (pl_step_make), a step becomes a value
 * (pl_formula_value).  Steps of several instances may be added up in between:
 * that is how _Total and longer intervals are made.
 *
 * This header is the library's own: it includes nothing of perflog, and the
 * headers that perflog is built of may change independently.  A test compares
 * both (tests/unit/analyze/library).
 *
 * C11 and C++11, GCC and Clang.
 */
#ifndef PERFLOG_TYPES_H
#define PERFLOG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts --------------------------------------------------------------- */

/* UTF-8 that belongs to the library: no terminating NUL, any byte within. */
struct pl_text {
    const char *p;
    size_t n;
};

static inline struct pl_text pl_text_of(const char *s)
{
    const struct pl_text t = { s, s ? strlen(s) : 0 }; /* as C++ has it, too */

    return t;
}

static inline bool pl_text_equal(struct pl_text a, struct pl_text b)
{
    return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* A copy that ends with a NUL, to be freed; NULL: no memory. */
static inline char *pl_text_copy(struct pl_text t)
{
    char *copy = (char *)malloc(t.n + 1); /* C++ reads this, too */

    if (!copy)
        return NULL;
    if (t.n)
        memcpy(copy, t.p, t.n);
    copy[t.n] = 0;
    return copy;
}

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statuses ------------------------------------------------------------ */

/* Outcome of every call that can fail.  Zero is success. */
enum pl_status {
    PL_OK = 0,
    PL_END,         /* the end of the data; a normal outcome */
    PL_TRUNCATED,   /* input stops inside a structure */
    PL_CORRUPT,     /* a checksum or cross-field check failed */
    PL_UNSUPPORTED, /* well formed, but newer than this program */
    PL_TOO_LARGE,   /* over a limit; the switch that raises it is --max-block */
    PL_NOT_A_LOG,   /* the file does not begin like a log */
    PL_BUSY,        /* another recorder holds the log */
    PL_UNSAFE,      /* kind, owner, links or mode of the file forbid writing */
    PL_NO_SPACE,    /* less free space than the caller wants to leave */
    PL_USAGE,       /* an invalid argument */
    PL_IO,          /* the operating system refused; errno says why */
    PL_NOMEM,
    PL_ZEROS, /* as PL_NOT_A_LOG: it holds only zeros */
};

/*
 * One line of English for 's', without a full stop; for PL_IO it is the text of
 * errno, with advice where there is any.  Never NULL; valid until the next
 * call.
 */
const char *pl_status_text(enum pl_status s);

/* ---- the calculator ------------------------------------------------------ */

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

/*
 * How counters of one type are calculated.  Read-only; formulas of the table
 * are static.
 */
struct pl_formula {
    uint32_t type;    /* as in the table, flag and ordinals resolved */
    const char *name; /* "PERF_100NSEC_TIMER"; NULL for composed words */
    enum pl_clock clock;
    enum pl_value_kind kind;
    bool needs_two;  /* samples */
    bool needs_base; /* uses the next definition, if it is a base */
    bool is_base;    /* it is a denominator itself, never shown */
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

/* True for rates and timers: values of several instances may be summed. */
bool pl_formula_adds_up(const struct pl_formula *f);

/*
 * Add a good step of 'f' to a sum of such steps, keeping the newer one's M and
 * remark.  False, and the sum is unchanged: their clocks run at different
 * frequencies, or the sum would not fit.
 */
bool pl_step_add(const struct pl_formula *f, struct pl_step *sum,
                 const struct pl_step *step);

#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic push /* __extension__ does not silence it there */
#pragma clang diagnostic ignored "-Wnested-anon-types"
#endif

/* 'kind' says which of the numbers is set. */
struct pl_value {
    enum pl_cell cell;
    enum pl_value_kind kind;
    union {
        double number;         /* PL_VALUE_DOUBLE */
        __extension__ struct { /* which ISO C++ has only with a name */
            uint64_t integer;  /* PL_VALUE_INTEGER, PL_VALUE_HEX */
            uint8_t digits;    /* PL_VALUE_HEX: 8 or 16 */
        };
        /* PL_VALUE_TEXT: UTF-8, valid as long as its row */
        struct pl_text text;
    };
};

#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic pop
#endif

/*
 * The value of a good step; for any other step its cell and PL_VALUE_NONE.
 * Division by a base of 0 in AVERAGE and SAMPLE types gives 0; an inverse timer
 * below 0 is clamped.
 */
struct pl_value pl_formula_value(const struct pl_formula *f,
                                 const struct pl_step *step,
                                 const struct pl_calc_options *options);

#ifdef __cplusplus
}
#endif

#endif
