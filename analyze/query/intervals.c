/* The stage that replaces rows of samples by rows of windows. */
#include "analyze/query/query.h"

#include "format/base/array.h"

#include <stdlib.h>

void pl_query_windows_begin(struct pl_query_windows *w, struct pl_query *e,
                            const struct pl_rows *to)
{
    *w = (struct pl_query_windows){
        .to = to,
        .e = e,
        .own = e->plan->layout->own_windows,
        .waits = e->logs.num > 1 && !e->plan->layout->own_windows,
    };
}

void pl_query_windows_release(struct pl_query_windows *w)
{
    for (size_t i = 0; i < w->num; i++)
        pl_interval_sums_release(&w->p[i].sums);
    free(w->p);
}

/* Where the host has its window. */
static size_t place_of(const struct pl_query_windows *w,
                       const struct pl_host *host)
{
    return w->own ? host->rank : 0;
}

static enum pl_status reserve(struct pl_query_windows *w, size_t place)
{
    const struct pl_query *e = w->e;

    if (!pl_array_reserve((void **)&w->p, &w->cap, place + 1, sizeof *w->p))
        return PL_NOMEM;
    for (; w->num <= place; w->num++)
        w->p[w->num] =
            (struct pl_query_window){ .sums = {
                                          .every = e->plan->every,
                                          .calc = e->plan->replay.calc,
                                          .registry = &w->e->registry,
                                          .forget =
                                              e->plan->replay.want_absent &&
                                              !pl_query_keeps_names(e),
                                          .first_rank = (uint32_t)w->num,
                                      } };
    return PL_OK;
}

static void clear(struct pl_query_window *one)
{
    pl_interval_sums_clear(&one->sums);
    one->is_complete = false;
}

static enum pl_status hand_on_window(void *ctx, const struct pl_row *row)
{
    struct pl_query_windows *w = ctx;

    return w->to->take(w->e, w->to->ctx, row);
}

/* Those that are complete, which all end at that time. */
static enum pl_status finish_complete(struct pl_query_windows *w,
                                      int64_t end_ns)
{
    enum pl_status s = PL_OK;
    bool any = false;

    for (size_t i = 0; i < w->num && !s; i++) {
        if (!w->p[i].is_complete)
            continue;
        any = true;
        s = pl_interval_sums_close(&w->p[i].sums, hand_on_window, w);
    }
    if (!s && any && w->to->end)
        s = w->to->end(w->e, w->to->ctx, end_ns);
    for (size_t i = 0; i < w->num; i++)
        if (w->p[i].is_complete)
            clear(&w->p[i]);
    return s;
}

static enum pl_status finish_window(struct pl_query_windows *w,
                                    struct pl_query_window *one)
{
    enum pl_status s = pl_interval_sums_close(&one->sums, hand_on_window, w);

    if (!s && w->to->end)
        s = w->to->end(w->e, w->to->ctx, one->sums.end_ns);
    clear(one);
    return s;
}

enum pl_status pl_query_windows_finish_one(struct pl_query_windows *w,
                                           const struct pl_host *host)
{
    return finish_window(w, &w->p[place_of(w, host)]);
}

enum pl_status pl_query_windows_finish(struct pl_query_windows *w)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < w->num && !s; i++)
        if (w->p[i].sums.open)
            s = finish_window(w, &w->p[i]);
    return s;
}

enum pl_status pl_query_windows_take(struct pl_query *e, void *ctx,
                                     const struct pl_row *row)
{
    struct pl_query_windows *w = ctx;
    size_t place = place_of(w, row->host);
    enum pl_status s = reserve(w, place);

    (void)e;
    if (!s)
        s = pl_interval_sums_add(&w->p[place].sums, row);
    if (!s && !w->waits)
        w->p[place].is_complete = row->time_ns == w->p[place].sums.end_ns;
    return s;
}

bool pl_query_windows_is_open(const struct pl_query_windows *w,
                              const struct pl_host *host, int64_t *end_ns)
{
    size_t place = place_of(w, host);

    if (place >= w->num || !w->p[place].sums.open)
        return false;
    *end_ns = w->p[place].sums.end_ns;
    return true;
}

/* Clocks may step back; then an earlier window begins again. */
enum pl_status pl_query_windows_reach(struct pl_query_windows *w,
                                      const struct pl_host *host,
                                      int64_t time_ns)
{
    int64_t end_ns;

    return pl_query_windows_is_open(w, host, &end_ns) &&
                   pl_every_end(&w->e->plan->every, time_ns) != end_ns
               ? pl_query_windows_finish_one(w, host)
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
    return w->waits ? PL_OK : finish_complete(w, time_ns);
}
