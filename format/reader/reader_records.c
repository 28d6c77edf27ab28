/* Decodes sessions, titles and samples from proven records. */
#include "format/reader/reader_state.h"

#include "format/record/codec.h"

static enum pl_status read_session(struct pl_reader *r,
                                   const struct pl_stretch *at,
                                   struct pl_item *item)
{
    enum pl_status s;

    if (r->has_meta) {
        item->kind = PL_ITEM_OTHER; /* a repeat */
        return PL_OK;
    }
    pl_buf_clear(&r->meta_payload);
    pl_buf_bytes(&r->meta_payload, at->payload, at->record.stored_len);
    if (r->meta_payload.oom)
        return PL_NOMEM;
    s = pl_session_parse(&r->meta, r->meta_payload.p, r->meta_payload.len);
    if (s == PL_UNSUPPORTED) {
        item->kind = PL_ITEM_TOO_NEW;
        item->reason = "its session needs a newer perflog";
        r->too_new = true;
        return PL_OK;
    }
    if (s) {
        item->kind = PL_ITEM_DAMAGED;
        item->reason = "session record does not add up";
        return PL_OK;
    }
    r->has_meta = true;
    item->kind = PL_ITEM_SESSION;
    return PL_OK;
}

/* Titles and identities, which are stored or compressed, to r->scratch. */
static enum pl_status decode_text(struct pl_reader *r,
                                  const struct pl_stretch *at)
{
    return at->record.codec > PL_CODEC_ZSTD
               ? PL_UNSUPPORTED
               : pl_decode(r->decoder, &at->record, at->payload, NULL,
                           &r->scratch);
}

static enum pl_status read_titles(struct pl_reader *r,
                                  const struct pl_stretch *at,
                                  struct pl_item *item)
{
    enum pl_status s;

    item->kind = PL_ITEM_OTHER;
    if (r->has_titles && (at->record.raw_hash == r->titles_hash ||
                          at->record.seq < r->titles_seq))
        return PL_OK; /* a repeat, or an older set that came late */
    r->has_titles = false;
    pl_titles_parse(r->titles, NULL, 0); /* free the old ones first */
    s = decode_text(r, at);
    if (!s)
        s = pl_titles_take(r->titles, &r->scratch);
    pl_buf_drop(&r->scratch);
    if (s == PL_NOMEM)
        return s;
    if (s) {
        item->kind = s == PL_UNSUPPORTED ? PL_ITEM_TOO_NEW : PL_ITEM_DAMAGED;
        item->reason = "titles cannot be decoded";
        return PL_OK;
    }
    r->has_titles = true;
    r->titles_hash = at->record.raw_hash;
    r->titles_seq = at->record.seq;
    item->kind = PL_ITEM_TITLES;
    return PL_OK;
}

/* A process may be in several records; the later one counts. */
static enum pl_status read_identities(struct pl_reader *r,
                                      const struct pl_stretch *at,
                                      struct pl_item *item)
{
    enum pl_status s = PL_OK;

    item->kind = PL_ITEM_IDENTITIES;
    if (r->times_only)
        return PL_OK;
    if (!r->identities)
        s = pl_identity_set_new(&r->identities);
    if (!s)
        s = decode_text(r, at);
    if (!s)
        s = pl_identity_set_add(r->identities, r->scratch.p, r->scratch.len);
    pl_buf_drop(&r->scratch);
    if (s == PL_NOMEM)
        return s;
    if (s) {
        item->kind = s == PL_UNSUPPORTED ? PL_ITEM_TOO_NEW : PL_ITEM_DAMAGED;
        item->reason = "identities of processes cannot be decoded";
        item->harmless = true;
    }
    return PL_OK;
}

/* ---- samples -------------------------------------------------------------- */

int pl_reader_free_slot(const struct pl_reader *r)
{
    int slot = 0;

    while (pl_reader_needs_slot(r, slot))
        slot++;
    return slot;
}

/*
 * Of large blocks only those certain to be needed are kept: the key can be read
 * again, and writers seldom refer to it.  But reading it must not cost far more
 * than the sample that refers to it.
 */
static void forget_key(struct pl_reader *r)
{
    int slot = r->key_slot;

    if (!r->has_key_at || slot == NO_SLOT || slot == r->last_slot ||
        r->slots[slot].len <= PL_LARGE ||
        r->slots[slot].len / 2 > r->slots[r->last_slot].len)
        return;
    r->key_slot = NO_SLOT;
    if (slot != r->given_slot)
        pl_buf_drop(&r->slots[slot]);
}

/* Read the key again.  PL_CORRUPT: it is no longer there. */
static enum pl_status fetch_key(struct pl_reader *r)
{
    int slot = pl_reader_free_slot(r);
    struct pl_record key;
    const uint8_t *p;
    enum pl_status s;

    if (r->make_room)
        r->make_room(r->room_ctx);
    s = pl_reader_read_at(r, r->key_at, &key, &p);
    if (!s && (key.type != PL_SMPL || key.session != r->session ||
               key.seq != r->key_seq || key.ref))
        s = PL_CORRUPT;
    if (!s)
        s = pl_decode(r->decoder, &key, p, NULL, &r->slots[slot]);
    if (!s)
        r->key_slot = slot;
    return s;
}

/* The decoded block this sample refers to; *ref NULL: it is not available. */
static enum pl_status find_reference(struct pl_reader *r,
                                     const struct pl_record *record,
                                     const struct pl_buf **ref)
{
    uint32_t seq = record->seq - record->ref;
    enum pl_status s = PL_OK;

    *ref = NULL;
    if (r->last_slot != NO_SLOT && seq == r->last_seq) {
        *ref = &r->slots[r->last_slot];
        return PL_OK;
    }
    if (seq != r->key_seq)
        return PL_OK;
    if (r->key_slot == NO_SLOT && r->has_key_at)
        s = fetch_key(r);
    if (!s && r->key_slot != NO_SLOT)
        *ref = &r->slots[r->key_slot];
    return s == PL_CORRUPT ? PL_OK : s;
}

/*
 * Decode into r->slots[slot].  A large sample's stored bytes and its unpacked
 * difference are kept no longer than needed.
 */
static enum pl_status decode(struct pl_reader *r, const struct pl_stretch *at,
                             const struct pl_buf *ref, int slot,
                             struct pl_item *item)
{
    const struct pl_record *record = &at->record;
    const uint8_t *payload;
    bool large = at->len > PL_LARGE;
    size_t got;
    enum pl_status s =
        pl_record_scan_peek(&r->scan, at->at, (size_t)at->len, &payload, &got);

    if (s)
        return s;
    if (got < at->len)
        return PL_CORRUPT; /* changed while the key was read again */
    payload += PL_RECORD_LEN;
    if (large && pl_decode_has_halves(record)) {
        s = pl_decode_unpack(r->decoder, record, payload);
        pl_record_scan_drop(&r->scan);
        payload = NULL;
    }
    if (!s)
        s = pl_decode(r->decoder, record, payload, ref, &r->slots[slot]);
    if (large)
        pl_record_scan_drop(&r->scan);
    item->payload = large ? NULL : payload;
    return s;
}

/*
 * True if no other key of the session follows the record read last, as far as
 * records follow one another without damage.  The file's window moves.
 */
static bool is_after_last_key(struct pl_reader *r)
{
    uint64_t at = r->scan.at;

    for (;;) {
        struct pl_record next;
        const uint8_t *p;
        size_t got;

        if (pl_record_scan_peek(&r->scan, at, PL_RECORD_LEN, &p, &got) ||
            got < PL_RECORD_LEN || pl_record_get(&next, p) ||
            !pl_codec_is_plausible(&next) || next.session != r->session)
            return true;
        if (next.type == PL_PACK || (next.type == PL_SMPL && !next.ref))
            return false;
        at += PL_RECORD_LEN + pl_padded_len(next.stored_len);
    }
}

bool pl_reader_is_decoded(struct pl_reader *r, struct pl_item *item)
{
    if (!r->keys_only || (r->ends_too && pl_file_is_stream(r->scan.file)))
        return true;
    if (r->ends_too && !r->met_second) {
        r->met_second = true;
        return true;
    }
    if (r->ends_too && !r->looked) {
        r->is_last = is_after_last_key(r);
        r->looked = true;
        item->payload = NULL;
    }
    return r->ends_too && r->is_last;
}

/* True, with item->kind and its reason, if the record alone says that its
 * sample cannot be had. */
static bool is_refused(const struct pl_record *record, struct pl_item *item)
{
    if (record->codec > PL_CODEC_DELTA_ZSTD) {
        item->kind = PL_ITEM_TOO_NEW;
        item->reason = "its coding needs a newer perflog";
        return true;
    }
    if ((record->codec >= PL_CODEC_DELTA) != (record->ref != 0)) {
        item->kind = PL_ITEM_DAMAGED;
        item->reason = "sample's coding and reference contradict each other";
        return true;
    }
    return false;
}

void pl_reader_leave_out(struct pl_item *item, bool is_large, bool ref_is_large)
{
    item->kind = PL_ITEM_UNREACHABLE;
    item->too_large = is_large || ref_is_large;
    item->reason =
        is_large ? "block larger than --max-block allows"
        : ref_is_large
            ? "the sample it refers to is larger than --max-block allows"
            : "the sample it refers to is lost";
}

static bool refers_to_large(const struct pl_reader *r,
                            const struct pl_record *record)
{
    const uint64_t after = (uint64_t)record->seq - record->ref + 1;

    return record->ref &&
           (after == r->after_large || after == r->after_large_key);
}

static void leave_out(struct pl_reader *r, const struct pl_record *record,
                      struct pl_item *item)
{
    pl_reader_leave_out(item, record->raw_len > r->max_block,
                        refers_to_large(r, record));
    if (!item->too_large)
        return;
    r->after_large = (uint64_t)record->seq + 1;
    if (!record->ref)
        r->after_large_key = r->after_large;
}

/* The sample in r->slots[slot] is the one read last, and a key if it refers
 * to no other. */
static void keep_sample(struct pl_reader *r, const struct pl_stretch *at,
                        int slot)
{
    const struct pl_record *record = &at->record;

    r->last_slot = slot;
    r->last_seq = record->seq;
    if (!record->ref) {
        r->key_slot = slot;
        r->key_seq = record->seq;
        r->key_at = at->at;
        r->has_key_at = !pl_file_is_stream(r->scan.file);
        r->looked = false;
    }
    forget_key(r);
    pl_identity_set_limit(r->identities, r->slots[slot].p, r->slots[slot].len);
}

static enum pl_status read_sample(struct pl_reader *r,
                                  const struct pl_stretch *at,
                                  struct pl_item *item)
{
    const struct pl_record *record = &at->record;
    const struct pl_buf *ref = NULL;
    int slot;
    enum pl_status s;

    if (is_refused(record, item))
        return PL_OK;
    if (record->raw_len > r->max_block) {
        leave_out(r, record, item);
        return PL_OK;
    }
    if (at->len > PL_LARGE)
        pl_reader_forget_older(r);
    s = record->ref ? find_reference(r, record, &ref) : PL_OK;
    if (s)
        return s;
    if (record->ref && !ref) {
        leave_out(r, record, item);
        return PL_OK;
    }
    if (ref && !pl_reader_is_decoded(r, item)) {
        item->kind = PL_ITEM_SAMPLE;
        /* for samples that refer to this one, which are passed, too */
        r->last_slot = (int)(ref - r->slots);
        r->last_seq = record->seq;
        return PL_OK;
    }
    slot = pl_reader_free_slot(r);
    s = decode(r, at, ref, slot, item);
    if (s == PL_NOMEM || s == PL_IO)
        return s;
    if (s) {
        item->kind = PL_ITEM_DAMAGED;
        item->reason = "sample cannot be rebuilt: forged, or a defect";
        return PL_OK;
    }
    keep_sample(r, at, slot);
    item->kind = PL_ITEM_SAMPLE;
    item->block = &r->slots[slot];
    return PL_OK;
}

/* ---- short records --------------------------------------------------------- */

/* 'parsed' is the status of parsing the payload. */
static enum pl_status short_record(struct pl_item *item, enum pl_item_kind kind,
                                   enum pl_status parsed)
{
    item->kind = parsed ? PL_ITEM_DAMAGED : kind;
    if (parsed)
        item->reason = "record does not add up";
    return PL_OK;
}

static bool is_short(uint32_t type)
{
    return type == PL_GAPS || type == PL_NOTE || type == PL_INDX ||
           type == PL_ENDS;
}

static enum pl_status read_short(const struct pl_record *record,
                                 const uint8_t *p, struct pl_item *item)
{
    size_t n = record->stored_len;
    struct pl_index index;

    switch (record->type) {
    case PL_GAPS:
        return short_record(item, PL_ITEM_GAPS,
                            pl_gaps_parse(&item->gaps, p, n));
    case PL_NOTE:
        return short_record(item, PL_ITEM_NOTE,
                            pl_note_parse(&item->note, p, n));
    case PL_INDX:
        item->harmless = true;
        return short_record(item, PL_ITEM_OTHER, pl_index_parse(&index, p, n));
    default:
        return short_record(item, PL_ITEM_ENDS,
                            pl_ends_parse(&item->ends, p, n));
    }
}

enum pl_status pl_reader_read_record(struct pl_reader *r,
                                     const struct pl_stretch *at,
                                     struct pl_item *item)
{
    const struct pl_record *record = &at->record;
    const uint8_t *p = at->payload;
    size_t n = record->stored_len;
    bool plain = record->codec == PL_CODEC_STORED;

    item->record = *record;
    if (record->flags & PL_FLAGS_CRITICAL) {
        item->kind = PL_ITEM_TOO_NEW;
        item->reason = "a flag needs a newer perflog";
        return PL_OK;
    }
    switch (record->type) {
    case PL_TITL:
        return read_titles(r, at, item);
    case PL_SMPL:
        if (at->at >= r->needed_from)
            return at->packed ? pl_reader_read_packed(r, at, item)
                              : read_sample(r, at, item);
        item->kind = PL_ITEM_OTHER;
        return PL_OK;
    case PL_IDEN:
        return read_identities(r, at, item);
    default:
        break;
    }
    if (plain && pl_hash(p, n, record->session) != record->raw_hash)
        return short_record(item, PL_ITEM_OTHER, PL_CORRUPT);
    if (!plain && is_short(record->type)) {
        item->kind = PL_ITEM_TOO_NEW;
        item->reason = "its coding needs a newer perflog";
        return PL_OK;
    }
    if (plain && record->type == PL_SESS)
        return read_session(r, at, item);
    if (is_short(record->type))
        return read_short(record, p, item);
    item->kind = PL_ITEM_OTHER;
    if (pl_type_is_critical(record->type)) {
        item->kind = PL_ITEM_TOO_NEW;
        item->reason = "a record of its session needs a newer perflog";
        r->too_new = true;
    }
    return PL_OK;
}
