/* Writes and reads the names that an ends states. */
#include "format/log/stated_names.h"

#include "format/log/payloads.h"

#include <string.h>

enum {
    NAMES_HEAD = 24, /* before what is compressed */
    NAMED_OBJECT = 12,
};

enum pl_status pl_segment_names_put(struct pl_segment_names *n,
                                    uint64_t session, uint64_t ends_at,
                                    struct pl_buf *out)
{
    struct pl_buf content = { 0 };
    struct pl_encoder *e = NULL;
    enum pl_codec codec = PL_CODEC_STORED;
    enum pl_status s = pl_segment_names_content(n, ends_at, &content);
    size_t at = out->len;

    if (!s && content.len) {
        pl_buf_zeros(out, NAMES_HEAD);
        s = pl_encoder_new(&e);
        if (!s)
            s = pl_encode_whole(e, content.p, content.len, out, &codec);
        pl_buf_set_u32(out, at, (uint32_t)codec);
        pl_buf_set_u32(out, at + 4, (uint32_t)content.len);
        pl_buf_set_u32(out, at + 8, (uint32_t)(out->len - at - NAMES_HEAD));
        pl_buf_set_u64(out, at + 16, pl_hash(content.p, content.len, session));
        pl_buf_align(out, PL_NAMES_TRAILER);
        pl_buf_u64(out, out->len + PL_NAMES_TRAILER);
        pl_encoder_free(e);
    }
    pl_buf_release(&content);
    return s ? s : out->oom ? PL_NOMEM : PL_OK;
}

enum pl_status pl_stated_names_unpack(struct pl_decoder *d, uint64_t session,
                                      const uint8_t *ends, size_t n,
                                      struct pl_buf *content)
{
    struct pl_cur c = pl_cur_of(ends, n);
    struct pl_record r = { .session = session };
    const uint8_t *payload;

    pl_buf_clear(content);
    if (n < PL_ENDS_LEN + NAMES_HEAD + PL_NAMES_TRAILER)
        return PL_END;
    pl_cur_take(&c, PL_ENDS_LEN);
    r.codec = (uint8_t)pl_cur_u32(&c);
    r.raw_len = pl_cur_u32(&c);
    r.stored_len = pl_cur_u32(&c);
    pl_cur_u32(&c);
    r.raw_hash = pl_cur_u64(&c);
    payload = pl_cur_take(&c, r.stored_len);
    if (!payload || r.codec > PL_CODEC_ZSTD ||
        r.raw_len > PL_MOST_NAMES_CONTENT || !pl_codec_is_plausible(&r))
        return PL_CORRUPT;
    return pl_decode(d, &r, payload, NULL, content);
}

enum pl_status pl_stated_names_parse(struct pl_stated_names *names,
                                     const struct pl_buf *content)
{
    struct pl_cur c = pl_cur_of(content->p, content->len);
    uint64_t num;

    names->ends_at = pl_cur_u64(&c);
    names->titles_at = pl_cur_u64(&c);
    names->samples = pl_cur_u64(&c);
    num = pl_cur_u32(&c);
    names->objects = pl_cur_sub(&c, num * NAMED_OBJECT);
    names->blocks = c;
    return c.bad || num > PL_MOST_NAMED_OBJECTS ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_stated_names_object(struct pl_stated_names *names,
                                      struct pl_named_object *o)
{
    if (!names->objects.left)
        return PL_END;
    o->title_index = pl_cur_u32(&names->objects);
    o->samples = pl_cur_u64(&names->objects);
    return PL_OK;
}

enum pl_status pl_stated_names_block(struct pl_stated_names *names,
                                     struct pl_cur *block)
{
    uint32_t len;

    if (names->blocks.left < sizeof len)
        return PL_END;
    len = pl_cur_u32(&names->blocks);
    if (len < sizeof len || len - sizeof len > names->blocks.left)
        return PL_END;
    *block = pl_cur_sub(&names->blocks, len - sizeof len);
    return PL_OK;
}

enum pl_status pl_segment_names_compare(struct pl_segment_names *n,
                                        uint64_t session, uint64_t ends_at,
                                        const uint8_t *ends, size_t len)
{
    struct pl_buf stated = { 0 }, found = { 0 };
    struct pl_decoder *d = NULL;
    enum pl_status s = pl_decoder_new(&d);

    if (!s)
        s = pl_stated_names_unpack(d, session, ends, len, &stated);
    if (!s)
        s = pl_segment_names_content(n, ends_at, &found);
    if (!s &&
        (stated.len != found.len || memcmp(stated.p, found.p, found.len) != 0))
        s = PL_CORRUPT;
    pl_decoder_free(d);
    pl_buf_release(&stated);
    pl_buf_release(&found);
    return s == PL_END ? PL_OK : s;
}
