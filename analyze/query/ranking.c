/*
 * The ranking pass: which series stay wanted, and the instances that become
 * _Other.
 */
#include "analyze/query/query.h"

#include "analyze/cli/did_you_mean.h"

/* ---- measuring ----------------------------------------------------------- */

enum pl_status pl_query_measure_row(struct pl_query *e, void *ctx,
                                    const struct pl_row *row)
{
    (void)ctx;
    pl_measure_row(&e->plan->top, row);
    return PL_OK;
}

/* Whether there is a counter to rank by. */
static bool has_top_counter(struct pl_query *e)
{
    const struct pl_ranking *top = &e->plan->top;
    const char *near;

    for (const struct pl_object_names *o = e->registry.objects; o; o = o->next)
        for (uint32_t i = 0; i < o->num_counters; i++)
            if (pl_pattern_match(top->counter, pl_text_of(o->counters[i].name)))
                return true;
    if (!top->counter.n)
        return true;
    near = pl_did_you_mean_counter(&e->registry, top->counter);
    pl_say("%s: --top: no counter is called '%.*s'%s%s%s",
           e->logs.logs[0].paths[0], (int)top->counter.n, top->counter.p,
           near ? "; did you mean '" : "; 'perflog list' shows what there is",
           near ? near : "", near ? "'?" : "");
    e->code = PL_EXIT_FAILED;
    return false;
}

enum pl_status pl_query_choose(struct pl_query *e)
{
    enum pl_status s = PL_OK;

    if (e->rows && !has_top_counter(e))
        return PL_USAGE;
    for (struct pl_group *g = e->registry.groups; g; g = g->later)
        for (uint32_t k = 0; g->series && k < g->num_slots; k++)
            g->series[k].wanted &= !g->series[k].ranked;
    if (e->plan->drop_empty)
        pl_drop_empty(&e->registry);
    if (e->plan->top.num)
        s = pl_ranking_choose(&e->registry, &e->plan->top);
    return s;
}

/* ---- _Other -------------------------------------------------------------- */

enum pl_status pl_query_others_take(struct pl_query *e, void *ctx,
                                    const struct pl_row *row)
{
    struct pl_query_others *w = ctx;
    struct pl_row rest = *row;
    enum pl_status s = pl_others_filter(&w->others, &rest);

    return s ? s : w->to->take(e, w->to->ctx, &rest);
}

static enum pl_status hand_on_others(void *ctx, const struct pl_row *row)
{
    struct pl_query_others *w = ctx;

    return w->to->take(w->e, w->to->ctx, row);
}

enum pl_status pl_query_others_end(struct pl_query *e, void *ctx,
                                   int64_t time_ns)
{
    struct pl_query_others *w = ctx;
    enum pl_status s = pl_others_end(&w->others, time_ns, hand_on_others, w);

    return !s && w->to->end ? w->to->end(e, w->to->ctx, time_ns) : s;
}
