/* Checks indexes against the samples they describe. */
#include "analyze/inspect/index_check.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"

#include <stdlib.h>

/* The newest time that an index states. */
static int64_t newest_reported(const struct pl_index *x)
{
    int64_t newest = INT64_MIN;

    for (uint32_t i = 0; i < x->num_chunks; i++) {
        struct pl_chunk chunk = pl_index_chunk(x, i);

        if (chunk.utc_last > newest)
            newest = chunk.utc_last;
    }
    return newest;
}

/* The newest sample between the index at 'prev' and the end of 'seen'. */
static int64_t newest_behind(const struct pl_index_check *c, uint64_t prev)
{
    int64_t newest = INT64_MIN;

    for (size_t i = c->num; i-- > 0 && c->seen[i].at > prev;)
        if (c->seen[i].newest > newest)
            newest = c->seen[i].newest;
    return newest;
}

static enum pl_status take_index(struct pl_index_check *c,
                                 const struct pl_item *item, bool *hides)
{
    struct pl_index x;

    if (!pl_array_grow((void **)&c->seen, &c->cap, c->num, sizeof *c->seen))
        return PL_NOMEM;
    c->seen[c->num++] =
        (struct pl_index_seen){ item->at, c->any ? c->newest : INT64_MIN };
    c->any = false;
    if (item->record.codec == PL_CODEC_STORED &&
        !pl_index_parse(&x, item->payload, item->record.stored_len) &&
        x.self == item->at && x.num_chunks)
        *hides = newest_behind(c, x.prev) > newest_reported(&x);
    return PL_OK;
}

enum pl_status pl_index_check(struct pl_index_check *c,
                              const struct pl_item *item, bool *hides)
{
    int64_t utc_ns = item->record.utc_ns;

    *hides = false;
    if (item->kind == PL_ITEM_OTHER && item->record.type == PL_INDX)
        return take_index(c, item, hides);
    if (item->kind == PL_ITEM_SAMPLE && (!c->any || utc_ns > c->newest)) {
        c->newest = utc_ns;
        c->any = true;
    }
    return PL_OK;
}

void pl_index_check_restart(struct pl_index_check *c)
{
    c->num = 0;
    c->any = false;
}

void pl_index_check_release(struct pl_index_check *c)
{
    free(c->seen);
    *c = (struct pl_index_check){ 0 };
}
