/* Checks indexes against the samples they describe. */
#include "analyze/inspect/index_check.h"

/* ---- samples --------------------------------------------------------------- */

static void extend(struct pl_index_span *s, const struct pl_index_span *by)
{
    s->last_at = by->last_at;
    if (by->utc_first < s->utc_first)
        s->utc_first = by->utc_first;
    if (by->utc_last > s->utc_last)
        s->utc_last = by->utc_last;
}

static void join_pairs(struct pl_index_check *c)
{
    for (size_t i = 0; i < PL_INDEX_SPANS / 2; i++) {
        c->spans[i] = c->spans[2 * i];
        extend(&c->spans[i], &c->spans[2 * i + 1]);
    }
    c->num = PL_INDEX_SPANS / 2;
}

/* A key begins a chunk, and all samples of a PACK are in one. */
static void take_sample(struct pl_index_check *c, const struct pl_item *item)
{
    const struct pl_record *r = &item->record;
    const struct pl_index_span now = { item->at, item->at, r->utc_ns,
                                       r->utc_ns };

    if (c->num && (r->ref || item->at == c->spans[c->num - 1].last_at)) {
        extend(&c->spans[c->num - 1], &now);
        return;
    }
    if (c->num == PL_INDEX_SPANS)
        join_pairs(c);
    c->spans[c->num++] = now;
}

/* ---- indexes --------------------------------------------------------------- */

/*
 * True if the times of the span are among those of its chunks.  *i is the chunk
 * in which the span before it began.
 */
static bool agrees(const struct pl_index *x, uint32_t *i,
                   const struct pl_index_span *s)
{
    int64_t first = INT64_MAX, last = INT64_MIN;

    while (*i + 1 < x->num_chunks && pl_index_chunk(x, *i + 1).offset <= s->at)
        ++*i;
    for (uint32_t k = *i; k < x->num_chunks; k++) {
        const struct pl_chunk chunk = pl_index_chunk(x, k);

        if (chunk.offset > s->last_at)
            break;
        if (chunk.utc_first < first)
            first = chunk.utc_first;
        if (chunk.utc_last > last)
            last = chunk.utc_last;
    }
    return first <= s->utc_first && last >= s->utc_last;
}

static bool is_used(struct pl_index *x, const struct pl_item *item)
{
    return item->record.codec == PL_CODEC_STORED &&
           !pl_index_parse(x, item->payload, item->record.stored_len) &&
           x->self == item->at && x->num_chunks;
}

static bool take_index(struct pl_index_check *c, const struct pl_item *item)
{
    struct pl_index x;
    uint32_t chunk = 0;
    bool good = true;

    if (is_used(&x, item)) {
        good = x.prev >= c->last_index;
        for (size_t i = 0; i < c->num && good; i++)
            good = c->spans[i].at <= x.prev || agrees(&x, &chunk, &c->spans[i]);
    }
    c->num = 0;
    c->last_index = item->at;
    return good;
}

bool pl_index_check(struct pl_index_check *c, const struct pl_item *item)
{
    if (item->kind == PL_ITEM_OTHER && item->record.type == PL_INDX)
        return take_index(c, item);
    if (item->kind == PL_ITEM_SAMPLE)
        take_sample(c, item);
    return true;
}

void pl_index_check_restart(struct pl_index_check *c)
{
    c->num = 0;
    c->last_index = 0;
}
