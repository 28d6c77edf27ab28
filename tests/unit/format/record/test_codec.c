/* Payload codings: all four come back, and a payload that is not exactly one
 * frame of the right size is refused before memory is set aside for it. */
#include "format/record/codec.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { SESSION = 4711, BLOCK_LEN = 4096 };

/* ---- tools --------------------------------------------------------------- */

static struct pl_encoder *encoder;
static struct pl_decoder *decoder;

static void setup(void)
{
    ck_assert_int_eq(pl_encoder_new(&encoder), PL_OK);
    ck_assert_int_eq(pl_decoder_new(&decoder), PL_OK);
}

static void teardown(void)
{
    pl_encoder_free(encoder);
    pl_decoder_free(decoder);
}

static struct pl_record record_of(enum pl_codec codec,
                                  const struct pl_buf *payload,
                                  const struct pl_buf *raw)
{
    return (struct pl_record){ .type = PL_SMPL,
                               .session = SESSION,
                               .codec = (uint8_t)codec,
                               .stored_len = (uint32_t)payload->len,
                               .raw_len = (uint32_t)raw->len,
                               .raw_hash = pl_hash(raw->p, raw->len, SESSION) };
}

/* pl_decode of an exact-size copy of the payload. */
static enum pl_status decode(const struct pl_record *r,
                             const struct pl_buf *payload,
                             const struct pl_buf *ref, struct pl_buf *out)
{
    uint8_t *p = exact_copy(payload->p, payload->len);
    enum pl_status s = pl_decode(decoder, r, p, ref, out);

    free(p);
    return s;
}

static void check_decodes(enum pl_codec codec, const struct pl_buf *payload,
                          const struct pl_buf *ref, const struct pl_buf *raw)
{
    struct pl_record r = record_of(codec, payload, raw);
    struct pl_buf out = { 0 };

    pl_buf_bytes(&out, "left from before", 16);
    ck_assert(pl_codec_is_plausible(&r));
    ck_assert_int_eq(decode(&r, payload, ref, &out), PL_OK);
    ck_assert_uint_eq(out.len, raw->len);
    ck_assert(!raw->len || !memcmp(out.p, raw->p, raw->len));
    pl_buf_release(&out);
}

/* Bytes that zstd shortens, or noise that it does not. */
static void put_text(struct pl_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pl_buf_u8(b, (uint8_t)(i % 16 ? 0 : i >> 8));
}

static void put_noise(struct pl_buf *b, size_t n)
{
    uint32_t v = 1;

    for (size_t i = 0; i < n; i++) {
        v = v * 1664525 + 1013904223;
        pl_buf_u8(b, (uint8_t)(v >> 24));
    }
}

/* Add to every 'step'-th word. */
static void change(struct pl_buf *b, size_t step)
{
    for (size_t at = 0; at + 8 <= b->len; at += 8 * step)
        pl_buf_set_u64(b, at, pl_get_le64(b->p + at) + 1000 + at);
}

/* ---- round trips --------------------------------------------------------- */

START_TEST(a_whole_block_is_compressed_where_it_helps)
{
    struct pl_buf raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_text(&raw, BLOCK_LEN + 3); /* any length will do */
    ck_assert_int_eq(pl_encode_whole(encoder, raw.p, raw.len, &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(codec, PL_CODEC_ZSTD);
    ck_assert_uint_lt(payload.len, raw.len);
    check_decodes(codec, &payload, NULL, &raw);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(noise_is_stored_as_it_is)
{
    struct pl_buf raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    for (size_t n = 0; n < 40; n++) {
        pl_buf_clear(&raw);
        pl_buf_clear(&payload);
        put_noise(&raw, n);
        ck_assert_int_eq(
            pl_encode_whole(encoder, raw.p, raw.len, &payload, &codec), PL_OK);
        ck_assert_int_eq(codec, PL_CODEC_STORED);
        ck_assert_uint_eq(payload.len, raw.len);
        check_decodes(codec, &payload, NULL, &raw);
    }
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(a_small_difference_is_stored_as_tokens)
{
    struct pl_buf ref = { 0 }, raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_noise(&ref, BLOCK_LEN);
    pl_buf_bytes(&raw, ref.p, ref.len);
    change(&raw, 512);
    ck_assert_int_eq(pl_encode_delta(encoder, ref.p, ref.len, raw.p, raw.len,
                                     &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(codec, PL_CODEC_DELTA);
    ck_assert_uint_lt(payload.len, 16);
    check_decodes(codec, &payload, &ref, &raw);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(a_large_difference_is_compressed)
{
    struct pl_buf ref = { 0 }, raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_noise(&ref, BLOCK_LEN);
    pl_buf_bytes(&raw, ref.p, ref.len);
    change(&raw, 2);
    ck_assert_int_eq(pl_encode_delta(encoder, ref.p, ref.len, raw.p, raw.len,
                                     &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(codec, PL_CODEC_DELTA_ZSTD);
    check_decodes(codec, &payload, &ref, &raw);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(payloads_are_appended)
{
    struct pl_buf raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_text(&raw, BLOCK_LEN);
    pl_buf_bytes(&payload, "head", 4);
    ck_assert_int_eq(pl_encode_whole(encoder, raw.p, raw.len, &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(pl_encode_delta(encoder, raw.p, raw.len, raw.p, raw.len,
                                     &payload, &codec),
                     PL_OK);
    ck_assert_mem_eq(payload.p, "head\x28\xB5\x2F\xFD", 8);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(only_whole_words_have_a_difference)
{
    struct pl_buf ref = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_text(&ref, BLOCK_LEN);
    for (size_t n = BLOCK_LEN - 7; n < BLOCK_LEN; n++)
        ck_assert_int_eq(pl_encode_delta(encoder, ref.p, ref.len, ref.p, n,
                                         &payload, &codec),
                         PL_UNSUPPORTED);
    ck_assert_uint_eq(payload.len, 0);
    pl_buf_release(&ref);
    pl_buf_release(&payload);
}
END_TEST

START_TEST(one_encoder_and_decoder_serve_a_whole_log)
{
    struct pl_buf ref = { 0 }, raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_text(&ref, BLOCK_LEN);
    for (size_t i = 1; i < 200; i++) {
        pl_buf_clear(&raw);
        pl_buf_clear(&payload);
        pl_buf_bytes(&raw, ref.p, ref.len);
        change(&raw, i);
        if (i % 60)
            ck_assert_int_eq(pl_encode_delta(encoder, ref.p, ref.len, raw.p,
                                             raw.len, &payload, &codec),
                             PL_OK);
        else
            ck_assert_int_eq(
                pl_encode_whole(encoder, raw.p, raw.len, &payload, &codec),
                PL_OK);
        check_decodes(codec, &payload, &ref, &raw);
        pl_buf_swap(&ref, &raw);
    }
    pl_buf_release(&ref);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

/* ---- what the record says ------------------------------------------------ */

static const struct {
    const char *what;
    enum pl_status want;
    int raw_len, codec; /* added to what is right */
    uint64_t raw_hash, session;
} records[] = {
    { "as written", PL_OK, 0, 0, 0, 0 },
    { "raw_len one more", PL_CORRUPT, 1, 0, 0, 0 },
    { "raw_len one less", PL_CORRUPT, -1, 0, 0, 0 },
    { "another raw_hash", PL_CORRUPT, 0, 0, 1, 0 },
    { "another session", PL_CORRUPT, 0, 0, 0, 1 },
    { "another codec", PL_CORRUPT, 0, 1, 0, 0 },
    { "codec 4", PL_UNSUPPORTED, 0, 4, 0, 0 },
    { "codec 255", PL_UNSUPPORTED, 0, 255, 0, 0 },
};

START_TEST(a_record_that_says_otherwise_is_refused)
{
    struct pl_buf raw = { 0 }, payload[4] = { 0 }, out = { 0 };

    put_text(&raw, 64);
    pl_buf_bytes(&payload[0], raw.p, raw.len);
    pl_buf_zeros(&payload[1], 200);
    payload[1].len = ZSTD_compress(payload[1].p, 200, raw.p, raw.len, 1);
    pl_buf_bytes(&payload[2], "\1\1\x08\x08\0", 5); /* the same again */
    pl_buf_zeros(&payload[3], 200);
    payload[3].len = ZSTD_compress(payload[3].p, 200, "\1\1\x08\x08\0", 5, 1);
    for (int codec = 0; codec < 4; codec++) {
        struct pl_record r =
            record_of((enum pl_codec)codec, &payload[codec], &raw);
        enum pl_status want = records[_i].want;

        r.raw_len += (uint32_t)records[_i].raw_len;
        r.raw_hash += records[_i].raw_hash;
        r.session += records[_i].session;
        if (records[_i].codec == 1)
            r.codec = (uint8_t)(codec ^ 1);
        else if (records[_i].codec)
            r.codec = (uint8_t)records[_i].codec;
        ck_assert_msg(decode(&r, &payload[codec], &raw, &out) == want,
                      "%s, codec %d", records[_i].what, codec);
        pl_buf_release(&payload[codec]);
    }
    pl_buf_release(&raw);
    pl_buf_release(&out);
}
END_TEST

START_TEST(a_difference_needs_its_reference)
{
    struct pl_buf raw = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_record r;

    put_text(&raw, 64);
    pl_buf_bytes(&payload, "\1\1\x08\x08\0", 5);
    r = record_of(PL_CODEC_DELTA, &payload, &raw);
    ck_assert_int_eq(decode(&r, &payload, NULL, &out), PL_CORRUPT);
    ck_assert_int_eq(decode(&r, &payload, &raw, &out), PL_OK);
    r.codec = PL_CODEC_DELTA_ZSTD;
    ck_assert_int_eq(decode(&r, &payload, NULL, &out), PL_CORRUPT);
    pl_buf_clear(&payload);
    pl_buf_bytes(&payload, "\1\1\x07\x07\0", 5); /* a word is missing */
    r = record_of(PL_CODEC_DELTA, &payload, &raw);
    ck_assert_int_eq(decode(&r, &payload, &raw, &out), PL_CORRUPT);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

/* ---- frames -------------------------------------------------------------- */

static const uint8_t skippable[] = { 0x50, 0x2A, 0x4D, 0x18, 4,   0,
                                     0,    0,    'h',  'e',  'r', 'e' };

static size_t put_frame(struct pl_buf *b, const void *p, size_t n,
                        ZSTD_cParameter parameter, int value)
{
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(n), used;
    uint8_t *room = pl_buf_room(b, bound);

    ZSTD_CCtx_setParameter(ctx, parameter, value);
    used = ZSTD_compress2(ctx, room, bound, p, n);
    ck_assert(!ZSTD_isError(used));
    b->len += used;
    ZSTD_freeCCtx(ctx);
    return used;
}

enum shape {
    PLAIN,
    WITH_CHECKSUM,
    NO_CONTENT_SIZE,
    BYTE_BEHIND,
    FRAME_BEHIND,
    SKIPPABLE_BEHIND,
    SKIPPABLE_BEFORE,
    SKIPPABLE_ALONE,
    ONE_BYTE_SHORT,
    NOTHING,
    OTHER_MAGIC,
    DICTIONARY,
    LARGE_WINDOW,
    TOO_SHORT_CONTENT,
    TOO_LONG_CONTENT,
};

static const struct {
    const char *what;
    enum shape shape;
    enum pl_status want;
} frames[] = {
    { "one frame", PLAIN, PL_OK },
    { "zstd's own checksum", WITH_CHECKSUM, PL_OK },
    { "no content size", NO_CONTENT_SIZE, PL_CORRUPT },
    { "a byte behind it", BYTE_BEHIND, PL_CORRUPT },
    { "an empty frame behind it", FRAME_BEHIND, PL_CORRUPT },
    { "a skippable frame behind it", SKIPPABLE_BEHIND, PL_CORRUPT },
    { "a skippable frame before it", SKIPPABLE_BEFORE, PL_CORRUPT },
    { "a skippable frame alone", SKIPPABLE_ALONE, PL_CORRUPT },
    { "its last byte is missing", ONE_BYTE_SHORT, PL_CORRUPT },
    { "nothing", NOTHING, PL_CORRUPT },
    { "no zstd magic", OTHER_MAGIC, PL_CORRUPT },
    { "made with a dictionary", DICTIONARY, PL_CORRUPT },
    { "a window of 2 GiB that nobody needs", LARGE_WINDOW, PL_OK },
    { "content one byte short", TOO_SHORT_CONTENT, PL_CORRUPT },
    { "content one byte long", TOO_LONG_CONTENT, PL_CORRUPT },
};

/* 'n' bytes at 'p' in a frame of the given shape; p[n] is readable. */
static void put_shape(struct pl_buf *b, enum shape shape, const uint8_t *p,
                      size_t n)
{
    if (shape == SKIPPABLE_BEFORE || shape == SKIPPABLE_ALONE)
        pl_buf_bytes(b, skippable, sizeof skippable);
    if (shape == NOTHING || shape == SKIPPABLE_ALONE)
        return;
    if (shape == WITH_CHECKSUM)
        put_frame(b, p, n, ZSTD_c_checksumFlag, 1);
    else if (shape == NO_CONTENT_SIZE)
        put_frame(b, p, n, ZSTD_c_contentSizeFlag, 0);
    else
        put_frame(b, p,
                  n + (shape == TOO_LONG_CONTENT) -
                      (shape == TOO_SHORT_CONTENT),
                  ZSTD_c_compressionLevel, 1);
    if (shape == BYTE_BEHIND)
        pl_buf_u8(b, 0);
    if (shape == FRAME_BEHIND)
        put_frame(b, "", 0, ZSTD_c_compressionLevel, 1);
    if (shape == SKIPPABLE_BEHIND)
        pl_buf_bytes(b, skippable, sizeof skippable);
    if (shape == ONE_BYTE_SHORT)
        b->len--;
    if (shape == OTHER_MAGIC)
        b->p[3] ^= 1;
    if (shape == DICTIONARY) { /* a one-byte id behind the descriptor */
        pl_buf_u8(b, 0);
        memmove(b->p + 6, b->p + 5, b->len - 6);
        b->p[4] |= 1;
        b->p[5] = 7;
    }
    if (shape == LARGE_WINDOW) { /* no single segment, but 2^31 of window */
        ck_assert_uint_eq(b->p[4] & 0xE0, 0x60); /* two bytes of size */
        pl_buf_u8(b, 0);
        memmove(b->p + 6, b->p + 5, b->len - 6);
        b->p[4] &= 0xDF;
        b->p[5] = 21 << 3;
    }
}

START_TEST(a_whole_block_is_exactly_one_frame)
{
    struct pl_buf raw = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_record r;

    put_text(&raw, BLOCK_LEN + 1);
    raw.len--;
    put_shape(&payload, frames[_i].shape, raw.p, raw.len);
    r = record_of(PL_CODEC_ZSTD, &payload, &raw);
    ck_assert_msg(decode(&r, &payload, NULL, &out) == frames[_i].want, "%s",
                  frames[_i].what);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

START_TEST(a_skippable_frame_is_no_empty_block)
{
    struct pl_buf raw = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_record r;

    pl_buf_bytes(&payload, skippable, sizeof skippable);
    r = record_of(PL_CODEC_ZSTD, &payload, &raw);
    ck_assert_int_eq(decode(&r, &payload, NULL, &out), PL_CORRUPT);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

START_TEST(a_token_stream_is_exactly_one_frame)
{
    struct pl_buf raw = { 0 }, tokens = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_record r;

    put_text(&raw, BLOCK_LEN);
    pl_buf_varint(&tokens, 1); /* all literal */
    pl_buf_varint(&tokens, 0);
    pl_buf_varint(&tokens, raw.len / 8);
    pl_buf_bytes(&tokens, raw.p, raw.len);
    pl_buf_u8(&tokens, 0);
    put_shape(&payload, frames[_i].shape, tokens.p, tokens.len - 1);
    r = record_of(PL_CODEC_DELTA_ZSTD, &payload, &raw);
    ck_assert_msg(decode(&r, &payload, &raw, &out) == frames[_i].want, "%s",
                  frames[_i].what);
    pl_buf_release(&raw);
    pl_buf_release(&tokens);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

/* A frame header that announces 'size' bytes, and one block of zeros. */
static void put_bomb(struct pl_buf *b, uint64_t size, uint32_t run)
{
    pl_buf_u32(b, 0xFD2FB528);
    pl_buf_u8(b, 0xE0); /* single segment, 8 bytes of content size */
    pl_buf_u64(b, size);
    pl_buf_u8(b, (uint8_t)(run << 3 | 3)); /* last block, run-length */
    pl_buf_u8(b, (uint8_t)(run >> 5));
    pl_buf_u8(b, (uint8_t)(run >> 13));
    pl_buf_u8(b, 0);
}

static const struct {
    const char *what;
    enum pl_codec codec;
    uint64_t announced;
    uint32_t raw_len;
} bombs[] = {
    { "2^62 bytes as a block", PL_CODEC_ZSTD, UINT64_C(1) << 62, 64 },
    { "2^62 bytes as tokens", PL_CODEC_DELTA_ZSTD, UINT64_C(1) << 62, 64 },
    { "more than raw_len", PL_CODEC_ZSTD, 65, 64 },
    { "less than raw_len", PL_CODEC_ZSTD, 100000, 100001 },
    { "size unknown", PL_CODEC_ZSTD, UINT64_MAX, 64 },
    { "size unknown, tokens", PL_CODEC_DELTA_ZSTD, UINT64_MAX, 64 },
    { "tokens over their cap", PL_CODEC_DELTA_ZSTD, 65536 + 2 * 64 + 1, 64 },
    { "announces what is not there", PL_CODEC_ZSTD, 128 << 10, 128 << 10 },
};

START_TEST(a_bomb_is_refused)
{
    struct pl_buf ref = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_record r = { .session = SESSION,
                           .codec = (uint8_t)bombs[_i].codec,
                           .raw_len = bombs[_i].raw_len };

    put_bomb(&payload, bombs[_i].announced, 1000);
    put_text(&ref, 64);
    r.stored_len = (uint32_t)payload.len;
    ck_assert_msg(decode(&r, &payload, &ref, &out) == PL_CORRUPT, "%s",
                  bombs[_i].what);
    ck_assert_msg(out.cap <= 2 * (size_t)bombs[_i].raw_len + 64, "%s",
                  bombs[_i].what);
    if (bombs[_i].announced != bombs[_i].raw_len)
        ck_assert_msg(!out.cap, "%s takes memory", bombs[_i].what);
    pl_buf_release(&ref);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

START_TEST(tokens_may_be_longer_than_twice_the_block)
{
    struct pl_buf raw = { 0 }, payload = { 0 }, out = { 0 };
    struct pl_buf tokens = { 0 };
    struct pl_record r;

    /* 4096 literals of one word, all numbers longer than they need be. */
    put_noise(&raw, 32768);
    pl_buf_varint(&tokens, 4096);
    for (size_t i = 0; i < 4096; i++)
        pl_buf_bytes(&tokens,
                     "\x80\x80\x80\x80\x80\x80\x80\x80\0"
                     "\x81\x80\x80\x80\x80\x80\x80\x80\0",
                     18);
    pl_buf_bytes(&tokens, raw.p, raw.len);
    ck_assert_uint_gt(tokens.len, 2 * raw.len);
    put_frame(&payload, tokens.p, tokens.len, ZSTD_c_compressionLevel, 1);
    r = record_of(PL_CODEC_DELTA_ZSTD, &payload, &raw);
    ck_assert_int_eq(decode(&r, &payload, &raw, &out), PL_OK);
    pl_buf_release(&raw);
    pl_buf_release(&tokens);
    pl_buf_release(&payload);
    pl_buf_release(&out);
}
END_TEST

/* ---- sweeps -------------------------------------------------------------- */

static void sweep(enum pl_codec codec, const struct pl_buf *payload,
                  const struct pl_buf *ref, const struct pl_buf *raw)
{
    struct pl_record r = record_of(codec, payload, raw);
    struct pl_buf bad = { 0 }, out = { 0 };

    for (size_t n = 0; n < payload->len; n++) {
        pl_buf_clear(&bad);
        pl_buf_bytes(&bad, payload->p, n);
        r.stored_len = (uint32_t)n;
        ck_assert_int_eq(decode(&r, &bad, ref, &out), PL_CORRUPT);
    }
    pl_buf_clear(&bad);
    pl_buf_bytes(&bad, payload->p, payload->len);
    r.stored_len = (uint32_t)payload->len;
    for (size_t bit = 0; bit < 8 * bad.len; bit++) {
        enum pl_status s;

        bad.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        s = decode(&r, &bad, ref, &out);
        /* zstd has bits without meaning; then the block is still right */
        ck_assert(s == PL_CORRUPT || (s == PL_OK && out.len == raw->len &&
                                      !memcmp(out.p, raw->p, raw->len)));
        bad.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    pl_buf_release(&bad);
    pl_buf_release(&out);
}

START_TEST(no_prefix_and_no_flipped_bit_yields_another_block)
{
    struct pl_buf ref = { 0 }, raw = { 0 }, payload = { 0 };
    enum pl_codec codec;

    put_text(&ref, 1024);
    pl_buf_bytes(&raw, ref.p, ref.len);
    change(&raw, 2);
    sweep(PL_CODEC_STORED, &raw, NULL, &raw);
    ck_assert_int_eq(pl_encode_whole(encoder, raw.p, raw.len, &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(codec, PL_CODEC_ZSTD);
    sweep(codec, &payload, NULL, &raw);
    pl_buf_clear(&payload);
    ck_assert_int_eq(pl_encode_delta(encoder, ref.p, ref.len, raw.p, raw.len,
                                     &payload, &codec),
                     PL_OK);
    ck_assert_int_eq(codec, PL_CODEC_DELTA_ZSTD);
    sweep(codec, &payload, &ref, &raw);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
    pl_buf_release(&payload);
}
END_TEST

static const struct {
    const char *what;
    uint8_t codec;
    uint32_t stored_len, raw_len;
    bool want;
} lengths[] = {
    { "stored as it is", 0, 100, 100, true },
    { "stored shorter", 0, 99, 100, false },
    { "stored longer", 0, 101, 100, false },
    { "a short frame of a long block", 1, 13, PL_MAX_PAYLOAD, true },
    { "a frame longer than zstd makes", 1, 2000, 100, false },
    { "tokens at their cap", 2, 65536 + 200, 100, true },
    { "tokens over their cap", 2, 65536 + 201, 100, false },
    { "compressed tokens", 3, 65536 + 200, 100, true },
    { "compressed tokens, too long", 3, 2 * 65536 + 400, 100, false },
    { "a codec to come", 4, 100000000, 1, true },
};

START_TEST(lengths_that_cannot_be_are_known_beforehand)
{
    struct pl_record r = { .codec = lengths[_i].codec,
                           .stored_len = lengths[_i].stored_len,
                           .raw_len = lengths[_i].raw_len };

    ck_assert_msg(pl_codec_is_plausible(&r) == lengths[_i].want, "%s",
                  lengths[_i].what);
}
END_TEST

START_TEST(freeing_nothing_is_fine)
{
    pl_encoder_free(NULL);
    pl_decoder_free(NULL);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("codec");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_whole_block_is_compressed_where_it_helps);
    tcase_add_test(t, noise_is_stored_as_it_is);
    tcase_add_test(t, a_small_difference_is_stored_as_tokens);
    tcase_add_test(t, a_large_difference_is_compressed);
    tcase_add_test(t, payloads_are_appended);
    tcase_add_test(t, only_whole_words_have_a_difference);
    tcase_add_test(t, one_encoder_and_decoder_serve_a_whole_log);
    tcase_add_loop_test(t, a_record_that_says_otherwise_is_refused, 0,
                        NUM(records));
    tcase_add_test(t, a_difference_needs_its_reference);
    tcase_add_loop_test(t, a_whole_block_is_exactly_one_frame, 0, NUM(frames));
    tcase_add_test(t, a_skippable_frame_is_no_empty_block);
    tcase_add_loop_test(t, a_token_stream_is_exactly_one_frame, 0, NUM(frames));
    tcase_add_loop_test(t, a_bomb_is_refused, 0, NUM(bombs));
    tcase_add_test(t, tokens_may_be_longer_than_twice_the_block);
    tcase_add_test(t, no_prefix_and_no_flipped_bit_yields_another_block);
    tcase_add_loop_test(t, lengths_that_cannot_be_are_known_beforehand, 0,
                        NUM(lengths));
    tcase_add_test(t, freeing_nothing_is_fine);
    return run_suite("codec", (TCase *[]){ t, NULL });
}
