/* The stage that replaces rows of samples by rows of windows. */
#include "analyze/query/query.h"

void pl_query_windows_begin(struct pl_query_windows *w, struct pl_query *e,
                            const struct pl_rows *to)
{
    *w = (struct pl_query_windows){
        .to = to,
        .e = e,
        .waits = e->logs.num > 1,
        .sums = { .every = e->plan->every,
                  .calc = e->plan->replay.calc,
                  .registry = &e->registry,
                  .forget =
                      e->plan->replay.want_absent && !pl_query_keeps_names(e) },
    };
}

static enum pl_status hand_on(void *ctx, const struct pl_row *row)
{
    struct pl_query_windows *w = ctx;

    return w->to->take(w->e, w->to->ctx, row);
}

enum pl_status pl_query_windows_finish(struct pl_query_windows *w)
{
    int64_t end_ns = w->sums.end_ns;
    enum pl_status s;

    if (!w->sums.open)
        return PL_OK;
    s = pl_interval_sums_close(&w->sums, hand_on, w);
    if (!s && w->to->end)
        s = w->to->end(w->e, w->to->ctx, end_ns);
    pl_interval_sums_clear(&w->sums);
    return s;
}

enum pl_status pl_query_windows_take(struct pl_query *e, void *ctx,
                                     const struct pl_row *row)
{
    struct pl_query_windows *w = ctx;

    (void)e;
    return pl_interval_sums_add(&w->sums, row);
}

/* Clocks may step back; then an earlier window begins again. */
bool pl_query_windows_would_end(const struct pl_query_windows *w,
                                int64_t time_ns)
{
    return w->sums.open &&
           pl_every_end(&w->sums.every, time_ns) != w->sums.end_ns;
}

enum pl_status pl_query_windows_reach(struct pl_query_windows *w,
                                      int64_t time_ns)
{
    return pl_query_windows_would_end(w, time_ns) ? pl_query_windows_finish(w)
                                                  : PL_OK;
}

/*
 * A window is complete with the row at its end, or with the first row after it.
 */
enum pl_status pl_query_windows_end(struct pl_query *e, void *ctx,
                                    int64_t time_ns)
{
    struct pl_query_windows *w = ctx;

    (void)e;
    if (w->waits || time_ns != w->sums.end_ns)
        return PL_OK;
    return pl_query_windows_finish(w);
}
