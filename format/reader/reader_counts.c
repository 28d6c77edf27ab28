/*
 * Passes packs by their headers where the ends of their segment states what is
 * counted of it.  Whether it does is known before the first of its packs: all
 * other records of the segment are proven, and of packs the headers and numbers.
 */
#include "format/reader/reader_state.h"

#include "format/block/winperf.h"
#include "format/record/codec.h"

/* Samples at the beginning of a session that are read all the same. */
enum { FIRST_SAMPLES = 2 };

/* ---- looking ahead -------------------------------------------------------- */

/* What is found between a SESS and its ends. */
struct segment {
    uint64_t at;    /* the next record, */
    uint64_t next;  /* and its number */
    uint64_t given; /* of the session's samples, by packs that are read */
    uint64_t samples;
    uint64_t read_to; /* the end of the packs that are read for the first */
    uint64_t last_pack;
    int64_t utc_first, utc_last; /* of the packs' first samples */
    struct pl_record ends;
    const uint8_t *payload; /* of ends; NULL: not yet found */
};

/* The record at x->at, if it may be the next one; of a pack its head as well. */
static bool read_next_header(struct pl_reader *r, const struct segment *x,
                             struct pl_record *record, struct pl_pack_head *h)
{
    const uint8_t *p;
    size_t got;

    if (pl_record_scan_peek(&r->scan, x->at, PL_RECORD_LEN + PL_PACK_HEAD, &p,
                            &got) ||
        got < PL_RECORD_LEN || pl_record_get(record, p) ||
        !pl_codec_is_plausible(record) || record->session != r->session ||
        record->seq != x->next || record->flags & PL_FLAGS_CRITICAL)
        return false;
    if (record->type != PL_PACK) {
        *h = (struct pl_pack_head){ .records = 1 };
        return true;
    }
    return record->codec == PL_CODEC_PACK &&
           got == PL_RECORD_LEN + PL_PACK_HEAD &&
           pl_pack_head_get(h, record, p + PL_RECORD_LEN) &&
           h->samples == record->ref;
}

/* PL_OK: it is what its hash says; PL_END: not; PL_NOMEM. */
static enum pl_status prove(struct pl_reader *r, uint64_t at,
                            struct pl_record *record, const uint8_t **payload)
{
    enum pl_status s = pl_reader_read_at(r, at, record, payload);

    return s && s != PL_NOMEM ? PL_END : s;
}

/* A record that is read: it may be the last of the segment. */
static enum pl_status look_at_record(struct pl_reader *r, struct segment *x)
{
    struct pl_record record;
    struct pl_session session;
    const uint8_t *p;
    enum pl_status s = prove(r, x->at, &record, &p);

    if (s)
        return s;
    if (record.type == PL_ENDS) {
        x->ends = record;
        x->payload = p;
        return PL_OK;
    }
    if (record.type == PL_SESS)
        return record.codec != PL_CODEC_STORED ||
                       pl_session_parse(&session, p, record.stored_len) ||
                       !session.repeat
                   ? PL_END
                   : PL_OK;
    return record.type != PL_TITL && pl_type_is_critical(record.type) ? PL_END
                                                                      : PL_OK;
}

/* A pack, of which the first of a session are read. */
static enum pl_status look_at_pack(struct pl_reader *r, struct segment *x,
                                   const struct pl_record *pack, uint64_t len)
{
    struct pl_record record;
    const uint8_t *p;
    bool is_read = x->given < FIRST_SAMPLES;

    if (!x->samples || pack->utc_ns < x->utc_first)
        x->utc_first = pack->utc_ns;
    if (!x->samples || pack->utc_ns > x->utc_last)
        x->utc_last = pack->utc_ns;
    x->samples += pack->ref;
    x->last_pack = x->at;
    if (!is_read)
        return PL_OK;
    x->given += pack->ref;
    x->read_to = x->at + len;
    return prove(r, x->at, &record, &p);
}

/* Look at the records behind the SESS at 'begin', as far as ends.  PL_END: they
 * are not as they were written, or more are to be read than packs. */
static enum pl_status look_at_records(struct pl_reader *r, uint64_t begin,
                                      struct segment *x)
{
    struct pl_record record;
    struct pl_session session;
    struct pl_pack_head h;
    const uint8_t *p;
    enum pl_status s = prove(r, begin, &record, &p);

    *x = (struct segment){ .at = begin, .given = r->passing.met };
    if (s)
        return s;
    if (record.session != r->session || record.type != PL_SESS ||
        record.codec != PL_CODEC_STORED ||
        pl_session_parse(&session, p, record.stored_len) || session.repeat)
        return PL_END;
    x->next = (uint64_t)record.seq + 1;
    if (x->next != r->next_seq || x->next != r->follower)
        return PL_END;
    while (!s && !x->payload) {
        uint64_t len = PL_RECORD_LEN + pl_padded_len(record.stored_len);

        x->at += len;
        if (!read_next_header(r, x, &record, &h))
            return PL_END;
        len = PL_RECORD_LEN + pl_padded_len(record.stored_len);
        if (len > r->scan.size - x->at)
            return PL_END;
        x->next = (uint64_t)record.seq + h.records;
        s = record.type == PL_PACK ? look_at_pack(r, x, &record, len)
                                   : look_at_record(r, x);
    }
    return s;
}

/* What the ends states, if it can be true. */
static enum pl_status take_counts(struct pl_reader *r, const struct segment *x,
                                  uint64_t begin)
{
    struct pl_passing *p = &r->passing;
    struct pl_stated_counts *c = &p->counts;
    size_t n = x->ends.stored_len;
    enum pl_status s = PL_END;

    if (x->ends.codec == PL_CODEC_STORED &&
        pl_hash(x->payload, n, x->ends.session) == x->ends.raw_hash)
        s = pl_stated_counts_unpack(r->decoder, x->ends.session, x->payload, n,
                                    &p->content);
    if (!s)
        s = pl_stated_counts_parse(c, &p->content);
    if (s)
        return s == PL_NOMEM ? s : PL_END;
    return c->ends_at != x->at - begin || c->samples != x->samples ||
                   c->bytes / PL_MAX_BLOCK_LEN > c->samples ||
                   x->utc_first < c->utc_first || x->utc_last > c->utc_last
               ? PL_END
               : PL_OK;
}

static void stop(struct pl_reader *r)
{
    r->passing.ends_at = 0;
    r->scan.scattered = false;
}

/* PL_NOMEM. */
static enum pl_status look_ahead(struct pl_reader *r)
{
    struct pl_passing *p = &r->passing;
    struct segment x;
    struct pl_record last;
    const uint8_t *payload;
    enum pl_status s;

    p->looks = false;
    if (p->begin < p->looked_to || r->too_new || !r->reported ||
        pl_file_is_stream(r->scan.file) || r->scan.live)
        return PL_OK;
    r->scan.scattered = true;
    s = look_at_records(r, p->begin, &x);
    p->looked_to = x.at;
    if (!s)
        s = take_counts(r, &x, p->begin);
    if (!s && x.last_pack >= x.read_to)
        s = prove(r, x.last_pack, &last, &payload);
    if (s) {
        stop(r);
        return s == PL_NOMEM ? s : PL_OK;
    }
    p->ends_at = x.at;
    p->read_to = x.read_to;
    p->last_pack = x.last_pack;
    p->pack = (struct pl_stretch){ 0 };
    p->records = p->counts;
    p->passed = p->given_bytes = 0;
    return PL_OK;
}

/* ---- passing -------------------------------------------------------------- */

/* True, with its number after the last one, if the next record is a pack that is
 * passed. */
static bool begin_pack(struct pl_reader *r)
{
    struct pl_passing *p = &r->passing;
    struct segment x = { .at = r->scan.at, .next = r->next_seq };
    struct pl_stretch at = { .kind = PL_STRETCH_RECORD, .at = r->scan.at };
    struct pl_pack_head h;

    if (x.at < p->read_to || x.at >= p->last_pack ||
        !read_next_header(r, &x, &at.record, &h) || at.record.type != PL_PACK ||
        r->follower != r->next_seq)
        return false;
    at.len = PL_RECORD_LEN + pl_padded_len(at.record.stored_len);
    if (at.len > r->scan.size - at.at || pl_reader_is_stray(r, &at))
        return false;
    p->pack = at;
    p->pack_next = (uint64_t)at.record.seq + h.records;
    return true;
}

/* The next gaps or note that is stated of the pack; false: no more. */
static bool next_record(struct pl_reader *r, struct pl_stretch *at)
{
    struct pl_passing *p = &r->passing;

    for (;;) {
        struct pl_stated_counts rest = p->records;
        struct pl_record *x = &at->record;

        *at = (struct pl_stretch){ .kind = PL_STRETCH_RECORD,
                                   .at = p->pack.at,
                                   .packed = true };
        if (pl_stated_counts_record(&rest, x, &at->payload) ||
            x->seq >= p->pack_next)
            return false;
        p->records = rest;
        if (x->seq < p->pack.record.seq ||
            (x->type != PL_GAPS && x->type != PL_NOTE))
            continue;
        x->session = r->session;
        x->raw_hash = pl_hash(at->payload, x->stored_len, x->session);
        r->next_seq = r->follower = x->seq; /* no sample before it is missing */
        return true;
    }
}

enum pl_status pl_reader_pass_packs(struct pl_reader *r, struct pl_stretch *at)
{
    struct pl_passing *p = &r->passing;
    enum pl_status s = p->looks ? look_ahead(r) : PL_OK;

    if (s || !p->ends_at)
        return s ? s : PL_END;
    if (r->scan.at > p->ends_at) { /* the session has been skipped */
        stop(r);
        return PL_END;
    }
    while (p->pack.len || begin_pack(r)) {
        if (next_record(r, at))
            return PL_OK;
        r->next_seq = r->follower = p->pack_next;
        r->scan.at += p->pack.len;
        p->passed += p->pack.record.ref;
        p->pack.len = 0;
    }
    return PL_END;
}

/* ---- items ---------------------------------------------------------------- */

static uint64_t less(uint64_t all, uint64_t some)
{
    return all > some ? all - some : 0;
}

void pl_reader_count_item(struct pl_reader *r, struct pl_item *item)
{
    struct pl_passing *p = &r->passing;

    if (item->kind == PL_ITEM_SAMPLE) {
        p->met++;
        p->given_bytes += item->block ? item->block->len : item->record.raw_len;
        item->is_counted = p->ends_at != 0;
    }
    if (item->kind != PL_ITEM_ENDS || !p->ends_at || item->at != p->ends_at)
        return;
    p->unread = (struct pl_unread){
        .samples = p->passed,
        .bytes = p->passed ? less(p->counts.bytes, p->given_bytes) : 0,
        .counts = p->counts,
    };
    item->unread = &p->unread;
    stop(r);
}
