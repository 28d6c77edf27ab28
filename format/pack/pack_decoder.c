/* Reads the records of a pack. */
#include "format/pack/pack_decoder.h"

#include "format/pack/pack_decoder_state.h"

#include <stdlib.h>
#include <string.h>

enum pl_status pl_pack_decoder_new(struct pl_pack_decoder **out)
{
    struct pl_pack_decoder *d = calloc(1, sizeof *d);
    enum pl_status s = d ? pl_decoder_new(&d->frames) : PL_NOMEM;

    if (s) {
        free(d);
        return s;
    }
    *out = d;
    return PL_OK;
}

static void forget_columns(struct pl_pack_decoder *d)
{
    d->has_columns = d->is_over = false;
    d->num_columns = d->num_listed = d->num_places = 0;
    d->block_len = 0;
    pl_pack_rows_clear(&d->rows);
}

void pl_pack_decoder_free(struct pl_pack_decoder *d)
{
    if (!d)
        return;
    pl_decoder_free(d->frames);
    pl_buf_release(&d->content);
    pl_pack_rows_release(&d->rows);
    pl_pack_sources_release(&d->sources);
    free(d->columns);
    free(d->steps);
    free(d->chunk_after);
    free(d->word_of);
    free(d->has_column);
    free(d->places);
    free(d->next_places);
    free(d->used);
    free(d);
}

bool pl_pack_decoder_is_open(const struct pl_pack_decoder *d)
{
    return d->left > 0;
}

void pl_pack_decoder_close(struct pl_pack_decoder *d)
{
    d->left = 0;
    forget_columns(d);
    pl_buf_clear(&d->content);
}

/* ---- beginning ------------------------------------------------------------- */

bool pl_pack_head_get(struct pl_pack_head *h, const struct pl_record *r,
                      const uint8_t *payload)
{
    struct pl_cur c = pl_cur_of(payload, r->stored_len);

    h->records = pl_cur_u32(&c);
    h->samples = pl_cur_u32(&c);
    h->utc_first = (int64_t)pl_cur_u64(&c);
    h->utc_last = (int64_t)pl_cur_u64(&c);
    return !c.bad && h->samples && h->samples <= h->records &&
           h->records <= PL_PACK_MAX_RECORDS &&
           h->records - 1 <= UINT32_MAX - r->seq && h->utc_first <= h->utc_last;
}

static enum pl_status find_parts(struct pl_pack_decoder *d)
{
    struct pl_cur c = pl_cur_of(d->content.p, d->content.len);
    uint64_t lens[PL_PACK_NUM_PARTS];
    size_t num = d->is_old ? PL_PACK_OLD_PARTS : PL_PACK_NUM_PARTS;

    for (size_t i = 0; i < num; i++)
        lens[i] = pl_cur_varint(&c);
    for (size_t i = 0; i < num && !c.bad; i++) {
        if (lens[i] > c.left)
            return PL_CORRUPT;
        d->parts[i] = pl_cur_sub(&c, (size_t)lens[i]);
    }
    return c.bad || c.left || d->parts[PL_PACK_KINDS].left != d->head.records ||
                   d->parts[PL_PACK_HASHES].left / 4 != d->head.samples
               ? PL_CORRUPT
               : PL_OK;
}

enum pl_status pl_pack_decoder_open(struct pl_pack_decoder *d,
                                    const struct pl_record *r,
                                    const uint8_t *payload)
{
    struct pl_record frame = *r;
    enum pl_status s;

    pl_pack_decoder_close(d);
    if (r->codec != PL_CODEC_PACK && r->codec != PL_CODEC_PACK_OLD)
        return PL_UNSUPPORTED;
    d->is_old = r->codec == PL_CODEC_PACK_OLD;
    if (!pl_pack_head_get(&d->head, r, payload))
        return PL_CORRUPT;
    frame.codec = PL_CODEC_ZSTD;
    frame.stored_len -= PL_PACK_HEAD;
    s = pl_decode(d->frames, &frame, payload + PL_PACK_HEAD, NULL, &d->content);
    if (!s)
        s = find_parts(d);
    if (s)
        return s;
    d->left = d->head.records;
    d->session = r->session;
    d->seq = r->seq;
    d->sample = 0;
    d->utc = d->utc_step = d->ahead = d->blocks = 0;
    return PL_OK;
}

/* ---- records --------------------------------------------------------------- */

static void read_times(struct pl_pack_decoder *d, struct pl_record *record)
{
    struct pl_cur *c = &d->parts[PL_PACK_TIMES];
    uint64_t utc = d->utc + d->utc_step + pl_unzigzag(pl_cur_varint(c));

    d->ahead += pl_unzigzag(pl_cur_varint(c));
    if (d->kind & PL_PACK_IS_SAMPLE)
        d->utc_step = d->sample ? utc - d->utc : 0;
    d->utc = utc;
    record->utc_ns = (int64_t)utc;
    record->boot_ns = (int64_t)(utc + d->ahead);
}

bool pl_pack_decoder_has_none(const struct pl_pack_decoder *d, int64_t first_ns,
                              int64_t last_ns)
{
    struct pl_pack_decoder ahead = *d; /* its cursors move, not those of 'd' */
    struct pl_record record;

    for (; ahead.left; ahead.left--) {
        ahead.kind = pl_cur_u8(&ahead.parts[PL_PACK_KINDS]);
        read_times(&ahead, &record);
        if (!(ahead.kind & PL_PACK_IS_SAMPLE))
            continue;
        ahead.sample++;
        if (record.utc_ns >= first_ns && record.utc_ns <= last_ns)
            return false;
    }
    return true;
}

static const uint8_t *read_other(struct pl_pack_decoder *d,
                                 struct pl_record *record)
{
    struct pl_cur *c = &d->parts[PL_PACK_OTHERS];
    const uint8_t *p;
    uint64_t len;

    record->type = pl_cur_u32(c);
    len = pl_cur_varint(c);
    p = pl_cur_take(c, len > c->left ? SIZE_MAX : (size_t)len);
    if (!p || pl_type_is_critical(record->type) || record->type == PL_INDX ||
        record->type == PL_ENDS) /* these have offsets */
        return NULL;
    record->codec = PL_CODEC_STORED;
    record->stored_len = record->raw_len = (uint32_t)len;
    record->raw_hash = pl_hash(p, (size_t)len, d->session);
    return p;
}

/* Readers that look for a time pass over the pack by its head. */
static bool is_promised(const struct pl_pack_head *h, int64_t utc_ns)
{
    return utc_ns >= h->utc_first && utc_ns <= h->utc_last;
}

enum pl_status pl_pack_decoder_next(struct pl_pack_decoder *d,
                                    struct pl_record *record,
                                    const uint8_t **payload)
{
    if (!d->left)
        return PL_END;
    *payload = NULL;
    *record = (struct pl_record){ .session = d->session, .seq = d->seq++ };
    d->kind = pl_cur_u8(&d->parts[PL_PACK_KINDS]);
    d->left--;
    record->flags = d->kind & PL_PACK_FLAGS;
    read_times(d, record);
    if (d->kind & PL_PACK_IS_SAMPLE) {
        record->type = PL_SMPL;
        record->codec = PL_CODEC_PACK;
        d->hash = pl_cur_u32(&d->parts[PL_PACK_HASHES]);
        d->sample++;
    } else {
        *payload = read_other(d, record);
    }
    if ((d->kind & ~PL_PACK_KNOWN) || d->parts[PL_PACK_TIMES].bad ||
        (d->kind & PL_PACK_IS_SAMPLE
             ? d->parts[PL_PACK_HASHES].bad ||
                   !is_promised(&d->head, record->utc_ns)
             : !*payload)) {
        pl_pack_decoder_close(d);
        return PL_CORRUPT;
    }
    return PL_OK;
}
