/* Writes and reads what an ends states of its segment. */
#include "format/payload/stated_part.h"

#include "format/base/cursor.h"
#include "format/payload/payloads.h"

#include <string.h>

enum { HEAD = 24 }; /* before what is compressed */

enum pl_status pl_stated_part_put(const struct pl_buf *content,
                                  uint64_t session, struct pl_buf *out)
{
    struct pl_encoder *e = NULL;
    enum pl_codec codec = PL_CODEC_STORED;
    enum pl_status s = pl_encoder_new(&e);
    size_t at = out->len;

    pl_buf_zeros(out, HEAD);
    if (!s && content->len)
        s = pl_encode_whole(e, content->p, content->len, out, &codec);
    pl_encoder_free(e);
    if (s || out->oom)
        return PL_NOMEM;
    pl_buf_set_u32(out, at, (uint32_t)codec);
    pl_buf_set_u32(out, at + 4, (uint32_t)content->len);
    pl_buf_set_u32(out, at + 8, (uint32_t)(out->len - at - HEAD));
    pl_buf_set_u64(out, at + 16, pl_hash(content->p, content->len, session));
    pl_buf_align(out, PL_STATED_TRAILER);
    return out->oom ? PL_NOMEM : PL_OK;
}

void pl_stated_end(struct pl_buf *out)
{
    pl_buf_u64(out, out->len + PL_STATED_TRAILER);
}

/* The head of the next part, and where what is compressed lies. */
static enum pl_status next_part(struct pl_cur *c, struct pl_record *r,
                                const uint8_t **payload)
{
    if (c->left < HEAD)
        return PL_END;
    r->codec = (uint8_t)pl_cur_u32(c);
    r->raw_len = pl_cur_u32(c);
    r->stored_len = pl_cur_u32(c);
    pl_cur_u32(c);
    r->raw_hash = pl_cur_u64(c);
    *payload = pl_cur_take(c, r->stored_len);
    pl_cur_take(c, (0 - (size_t)r->stored_len) % PL_STATED_TRAILER);
    return c->bad ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_stated_part_unpack(struct pl_decoder *d, uint64_t session,
                                     const uint8_t *ends, size_t n,
                                     enum pl_stated_part part, uint32_t most,
                                     struct pl_buf *content)
{
    struct pl_record r = { .session = session };
    const uint8_t *payload = NULL;
    enum pl_status s = PL_OK;
    struct pl_cur c;

    pl_buf_clear(content);
    if (n < PL_ENDS_LEN + PL_STATED_TRAILER)
        return PL_END;
    c = pl_cur_of(ends + PL_ENDS_LEN, n - PL_ENDS_LEN - PL_STATED_TRAILER);
    for (int i = 0; !s && i <= (int)part; i++)
        s = next_part(&c, &r, &payload);
    if (s)
        return s;
    if (r.codec > PL_CODEC_ZSTD || r.raw_len > most ||
        !pl_codec_is_plausible(&r))
        return PL_CORRUPT;
    s = pl_decode(d, &r, payload, NULL, content);
    return s ? s : content->len ? PL_OK : PL_END;
}

enum pl_status pl_stated_part_compare(uint64_t session, const uint8_t *ends,
                                      size_t n, enum pl_stated_part part,
                                      uint32_t most, const struct pl_buf *found)
{
    struct pl_buf stated = { 0 };
    struct pl_decoder *d = NULL;
    enum pl_status s = pl_decoder_new(&d);

    if (!s)
        s = pl_stated_part_unpack(d, session, ends, n, part, most, &stated);
    if (!s && (stated.len != found->len ||
               memcmp(stated.p, found->p, found->len) != 0))
        s = PL_CORRUPT;
    pl_decoder_free(d);
    pl_buf_release(&stated);
    return s == PL_END ? PL_OK : s;
}
