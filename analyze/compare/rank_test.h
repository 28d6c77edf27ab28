/*                                              analyze/compare/rank_test.h
 * How far the values of one window differ from those of another, whatever their
 * distribution: the rank test of H. B.  Mann and D. R.  Whitney, "On a test of
 * whether one of two random variables is stochastically larger than the other"
 * (1947), with ties and the normal approximation, and the effect size of
 * N. Cliff, "Dominance statistics" (1993).
 *
 * Neighbouring values of a counter are not independent: a load that is high now
 * is high a second later.  So a window is a small number of means over equal
 * lengths of time, and as those may follow each other, too, the test counts as
 * if there were only n * (1 - r) / (1 + r) of them (the effective sample size of
 * a first-order autoregression; H. J.  Thiebaux and F. W.  Zwiers 1984).  'r' is
 * the correlation of neighbouring ranks in both windows, made greater by what a
 * sample of n may be off: by 1 / n, its bias, and by its standard error.  What
 * only rises, such as an up time, has r near 1, and is never unusual.
 */
#ifndef PL_ANALYZE_COMPARE_RANK_TEST_H
#define PL_ANALYZE_COMPARE_RANK_TEST_H

#include <stddef.h>

enum { PL_RANK_VALUES = 32 }; /* at most, of each window */

struct pl_rank_test {
    /*
     * The share of pairs in which the later value is greater, less the share
     * in which it is less: -1 to 1.
     */
    double delta;
    double z; /* in standard deviations of what equal windows would have */
};

/* Finite values in the order of time; 'n' and 'm' are at most PL_RANK_VALUES.
 */
struct pl_rank_test pl_rank_test(const float *before, size_t n,
                                 const float *after, size_t m);

/* The probability that equal windows differ so much or more, by accident. */
double pl_rank_chance(double z);

#endif
