/* Writes a packed log. */
#include "format/packing/pack_writer.h"

#include "format/payload/chunk_index.h"
#include "format/payload/segment_counts.h"
#include "format/payload/segment_names.h"
#include "format/payload/stated_part.h"
#include "format/block/winperf.h"
#include "format/record/codec.h"
#include "format/pack/pack_encoder.h"

#include <stdlib.h>

/* Statements that take more than this part of a segment would cost more than what
 * they spare a reader of it.  Counts spare it all packs but the first and the
 * last. */
enum { STATED_SHARE = 8, COUNTED_PACKS = 3 };

struct pl_pack_writer {
    struct pl_file *file;
    struct pl_pack_encoder *encoder;
    struct pl_decoder *decoder;
    uint64_t size;       /* written */
    uint64_t segment_at; /* offset of the segment's SESS */
    /* Where the file begins that the last SESS was written in, if files were
     * joined: in the log, and here. */
    uint64_t old_begin, new_begin;
    uint64_t samples;
    uint64_t packs; /* of the segment */
    struct pl_chunk_index chunks;
    struct pl_segment_names *names;  /* of the segment */
    struct pl_segment_counts counts; /* of it, too */
    struct pl_record pack;           /* of the records in the encoder */
    bool has_sample;                 /* among these; pack has its times */
    struct pl_buf bytes;             /* a record as it is written */
    struct pl_buf payload;           /* of a record that is written */
    struct pl_buf between;           /* and of one that is added to a pack */
    struct pl_buf loose; /* the same records, as long as there is no sample */
};

enum pl_status pl_pack_writer_new(struct pl_pack_writer **out,
                                  struct pl_file *file, int level)
{
    struct pl_pack_writer *w = calloc(1, sizeof *w);
    enum pl_status s = w ? PL_OK : PL_NOMEM;

    if (!s)
        s = pl_pack_encoder_new(&w->encoder, level);
    if (!s)
        s = pl_decoder_new(&w->decoder);
    if (!s)
        s = pl_segment_names_new(&w->names);
    if (s) {
        pl_pack_writer_free(w);
        return s;
    }
    w->file = file;
    *out = w;
    return PL_OK;
}

void pl_pack_writer_free(struct pl_pack_writer *w)
{
    if (!w)
        return;
    pl_pack_encoder_free(w->encoder);
    pl_decoder_free(w->decoder);
    pl_segment_names_free(w->names);
    pl_segment_counts_release(&w->counts);
    pl_buf_release(&w->bytes);
    pl_buf_release(&w->payload);
    pl_buf_release(&w->between);
    pl_buf_release(&w->loose);
    free(w);
}

uint64_t pl_pack_writer_size(const struct pl_pack_writer *w)
{
    return w->size;
}

uint64_t pl_pack_writer_samples(const struct pl_pack_writer *w)
{
    return w->samples;
}

/* ---- records --------------------------------------------------------------- */

/* Append a record; all but its payload's length and hash is set in 'r'. */
static void build(struct pl_buf *out, struct pl_record r,
                  const uint8_t *payload, size_t n)
{
    size_t at = out->len, padded = pl_padded_len((uint32_t)n);

    pl_buf_zeros(out, PL_RECORD_LEN);
    pl_buf_bytes(out, payload, n);
    pl_buf_zeros(out, padded - n);
    if (out->oom)
        return;
    r.stored_len = (uint32_t)n;
    r.payload_hash = pl_hash(out->p + at + PL_RECORD_LEN, padded, r.session);
    pl_record_put(&r, out->p + at);
}

static enum pl_status append(struct pl_pack_writer *w, struct pl_buf *bytes)
{
    enum pl_status s =
        bytes->oom ? PL_NOMEM : pl_file_append(w->file, bytes->p, bytes->len);

    w->size += bytes->len;
    pl_buf_drop(bytes);
    return s;
}

static enum pl_status put(struct pl_pack_writer *w, const struct pl_record *r,
                          const uint8_t *payload, size_t n)
{
    pl_buf_clear(&w->bytes);
    build(&w->bytes, *r, payload, n);
    return append(w, &w->bytes);
}

/* A record whose payload, in w->payload, is not that of the log. */
static enum pl_status put_changed(struct pl_pack_writer *w, struct pl_record r)
{
    if (w->payload.oom)
        return PL_NOMEM;
    r.raw_len = (uint32_t)w->payload.len;
    r.raw_hash = pl_hash(w->payload.p, w->payload.len, r.session);
    return put(w, &r, w->payload.p, w->payload.len);
}

/* ---- packs ----------------------------------------------------------------- */

static void add_chunk(struct pl_pack_writer *w, const struct pl_pack_head *h)
{
    struct pl_chunk_index *c = &w->chunks;

    c->now = (struct pl_chunk){ .offset = w->size - w->segment_at,
                                .utc_first = h->utc_first,
                                .utc_last = h->utc_last,
                                .boot_first = (uint64_t)w->pack.boot_ns,
                                .key_seq = w->pack.seq,
                                .samples = h->samples };
    pl_chunk_index_finish(c);
}

/* Write what the encoder has. */
static enum pl_status flush(struct pl_pack_writer *w)
{
    struct pl_pack_head h = *pl_pack_encoder_head(w->encoder);
    enum pl_status s;

    if (!h.samples) {
        pl_pack_encoder_clear(w->encoder);
        return h.records ? append(w, &w->loose) : PL_OK;
    }
    w->pack.ref = (uint16_t)h.samples;
    w->samples += h.samples;
    w->packs++;
    pl_buf_clear(&w->payload);
    s = pl_pack_encoder_finish(w->encoder, &w->pack, &w->payload);
    if (s)
        return s;
    add_chunk(w, &h);
    s = put(w, &w->pack, w->payload.p, w->payload.len);
    pl_buf_drop(&w->payload);
    return s;
}

/* Make the encoder ready for the record, which has to be the next in number. */
static enum pl_status begin(struct pl_pack_writer *w, const struct pl_record *r)
{
    uint32_t records = pl_pack_encoder_records(w->encoder);
    enum pl_status s = PL_OK;

    if (records &&
        (r->session != w->pack.session || r->seq != w->pack.seq + records))
        s = flush(w);
    if (s || pl_pack_encoder_records(w->encoder))
        return s;
    w->pack = (struct pl_record){ .type = PL_PACK,
                                  .session = r->session,
                                  .seq = r->seq,
                                  .utc_ns = r->utc_ns,
                                  .boot_ns = r->boot_ns };
    w->has_sample = false;
    pl_buf_clear(&w->loose);
    return PL_OK;
}

static enum pl_status encode(struct pl_pack_writer *w,
                             const struct pl_item *item, const uint8_t *payload,
                             size_t n)
{
    const struct pl_record *r = &item->record;

    return item->kind == PL_ITEM_SAMPLE
               ? pl_pack_encoder_sample(w->encoder, r, item->block)
               : pl_pack_encoder_record(w->encoder, r, payload, n);
}

/* Add a record to the pack; if that is full, to the next one. */
static enum pl_status add(struct pl_pack_writer *w, const struct pl_item *item,
                          const uint8_t *payload, size_t n)
{
    const struct pl_record *r = &item->record;
    enum pl_status s = begin(w, r);

    if (!s)
        s = encode(w, item, payload, n);
    if (s == PL_END) {
        s = flush(w);
        if (!s)
            s = begin(w, r);
        if (!s)
            s = encode(w, item, payload, n);
    }
    if (item->kind == PL_ITEM_SAMPLE && !w->has_sample) {
        w->pack.utc_ns = r->utc_ns;
        w->pack.boot_ns = r->boot_ns;
        w->has_sample = true;
        pl_buf_clear(&w->loose);
    }
    return s;
}

static enum pl_status count_record(struct pl_pack_writer *w,
                                   const struct pl_item *item)
{
    return item->kind == PL_ITEM_GAPS || item->kind == PL_ITEM_NOTE
               ? pl_segment_counts_record(&w->counts, &item->record,
                                          w->between.p, w->between.len)
               : PL_OK;
}

static enum pl_status add_short(struct pl_pack_writer *w,
                                const struct pl_item *item)
{
    enum pl_status s;

    pl_buf_clear(&w->between);
    s = pl_decode(w->decoder, &item->record, item->payload, NULL, &w->between);
    if (!s)
        s = count_record(w, item);
    if (!s)
        s = add(w, item, w->between.p, w->between.len);
    pl_buf_drop(&w->between);
    if (s || w->has_sample)
        return s;
    build(&w->loose, item->record, item->payload, item->record.stored_len);
    return w->loose.oom ? PL_NOMEM : PL_OK;
}

/* ---- records that stay as they are ----------------------------------------- */

/* The place of a SESS (tag 25) that is written now.  Beginnings may lie before the
 * log's, whose own may have been cut off; so this is modulo 2^64. */
static uint64_t new_place(struct pl_pack_writer *w, uint64_t at, uint64_t place)
{
    uint64_t begin = at - place;

    if (begin != w->old_begin)
        w->new_begin = begin ? w->size - place : 0;
    w->old_begin = begin;
    return w->size - w->new_begin;
}

static enum pl_status put_session(struct pl_pack_writer *w,
                                  const struct pl_item *item)
{
    struct pl_session session;

    pl_buf_clear(&w->payload);
    pl_buf_bytes(&w->payload, item->payload, item->record.stored_len);
    if (w->payload.oom)
        return PL_NOMEM;
    if (pl_session_parse(&session, w->payload.p, w->payload.len))
        return PL_CORRUPT;
    if (session.root)
        pl_session_move(w->payload.p, w->payload.len,
                        new_place(w, item->at, session.place));
    if (!session.repeat) {
        w->segment_at = w->size;
        w->packs = 0;
        w->chunks = (struct pl_chunk_index){ 0 };
        pl_segment_names_begin(w->names);
        pl_segment_counts_begin(&w->counts);
    }
    return put_changed(w, item->record);
}

static enum pl_status put_index(struct pl_pack_writer *w,
                                const struct pl_item *item)
{
    uint64_t self = w->size - w->segment_at;
    enum pl_status s;

    pl_buf_clear(&w->payload);
    pl_index_write(self, w->chunks.last_index, w->chunks.done,
                   w->chunks.num_done, &w->payload);
    s = put_changed(w, item->record);
    pl_chunk_index_indexed(&w->chunks, self);
    return s;
}

/* State names and counts of a segment in its ends, the payload of which so far is
 * in w->payload. */
static enum pl_status put_stated(struct pl_pack_writer *w, uint64_t session)
{
    struct pl_buf names = { 0 }, counts = { 0 };
    uint64_t ends_at = w->size - w->segment_at;
    enum pl_status s = pl_segment_names_content(w->names, ends_at, &names);

    if (!s && w->packs >= COUNTED_PACKS)
        s = pl_segment_counts_content(&w->counts, ends_at, &counts);
    if (!s && (names.len || counts.len)) {
        s = pl_stated_part_put(&names, session, &w->payload);
        if (!s && counts.len)
            s = pl_stated_part_put(&counts, session, &w->payload);
        pl_stated_end(&w->payload);
    }
    pl_buf_release(&names);
    pl_buf_release(&counts);
    if (w->payload.len > PL_ENDS_LEN + ends_at / STATED_SHARE)
        w->payload.len = PL_ENDS_LEN;
    return s;
}

static enum pl_status put_ends(struct pl_pack_writer *w,
                               const struct pl_item *item)
{
    struct pl_ends ends = item->ends;
    enum pl_status s;

    ends.last_index = w->chunks.last_index;
    pl_buf_clear(&w->payload);
    pl_ends_write(&ends, &w->payload);
    s = put_stated(w, item->record.session);
    return s ? s : put_changed(w, item->record);
}

static enum pl_status put_by_type(struct pl_pack_writer *w,
                                  const struct pl_item *item,
                                  const struct pl_titles *titles)
{
    const struct pl_record *r = &item->record;

    switch (r->type) {
    case PL_SESS:
        return put_session(w, item);
    case PL_INDX:
        return put_index(w, item);
    case PL_ENDS:
        return put_ends(w, item);
    case PL_TITL:
        pl_segment_names_titles(w->names, w->size - w->segment_at, titles);
        pl_segment_counts_titles(&w->counts, titles);
        return put(w, r, item->payload, r->stored_len);
    default:
        return put(w, r, item->payload, r->stored_len);
    }
}

/* ---- items ----------------------------------------------------------------- */

/* True for a short record that lies between samples. */
static bool is_between(const struct pl_item *item)
{
    uint32_t type = item->record.type;

    if (item->kind == PL_ITEM_OTHER)
        return !pl_type_is_critical(type) && type != PL_INDX &&
               item->record.codec == PL_CODEC_STORED;
    return item->kind == PL_ITEM_GAPS || item->kind == PL_ITEM_NOTE ||
           item->kind == PL_ITEM_IDENTITIES;
}

static enum pl_status add_sample(struct pl_pack_writer *w,
                                 const struct pl_item *item,
                                 const struct pl_titles *titles)
{
    struct pl_misfit misfit;
    enum pl_status s = pl_segment_names_add(w->names, item->block, titles);

    if (!pl_block_check(item->block->p, item->block->len, &misfit))
        pl_segment_counts_give_up(&w->counts);
    if (!s)
        s = pl_segment_counts_sample(&w->counts, &item->record, item->block,
                                     titles);
    return s ? s : add(w, item, NULL, 0);
}

enum pl_status pl_pack_writer_add(struct pl_pack_writer *w,
                                  const struct pl_item *item,
                                  const struct pl_titles *titles)
{
    enum pl_status s;

    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        return add_sample(w, item, titles);
    case PL_ITEM_INTERRUPTED:
        return PL_OK; /* bytes that hold nothing */
    case PL_ITEM_TOO_NEW:
        return PL_UNSUPPORTED;
    case PL_ITEM_HOLE:
    case PL_ITEM_DAMAGED:
    case PL_ITEM_UNREACHABLE:
        return PL_CORRUPT;
    default:
        break;
    }
    if (is_between(item))
        return add_short(w, item);
    s = flush(w);
    return s || !item->payload ? s : put_by_type(w, item, titles);
}

enum pl_status pl_pack_writer_finish(struct pl_pack_writer *w)
{
    return flush(w);
}
