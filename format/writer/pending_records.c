/* Gaps and notes that wait for the next sample. */
#include "format/writer/pending_records.h"

#include "format/base/cursor.h"

enum { MOST_NOTES = 64 << 10 };

void pl_pending_records_release(struct pl_pending_records *p)
{
    pl_buf_release(&p->notes);
}

void pl_pending_records_clear(struct pl_pending_records *p)
{
    for (uint32_t cause = 1; cause < PL_NUM_SHOWN_CAUSES; cause++)
        p->gaps[cause].count = 0;
    pl_pending_records_forget_notes(p);
}

void pl_pending_records_forget_notes(struct pl_pending_records *p)
{
    pl_buf_clear(&p->notes);
}

void pl_pending_records_gap(struct pl_pending_records *p,
                            const struct pl_gaps *g)
{
    struct pl_gaps *sum = &p->gaps[pl_gap_shown_cause(g)];

    if (!sum->count) {
        *sum = *g;
        return;
    }
    sum->utc_last = g->utc_last;
    sum->boot_last = g->boot_last;
    sum->count += g->count;
    sum->error = g->error;
}

uint32_t pl_pending_records_missed(const struct pl_pending_records *p)
{
    uint32_t sum = 0;

    for (uint32_t cause = 1; cause < PL_NUM_SHOWN_CAUSES; cause++)
        sum += p->gaps[cause].count;
    return sum;
}

void pl_pending_records_note(struct pl_pending_records *p,
                             enum pl_note_kind kind, int64_t utc_ns,
                             int64_t boot_ns, const char *text)
{
    struct pl_note note = { (uint16_t)kind, pl_text_of(text) };
    struct pl_record r = { .type = PL_NOTE,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns };
    struct pl_buf payload = { 0 };

    if (p->notes.len + note.text.n > MOST_NOTES)
        return;
    pl_note_write(&note, &payload);
    r.stored_len = (uint32_t)payload.len;
    if (!payload.oom)
        pl_pending_records_record(p, &r, payload.p);
    pl_buf_release(&payload);
}

enum pl_status pl_pending_records_record(struct pl_pending_records *p,
                                         const struct pl_record *r,
                                         const uint8_t *payload)
{
    size_t before = p->notes.len;

    pl_buf_u32(&p->notes, r->type);
    pl_buf_u64(&p->notes, (uint64_t)r->utc_ns);
    pl_buf_u64(&p->notes, (uint64_t)r->boot_ns);
    pl_buf_u32(&p->notes, r->stored_len);
    pl_buf_bytes(&p->notes, payload, r->stored_len);
    if (!p->notes.oom)
        return PL_OK;
    p->notes.oom = false; /* the incomplete record is dropped */
    p->notes.len = before;
    return PL_NOMEM;
}

void pl_pending_records_put(const struct pl_pending_records *p,
                            struct pl_record_batch *b, int64_t utc_ns,
                            int64_t boot_ns)
{
    struct pl_cur c = pl_cur_of(p->notes.p, p->notes.len);

    for (uint32_t cause = 1; cause < PL_NUM_SHOWN_CAUSES; cause++) {
        if (!p->gaps[cause].count)
            continue;
        pl_gaps_write(&p->gaps[cause], pl_record_batch_payload(b));
        pl_record_batch_plain(b, PL_GAPS, utc_ns, boot_ns);
    }
    while (c.left) {
        uint32_t type = pl_cur_u32(&c);
        int64_t own_utc = (int64_t)pl_cur_u64(&c);
        int64_t own_boot = (int64_t)pl_cur_u64(&c);
        uint32_t len = pl_cur_u32(&c);

        pl_buf_bytes(pl_record_batch_payload(b), pl_cur_take(&c, len), len);
        pl_record_batch_plain(b, type, own_utc, own_boot);
    }
}
