/* Points of time for charts. */
#include "analyze/report/chart_axis.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"
#include "format/time/time_text.h"

#include <stdlib.h>

/* Lengths of buckets; longer ones are complete days. */
static const int64_t lengths_ms[] = {
    1,       2,       5,        10,       20,       50,       100,
    200,     500,     1000,     2000,     5000,     10000,    15000,
    30000,   60000,   120000,   300000,   600000,   900000,   1800000,
    3600000, 7200000, 10800000, 14400000, 21600000, 43200000, 86400000,
};
enum { NUM_LENGTHS = sizeof lengths_ms / sizeof *lengths_ms };

/*
 * Instants as unsigned numbers, in the same order, so that no difference of two
 * overflows; 1970 is in the middle.
 */
#define IN_1970 (UINT64_C(1) << 63)

static uint64_t unsigned_of(int64_t ns)
{
    return (uint64_t)ns + IN_1970;
}

static int64_t signed_of(uint64_t u)
{
    return u >= IN_1970 ? (int64_t)(u - IN_1970) : (int64_t)u + INT64_MIN;
}

void pl_axis_release(struct pl_axis *a)
{
    free(a->times);
    free(a->met);
    free(a->seconds);
    *a = (struct pl_axis){ 0 };
}

enum pl_status pl_axis_add(struct pl_axis *a, int64_t time_ns,
                           uint64_t interval_ns)
{
    if (!a->any || time_ns < a->first_ns)
        a->first_ns = time_ns;
    if (!a->any || time_ns > a->last_ns)
        a->last_ns = time_ns;
    a->any = true;
    if (interval_ns > a->interval_ns)
        a->interval_ns = interval_ns;
    if (a->crowded)
        return PL_OK;
    a->crowded = a->num == PL_AXIS_POINTS;
    if (a->crowded)
        return PL_OK;
    /*
     * The array grows on demand: a log may have thousands of hosts with a few
     * samples each.
     */
    if (!pl_array_grow((void **)&a->times, &a->cap, a->num, sizeof *a->times))
        return PL_NOMEM;
    a->times[a->num++] = time_ns;
    return PL_OK;
}

static int by_time(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

/* Rows of one time are one point. */
static void sort_times(struct pl_axis *a)
{
    size_t kept = 0;

    if (!a->num)
        return;
    qsort(a->times, a->num, sizeof *a->times, by_time);
    for (size_t i = 1; i < a->num; i++)
        if (a->times[i] != a->times[kept])
            a->times[++kept] = a->times[i];
    a->num = kept + 1;
}

/* The shortest bucket length with which 'most' buckets cover the span. */
static uint64_t length_for(uint64_t span_ns, uint64_t most)
{
    const uint64_t day_ns = (uint64_t)PL_NS_PER_DAY;

    for (size_t i = 0; i < NUM_LENGTHS; i++) {
        uint64_t ns = (uint64_t)(lengths_ms[i] * PL_NS_PER_MS);

        if (span_ns / ns < most)
            return ns;
    }
    return (span_ns / most / day_ns + 1) * day_ns;
}

static void make_buckets(struct pl_axis *a, size_t most)
{
    uint64_t first = unsigned_of(a->first_ns), last = unsigned_of(a->last_ns);
    uint64_t before = first ? first - 1 : 0, past;

    /* An unaligned span may need one more bucket at its beginning. */
    a->step_ns = length_for(last - first, most - 1);
    past =
        (before % a->step_ns + a->step_ns - IN_1970 % a->step_ns) % a->step_ns;
    a->before_first = past < before ? before - past : 0;
    a->num = (size_t)((last - 1 - a->before_first) / a->step_ns) + 1;
}

enum pl_status pl_axis_end(struct pl_axis *a, size_t most)
{
    if ((a->crowded || a->num > most) && a->first_ns < a->last_ns)
        make_buckets(a, most);
    else
        sort_times(a);
    a->met = calloc(a->num + 1, sizeof *a->met);
    a->seconds = calloc(a->num + 1, sizeof *a->seconds);
    return a->met && a->seconds ? PL_OK : PL_NOMEM;
}

static size_t find_time(const struct pl_axis *a, int64_t time_ns)
{
    const int64_t *found =
        a->num ? bsearch(&time_ns, a->times, a->num, sizeof *a->times, by_time)
               : NULL;

    return found ? (size_t)(found - a->times) : PL_AXIS_NONE;
}

size_t pl_axis_find(const struct pl_axis *a, int64_t time_ns)
{
    uint64_t u = unsigned_of(time_ns), point;

    if (!a->step_ns)
        return find_time(a, time_ns);
    if (u <= a->before_first)
        return time_ns == a->first_ns ? 0 : PL_AXIS_NONE;
    point = (u - 1 - a->before_first) / a->step_ns;
    return point < a->num ? (size_t)point : PL_AXIS_NONE;
}

size_t pl_axis_meet(struct pl_axis *a, int64_t time_ns)
{
    size_t point = pl_axis_find(a, time_ns);

    if (point != PL_AXIS_NONE)
        a->met[point] = true;
    return point;
}

void pl_axis_lengthen(struct pl_axis *a, size_t point, int64_t time_ns,
                      double seconds)
{
    if (a->seconds[point] > 0 && a->lengthened_ns == time_ns)
        return;
    a->seconds[point] += seconds;
    a->lengthened_ns = time_ns;
}

int64_t pl_axis_time(const struct pl_axis *a, size_t point)
{
    uint64_t length;

    if (!a->step_ns)
        return a->times[point];
    length = ((uint64_t)point + 1) * a->step_ns;
    return length > UINT64_MAX - a->before_first
               ? INT64_MAX
               : signed_of(a->before_first + length);
}

bool pl_axis_is_broken(const struct pl_axis *a, size_t earlier, size_t later)
{
    uint64_t apart = unsigned_of(pl_axis_time(a, later)) -
                     unsigned_of(pl_axis_time(a, earlier));
    uint64_t usual = a->step_ns > a->interval_ns ? a->step_ns : a->interval_ns;

    return a->interval_ns && apart / PL_AXIS_GAP > usual;
}
