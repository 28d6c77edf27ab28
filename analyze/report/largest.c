/* Finds the largest instances without a line. */
#include "analyze/report/largest.h"

#include <stdlib.h>

enum pl_status pl_largest_start(struct pl_largest *l, size_t points)
{
    size_t num = points * PL_LARGEST_AT_POINT;

    *l = (struct pl_largest){ .points = points, .first = PL_NO_OTHER };
    l->ones = calloc(num ? num : 1, sizeof *l->ones);
    if (!l->ones)
        return PL_NOMEM;
    for (size_t i = 0; i < num; i++)
        l->ones[i].series = PL_NO_OTHER;
    return PL_OK;
}

void pl_largest_release(struct pl_largest *l)
{
    free(l->ones);
    free(l->named);
    *l = (struct pl_largest){ 0 };
}

/* Where a series belongs at a point: its own place, else the smallest one. */
static struct pl_largest_one *slot_of(struct pl_largest_one *ones,
                                      uint32_t series)
{
    struct pl_largest_one *least = ones;

    for (size_t i = 0; i < PL_LARGEST_AT_POINT; i++) {
        if (ones[i].series == series)
            return &ones[i];
        if (ones[i].value < least->value)
            least = &ones[i];
    }
    return least;
}

static void keep(struct pl_largest_one *ones, uint32_t series, double sum)
{
    struct pl_largest_one *one = slot_of(ones, series);

    if (one->series == series)
        one->value += sum;
    else if (sum > one->value)
        *one = (struct pl_largest_one){ series, sum };
}

void pl_largest_move(struct pl_largest *l, struct pl_other_series *all,
                     size_t point)
{
    if (point == l->point)
        return;
    for (uint32_t i = l->first; i != PL_NO_OTHER; i = all[i].next) {
        keep(&l->ones[l->point * PL_LARGEST_AT_POINT], i, all[i].sum);
        all[i].summed = false;
    }
    l->first = PL_NO_OTHER;
    l->point = point;
}

void pl_largest_add(struct pl_largest *l, struct pl_other_series *all,
                    uint32_t series, double value, double seconds)
{
    struct pl_other_series *s = &all[series];

    if (value <= 0)
        return;
    if (!s->summed) {
        s->summed = true;
        s->sum = 0;
        s->next = l->first;
        l->first = series;
    }
    s->sum += value * seconds;
}

/* ---- names --------------------------------------------------------------- */

struct candidate {
    uint32_t series;
    double most;
};

static int by_size(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;

    if (a->most != b->most)
        return a->most < b->most ? 1 : -1;
    return (a->series > b->series) - (a->series < b->series);
}

/* Note the greatest mean of each series, and how many there are. */
static uint32_t measure(struct pl_largest *l, struct pl_other_series *all,
                        const double *seconds)
{
    uint32_t num = 0;

    for (size_t i = 0; i < l->points * PL_LARGEST_AT_POINT; i++) {
        struct pl_largest_one *one = &l->ones[i];
        double length = seconds[i / PL_LARGEST_AT_POINT];

        if (one->series == PL_NO_OTHER)
            continue;
        one->value = length > 0 ? one->value / length : 0;
        num += !all[one->series].number;
        all[one->series].number = 1;
        if (one->value > all[one->series].most)
            all[one->series].most = one->value;
    }
    return num;
}

/* Each of them once; their numbers are cleared. */
static void collect(const struct pl_largest *l, struct pl_other_series *all,
                    struct candidate *to)
{
    size_t num = 0;

    for (size_t i = 0; i < l->points * PL_LARGEST_AT_POINT; i++) {
        uint32_t series = l->ones[i].series;

        if (series == PL_NO_OTHER || !all[series].number)
            continue;
        all[series].number = 0;
        to[num++] = (struct candidate){ series, all[series].most };
    }
}

static void forget_unnamed(struct pl_largest *l,
                           const struct pl_other_series *all)
{
    for (size_t i = 0; i < l->points * PL_LARGEST_AT_POINT; i++)
        if (l->ones[i].series != PL_NO_OTHER && !all[l->ones[i].series].number)
            l->ones[i].series = PL_NO_OTHER;
}

enum pl_status pl_largest_end(struct pl_largest *l, struct pl_other_series *all,
                              const double *seconds)
{
    struct candidate *found;
    uint32_t num;

    pl_largest_move(l, all, SIZE_MAX);
    num = measure(l, all, seconds);
    found = calloc((size_t)num + 1, sizeof *found);
    l->num_named = num < PL_LARGEST_NAMED ? num : PL_LARGEST_NAMED;
    l->named = calloc((size_t)l->num_named + 1, sizeof *l->named);
    if (!found || !l->named) {
        free(found);
        return PL_NOMEM;
    }
    collect(l, all, found);
    qsort(found, num, sizeof *found, by_size);
    for (uint32_t i = 0; i < l->num_named; i++) {
        l->named[i] = found[i].series;
        all[found[i].series].number = i + 1;
    }
    forget_unnamed(l, all);
    free(found);
    return PL_OK;
}
