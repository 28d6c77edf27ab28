/* The stage that replaces rows of processes by rows of their sums. */
#include "analyze/query/query.h"

enum pl_status pl_query_groups_take(struct pl_query *e, void *ctx,
                                    const struct pl_row *row)
{
    const struct pl_query_groups *w = ctx;
    struct pl_row sums = *row;
    enum pl_status s = pl_regroup_row(&e->regroup, &sums);

    return s ? s : w->to->take(e, w->to->ctx, &sums);
}

enum pl_status pl_query_groups_end(struct pl_query *e, void *ctx,
                                   int64_t time_ns)
{
    const struct pl_query_groups *w = ctx;

    return w->to->end ? w->to->end(e, w->to->ctx, time_ns) : PL_OK;
}
