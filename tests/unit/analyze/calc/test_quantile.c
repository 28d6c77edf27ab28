/* Percentiles of all values, and of more than are kept, in orders of ill will. */
#include "analyze/calc/percentile.h"
#include "tests/support/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 40000, NUM_PERCENTS = 6 };
static const unsigned percents[NUM_PERCENTS] = { 1, 50, 90, 95, 99, 100 };

static double between_0_and_1(uint64_t *state)
{
    *state =
        *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* ---- orders --------------------------------------------------------------------- */

static double sorted(size_t i, uint64_t *r)
{
    (void)r;
    return (double)i;
}

static double reversed(size_t i, uint64_t *r)
{
    (void)r;
    return -(double)i;
}

static double constant(size_t i, uint64_t *r)
{
    (void)i, (void)r;
    return 7;
}

static double random_order(size_t i, uint64_t *r)
{
    (void)i;
    return between_0_and_1(r);
}

static double bimodal(size_t i, uint64_t *r)
{
    (void)i;
    return between_0_and_1(r) + (between_0_and_1(r) < 0.5 ? 1000 : 0);
}

static double heavy_tail(size_t i, uint64_t *r)
{
    (void)i;
    return pow(between_0_and_1(r) + 1e-12, -3);
}

static double outward(size_t i, uint64_t *r)
{
    (void)r;
    return i % 2 ? (double)i : -(double)i;
}

static double inward(size_t i, uint64_t *r)
{
    (void)r;
    return i % 2 ? (double)(MANY - i) : -(double)(MANY - i);
}

static double few_values(size_t i, uint64_t *r)
{
    (void)i;
    return floor(between_0_and_1(r) * 3);
}

/* 97 of 100 are 0: a disk that is idle most of the time. */
static double mostly_zero(size_t i, uint64_t *r)
{
    return i % 100 < 97 ? 0 : 1 + between_0_and_1(r);
}

/* Each batch is a run of its own place: no two neighbours come together. */
static double runs(size_t i, uint64_t *r)
{
    (void)r;
    return (double)(i / 256 * 7919 % 4001) + (double)(i % 256) / 256;
}

static double sawtooth(size_t i, uint64_t *r)
{
    (void)r;
    return (double)(i % 1000) + (double)i / 1e7;
}

/*
 * 'widened': what comes always falls between what came before, so that marks
 * must become wider; there the bound that is reported has to do.
 */
static const struct order {
    const char *name;
    double (*value)(size_t i, uint64_t *random);
    bool widened;
} orders[] = {
    { "sorted", sorted, false },     { "reversed", reversed, false },
    { "constant", constant, false }, { "random", random_order, false },
    { "bimodal", bimodal, false },   { "heavy tail", heavy_tail, false },
    { "outward", outward, false },   { "inward", inward, true },
    { "few", few_values, false },    { "mostly 0", mostly_zero, false },
    { "runs", runs, true },          { "sawtooth", sawtooth, true },
};

static double *values_of(const struct order *o, size_t num)
{
    double *v = malloc(num * sizeof *v);
    uint64_t random = 42;

    ck_assert_ptr_nonnull(v);
    for (size_t i = 0; i < num; i++)
        v[i] = o->value(i, &random);
    return v;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* How far the ranks of 'value' among 'sorted' are from 'rank'. */
static double off_by(const double *sorted_, size_t num, double value,
                     size_t rank)
{
    size_t less = 0, not_more = 0;

    for (size_t i = 0; i < num; i++) {
        less += sorted_[i] < value;
        not_more += sorted_[i] <= value;
    }
    ck_assert_uint_gt(not_more, less); /* it is one of them */
    if (rank <= less)
        return (double)(less + 1 - rank);
    return rank > not_more ? (double)(rank - not_more) : 0;
}

static void fill(struct pl_percentiles *q, const double *values, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        ck_assert_int_eq(pl_percentiles_add(q, values[i]), PL_OK);
        ck_assert_uint_le(q->cap, PL_QUANTILE_EXACT);
        ck_assert_uint_le(q->num_marks, PL_QUANTILE_MARKS);
    }
}

/* ---- tests ---------------------------------------------------------------------- */

/* By hand: of 4 values rank 2 is the median, rank 4 all above three quarters. */
START_TEST(four_values)
{
    static const double values[] = { 30, -10, 20, 40 };
    struct pl_percentiles q = { 0 };

    fill(&q, values, 4);
    ck_assert_double_eq(pl_percentiles_at(&q, 1).value, -10);
    ck_assert_double_eq(pl_percentiles_at(&q, 25).value, -10);
    ck_assert_double_eq(pl_percentiles_at(&q, 26).value, 20);
    ck_assert_double_eq(pl_percentiles_at(&q, 50).value, 20);
    ck_assert_double_eq(pl_percentiles_at(&q, 75).value, 30);
    ck_assert_double_eq(pl_percentiles_at(&q, 76).value, 40);
    ck_assert_double_eq(pl_percentiles_at(&q, 100).value, 40);
    /* Asking has changed nothing. */
    ck_assert_int_eq(pl_percentiles_add(&q, 0), PL_OK);
    ck_assert_double_eq(pl_percentiles_at(&q, 50).value, 20);
    ck_assert_double_eq(pl_percentiles_at(&q, 40).value, 0);
    pl_percentiles_release(&q);
}
END_TEST

/*
 * A network that sorts every row of zeros and ones sorts everything (Knuth,
 * vol. 3, 5.3.4).  Of 11 values, a whole run is merged with a rest.
 */
START_TEST(every_row_of_zeros_and_ones_is_sorted)
{
    for (unsigned bits = 0; bits < 1u << 11; bits++) {
        struct pl_percentiles q = { 0 };
        unsigned ones = 0;

        for (unsigned i = 0; i < 11; i++) {
            ck_assert_int_eq(pl_percentiles_add(&q, bits >> i & 1), PL_OK);
            ones += bits >> i & 1;
        }
        for (unsigned rank = 1; rank <= 11; rank++)
            ck_assert_double_eq(pl_percentiles_at(&q, rank * 100 / 11).value,
                                rank > 11 - ones);
        pl_percentiles_release(&q);
    }
}
END_TEST

START_TEST(exact_up_to_the_limit)
{
    const struct order *o = &orders[_i];
    double *values = values_of(o, PL_QUANTILE_EXACT);
    struct pl_percentiles q = { 0 };

    fill(&q, values, PL_QUANTILE_EXACT);
    qsort(values, PL_QUANTILE_EXACT, sizeof *values, by_value);
    for (int i = 0; i < NUM_PERCENTS; i++) {
        struct pl_percentile a = pl_percentiles_at(&q, percents[i]);
        size_t rank = (PL_QUANTILE_EXACT * percents[i] + 99) / 100;

        ck_assert_double_eq(a.value, values[rank - 1]);
        ck_assert_double_eq(a.rank_error, 0);
    }
    pl_percentiles_release(&q);
    free(values);
}
END_TEST

/* What the manual promises for orders that widen nothing. */
static double promised(unsigned percent)
{
    double p = percent / 100.0;

    return 0.006 * sqrt(p * (1 - p)) + 2.0 / MANY;
}

START_TEST(bounds_hold_in_every_order)
{
    const struct order *o = &orders[_i];
    double *values = values_of(o, MANY);
    struct pl_percentiles q = { 0 };

    fill(&q, values, MANY);
    qsort(values, MANY, sizeof *values, by_value);
    for (int i = 0; i < NUM_PERCENTS; i++) {
        struct pl_percentile a = pl_percentiles_at(&q, percents[i]);
        size_t rank = ((size_t)MANY * percents[i] + 99) / 100;
        double off = off_by(values, MANY, a.value, rank) / MANY;

        ck_assert_msg(off <= a.rank_error + 1e-12,
                      "%s p%u: off by %g of the ranks, reported %g", o->name,
                      percents[i], off, a.rank_error);
        ck_assert_msg(a.rank_error <=
                          promised(percents[i]) * (o->widened ? 8 : 1),
                      "%s p%u: told %g", o->name, percents[i], a.rank_error);
    }
    ck_assert_double_eq(pl_percentiles_at(&q, 100).value, values[MANY - 1]);
    pl_percentiles_release(&q);
    free(values);
}
END_TEST

/* Few different values never need an approximation. */
START_TEST(repeated_values_stay_exact)
{
    uint64_t random = 1;
    struct pl_percentiles q = { 0 };

    for (size_t i = 0; i < MANY; i++)
        ck_assert_int_eq(pl_percentiles_add(&q, few_values(i, &random)), PL_OK);
    ck_assert_uint_le(q.num_marks, 6);
    for (int i = 0; i < NUM_PERCENTS; i++)
        ck_assert_double_eq(pl_percentiles_at(&q, percents[i]).rank_error, 0);
    pl_percentiles_release(&q);
}
END_TEST

/* Answers in between use a batch that is not full, and change no later one. */
START_TEST(asking_often_keeps_the_bounds)
{
    double *values = values_of(&orders[3], 5000);
    struct pl_percentiles q = { 0 };

    for (size_t i = 0; i < 5000; i++) {
        ck_assert_int_eq(pl_percentiles_add(&q, values[i]), PL_OK);
        if (i % 7 == 0)
            pl_percentiles_at(&q, 90);
    }
    qsort(values, 5000, sizeof *values, by_value);
    for (int i = 0; i < NUM_PERCENTS; i++) {
        struct pl_percentile a = pl_percentiles_at(&q, percents[i]);

        ck_assert_double_le(off_by(values, 5000, a.value, 50 * percents[i]) /
                                5000,
                            a.rank_error + 1e-12);
    }
    pl_percentiles_release(&q);
    free(values);
}
END_TEST

/* No mark leaves more ranks unknown than its place allows. */
START_TEST(marks_are_as_close_as_their_ranks_want)
{
    const struct order *o = &orders[_i];
    double *values = values_of(o, MANY);
    struct pl_percentiles q = { 0 };
    uint64_t rank = 0, n;

    for (size_t i = 0; i < MANY; i++)
        ck_assert_int_eq(pl_percentiles_add(&q, values[i]), PL_OK);
    n = q.in_marks;
    ck_assert_ptr_nonnull(q.marks);
    for (size_t i = 0; i < q.num_marks; i++) {
        const struct pl_percentile_mark *m = &q.marks[i];
        uint64_t lo = rank, hi = rank + m->num + m->slack;
        double at_lo = (double)lo * (double)(n - lo);
        double at_hi = (double)hi * (double)(n - hi);

        rank += m->num;
        if (m->num == 1 || (i && m[-1].value == m->value))
            continue;
        ck_assert_msg((double)(m->num + m->slack) <=
                          q.width * sqrt(at_lo < at_hi ? at_lo : at_hi),
                      "%s: mark %zu of %zu, ranks %" PRIu64 " to %" PRIu64,
                      o->name, i, q.num_marks, lo, hi);
    }
    ck_assert_uint_eq(rank, n);
    pl_percentiles_release(&q);
    free(values);
}
END_TEST

int main(void)
{
    const int num_orders = sizeof orders / sizeof *orders;
    TCase *exact = tcase_create("exact"), *marks = tcase_create("marks");
    TCase *all[] = { exact, marks, NULL };

    tcase_add_test(exact, four_values);
    tcase_add_test(exact, every_row_of_zeros_and_ones_is_sorted);
    tcase_add_loop_test(exact, exact_up_to_the_limit, 0, num_orders);
    tcase_add_loop_test(marks, bounds_hold_in_every_order, 0, num_orders);
    tcase_add_test(marks, repeated_values_stay_exact);
    tcase_add_test(marks, asking_often_keeps_the_bounds);
    tcase_add_loop_test(exact, marks_are_as_close_as_their_ranks_want, 0,
                        sizeof orders / sizeof *orders);
    return run_suite("quantile", all);
}
