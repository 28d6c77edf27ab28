/* The time axis of charts: rows, buckets, and what lies at the ends of time. */
#include "analyze/report/chart_axis.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <stdlib.h>

#define SECOND PL_NS_PER_SEC
#define START (INT64_C(1795246502) * SECOND)

static void add(struct pl_axis *a, int64_t time_ns)
{
    if (pl_axis_add(a, time_ns, SECOND))
        ck_abort_msg("out of memory");
}

static struct pl_axis axis_of(int64_t first_ns, int64_t step_ns, int num)
{
    struct pl_axis a = { 0 };

    for (int i = 0; i < num; i++)
        add(&a, first_ns + i * step_ns);
    ck_assert_int_eq(pl_axis_end(&a, PL_AXIS_POINTS), PL_OK);
    return a;
}

/* Each row has a point, and no point is earlier than its rows. */
static void check_rows(const struct pl_axis *a, int64_t first_ns,
                       int64_t step_ns, int num)
{
    size_t last = 0;
    bool good = true; /* asked once, as asking costs */

    for (int i = 0; i < num; i++) {
        int64_t t = first_ns + i * step_ns;
        size_t point = pl_axis_find(a, t);

        good &= point < a->num && point >= last && pl_axis_time(a, point) >= t;
        last = point;
    }
    ck_assert(good);
}

START_TEST(empty)
{
    struct pl_axis a = axis_of(0, 0, 0);

    ck_assert_uint_eq(a.num, 0);
    ck_assert_uint_eq(pl_axis_find(&a, 0), PL_AXIS_NONE);
    pl_axis_release(&a);
}
END_TEST

START_TEST(few_rows_are_points)
{
    struct pl_axis a = { 0 };
    static const int order[] = { 5, 3, 9, 3, 4 };

    for (size_t i = 0; i < 5; i++)
        add(&a, START + order[i] * SECOND);
    ck_assert_int_eq(pl_axis_end(&a, PL_AXIS_POINTS), PL_OK);
    ck_assert_uint_eq(a.num, 4);
    ck_assert_uint_eq(a.step_ns, 0);
    ck_assert_uint_eq(pl_axis_find(&a, START + 3 * SECOND), 0);
    ck_assert_uint_eq(pl_axis_find(&a, START + 9 * SECOND), 3);
    ck_assert_uint_eq(pl_axis_find(&a, START + 6 * SECOND), PL_AXIS_NONE);
    ck_assert_int_eq(pl_axis_time(&a, 2), START + 5 * SECOND);
    ck_assert_int_eq(a.first_ns, START + 3 * SECOND);
    ck_assert_int_eq(a.last_ns, START + 9 * SECOND);
    pl_axis_release(&a);
}
END_TEST

/* Rows, their distance, and the length of bucket that people would take. */
static const struct {
    int64_t distance_ns;
    int rows;
    int64_t length_ns;
} lengths[] = {
    { SECOND, PL_AXIS_POINTS, 0 },
    { SECOND, PL_AXIS_POINTS + 1, 2 * SECOND },
    { SECOND, 86401, 60 * SECOND },
    { 10 * SECOND, 60481, 600 * SECOND },
    { 10 * PL_NS_PER_MS, 6001, 50 * PL_NS_PER_MS },
    { 3600 * SECOND, 8761, 6 * 3600 * SECOND },
    { 86400 * SECOND, 20000, 11 * 86400 * SECOND },
};
enum { NUM_LENGTHS = sizeof lengths / sizeof *lengths };

START_TEST(lengths_of_buckets)
{
    struct pl_axis a =
        axis_of(START, lengths[_i].distance_ns, lengths[_i].rows);

    ck_assert_int_eq((int64_t)a.step_ns, lengths[_i].length_ns);
    ck_assert_uint_le(a.num, PL_AXIS_POINTS);
    check_rows(&a, START, lengths[_i].distance_ns, lengths[_i].rows);
    for (size_t i = 0; i < a.num && a.step_ns; i++)
        ck_assert_int_eq(pl_axis_time(&a, i) % lengths[_i].length_ns, 0);
    pl_axis_release(&a);
}
END_TEST

/* (t - T, t]: a row at a multiple of T is the last of its bucket. */
START_TEST(borders)
{
    int64_t first = START - START % (60 * SECOND);
    struct pl_axis a = axis_of(first, SECOND, 86401);

    ck_assert_uint_eq(a.step_ns, (uint64_t)(60 * SECOND));
    ck_assert_uint_eq(pl_axis_find(&a, first), 0);
    ck_assert_int_eq(pl_axis_time(&a, 0), first);
    ck_assert_uint_eq(pl_axis_find(&a, first + 1), 1);
    ck_assert_uint_eq(pl_axis_find(&a, first + 60 * SECOND), 1);
    ck_assert_uint_eq(pl_axis_find(&a, first + 60 * SECOND + 1), 2);
    ck_assert_uint_eq(a.num, 1441);
    ck_assert_uint_eq(pl_axis_find(&a, first + 86400 * SECOND), 1440);
    ck_assert_uint_eq(pl_axis_find(&a, first + 86400 * SECOND + 1),
                      PL_AXIS_NONE);
    ck_assert_uint_eq(pl_axis_find(&a, first - 60 * SECOND), PL_AXIS_NONE);
    pl_axis_release(&a);
}
END_TEST

/* Before 1970, across it, and where time ends. */
static const struct {
    int64_t first_ns, distance_ns;
} far[] = {
    { -START, 7 * SECOND },          { -3000 * SECOND, 2 * SECOND },
    { INT64_MIN, INT64_MAX / 3000 }, { INT64_MIN, 1 },
    { INT64_MIN + 1, PL_NS_PER_MS }, { INT64_MAX - 3000 * SECOND, SECOND },
};
enum { NUM_FAR = sizeof far / sizeof *far };

START_TEST(ends_of_time)
{
    struct pl_axis a = axis_of(far[_i].first_ns, far[_i].distance_ns, 3000);

    ck_assert_uint_gt(a.step_ns, 0);
    ck_assert_uint_le(a.num, PL_AXIS_POINTS);
    check_rows(&a, far[_i].first_ns, far[_i].distance_ns, 3000);
    for (size_t i = 1; i < a.num; i++)
        ck_assert_int_gt(pl_axis_time(&a, i), pl_axis_time(&a, i - 1));
    pl_axis_release(&a);
}
END_TEST

START_TEST(all_at_one_time)
{
    struct pl_axis a = axis_of(START, 0, 5000);

    ck_assert_uint_eq(a.num, 1);
    ck_assert_uint_eq(pl_axis_find(&a, START), 0);
    pl_axis_release(&a);
}
END_TEST

START_TEST(breaks)
{
    struct pl_axis a = { 0 };

    add(&a, START);
    add(&a, START + 3 * SECOND);
    add(&a, START + 7 * SECOND);
    ck_assert_int_eq(pl_axis_end(&a, PL_AXIS_POINTS), PL_OK);
    ck_assert(!pl_axis_is_broken(&a, 0, 1));
    ck_assert(pl_axis_is_broken(&a, 1, 2));
    a.interval_ns = 0; /* an import: nobody knows what is usual */
    ck_assert(!pl_axis_is_broken(&a, 1, 2));
    pl_axis_release(&a);
}
END_TEST

START_TEST(points_that_were_met)
{
    struct pl_axis a = axis_of(START, SECOND, 3);

    ck_assert_uint_eq(pl_axis_meet(&a, START + SECOND), 1);
    ck_assert_uint_eq(pl_axis_meet(&a, START + 9 * SECOND), PL_AXIS_NONE);
    ck_assert(!a.met[0] && a.met[1] && !a.met[2]);
    pl_axis_release(&a);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("axis");
    TCase *all[] = { tc, NULL };

    tcase_add_test(tc, empty);
    tcase_add_test(tc, few_rows_are_points);
    tcase_add_loop_test(tc, lengths_of_buckets, 0, NUM_LENGTHS);
    tcase_add_test(tc, borders);
    tcase_add_loop_test(tc, ends_of_time, 0, NUM_FAR);
    tcase_add_test(tc, all_at_one_time);
    tcase_add_test(tc, breaks);
    tcase_add_test(tc, points_that_were_met);
    return run_suite("axis", all);
}
