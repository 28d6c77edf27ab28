/* Leaves out processes that have ended and did little. */
#include "analyze/moment/moment.h"

#include "analyze/amounts/ranking.h"

#include <stdlib.h>

struct ended {
    struct pl_group *group;
    double rank;
};

struct ended_list {
    struct ended *list;
    size_t num;
};

static struct pl_moment_states *ended_states_of(const struct pl_moment *m,
                                                const struct pl_group *g)
{
    const uint32_t slot = m->slots.state;
    uint32_t at;

    if (g->object != m->slots.object || slot >= g->num_slots)
        return NULL;
    at = g->series[slot].column;
    return at < m->num_states && m->states[at].group == g ? &m->states[at]
                                                          : NULL;
}

/* It will not be seen again, nor is it in a line of states. */
static bool has_ended(const struct pl_moment *m, const struct pl_group *g)
{
    const struct pl_moment_states *s;

    if (!g->instance || g->object != m->slots.object ||
        !pl_interval_sums_alone(g) ||
        pl_ranking_excludes(g->object->name, g->instance))
        return false;
    s = ended_states_of(m, g);
    return !s || (!s->waiting && !s->zombie);
}

static double rank_so_far(const struct pl_moment *m,
                          const struct pl_interval_sums *sums,
                          struct pl_group *g)
{
    double rank = 0;

    for (uint32_t i = 0; i < g->num_slots; i++) {
        struct pl_cell_at cell = { .group = g, .slot = i };
        double v;

        if (!g->series[i].sum || !pl_moment_ranks_by(m, g, i))
            continue;
        cell.value = pl_interval_sums_value(sums, g, i);
        if (pl_value_number(&cell.value, &v))
            rank += pl_moment_rank_of(&cell, v);
    }
    return rank;
}

static int ended_by_rank(const void *x, const void *y)
{
    const struct ended *a = x, *b = y;

    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return pl_natural_compare(a->group->instance, b->group->instance);
}

/* 'list' has room for all groups. */
static void find_ended(const struct pl_moment *m,
                       const struct pl_interval_sums *sums,
                       struct ended_list *l)
{
    for (struct pl_group *g = sums->registry->groups; g; g = g->later)
        if (has_ended(m, g))
            l->list[l->num++] = (struct ended){ g, rank_so_far(m, sums, g) };
    if (l->num)
        qsort(l->list, l->num, sizeof *l->list, ended_by_rank);
}

enum pl_status pl_moment_leave_out(struct pl_moment *m,
                                   struct pl_interval_sums *sums, size_t most)
{
    struct ended_list l = { 0 };

    l.list = calloc(sums->registry->num_groups + 1, sizeof *l.list);
    if (!l.list)
        return PL_NOMEM;
    find_ended(m, sums, &l);
    for (size_t i = most; i < l.num; i++) {
        struct pl_moment_states *s = ended_states_of(m, l.list[i].group);

        if (s)
            s->group = NULL;
        pl_interval_sums_leave_out(sums, l.list[i].group);
    }
    free(l.list);
    return PL_OK;
}
