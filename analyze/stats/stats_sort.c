/* Sorts statistics by a figure. */
#include "analyze/stats/stats_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pl_stats_figure_of(const char *name, int *figure)
{
    for (int i = 0; i < PL_STATS_FIGURES; i++)
        if (!strcmp(name, pl_stats_figures[i].key)) {
            *figure = i;
            return true;
        }
    return false;
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_counter(const struct pl_stat *a, const struct pl_stat *b)
{
    int d = order(a->group->object->rank, b->group->object->rank);

    return d ? d : order(a->slot, b->slot);
}

static int by_rank(const void *x, const void *y)
{
    const struct pl_stat *a = x, *b = y;
    int d = by_counter(a, b);

    if (!d)
        d = order(b->sort_by, a->sort_by);
    return d ? d
             : order(a->group->series[a->slot].column,
                     b->group->series[b->slot].column);
}

/* Keep 'top' of each counter; release the others. */
static void keep_first(struct pl_stats *t, uint64_t top)
{
    uint64_t counted = 0;
    size_t kept = 0;

    for (size_t i = 0; i < t->num; i++) {
        struct pl_stat s = t->stats[i];

        if (kept && by_counter(&t->stats[kept - 1], &s))
            counted = 0;
        if (s.group->is_total || counted < top) {
            counted += !s.group->is_total;
            t->stats[kept++] = s;
        } else {
            pl_percentiles_release(&s.quantiles);
        }
    }
    t->num = kept;
}

void pl_stats_rank(struct pl_stats *t, int figure, uint64_t top)
{
    for (size_t i = 0; i < t->num; i++) {
        struct pl_stat *s = &t->stats[i];

        s->sort_by = s->num ? pl_stat_figures(s).of[figure] : -INFINITY;
    }
    if (t->num)
        qsort(t->stats, t->num, sizeof *t->stats, by_rank);
    if (top)
        keep_first(t, top);
}
