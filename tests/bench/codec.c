/*
 * What a recording costs to encode, decode and keep: 'bench_codec LOG...'.
 *
 * The blocks of a log go once more through the encoder and back, in chunks of
 * 60 as the writer makes them.  Beside perflog's bytes stand those of plain
 * zstd at level 1 on the same blocks, in the same chunks: each block alone,
 * and with the block before it as its prefix.  Times are processor time.
 */
#include "format/base/buf.h"
#include "format/record/codec.h"
#include "format/reader/reader.h"
#include "format/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

enum { CHUNK = 60 };

struct sums {
    uint64_t samples, raw, stored, alone, prefixed;
    double encode_ns, decode_ns;
};

struct bench {
    struct pl_encoder *encoder;
    struct pl_decoder *decoder;
    struct pl_buf payload, older, newer, decoded, compressed;
    ZSTD_CCtx *zstd;
    struct sums sums;
};

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_codec: %s\n", what);
    exit(EXIT_FAILURE);
}

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static size_t padded_record(size_t payload)
{
    return PL_RECORD_LEN + (payload + 7) / 8 * 8;
}

/* A record of plain zstd, with the header and padding ours would have. */
static size_t plain_zstd(struct bench *b, const struct pl_buf *prefix)
{
    uint8_t *room;
    size_t n;

    pl_buf_clear(&b->compressed);
    room = pl_buf_room(&b->compressed, ZSTD_compressBound(b->newer.len));
    check(room, "no memory");
    ZSTD_CCtx_setParameter(b->zstd, ZSTD_c_compressionLevel, 1);
    if (prefix)
        ZSTD_CCtx_refPrefix(b->zstd, prefix->p, prefix->len);
    n = ZSTD_compress2(b->zstd, room, ZSTD_compressBound(b->newer.len),
                       b->newer.p, b->newer.len);
    check(!ZSTD_isError(n), "zstd failed");
    return padded_record(n);
}

static void one_block(struct bench *b, const struct pl_record *record)
{
    bool is_key = b->sums.samples % CHUNK == 0;
    enum pl_codec codec = PL_CODEC_STORED;
    struct pl_record r = *record;
    double start = cpu_ns();
    enum pl_status s;

    pl_buf_clear(&b->payload);
    s = is_key ? pl_encode_whole(b->encoder, b->newer.p, b->newer.len,
                                 &b->payload, &codec)
               : pl_encode_delta(b->encoder, b->older.p, b->older.len,
                                 b->newer.p, b->newer.len, &b->payload, &codec);
    check(!s, "a block cannot be encoded");
    r.codec = (uint8_t)codec;
    b->sums.encode_ns += cpu_ns() - start;
    r.stored_len = (uint32_t)b->payload.len;
    start = cpu_ns();
    s = pl_decode(b->decoder, &r, b->payload.p, is_key ? NULL : &b->older,
                  &b->decoded);
    b->sums.decode_ns += cpu_ns() - start;
    check(!s && b->decoded.len == b->newer.len &&
              !memcmp(b->decoded.p, b->newer.p, b->newer.len),
          "a block comes back as another");
    b->sums.samples++;
    b->sums.raw += b->newer.len;
    b->sums.stored += padded_record(b->payload.len);
    b->sums.alone += plain_zstd(b, NULL);
    b->sums.prefixed += plain_zstd(b, is_key ? NULL : &b->older);
}

static void one_log(struct bench *b, const char *path)
{
    struct pl_reader_options options = { 0 };
    struct pl_reader *reader;
    struct pl_item item;

    check(!pl_reader_open(&reader, path, &options), "not a readable log");
    while (!pl_reader_next(reader, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        pl_buf_clear(&b->newer);
        pl_buf_bytes(&b->newer, item.block->p, item.block->len);
        check(!b->newer.oom, "no memory");
        one_block(b, &item.record);
        pl_buf_swap(&b->older, &b->newer);
    }
    pl_reader_close(reader);
}

static void print(const char *path, const struct sums *s)
{
    double n = s->samples ? (double)s->samples : 1;

    printf("%s: %.0f samples of %.0f bytes\n", path, n, (double)s->raw / n);
    printf("  bytes a sample    perflog %.0f, zstd -1 with the block before "
           "%.0f, zstd -1 alone %.0f\n",
           (double)s->stored / n, (double)s->prefixed / n,
           (double)s->alone / n);
    printf("  perflog to zstd with the block before: %.3f\n",
           (double)s->stored / (double)s->prefixed);
    printf("  encode %.1f us a sample, decode %.1f us (%.0f MB/s of raw "
           "blocks)\n",
           s->encode_ns / n / 1e3, s->decode_ns / n / 1e3,
           (double)s->raw * 1e3 / s->decode_ns);
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };

    check(argc > 1, "usage: bench_codec LOG...");
    b.zstd = ZSTD_createCCtx();
    check(b.zstd && !pl_encoder_new(&b.encoder) && !pl_decoder_new(&b.decoder),
          "no memory");
    for (int i = 1; i < argc; i++) {
        b.sums = (struct sums){ 0 };
        one_log(&b, argv[i]);
        print(argv[i], &b.sums);
    }
    pl_encoder_free(b.encoder);
    pl_decoder_free(b.decoder);
    ZSTD_freeCCtx(b.zstd);
    pl_buf_release(&b.payload);
    pl_buf_release(&b.older);
    pl_buf_release(&b.newer);
    pl_buf_release(&b.decoded);
    pl_buf_release(&b.compressed);
    return EXIT_SUCCESS;
}
