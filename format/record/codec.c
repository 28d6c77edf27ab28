/* Payload codings: stored, zstd, delta, delta + zstd. */
#include "format/record/codec.h"

#include "format/record/delta.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Higher levels hardly compress blocks better, and take two or three times
 * the memory. */
enum { LEVEL = 1, TOKEN_SLACK = 65536 };

struct pl_encoder {
    ZSTD_CCtx *key;   /* one context each: their tables differ in size, */
    ZSTD_CCtx *delta; /* and a shared one would be rebuilt at every key */
    struct pl_plan plan;
    struct pl_buf tokens;
};

struct pl_decoder {
    ZSTD_DCtx *dctx;
    struct pl_buf tokens;
};

enum pl_status pl_encoder_new(struct pl_encoder **out)
{
    struct pl_encoder *e = calloc(1, sizeof *e);

    if (!e)
        return PL_NOMEM;
    e->key = ZSTD_createCCtx();
    e->delta = ZSTD_createCCtx();
    if (!e->key || !e->delta) {
        pl_encoder_free(e);
        return PL_NOMEM;
    }
    ZSTD_CCtx_setParameter(e->key, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(e->delta, ZSTD_c_compressionLevel, LEVEL);
    *out = e;
    return PL_OK;
}

void pl_encoder_free(struct pl_encoder *e)
{
    if (!e)
        return;
    ZSTD_freeCCtx(e->key);
    ZSTD_freeCCtx(e->delta);
    pl_plan_release(&e->plan);
    pl_buf_release(&e->tokens);
    free(e);
}

/* Append the shorter of one zstd frame of 'p' and 'p' itself. */
static enum pl_status compress(ZSTD_CCtx *ctx, const uint8_t *p, size_t n,
                               struct pl_buf *out, bool *compressed)
{
    size_t bound = ZSTD_compressBound(n);
    uint8_t *room = pl_buf_room(out, bound);
    size_t used;

    if (!room)
        return PL_NOMEM;
    used = ZSTD_compress2(ctx, room, bound, p, n);
    if (ZSTD_isError(used))
        return PL_NOMEM; /* the only possible error, as the room suffices */
    *compressed = used < n;
    if (*compressed)
        out->len += used;
    else
        pl_buf_bytes(out, p, n);
    return PL_OK;
}

enum pl_status pl_encode_whole(struct pl_encoder *e, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec)
{
    bool compressed;
    enum pl_status s = compress(e->key, raw, raw_len, out, &compressed);

    *codec = !s && compressed ? PL_CODEC_ZSTD : PL_CODEC_STORED;
    return s;
}

enum pl_status pl_encode_delta(struct pl_encoder *e, const uint8_t *ref,
                               size_t ref_len, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec)
{
    size_t most = raw_len > PL_LARGE ? raw_len / 2 : SIZE_MAX;
    bool compressed;
    enum pl_status s;

    if (raw_len % 8)
        return PL_UNSUPPORTED;
    s = pl_delta_plan(&e->plan, ref, ref_len, raw, raw_len);
    if (s)
        return s;
    pl_buf_clear(&e->tokens);
    if (!pl_delta_encode(&e->tokens, &e->plan, ref, raw, most))
        return e->tokens.oom ? PL_NOMEM : PL_UNSUPPORTED;
    s = compress(e->delta, e->tokens.p, e->tokens.len, out, &compressed);
    *codec = !s && compressed ? PL_CODEC_DELTA_ZSTD : PL_CODEC_DELTA;
    return s;
}

void pl_encoder_drop(struct pl_encoder *e)
{
    pl_buf_drop(&e->tokens);
}

enum pl_status pl_decoder_new(struct pl_decoder **out)
{
    struct pl_decoder *d = calloc(1, sizeof *d);

    if (!d)
        return PL_NOMEM;
    d->dctx = ZSTD_createDCtx();
    if (!d->dctx) {
        free(d);
        return PL_NOMEM;
    }
    *out = d;
    return PL_OK;
}

void pl_decoder_free(struct pl_decoder *d)
{
    if (!d)
        return;
    ZSTD_freeDCtx(d->dctx);
    pl_buf_release(&d->tokens);
    free(d);
}

static size_t max_tokens(uint32_t raw_len)
{
    return 2 * (size_t)raw_len + TOKEN_SLACK;
}

bool pl_codec_is_plausible(const struct pl_record *r)
{
    switch (r->codec) {
    case PL_CODEC_STORED:
        return r->stored_len == r->raw_len;
    case PL_CODEC_ZSTD:
        return r->stored_len <= ZSTD_compressBound(r->raw_len);
    case PL_CODEC_DELTA:
        return r->stored_len <= max_tokens(r->raw_len);
    case PL_CODEC_DELTA_ZSTD:
        return r->stored_len <= ZSTD_compressBound(max_tokens(r->raw_len));
    case PL_CODEC_PACK_OLD:
    case PL_CODEC_PACK:
        return r->type != PL_PACK ||
               (r->stored_len >= PL_PACK_HEAD &&
                r->stored_len - PL_PACK_HEAD <= ZSTD_compressBound(r->raw_len));
    }
    return true; /* unknown codec: no judgement */
}

/*
 * Exactly one frame that fills the payload and declares its content size;
 * it is decoded in one pass into a buffer of that size, so no memory is
 * allocated by the frame's window field.
 */
static enum pl_status inflate_frame(struct pl_decoder *d, const uint8_t *p,
                                    size_t n, size_t least, size_t most,
                                    struct pl_buf *out)
{
    unsigned long long size = ZSTD_getFrameContentSize(p, n);
    uint8_t *room;
    size_t got;

    if (n < 4 || p[0] != 0x28 || /* no skippable frame */
        size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
        size < least || size > most || ZSTD_findFrameCompressedSize(p, n) != n)
        return PL_CORRUPT;
    room = pl_buf_room(out, (size_t)size + 1);
    if (!room)
        return PL_NOMEM;
    got = ZSTD_decompressDCtx(d->dctx, room, (size_t)size, p, n);
    if (ZSTD_isError(got))
        return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation
                   ? PL_NOMEM
                   : PL_CORRUPT;
    if (got != size)
        return PL_CORRUPT;
    out->len += got;
    return PL_OK;
}

static enum pl_status decode_delta(const struct pl_record *r,
                                   const uint8_t *tokens, size_t len,
                                   const struct pl_buf *ref, struct pl_buf *out)
{
    uint8_t *room = pl_buf_room(out, (size_t)r->raw_len + 1);
    enum pl_status s;

    if (!room)
        return PL_NOMEM;
    s = pl_delta_decode(tokens, len, ref->p, ref->len, room, r->raw_len);
    if (!s)
        out->len = r->raw_len;
    return s;
}

bool pl_decode_has_halves(const struct pl_record *r)
{
    return r->codec == PL_CODEC_DELTA_ZSTD;
}

enum pl_status pl_decode_unpack(struct pl_decoder *d, const struct pl_record *r,
                                const uint8_t *payload)
{
    pl_buf_clear(&d->tokens);
    return inflate_frame(d, payload, r->stored_len, 0, max_tokens(r->raw_len),
                         &d->tokens);
}

enum pl_status pl_decode(struct pl_decoder *d, const struct pl_record *r,
                         const uint8_t *payload, const struct pl_buf *ref,
                         struct pl_buf *out)
{
    enum pl_status s = PL_OK;

    pl_buf_clear(out);
    if (r->codec >= PL_CODEC_DELTA && r->codec <= PL_CODEC_DELTA_ZSTD && !ref)
        return PL_CORRUPT;
    switch (r->codec) {
    case PL_CODEC_STORED:
        pl_buf_bytes(out, payload, r->stored_len);
        if (out->oom)
            return PL_NOMEM;
        break;
    case PL_CODEC_ZSTD:
        s = inflate_frame(d, payload, r->stored_len, r->raw_len, r->raw_len,
                          out);
        break;
    case PL_CODEC_DELTA:
        s = decode_delta(r, payload, r->stored_len, ref, out);
        break;
    case PL_CODEC_DELTA_ZSTD:
        if (payload)
            s = pl_decode_unpack(d, r, payload);
        if (!s)
            s = decode_delta(r, d->tokens.p, d->tokens.len, ref, out);
        pl_buf_drop(&d->tokens);
        break;
    default:
        return PL_UNSUPPORTED;
    }
    if (s)
        return s;
    if (out->len != r->raw_len ||
        pl_hash(out->p, out->len, r->session) != r->raw_hash)
        return PL_CORRUPT;
    return PL_OK;
}
