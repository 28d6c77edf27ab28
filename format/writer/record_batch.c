/* Builds the records of one write(). */
#include "format/writer/record_batch.h"

void pl_record_batch_release(struct pl_record_batch *b)
{
    pl_buf_release(&b->bytes);
}

void pl_record_batch_begin(struct pl_record_batch *b, uint64_t session,
                           uint32_t first_seq)
{
    pl_buf_clear(&b->bytes);
    b->num = 0;
    b->session = session;
    b->first_seq = first_seq;
}

uint32_t pl_record_batch_seq(const struct pl_record_batch *b)
{
    return b->first_seq + b->num;
}

struct pl_buf *pl_record_batch_payload(struct pl_record_batch *b)
{
    b->open = b->bytes.len;
    pl_buf_zeros(&b->bytes, PL_RECORD_LEN);
    return &b->bytes;
}

/* The header is written last because it holds the payload's hash. */
void pl_record_batch_built(struct pl_record_batch *b, struct pl_record r)
{
    size_t payload = b->open + PL_RECORD_LEN, padded;
    uint8_t *p;

    if (b->bytes.oom)
        return;
    r.session = b->session;
    r.seq = pl_record_batch_seq(b);
    r.stored_len = (uint32_t)(b->bytes.len - payload);
    padded = pl_padded_len(r.stored_len);
    pl_buf_zeros(&b->bytes, padded - r.stored_len);
    if (b->bytes.oom)
        return;
    p = b->bytes.p + payload;
    r.payload_hash = pl_hash(p, padded, b->session);
    pl_record_put(&r, b->bytes.p + b->open);
    b->num++;
}

void pl_record_batch_plain(struct pl_record_batch *b, uint32_t type,
                           int64_t utc_ns, int64_t boot_ns)
{
    struct pl_record r = { .type = type, .utc_ns = utc_ns, .boot_ns = boot_ns };
    size_t payload = b->open + PL_RECORD_LEN;

    if (b->bytes.oom)
        return;
    r.raw_len = (uint32_t)(b->bytes.len - payload);
    r.raw_hash = pl_hash(b->bytes.p + payload, r.raw_len, b->session);
    pl_record_batch_built(b, r);
}

void pl_record_batch_coded(struct pl_record_batch *b, struct pl_record r,
                           const struct pl_buf *payload)
{
    pl_buf_bytes(pl_record_batch_payload(b), payload->p, payload->len);
    b->bytes.oom |= payload->oom;
    pl_record_batch_built(b, r);
}
