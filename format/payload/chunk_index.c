/* Chunks of the segment being written. */
#include "format/payload/chunk_index.h"

#include "format/time/time_text.h"

enum { MOST_SAMPLES = 60, MOST_BYTES = 8 << 20 };
#define MOST_NS ((uint64_t)(300 * PL_NS_PER_SEC))

void pl_chunk_index_begin(struct pl_chunk_index *c, int64_t utc_ns,
                          int64_t boot_ns, uint32_t seq, uint64_t offset,
                          size_t stored)
{
    c->now = (struct pl_chunk){ .offset = offset,
                                .utc_first = utc_ns,
                                .utc_last = utc_ns,
                                .boot_first = (uint64_t)boot_ns,
                                .key_seq = seq };
    c->bytes = 0;
    c->boot_ns = boot_ns;
    c->key_len = stored;
}

void pl_chunk_index_extend(struct pl_chunk_index *c, int64_t utc_ns,
                           uint64_t bytes)
{
    if (utc_ns < c->now.utc_first)
        c->now.utc_first = utc_ns;
    if (utc_ns > c->now.utc_last)
        c->now.utc_last = utc_ns;
    c->now.samples++;
    c->bytes += bytes;
}

bool pl_chunk_index_is_over(const struct pl_chunk_index *c, int64_t boot_ns)
{
    /* Times of a copied log come from that log, and may be any values. */
    return !c->now.samples || c->now.samples >= MOST_SAMPLES ||
           c->bytes >= MOST_BYTES ||
           (boot_ns > c->boot_ns &&
            (uint64_t)boot_ns - (uint64_t)c->boot_ns >= MOST_NS);
}

/* If no index could be written and all entries are used, the last one grows. */
void pl_chunk_index_finish(struct pl_chunk_index *c)
{
    struct pl_chunk *last = &c->done[PL_INDEX_CHUNKS - 1];

    if (!c->now.samples)
        return;
    if (c->num_done < PL_INDEX_CHUNKS) {
        c->done[c->num_done++] = c->now;
    } else {
        if (c->now.utc_first < last->utc_first)
            last->utc_first = c->now.utc_first;
        if (c->now.utc_last > last->utc_last)
            last->utc_last = c->now.utc_last;
        last->samples += c->now.samples;
    }
    c->now.samples = 0;
}

void pl_chunk_index_indexed(struct pl_chunk_index *c, uint64_t distance)
{
    c->last_index = distance;
    c->num_done = 0;
}
