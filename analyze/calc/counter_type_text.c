/* Spells a counter type out in winperf.h's field names. */
#include "analyze/calc/counter_type_text.h"

#include "analyze/calc/calc.h"
#include "format/block/winperf.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { LAST_OF_1992 = 21, SUBTYPES = 8 };

static const char *const sizes[] = { "DWORD", "LARGE", "ZERO", "VARIABLE_LEN" };
static const char *const types[] = { "NUMBER", "COUNTER", "TEXT", "ZERO" };
static const char *const timers[] = { "TICK", "100NS", "OBJECT" };
static const char *const displays[] = { "NO_SUFFIX", "PER_SEC", "PERCENT",
                                        "SECONDS", "NOSHOW" };
/* Subtypes by type; a type without a row has no named subtypes. */
static const char *const subtypes[][SUBTYPES] = {
    { "HEX", "DECIMAL", "DEC_1000" },
    { "VALUE", "RATE", "FRACTION", "BASE", "ELAPSED", "QUEUELEN", "HISTOGRAM",
      "PRECISION" },
    { "UNICODE", "ASCII" },
};
static const struct {
    uint32_t bit;
    const char *name;
} flags[] = {
    { PERF_DELTA_COUNTER, "DELTA_COUNTER" },
    { PERF_DELTA_BASE, "DELTA_BASE" },
    { PERF_INVERSE_COUNTER, "INVERSE_COUNTER" },
    { PERF_MULTI_COUNTER, "MULTI_COUNTER" },
    { PERF_COUNTER_HISTOGRAM_TYPE, "HISTOGRAM_TYPE" },
};

/* One field: its name where it has one, else its number. */
static void put_field(struct pl_buf *out, const char *field, uint32_t value,
                      const char *const names[], size_t num)
{
    char number[16];

    pl_buf_string(out, field);
    snprintf(number, sizeof number, "%" PRIu32, value);
    pl_buf_string(out, value < num && names[value] ? names[value] : number);
}

void pl_type_describe(struct pl_buf *out, uint32_t type, uint32_t size)
{
    uint32_t ordinal = type & ~PERF_COUNTER_HISTOGRAM_TYPE;
    uint32_t known = PERF_SIZE_MASK | PERF_TYPE_MASK | PERF_SUBTYPE_MASK |
                     PERF_TIMER_MASK | PERF_DISPLAY_MASK;
    uint32_t word = type, kind;
    char text[48];

    if (ordinal && ordinal <= LAST_OF_1992) {
        word =
            pl_type_resolve(type, size) | (type & PERF_COUNTER_HISTOGRAM_TYPE);
        snprintf(text, sizeof text,
                 "number %" PRIu32 " of 1992, now 0x%08" PRIx32 ": ", ordinal,
                 word);
        pl_buf_string(out, text);
    }
    kind = (word & PERF_TYPE_MASK) >> 10;
    put_field(out, "size ", (word & PERF_SIZE_MASK) >> 8, sizes, COUNT(sizes));
    put_field(out, ", type ", kind, types, COUNT(types));
    if (kind < COUNT(subtypes))
        put_field(out, ", subtype ", (word & PERF_SUBTYPE_MASK) >> 16,
                  subtypes[kind], SUBTYPES);
    if ((word & PERF_TYPE_MASK) == PERF_TYPE_COUNTER)
        put_field(out, ", timer ", (word & PERF_TIMER_MASK) >> 20, timers,
                  COUNT(timers));
    for (size_t i = 0; i < COUNT(flags); i++) {
        known |= flags[i].bit;
        if (!(word & flags[i].bit))
            continue;
        pl_buf_string(out, ", ");
        pl_buf_string(out, flags[i].name);
    }
    put_field(out, ", display ", (word & PERF_DISPLAY_MASK) >> 28, displays,
              COUNT(displays));
    if (word & ~known) {
        snprintf(text, sizeof text, ", reserved 0x%08" PRIx32, word & ~known);
        pl_buf_string(out, text);
    }
}

const char *pl_detail_name(uint32_t level)
{
    switch (level) {
    case PERF_DETAIL_NOVICE:
        return "novice";
    case PERF_DETAIL_ADVANCED:
        return "advanced";
    case PERF_DETAIL_EXPERT:
        return "expert";
    case PERF_DETAIL_WIZARD:
        return "wizard";
    default:
        return NULL;
    }
}
