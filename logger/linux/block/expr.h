/*                                                logger/linux/block/expr.h
 * Expressions: how a counter is computed from fields, as a short text:
 *
 *     "MemAvailable"                      a field of any of the sources
 *     "vmstat:pgpgin + vmstat:pgpgout"    fields of a named source
 *     "Cached + Buffers - Shmem"          a result below 0 is stored as 0
 *     "HugePages_Total * Hugepagesize"
 *     "allocstall_dma? + allocstall_high?"  those present, at least one
 *     "anonymous | RssAnon + VmSwap"      the first one with all its fields
 *
 * A text is compiled against the fields present, to a few additions per sample.
 * Names consist of letters, digits, '_', '(' and ')'.
 */
#ifndef PL_LOGGER_LINUX_BLOCK_EXPR_H
#define PL_LOGGER_LINUX_BLOCK_EXPR_H

#include "format/base/status.h"
#include "logger/linux/machine/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_TERMS = 6, PL_MAX_FACTORS = 2 };

/* A field: the number of its source in the object, and its own there. */
struct pl_place {
    uint16_t source;
    uint16_t field;
};

struct pl_term {
    uint32_t number;
    struct pl_place factors[PL_MAX_FACTORS];
    uint8_t num_factors;
    bool minus;
};

struct pl_expr {
    uint32_t num_terms;
    struct pl_term terms[PL_MAX_TERMS];
};

/*
 * PL_END: a required field is missing.  PL_USAGE: a syntax error, that is a
 * mistake in a table.
 */
enum pl_status pl_expr_compile(struct pl_expr *e, const char *text,
                               struct pl_source *const sources[],
                               size_t num_sources);

/* The value of 'num' terms over one row per source. */
static inline uint64_t pl_terms_value(const struct pl_term *terms, size_t num,
                                      const uint64_t *const rows[])
{
    uint64_t plus = 0, minus = 0;

    for (size_t i = 0; i < num; i++) {
        const struct pl_term *t = &terms[i];
        uint64_t v = t->number;

        for (unsigned f = 0; f < t->num_factors; f++)
            v *= rows[t->factors[f].source][t->factors[f].field];
        if (t->minus)
            minus += v;
        else
            plus += v;
    }
    return plus > minus ? plus - minus : 0;
}

#endif
