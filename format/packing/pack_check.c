/* Compares a log with a packed one. */
#include "format/packing/pack_check.h"

#include "format/record/codec.h"
#include "format/reader/reader.h"

#include <string.h>

/* One of the two logs. */
struct side {
    struct pl_reader *reader;
    struct pl_decoder *decoder;
    struct pl_item item;
    struct pl_buf payload; /* of the item, decoded */
};

static bool same(const struct pl_buf *a, const struct pl_buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

/* The next item that both logs must have. */
static enum pl_status next(struct side *x)
{
    enum pl_status s;

    do
        s = pl_reader_next(x->reader, &x->item);
    while (!s && x->item.kind == PL_ITEM_INTERRUPTED);
    return s;
}

/* The payload without what depends on offsets. */
static enum pl_status read_payload(struct side *x)
{
    const struct pl_record *r = &x->item.record;
    struct pl_ends ends = x->item.ends;
    enum pl_status s = PL_OK;

    pl_buf_clear(&x->payload);
    if (!x->item.payload || r->type == PL_SMPL || r->type == PL_INDX)
        return PL_OK;
    if (x->item.kind == PL_ITEM_ENDS) {
        ends.last_index = 0;
        pl_ends_write(&ends, &x->payload);
    } else if (x->item.kind == PL_ITEM_OTHER && r->codec > PL_CODEC_ZSTD) {
        pl_buf_bytes(&x->payload, x->item.payload, r->stored_len);
    } else {
        s = pl_decode(x->decoder, r, x->item.payload, NULL, &x->payload);
    }
    if (!s && r->type == PL_SESS)
        pl_session_move(x->payload.p, x->payload.len, 0);
    return !s && x->payload.oom ? PL_NOMEM : s;
}

static bool same_item(const struct side *a, const struct side *b)
{
    const struct pl_record *x = &a->item.record, *y = &b->item.record;

    if (a->item.kind != b->item.kind || x->type != y->type ||
        x->session != y->session || x->seq != y->seq || x->flags != y->flags ||
        x->utc_ns != y->utc_ns || x->boot_ns != y->boot_ns ||
        !same(&a->payload, &b->payload))
        return false;
    return a->item.kind != PL_ITEM_SAMPLE ||
           (a->item.block && b->item.block &&
            same(a->item.block, b->item.block));
}

static enum pl_status compare(struct side *a, struct side *b,
                              void (*progress)(void *ctx, uint64_t done),
                              void *ctx)
{
    for (;;) {
        enum pl_status s = next(a), t = next(b);

        if (s == PL_END && t == PL_END)
            return PL_OK;
        if (s || t)
            return s && s != PL_END ? s : t && t != PL_END ? t : PL_CORRUPT;
        s = read_payload(a);
        if (!s)
            s = read_payload(b);
        if (s)
            return s;
        if (!same_item(a, b))
            return PL_CORRUPT;
        if (progress)
            progress(ctx, pl_reader_position(a->reader));
    }
}

static enum pl_status prepare(struct side *a, struct side *b,
                              struct pl_reader *log, const char *packed)
{
    /* The packer has it locked, and is done with it. */
    static const struct pl_reader_options options = { .complete = true };
    enum pl_status s = pl_decoder_new(&a->decoder);

    a->reader = log;
    if (!s)
        s = pl_decoder_new(&b->decoder);
    return s ? s : pl_reader_open(&b->reader, packed, &options);
}

enum pl_status pl_pack_check(struct pl_reader *log, const char *packed,
                             void (*progress)(void *ctx, uint64_t done),
                             void *ctx)
{
    struct side a = { 0 }, b = { 0 };
    enum pl_status s = prepare(&a, &b, log, packed);

    if (!s)
        s = compare(&a, &b, progress, ctx);
    {
        PL_KEEP_ERRNO;

        pl_reader_close(b.reader);
        pl_decoder_free(a.decoder);
        pl_decoder_free(b.decoder);
        pl_buf_release(&a.payload);
        pl_buf_release(&b.payload);
    }
    return s;
}
