/* Records put together for one write(). */
#include "format/batch.h"

void pl_batch_release(struct pl_batch *b)
{
    pl_buf_release(&b->bytes);
    pl_buf_release(&b->payload);
}

void pl_batch_begin(struct pl_batch *b, uint64_t session, uint32_t first_seq)
{
    pl_buf_clear(&b->bytes);
    b->num = 0;
    b->session = session;
    b->first_seq = first_seq;
}

uint32_t pl_batch_seq(const struct pl_batch *b)
{
    return b->first_seq + b->num;
}

struct pl_buf *pl_batch_payload(struct pl_batch *b)
{
    pl_buf_clear(&b->payload);
    return &b->payload;
}

void pl_batch_plain(struct pl_batch *b, uint32_t type, int64_t utc_ns,
                    int64_t boot_ns)
{
    const struct pl_buf *payload = &b->payload;
    struct pl_record r = { .type = type,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns,
                           .raw_len = (uint32_t)payload->len };

    r.raw_hash = pl_hash(payload->p, payload->len, b->session);
    pl_batch_coded(b, r, payload);
}

/* The header is written last because it holds the payload's hash. */
void pl_batch_coded(struct pl_batch *b, struct pl_record r,
                    const struct pl_buf *payload)
{
    size_t at = b->bytes.len, padded;
    uint8_t *p;

    r.session = b->session;
    r.seq = pl_batch_seq(b);
    r.stored_len = (uint32_t)payload->len;
    padded = pl_padded_len(r.stored_len);
    pl_buf_zeros(&b->bytes, PL_RECORD_LEN);
    pl_buf_bytes(&b->bytes, payload->p, payload->len);
    pl_buf_zeros(&b->bytes, padded - payload->len);
    b->bytes.oom |= payload->oom;
    if (b->bytes.oom)
        return;
    p = b->bytes.p + at;
    r.payload_hash = pl_hash(p + PL_RECORD_LEN, padded, b->session);
    pl_record_put(&r, p);
    b->num++;
}
