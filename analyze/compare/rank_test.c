/* A rank test of two windows. */
#include "analyze/compare/rank_test.h"

#include <math.h>

/* The least z of which nothing is known: windows of too few values. */
enum { MIN_VALUES = 2 };

static int sign(float a, float b)
{
    return (a > b) - (a < b);
}

/* The number of values before 'v' in order, equal ones as halves. */
static double rank_among(const float *values, size_t n, float v)
{
    double rank = 0;

    for (size_t i = 0; i < n; i++)
        rank += 0.5 * (1 + sign(v, values[i]));
    return rank;
}

/* ---- dependence ---------------------------------------------------------- */

/* How neighbouring ranks go together: their covariance, and the variance. */
struct dependence {
    double neighbours, all;
};

static struct dependence dependence_of(const float *values, size_t n)
{
    struct dependence d = { 0, 0 };
    double last = 0;

    for (size_t i = 0; i < n; i++) {
        double off = rank_among(values, n, values[i]) - 0.5 * (double)n;

        d.all += off * off;
        if (i)
            d.neighbours += last * off;
        last = off;
    }
    return d;
}

/* By what the standard deviation is greater than of independent values. */
static double widening(const float *before, size_t n, const float *after,
                       size_t m)
{
    struct dependence b = dependence_of(before, n);
    struct dependence a = dependence_of(after, m);
    double all = b.all + a.all, num = (double)(n + m), r;

    if (!(all > 0)) /* both are constant */
        return 1;
    r = (b.neighbours + a.neighbours) / all + 2 / num + 1 / sqrt(num);
    r = r < 0 ? 0 : r > 0.98 ? 0.98 : r;
    return sqrt((1 + r) / (1 - r));
}

/* ---- the test ------------------------------------------------------------ */

/* The sum of t * t * t - t over runs of t equal values of both windows. */
static double ties(const float *before, size_t n, const float *after, size_t m)
{
    double sum = 0;

    /* each of a run of t adds (t * t - 1), found by counting its equals */
    for (size_t i = 0; i < n + m; i++) {
        float v = i < n ? before[i] : after[i - n];
        double equal = 0;

        for (size_t k = 0; k < n; k++)
            equal += before[k] == v;
        for (size_t k = 0; k < m; k++)
            equal += after[k] == v;
        sum += equal * equal - 1;
    }
    return sum;
}

struct pl_rank_test pl_rank_test(const float *before, size_t n,
                                 const float *after, size_t m)
{
    struct pl_rank_test t = { 0, 0 };
    double num = (double)(n + m), pairs = (double)n * (double)m;
    double variance, greater = 0;

    if (n < MIN_VALUES || m < MIN_VALUES)
        return t;
    for (size_t i = 0; i < m; i++)
        greater += rank_among(before, n, after[i]);
    t.delta = 2 * greater / pairs - 1;
    variance =
        pairs / 12 * (num + 1 - ties(before, n, after, m) / (num * (num - 1)));
    if (variance > 0)
        t.z = (greater - 0.5 * pairs) / sqrt(variance) /
              widening(before, n, after, m);
    return t;
}

double pl_rank_chance(double z)
{
    return erfc(fabs(z) / sqrt(2));
}
