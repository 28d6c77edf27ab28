/* Percentiles from all values, or from marks among them. */
#include "analyze/calc/percentile.h"

#include "format/base/array.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of n values a mark between the ranks lo and hi may leave width * sqrt(r * (n
 * - r)) ranks unknown, with r that of both for which this is less.  The root
 * has two properties.  It shrinks towards the tails.  And it never falls when
 * further values come, wherever they come, so that a mark once allowed stays
 * allowed.  An answer's rank is off by half of it: 0.006 * sqrt(p * (1 - p)) of
 * n.
 */
static const double first_width = 0.012;
static const double widening = 1.1; /* where marks are too many */
/* Squares this far apart, as a share, differ whatever was rounded. */
static const double squares_differ = 1e-12;

enum { MIN_VALUES = 16, MAX_FRESH = PL_QUANTILE_EXACT, RUN = 8 };

void pl_percentiles_release(struct pl_percentiles *q)
{
    free(q->values);
    free(q->marks);
    *q = (struct pl_percentiles){ 0 };
}

/* ---- sorting --------------------------------------------------------------- */

/* Insert each value of a short run where it belongs. */
static void sort_run(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double one = v[i];
        size_t k = i;

        for (; k > 0 && v[k - 1] > one; k--)
            v[k] = v[k - 1];
        v[k] = one;
    }
}

/*
 * Exchange two values that are not in order, without a branch, which takes two
 * comparisons.  Values that are equal differ at most in the sign of a 0.
 */
static inline void put_in_order(double *a, double *b)
{
    const double first = *a, second = *b;

    *a = second < first ? second : first;
    *b = second > first ? second : first;
}

/*
 * A whole run, by a sorting network: which values are compared does not depend
 * on the values, so no branch is taken wrongly.
 */
static void sort_whole_run(double *run)
{
    double v[RUN];

    memcpy(v, run, sizeof v);
    put_in_order(&v[0], &v[2]);
    put_in_order(&v[1], &v[3]);
    put_in_order(&v[4], &v[6]);
    put_in_order(&v[5], &v[7]);
    put_in_order(&v[0], &v[4]);
    put_in_order(&v[1], &v[5]);
    put_in_order(&v[2], &v[6]);
    put_in_order(&v[3], &v[7]);
    put_in_order(&v[0], &v[1]);
    put_in_order(&v[2], &v[3]);
    put_in_order(&v[4], &v[5]);
    put_in_order(&v[6], &v[7]);
    put_in_order(&v[2], &v[4]);
    put_in_order(&v[3], &v[5]);
    put_in_order(&v[1], &v[4]);
    put_in_order(&v[3], &v[6]);
    put_in_order(&v[1], &v[2]);
    put_in_order(&v[3], &v[4]);
    put_in_order(&v[5], &v[6]);
    memcpy(run, v, sizeof v);
}

/* Merge two sorted runs; equal values stay in their order. */
static void merge_runs(const double *a, size_t num_a, const double *b,
                       size_t num_b, double *out)
{
    while (num_a && num_b) {
        const bool second = *a > *b;

        *out++ = second ? *b : *a;
        b += second;
        num_b -= second;
        a += !second;
        num_a -= !second;
    }
    memcpy(out, a, num_a * sizeof *a);
    memcpy(out + num_a, b, num_b * sizeof *b);
}

/*
 * The same for two runs of 'len' values that follow each other.  Each half of
 * the result is taken from one end, so no run can run out, and the processor
 * works at both ends at once.
 */
static void merge_equal_runs(const double *a, size_t len, double *out)
{
    const double *b = a + len;
    size_t first = 0, last = 0; /* taken of the ends of 'a' */

    for (size_t i = 0; i < len; i++) {
        const double low_a = a[first], low_b = b[i - first];
        const double high_a = a[len - 1 - last], high_b = b[len - 1 - i + last];

        out[i] = low_a > low_b ? low_b : low_a;
        first += low_a <= low_b;
        out[2 * len - 1 - i] = high_a > high_b ? high_a : high_b;
        last += high_a > high_b;
    }
}

static bool is_sorted(const double *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i - 1] > v[i])
            return false;
    return true;
}

/*
 * Sort at most MAX_FRESH values as a stable qsort would, without its calls:
 * statistics spend most of their time here.  Many series never change.
 */
static void sort_values(struct pl_percentiles *q)
{
    double room[MAX_FRESH], *from = q->values, *to = room, *other;
    const size_t n = q->num;
    size_t i;

    if (is_sorted(from, n))
        return;
    for (i = 0; i + RUN <= n; i += RUN)
        sort_whole_run(from + i);
    sort_run(from + i, n - i);
    for (size_t len = RUN; len < n; len *= 2) {
        for (i = 0; i + 2 * len <= n; i += 2 * len)
            merge_equal_runs(from + i, len, to + i);
        if (i < n) {
            const size_t left = n - i < len ? n - i : len;

            merge_runs(from + i, left, from + i + left, n - i - left, to + i);
        }
        other = from;
        from = to;
        to = other;
    }
    if (from != q->values)
        memcpy(q->values, from, n * sizeof *from);
}

/* ---- marks --------------------------------------------------------------- */

/*
 * Sort the values in among the marks.  A fresh value's rank is known but for
 * that of the mark it comes before; after the last mark nothing is unknown.
 */
static size_t merge_values(const struct pl_percentiles *q,
                           struct pl_percentile_mark *out)
{
    size_t num = 0, k = 0;

    for (size_t i = 0; i <= q->num_marks; i++) {
        const struct pl_percentile_mark *m =
            i < q->num_marks ? &q->marks[i] : NULL;

        for (; k < q->num && (!m || q->values[k] <= m->value); k++)
            out[num++] = (struct pl_percentile_mark){
                .value = q->values[k],
                .num = 1,
                .slack = m && i ? m->num + m->slack - 1 : 0,
            };
        if (m)
            out[num++] = *m;
    }
    return num;
}

/*
 * May so many ranks stay unknown between the ranks 'lo' and 'hi' of n?  The root
 * takes longer than all the rest, and only decides where the squares are closer
 * than they are exact.
 */
static bool is_allowed(uint64_t unknown, double width, uint64_t lo, uint64_t hi,
                       uint64_t n)
{
    /* r * (n - r) is less for the rank that is farther from the middle */
    const uint64_t rank = lo + hi < n ? lo : hi;
    const double least = (double)rank * (double)(n - rank);
    const double square = (double)unknown * (double)unknown;
    const double most = width * width * least;

    if (fabs(square - most) > most * squares_differ)
        return square < most;
    return (double)unknown <= width * sqrt(least);
}

/*
 * Between two marks of one value there is nothing else, so a third one in
 * between adds no information.
 */
static bool is_within_run(const struct pl_percentile_mark *marks, size_t i,
                          double value)
{
    return i > 0 && marks[i].value == value && marks[i - 1].value == value;
}

/* Merge marks into the one after them where that is allowed; in place. */
static size_t join_marks(struct pl_percentile_mark *marks, size_t num,
                         uint64_t n, double width)
{
    size_t keep = num - 1, joined = 0;
    uint64_t rank = n; /* the least of marks[keep] */

    for (size_t i = num - 1; i-- > 0;) {
        struct pl_percentile_mark *k = &marks[keep];
        uint64_t lo = rank - k->num - marks[i].num, hi = rank + k->slack;
        uint64_t unknown = marks[i].num + k->num + k->slack;

        if (is_within_run(marks, i, k->value) ||
            is_allowed(unknown, width, lo, hi, n)) {
            k->num += marks[i].num;
            joined++;
        } else {
            rank -= k->num;
            marks[--keep] = marks[i];
        }
    }
    memmove(marks, marks + keep, (num - joined) * sizeof *marks);
    return num - joined;
}

static enum pl_status digest(struct pl_percentiles *q)
{
    struct pl_percentile_mark all[PL_QUANTILE_MARKS + MAX_FRESH];
    size_t num;

    if (!q->marks) {
        q->marks = malloc(PL_QUANTILE_MARKS * sizeof *q->marks);
        if (!q->marks)
            return PL_NOMEM;
        q->width = first_width;
    }
    sort_values(q);
    num = merge_values(q, all);
    q->in_marks += q->num;
    q->num = 0;
    num = join_marks(all, num, q->in_marks, q->width);
    while (num > PL_QUANTILE_MARKS) {
        q->width *= widening;
        num = join_marks(all, num, q->in_marks, q->width);
    }
    memcpy(q->marks, all, num * sizeof *all);
    q->num_marks = num;
    return PL_OK;
}

/* ---- values -------------------------------------------------------------- */

static enum pl_status grow(struct pl_percentiles *q)
{
    size_t cap = q->cap ? 2 * q->cap : MIN_VALUES;

    if (!pl_array_resize((void **)&q->values, cap, sizeof *q->values))
        return PL_NOMEM;
    q->cap = cap;
    return PL_OK;
}

/* After the first digest, room for one batch suffices. */
static void shrink(struct pl_percentiles *q)
{
    /* Without memory it stays as large as it was. */
    (void)pl_array_resize((void **)&q->values, PL_QUANTILE_BATCH,
                          sizeof *q->values);
    q->cap = PL_QUANTILE_BATCH;
}

enum pl_status pl_percentiles_make_room(struct pl_percentiles *q)
{
    enum pl_status s;

    if (!q->marks && q->num != PL_QUANTILE_EXACT)
        return grow(q);
    s = digest(q);
    if (!s && q->cap > PL_QUANTILE_BATCH)
        shrink(q);
    return s;
}

/* ceil(n * percent / 100), without overflow. */
static uint64_t rank_of(uint64_t n, unsigned percent)
{
    return n / 100 * percent + (n % 100 * percent + 99) / 100;
}

/* How far 'rank' may be from all ranks between two of known bounds. */
static uint64_t distance(uint64_t rank, uint64_t first_most,
                         uint64_t last_least)
{
    uint64_t above = first_most > rank ? first_most - rank : 0;
    uint64_t below = rank > last_least ? rank - last_least : 0;

    return above > below ? above : below;
}

/* The value whose rank has the smallest possible distance from 'rank'. */
static struct pl_percentile nearest(const struct pl_percentiles *q,
                                    uint64_t rank)
{
    struct pl_percentile best = { 0, INFINITY };
    uint64_t least = 0, first_most = 0;

    for (size_t i = 0; i < q->num_marks; i++) {
        const struct pl_percentile_mark *m = &q->marks[i];
        double off;

        least += m->num;
        if (!i || m[-1].value != m->value)
            first_most = least + m->slack;
        off = (double)distance(rank, first_most, least);
        if (off < best.rank_error)
            best = (struct pl_percentile){ m->value, off };
    }
    best.rank_error /= (double)q->in_marks;
    return best;
}

struct pl_percentile pl_percentiles_at(struct pl_percentiles *q,
                                       unsigned percent)
{
    assert(percent >= 1 && percent <= 100 && (q->marks || q->num));
    if (q->marks && q->num)
        digest(q); /* cannot fail, as the marks are there */
    if (q->marks)
        return nearest(q, rank_of(q->in_marks, percent));
    sort_values(q);
    return (struct pl_percentile){ q->values[rank_of(q->num, percent) - 1], 0 };
}
