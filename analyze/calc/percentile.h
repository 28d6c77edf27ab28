/*                                                analyze/calc/percentile.h
 * Percentiles of any number of values in bounded memory.  Up to a fixed number
 * all values are kept, and percentiles are exact.  Beyond, neighbouring values
 * are merged into marks: values that occurred, with the least and the greatest
 * rank they can have among all.  Marks are close at the tails and wider apart
 * in the middle.  As the ranks are known, so is the largest possible error of
 * an answer, whatever the order of the values.
 *
 * Source: M.  Greenwald and S.  Khanna, "Space-efficient online computation of
 * quantile summaries" (2001), with batches instead of single values and the
 * tails' scale of T.  Dunning's t-digest (2019).
 */
#ifndef PL_ANALYZE_CALC_PERCENTILE_H
#define PL_ANALYZE_CALC_PERCENTILE_H

#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_QUANTILE_EXACT = 1024, /* values for which percentiles are exact */
    PL_QUANTILE_BATCH = 256,  /* values gathered before they are merged */
    PL_QUANTILE_MARKS = 512,  /* never more; so at most 15 kB altogether */
};

/* A value and the values merged into it, all of which are less or equal. */
struct pl_percentile_mark {
    double value;
    uint64_t num;   /* values after the previous mark, up to this one */
    uint64_t slack; /* its rank may be so much greater */
};

/* All zero is empty. */
struct pl_percentiles {
    double *values; /* those not in the marks */
    size_t num, cap;
    struct pl_percentile_mark
        *marks; /* ascending; NULL: all values are in 'values' */
    size_t num_marks;
    uint64_t in_marks; /* values they stand for */
    double width;      /* how wide marks may be, see percentile.c */
};

void pl_percentiles_release(struct pl_percentiles *q);

/* Room for one more value, where there is none.  PL_NOMEM. */
enum pl_status pl_percentiles_make_room(struct pl_percentiles *q);

/* Take one more value, which is finite.  PL_NOMEM: it is left out. */
static inline enum pl_status pl_percentiles_add(struct pl_percentiles *q,
                                                double value)
{
    enum pl_status s = q->num == q->cap ? pl_percentiles_make_room(q) : PL_OK;

    if (!s)
        q->values[q->num++] = value;
    return s;
}

struct pl_percentile {
    double value;
    /*
     * The value's rank differs from the one asked for by at most this share
     * of the number of values; 0: exact.
     */
    double rank_error;
};

/*
 * The least value that 'percent' (1 to 100) of all values do not exceed: that
 * of rank ceil(n * percent / 100).  There must be at least one value.
 */
struct pl_percentile pl_percentiles_at(struct pl_percentiles *q,
                                       unsigned percent);

#endif
