/* The processes that are among the first of a row, or were lately. */
#include "analyze/push/top_processes.h"

#include "analyze/amounts/ranking.h"
#include "format/base/array.h"
#include "format/time/time_text.h"

#include <stdlib.h>
#include <string.h>

#define KEPT (10 * 60 * PL_NS_PER_SEC)

/* What processes are ranked by. */
static const char *const ranks[] = { "% Processor Time", "Working Set",
                                     "IO Data Bytes/sec" };

struct pl_sent_process {
    char *name;
    int64_t until_ns; /* row time */
};

struct pl_rank_value {
    const struct pl_group *group;
    double value;
};

static bool is_ranked(const struct pl_group *g)
{
    return !strcmp(g->object->name, "Process") && g->instance &&
           !pl_ranking_excludes(g->object->name, g->instance);
}

/* ---- what is sent ------------------------------------------------------------ */

static struct pl_sent_process *find(const struct pl_top_processes *b,
                                    const char *name)
{
    for (size_t i = 0; i < b->num; i++)
        if (!strcmp(b->processes[i].name, name))
            return &b->processes[i];
    return NULL;
}

static enum pl_status keep(struct pl_top_processes *b, const char *name,
                           int64_t until_ns)
{
    struct pl_sent_process *p = find(b, name);

    if (!p) {
        if (!pl_array_grow((void **)&b->processes, &b->cap, b->num,
                           sizeof *b->processes))
            return PL_NOMEM;
        p = &b->processes[b->num];
        p->name = strdup(name);
        if (!p->name)
            return PL_NOMEM;
        b->num++;
    }
    p->until_ns = until_ns;
    return PL_OK;
}

static void forget_older(struct pl_top_processes *b, int64_t time_ns)
{
    size_t num = 0;

    for (size_t i = 0; i < b->num; i++)
        if (b->processes[i].until_ns >= time_ns)
            b->processes[num++] = b->processes[i];
        else
            free(b->processes[i].name);
    b->num = num;
}

bool pl_top_processes_has(struct pl_top_processes *b,
                          const struct pl_group *group)
{
    if (group != b->group) {
        b->group = group;
        b->is_busy = !is_ranked(group) || find(b, group->instance);
    }
    return b->is_busy;
}

/* ---- ranking -------------------------------------------------------------------- */

static double number_of(const struct pl_value *v)
{
    return v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;
}

/* The greatest first; equal ones by name, so that it is always the same. */
static int by_value(const void *a, const void *b)
{
    const struct pl_rank_value *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return strcmp(x->group->instance, y->group->instance);
}

static bool has_rank(const struct pl_cell_at *c, const char *counter)
{
    return pl_cell_has_value(c->value.cell) &&
           (c->value.kind == PL_VALUE_INTEGER ||
            c->value.kind == PL_VALUE_DOUBLE) &&
           number_of(&c->value) > 0 && is_ranked(c->group) &&
           !strcmp(c->group->object->counters[c->slot].name, counter);
}

static enum pl_status rank_by(struct pl_top_processes *b, const char *counter,
                              const struct pl_cell_at *cells, size_t num,
                              int64_t time_ns, uint64_t most)
{
    const int64_t until_ns = time_ns + KEPT; /* none is in the future */
    enum pl_status s = PL_OK;
    size_t n = 0;

    for (size_t i = 0; i < num; i++) {
        if (!has_rank(&cells[i], counter))
            continue;
        if (!pl_array_grow((void **)&b->ranked, &b->cap_ranked, n,
                           sizeof *b->ranked))
            return PL_NOMEM;
        b->ranked[n++] = (struct pl_rank_value){ cells[i].group,
                                                 number_of(&cells[i].value) };
    }
    if (n)
        qsort(b->ranked, n, sizeof *b->ranked, by_value);
    for (size_t i = 0; i < n && i < most && !s; i++)
        s = keep(b, b->ranked[i].group->instance, until_ns);
    return s;
}

enum pl_status pl_top_processes_rank(struct pl_top_processes *b,
                                     const struct pl_cell_at *cells, size_t num,
                                     int64_t time_ns, uint64_t most)
{
    enum pl_status s = PL_OK;

    forget_older(b, time_ns);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !s; i++)
        s = rank_by(b, ranks[i], cells, num, time_ns, most);
    b->group = NULL;
    return s;
}

void pl_top_processes_release(struct pl_top_processes *b)
{
    for (size_t i = 0; i < b->num; i++)
        free(b->processes[i].name);
    free(b->processes);
    free(b->ranked);
    *b = (struct pl_top_processes){ 0 };
}
