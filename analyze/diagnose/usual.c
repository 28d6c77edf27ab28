/* Sorts the levels of a series in all slicings, and leaves an episode out. */
#include "analyze/diagnose/usual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum pl_status pl_usual_begin(struct pl_usual *u, const struct pl_levels *l)
{
    *u = (struct pl_usual){ .levels = l };
    u->sets = calloc(l->num + 1, sizeof *u->sets);
    u->values = malloc((l->kept + 1) * sizeof *u->values);
    return u->sets && u->values ? PL_OK : PL_NOMEM;
}

void pl_usual_end(struct pl_usual *u)
{
    free(u->sets);
    free(u->values);
    *u = (struct pl_usual){ 0 };
}

static int by_value(const void *x, const void *y)
{
    const float a = *(const float *)x, b = *(const float *)y;

    return (a > b) - (a < b);
}

void pl_usual_sort(float *values, size_t num)
{
    if (num)
        qsort(values, num, sizeof *values, by_value);
}

size_t pl_usual_rank(const struct pl_rule *r, size_t num)
{
    size_t rank = (num * (r->below ? 5 : 95) + 99) / 100;

    return rank ? rank : 1;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_comparable(const struct pl_level_series *s,
                          const struct pl_level_series *twin)
{
    return s->rule->value != PL_RULE_COUNT ||
           s->slicing->length_ns == twin->slicing->length_ns;
}

/* The levels of 's' and its twins, each of which is of one set. */
static struct pl_usual_set make_set(struct pl_usual *u,
                                    const struct pl_level_series *s)
{
    const struct pl_level_series *twin = s;
    float *values = u->values + u->used;
    struct pl_usual_set set = { .values = values };

    do {
        if (is_comparable(s, twin)) {
            for (size_t i = 0; i < twin->num; i++)
                values[set.num++] = twin->levels[i].value;
            set.slices += most(twin->slices, twin->num);
        }
        twin = &u->levels->series[twin->twin - 1];
    } while (twin != s);
    pl_usual_sort(values, set.num);
    u->used += set.num;
    return set;
}

static const struct pl_usual_set *set_of(struct pl_usual *u,
                                         const struct pl_level_series *s)
{
    struct pl_usual_set *own = &u->sets[s - u->levels->series];
    const struct pl_level_series *twin = s;

    if (own->values)
        return own;
    *own = make_set(u, s);
    do {
        if (is_comparable(s, twin))
            u->sets[twin - u->levels->series] = *own;
        twin = &u->levels->series[twin->twin - 1];
    } while (twin != s);
    return own;
}

/* Of its own series, slices with a value that are not of the episode. */
static size_t slices_outside(const struct pl_episode *e, size_t num_inside)
{
    const struct pl_level_series *s = e->series;
    size_t length = e->numbers[1] - e->numbers[0] + 1;

    return most(s->slices > length ? s->slices - length : 0,
                s->num - num_inside);
}

/*
 * Number 'at' of the set's values without those 'inside': each of these that is
 * not greater moves it on by one.
 */
static double value_at(const struct pl_usual_set *set, size_t at,
                       const float *inside, size_t num_inside)
{
    for (size_t i = 0; i < num_inside && inside[i] <= set->values[at]; i++)
        at++;
    return (double)set->values[at];
}

bool pl_usual_find(struct pl_usual *u, const struct pl_episode *e,
                   const float *inside, size_t num_inside, double *usual)
{
    const struct pl_level_series *s = e->series;
    const struct pl_usual_set *set = set_of(u, s);
    size_t kept = set->num - num_inside, num, rank, others;

    *usual = (double)NAN;
    num = set->slices - most(s->slices, s->num) + slices_outside(e, num_inside);
    if (!num)
        return false;
    rank = pl_usual_rank(s->rule, num);
    others = num - kept; /* they are beyond those that were kept */
    if (s->rule->below ? rank <= kept : rank > others)
        *usual = value_at(set, s->rule->below ? rank - 1 : rank - others - 1,
                          inside, num_inside);
    return true;
}
