/* Reads the records of a PACK as if each stood in the file. */
#include "format/record/codec.h"
#include "format/reader/reader_state.h"

bool pl_reader_is_in_pack(const struct pl_reader *r)
{
    return r->pack && pl_pack_decoder_is_open(r->pack);
}

/*
 * True if the pack follows what was read and its header suffices: none of its
 * samples is wanted, or only that there is one, of which header and head of the
 * pack have the times.
 */
static bool is_passed(struct pl_reader *r, const struct pl_stretch *at)
{
    const struct pl_record *record = &at->record;
    const bool is_before = at->at < r->needed_from;
    struct pl_pack_head h;

    if (!r->times_only || (!is_before && !r->first_suffices) ||
        record->codec != PL_CODEC_PACK || record->flags & PL_FLAGS_CRITICAL ||
        record->session != r->session || !r->reported || r->too_new ||
        record->seq != r->next_seq || r->follower != r->next_seq ||
        !pl_pack_head_get(&h, record, at->payload))
        return false;
    r->next_seq = r->follower = (uint64_t)record->seq + h.records;
    if (!is_before)
        pl_reader_enqueue(r, PL_ITEM_SAMPLE, at)->len = at->len;
    return true;
}

enum pl_status pl_reader_open_pack(struct pl_reader *r,
                                   const struct pl_stretch *at)
{
    enum pl_status s;
    struct pl_item *item;

    if (is_passed(r, at))
        return PL_OK;
    s = r->pack ? PL_OK : pl_pack_decoder_new(&r->pack);
    r->pack_at = *at;
    r->pack_slot = NO_SLOT;
    r->pack_began = r->pack_large = false;
    if (!s)
        s = at->record.flags & PL_FLAGS_CRITICAL
                ? PL_UNSUPPORTED
                : pl_pack_decoder_open(r->pack, &at->record, at->payload);
    if (at->len > PL_LARGE)
        pl_record_scan_drop(&r->scan);
    if (!s || s == PL_NOMEM)
        return s;
    item = pl_reader_enqueue(
        r, s == PL_UNSUPPORTED ? PL_ITEM_TOO_NEW : PL_ITEM_DAMAGED, at);
    item->len = at->len;
    item->reason = s == PL_UNSUPPORTED
                       ? "its coding needs a newer perflog"
                       : "pack cannot be read: forged, or a defect";
    return PL_OK;
}

/* The pack's bytes are accounted for by its last record. */
enum pl_status pl_reader_next_packed(struct pl_reader *r, struct pl_stretch *at)
{
    enum pl_status s;

    *at = (struct pl_stretch){ .kind = PL_STRETCH_RECORD,
                               .at = r->pack_at.at,
                               .packed = true };
    s = pl_pack_decoder_next(r->pack, &at->record, &at->payload);
    if (s == PL_CORRUPT) {
        at->kind = PL_STRETCH_DAMAGED;
        at->record = r->pack_at.record;
        at->reason = "pack cannot be read: forged, or a defect";
    }
    if (!pl_pack_decoder_is_open(r->pack))
        at->len = r->pack_at.len;
    return PL_OK;
}

/* Why a sample has no block. */
static enum pl_status without_block(struct pl_reader *r, struct pl_item *item,
                                    enum pl_status s)
{
    r->pack_slot = NO_SLOT;
    if (s == PL_NOMEM)
        return s;
    if (s && s != PL_TOO_LARGE) {
        item->kind = PL_ITEM_DAMAGED;
        item->reason = "sample cannot be rebuilt: forged, or a defect";
        return PL_OK;
    }
    r->pack_large |= s == PL_TOO_LARGE;
    pl_reader_leave_out(item, s == PL_TOO_LARGE, r->pack_large);
    return PL_OK;
}

/* A sample that is not decoded. */
static enum pl_status pass_sample(struct pl_reader *r,
                                  const struct pl_stretch *at,
                                  struct pl_item *item)
{
    enum pl_status s = pl_pack_decoder_pass(r->pack, &item->record);

    if (s)
        return without_block(r, item, s);
    item->kind = PL_ITEM_SAMPLE;
    r->last_slot = r->key_slot;
    r->last_seq = at->record.seq;
    return PL_OK;
}

/* Free the large blocks that are not needed, but keep the memory of 'slot', as
 * the next block is likely to be as large. */
static void drop_others(struct pl_reader *r, int slot)
{
    for (int i = 0; i < NUM_SLOTS; i++)
        if (i != slot && !pl_reader_needs_slot(r, i))
            pl_buf_drop(&r->slots[i]);
}

enum pl_status pl_reader_read_packed(struct pl_reader *r,
                                     const struct pl_stretch *at,
                                     struct pl_item *item)
{
    const struct pl_buf *before =
        r->pack_slot == NO_SLOT ? NULL : &r->slots[r->pack_slot];
    bool is_first = !r->pack_began;
    int slot;
    enum pl_status s;

    r->pack_began = true;
    if (r->times_only)
        return pass_sample(r, at, item);
    if (!before && !is_first)
        return without_block(r, item, PL_OK);
    if (is_first)
        r->looked = false;
    else if (!pl_reader_is_decoded(r, item))
        return pass_sample(r, at, item);
    slot = pl_reader_free_slot(r);
    drop_others(r, slot);
    s = pl_pack_decoder_block(r->pack, before, r->max_block, &item->record,
                              &r->slots[slot]);
    if (s)
        return without_block(r, item, s);
    r->pack_slot = r->last_slot = slot;
    r->last_seq = at->record.seq;
    r->key_slot = is_first ? slot : NO_SLOT;
    r->key_seq = at->record.seq;
    r->has_key_at = false;
    pl_identity_set_limit(r->identities, r->slots[slot].p, r->slots[slot].len);
    item->kind = PL_ITEM_SAMPLE;
    item->block = &r->slots[slot];
    return PL_OK;
}

bool pl_reader_pack_has_none(const struct pl_reader *r, int64_t first_ns,
                             int64_t last_ns)
{
    return !pl_reader_is_in_pack(r) ||
           pl_pack_decoder_has_none(r->pack, first_ns, last_ns);
}
