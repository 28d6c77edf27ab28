/* Makes blocks of raw items. */
#include "analyze/foreign/blg_block.h"

#include "format/base/cursor.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <string.h>

/* The record of an entry, if the sample has it complete. */
static const struct pl_blg_record *record_of(const struct pl_blg_sample *s,
                                             uint32_t entry)
{
    const struct pl_blg_record *r;

    if (entry < s->first || entry - s->first >= s->num_records)
        return NULL;
    r = &s->records[entry - s->first];
    return r->kind == PL_BLG_ITEM || r->kind == PL_BLG_INSTANCES ? r : NULL;
}

static void put_number(uint8_t *block, uint32_t at, bool wide, int64_t value)
{
    if (wide)
        pl_put_le64(block + at, (uint64_t)value);
    else
        pl_put_le32(block + at, (uint32_t)value);
}

/*
 * One counter of instance 'i' into its counter block.  False: it is not good,
 * or its clock is not that of its object.
 */
static bool put_item(const struct pl_blg_entry *e, const struct pl_blg_place *p,
                     const struct pl_blg_record *r, uint32_t i, int64_t clock,
                     uint8_t *block)
{
    struct pl_blg_item item = pl_blg_item_at(r, i);

    if (!pl_blg_is_good(item.status) ||
        (e->second_is_clock && item.second != clock)) {
        put_number(block, p->offset, p->wide, item.status);
        return false;
    }
    put_number(block, p->offset, p->wide, item.first);
    if (p->base_offset)
        put_number(block, p->base_offset, true,
                   e->base_type == PERF_COUNTER_MULTI_BASE ? item.components
                                                           : item.second);
    return true;
}

/* The clocks that the entries of a group are compared with. */
struct clocks {
    struct pl_blg_clocks block;
    int64_t own;
};

static int64_t clock_for(const struct pl_blg_group *g,
                         const struct pl_blg_entry *e, const struct clocks *c)
{
    if (g->own_clock)
        return c->own;
    return e->formula && e->formula->clock == PL_CLOCK_TICK
               ? c->block.tick
               : c->block.hundred_ns;
}

/* All counters of one instance; those that are missing are flagged. */
static void put_values(struct pl_buf *out, const struct pl_blg_sample *s,
                       const struct pl_blg_group *g, uint32_t instance,
                       const struct clocks *clocks)
{
    uint8_t *block = pl_put_counter_block(out, g->block_len);
    uint64_t flags = 0;

    for (uint32_t i = g->first; block && i != PL_BLG_NONE;
         i = s->groups->places[i].next) {
        const struct pl_blg_entry *e = &s->list->entries[i];
        const struct pl_blg_record *r = record_of(s, i);

        if (!r || instance >= r->num ||
            !put_item(e, &s->groups->places[i], r, instance,
                      clock_for(g, e, clocks), block))
            flags |= UINT64_C(1) << e->place;
    }
    if (block && g->has_flags)
        pl_put_le64(block + g->flags_offset, flags);
}

static bool is_single(const struct pl_blg_entry *e,
                      const struct pl_blg_record *r)
{
    return r->kind == PL_BLG_ITEM && e->instance == PL_BLG_NONE;
}

static void put_instance(struct pl_buf *out, const struct pl_blg_sample *s,
                         const struct pl_blg_entry *e,
                         const struct pl_blg_record *r, uint32_t i)
{
    uint32_t len;
    const uint8_t *name;

    if (r->kind == PL_BLG_INSTANCES) {
        name = pl_blg_item_name(r, i, &len);
        pl_put_instance(out, 0, 0, name, len);
    } else {
        pl_put_instance(out, 0, 0, s->list->wide.p + e->instance,
                        e->instance_len);
    }
}

static void put_object(struct pl_buf *out, const struct pl_blg_sample *s,
                       const struct pl_blg_group *g, struct clocks *clocks)
{
    const struct pl_blg_entry *first = &s->list->entries[g->first];
    const struct pl_blg_record *r = record_of(s, g->first);
    bool single = is_single(first, r);
    size_t object = out->len;

    pl_buf_bytes(out, g->head.p, g->head.len);
    if (g->own_clock) {
        clocks->own = first->second_is_clock ? pl_blg_clock_of(r) : 0;
        pl_put_object_clock(out, object, clocks->own,
                            first->formula->clock == PL_CLOCK_100NS
                                ? PL_FREQ_100NS
                                : first->time_base);
    }
    for (uint32_t i = 0; i < r->num; i++) {
        if (!single)
            put_instance(out, s, first, r, i);
        put_values(out, s, g, i, clocks);
    }
    pl_buf_set_u32(out, object, (uint32_t)(out->len - object));
    pl_put_object_close(out, object,
                        single ? PERF_NO_INSTANCES : (int32_t)r->num);
}

static struct pl_blg_clocks clocks_of(const struct pl_blg_sample *s)
{
    struct pl_blg_clocks c = { 0 };

    for (size_t i = 0; i < s->num_records && s->first + i < s->list->num; i++) {
        const struct pl_blg_entry *e = &s->list->entries[s->first + i];

        if (e->machine_number == s->machine && !e->own_clock)
            pl_blg_vote(&c, e, &s->records[i]);
    }
    return c;
}

enum pl_status pl_blg_block_make(struct pl_buf *out,
                                 const struct pl_blg_sample *s,
                                 struct pl_blg_made *made)
{
    struct clocks clocks = { .block = clocks_of(s) };
    struct pl_block_stamp stamp = {
        .utc_ns = s->utc_ns,
        .perf_time = clocks.block.tick,
        .perf_freq = clocks.block.freq,
        .perf_time_100ns = clocks.block.hundred_ns,
    };
    struct pl_buf name = { 0 };
    enum pl_status status;
    size_t block;

    if (!stamp.perf_time_100ns)
        stamp.perf_time_100ns = s->utc_ns / 100 + PL_FILETIME_OF_1970;
    *made = (struct pl_blg_made){ stamp.perf_time, stamp.perf_freq, 0, false };
    pl_utf8_to_utf16(&name, s->host, strlen(s->host));
    pl_buf_clear(out);
    block = pl_put_block(out, &stamp, name.p, name.len);
    for (size_t i = 0; i < s->groups->num; i++) {
        const struct pl_blg_group *g = &s->groups->groups[i];

        if (g->machine != s->machine || !record_of(s, g->first))
            continue;
        if (made->num_objects == PL_MAX_OBJECTS ||
            out->len > PL_MAX_BLOCK_LEN / 2) {
            made->left_out = true;
            break;
        }
        put_object(out, s, g, &clocks);
        made->num_objects++;
    }
    pl_put_block_close(out, block, made->num_objects, -1);
    status = out->oom || name.oom ? PL_NOMEM : PL_OK;
    pl_buf_release(&name);
    return status;
}
