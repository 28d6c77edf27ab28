/* Reads logs of other formats like perflog's own. */
#include "format/reader/reader_state.h"

/* Store the session's facts as a SESS payload, so that they remain valid. */
static enum pl_status keep_facts(struct pl_reader *r,
                                 const struct pl_session *session)
{
    pl_buf_clear(&r->meta_payload);
    pl_session_write(session, &r->meta_payload);
    if (r->meta_payload.oom)
        return PL_NOMEM;
    r->has_meta = true;
    r->session++;
    r->next_seq = 0;
    return pl_session_parse(&r->meta, r->meta_payload.p, r->meta_payload.len);
}

/* Make the record that the item would have in a perflog log. */
static enum pl_status make_record(struct pl_reader *r, struct pl_item *item,
                                  int slot)
{
    struct pl_record *record = &item->record;

    pl_buf_clear(&r->scratch);
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        record->type = PL_SMPL;
        if (!r->slots[slot].len)
            break; /* only its time is needed */
        r->given_slot = r->last_slot;
        r->last_slot = slot;
        item->block = &r->slots[slot];
        record->raw_len = (uint32_t)item->block->len;
        break;
    case PL_ITEM_GAPS:
        record->type = PL_GAPS;
        pl_gaps_write(&item->gaps, &r->scratch);
        break;
    case PL_ITEM_NOTE:
        record->type = PL_NOTE;
        pl_note_write(&item->note, &r->scratch);
        break;
    case PL_ITEM_ENDS:
        record->type = PL_ENDS;
        pl_ends_write(&item->ends, &r->scratch);
        break;
    case PL_ITEM_SESSION:
        record->type = PL_SESS;
        break;
    case PL_ITEM_TITLES:
        record->type = PL_TITL;
        break;
    default:
        return PL_OK;
    }
    item->payload = r->scratch.p;
    record->stored_len = (uint32_t)r->scratch.len;
    record->session = r->session;
    record->seq = (uint32_t)r->next_seq++;
    return r->scratch.oom ? PL_NOMEM : PL_OK;
}

enum pl_status pl_reader_next_foreign(struct pl_reader *r, struct pl_item *item)
{
    struct pl_session session = { 0 };
    int slot = 0;
    enum pl_status s;

    while (slot == r->last_slot || slot == r->given_slot)
        slot++;
    *item = (struct pl_item){ 0 };
    pl_buf_clear(&r->slots[slot]);
    s = r->foreign->next(r->foreign_ctx, item, &session, r->titles,
                         &r->slots[slot]);
    if (!s && item->kind == PL_ITEM_SESSION)
        s = keep_facts(r, &session);
    return s ? s : make_record(r, item, slot);
}
