/* Finds a time by the indexes of a log, and samples that need not be read. */
#include "format/record/codec.h"
#include "format/reader/reader_state.h"

/* How far back from the end an index is searched for, in two tries. */
enum { NEAR_TAIL = 64 << 10, FAR_TAIL = 16 << 20 };

/* Of a log's sessions so many are known apart while a time is searched for. */
enum { MOST_SESSIONS = 64 };

enum pl_status pl_reader_read_at(struct pl_reader *r, uint64_t at,
                                 struct pl_record *record, const uint8_t **p)
{
    size_t got, total;
    enum pl_status s =
        pl_record_scan_peek(&r->scan, at, PL_RECORD_LEN, p, &got);

    if (s)
        return s;
    if (got < PL_RECORD_LEN || pl_record_get(record, *p) ||
        !pl_codec_is_plausible(record))
        return PL_CORRUPT;
    total = PL_RECORD_LEN + pl_padded_len(record->stored_len);
    s = pl_record_scan_peek(&r->scan, at, total, p, &got);
    if (s)
        return s;
    if (got < total || pl_hash(*p + PL_RECORD_LEN, total - PL_RECORD_LEN,
                               record->session) != record->payload_hash)
        return PL_CORRUPT;
    *p += PL_RECORD_LEN;
    return PL_OK;
}

/* A record at which the decoding of samples can begin. */
static bool is_key(const struct pl_record *r)
{
    return r->type == PL_PACK || (r->type == PL_SMPL && !r->ref);
}

/*
 * Read the header at 'at', and what it says of its samples: of a PACK, which is
 * proven for that, what stands before its frame.  False: there is none, or an
 * impossible one.
 */
static bool read_header(struct pl_reader *r, uint64_t at,
                        struct pl_record *record, struct pl_pack_head *h)
{
    const uint8_t *p;
    size_t got;

    if (pl_record_scan_peek(&r->scan, at, PL_RECORD_LEN, &p, &got) ||
        got < PL_RECORD_LEN || pl_record_get(record, p) ||
        !pl_codec_is_plausible(record))
        return false;
    *h = (struct pl_pack_head){ 1, record->type == PL_SMPL, record->utc_ns,
                                record->utc_ns };
    return record->type != PL_PACK || (!pl_reader_read_at(r, at, record, &p) &&
                                       pl_pack_head_get(h, record, p));
}

/* The last indx among the file's last 'tail' bytes, all of one session; names
 * at its end do not count. */
static bool last_index(struct pl_reader *r, uint64_t session, uint64_t tail,
                       uint64_t *at)
{
    uint64_t end = pl_reader_before_names(r);
    uint64_t from = end > tail ? end - tail : 0;
    bool found = false;
    size_t got = PL_RECORD_LEN;

    while (got >= PL_RECORD_LEN) {
        struct pl_record record;
        const uint8_t *p;
        size_t i;

        if (pl_record_scan_peek(&r->scan, from, NEAR_TAIL, &p, &got))
            return false;
        i = pl_record_search(p, got, 0, &record);
        if (i == got) {
            from += got - (got < PL_RECORD_LEN ? 0 : PL_RECORD_LEN - 1);
            got = got < NEAR_TAIL ? 0 : got;
            continue;
        }
        if (record.session != session)
            return false; /* several sessions: they are read in order */
        found = found || record.type == PL_INDX;
        if (record.type == PL_INDX)
            *at = from + i;
        from += i + PL_RECORD_LEN;
        if (pl_codec_is_plausible(&record))
            from += pl_padded_len(record.stored_len);
    }
    return found;
}

/*
 * After the indx at 'at' session and titles are repeated, followed by the key
 * at 'key_at': reading can begin at the indx if all of these are good.
 */
static bool can_begin(struct pl_reader *r, uint64_t at, uint64_t key_at)
{
    bool has_session = false;
    struct pl_record record, before = { 0 };

    while (at < key_at) {
        const uint8_t *p;

        if (pl_reader_read_at(r, at, &record, &p) || record.type == PL_SMPL ||
            record.type == PL_PACK ||
            (before.session && (record.session != before.session ||
                                record.seq != before.seq + 1)))
            return false;
        has_session = has_session || record.type == PL_SESS;
        before = record;
        at += PL_RECORD_LEN + pl_padded_len(record.stored_len);
    }
    return at == key_at && has_session;
}

/* As indexes and keys may lie in each other's payloads, reading all of them
 * could take a time that grows with the square of the file's size. */
static bool may_seek_on(const struct pl_reader *r)
{
    return r->sought / 4 <= r->scan.size + (256 << 10);
}

/* Prove the indx at 'at'; see read_index. */
static bool prove_index(struct pl_reader *r, uint64_t session, uint64_t at,
                        struct pl_index *index, struct pl_record *key)
{
    struct pl_record record;
    struct pl_chunk first;
    const uint8_t *p;

    if (!may_seek_on(r) || pl_reader_read_at(r, at, &record, &p) ||
        record.type != PL_INDX || record.session != session ||
        record.codec != PL_CODEC_STORED)
        return false;
    r->sought += record.stored_len;
    pl_buf_clear(&r->scratch);
    pl_buf_bytes(&r->scratch, p, record.stored_len);
    if (r->scratch.oom || pl_index_parse(index, r->scratch.p, r->scratch.len) ||
        index->self != at || !index->num_chunks)
        return false;
    first = pl_index_chunk(index, 0);
    if (first.offset <= index->prev || first.offset >= at ||
        pl_reader_read_at(r, first.offset, key, &p) || !is_key(key))
        return false;
    r->sought += key->stored_len;
    return key->session == session && key->seq == first.key_seq;
}

/*
 * Read and prove the indx at 'at', whose chunks are valid until the next call;
 * *key is the key of the first one.
 */
static bool read_index(struct pl_reader *r, uint64_t session, uint64_t at,
                       struct pl_index *index, struct pl_record *key)
{
    bool good;

    r->scan.scattered = true;
    good = prove_index(r, session, at, index, key);
    r->scan.scattered = false;
    return good;
}

/* True if all samples of the indx are older than 'utc_ns'. */
static bool is_older(const struct pl_index *index, int64_t utc_ns)
{
    for (uint32_t i = 0; i < index->num_chunks; i++)
        if (pl_index_chunk(index, i).utc_last >= utc_ns)
            return false;
    return true;
}

/*
 * The last indx before which all samples are older than 'utc_ns' and after
 * which the next sample is older as well, so that the last sample before
 * 'utc_ns' comes after it.  0: there is none, or an index is wrong.
 */
static uint64_t find_start(struct pl_reader *r, uint64_t session,
                           int64_t utc_ns)
{
    struct pl_record behind = { .utc_ns = INT64_MAX }; /* key after the indx */
    uint64_t at, behind_at = 0, start = 0;

    r->sought = 0;
    if (!last_index(r, session, NEAR_TAIL, &at) &&
        !last_index(r, session, FAR_TAIL, &at))
        return 0;
    for (;;) {
        struct pl_index index;
        struct pl_record key;

        if (!read_index(r, session, at, &index, &key))
            return 0;
        if (!is_older(&index, utc_ns)) {
            start = 0;
        } else if (!start && behind.utc_ns < utc_ns) {
            start = at;
            if (!can_begin(r, at, behind_at))
                return 0;
        }
        if (!index.prev)
            return start;
        at = index.prev;
        behind = key;
        behind_at = pl_index_chunk(&index, 0).offset;
    }
}

/* A key from which reading can go on: nothing before it is needed. */
static bool can_go_on(struct pl_reader *r, uint64_t at)
{
    struct pl_record key;
    const uint8_t *p;

    return at && !pl_reader_read_at(r, at, &key, &p) &&
           (key.type == PL_PACK
                ? key.codec == PL_CODEC_PACK || key.codec == PL_CODEC_PACK_OLD
                : key.raw_len <= r->max_block && key.codec < PL_CODEC_DELTA) &&
           !(key.flags & PL_FLAGS_CRITICAL);
}

/* True for record 'seq' of the session, or the first one of another. */
static bool follows(const struct pl_record *r, uint64_t session, uint64_t seq)
{
    return r->session == session ? r->seq == seq
                                 : r->type == PL_SESS && !r->seq;
}

/* False: it was met before, so that samples that follow may have been read, as
 * where a log was joined twice; or there are too many to know. */
static bool note_met(uint64_t *met, size_t *num, uint64_t session)
{
    for (size_t i = 0; i < *num; i++)
        if (met[i] == session)
            return false;
    if (*num == MOST_SESSIONS)
        return false;
    met[(*num)++] = session;
    return true;
}

/*
 * Between two indexes there are hours, and a log may have none, so headers are
 * read up to the first sample that is not older than 'utc_ns'.  Of those before
 * it, none is needed that comes before the last key.  Returns that key's
 * offset; 0: all are needed.
 */
static uint64_t find_key(struct pl_reader *r, uint64_t at, int64_t utc_ns)
{
    uint64_t key_at = 0, session = 0, seq = 0, met[MOST_SESSIONS];
    size_t num_met = 0;

    for (;;) {
        struct pl_record record;
        struct pl_pack_head h;

        if (!read_header(r, at, &record, &h) ||
            (session && !follows(&record, session, seq)) ||
            (h.samples && record.utc_ns >= utc_ns) ||
            (record.session != session &&
             !note_met(met, &num_met, record.session)))
            break;
        if (is_key(&record))
            key_at = at;
        if (h.samples && h.utc_last >= utc_ns)
            break;
        session = record.session;
        seq = (uint64_t)record.seq + h.records;
        at += PL_RECORD_LEN + pl_padded_len(record.stored_len);
    }
    return can_go_on(r, key_at) ? key_at : 0;
}

enum pl_status pl_reader_seek(struct pl_reader *r, int64_t utc_ns)
{
    struct pl_record record;
    const uint8_t *p;
    uint64_t start;
    enum pl_status s;

    if (r->foreign || pl_file_is_stream(r->scan.file) || r->scan.follow ||
        r->session || pl_reader_read_at(r, 0, &record, &p) ||
        record.type != PL_SESS)
        return PL_OK;
    start = find_start(r, record.session, utc_ns);
    if (!start || pl_reader_read_at(r, start, &record, &p)) {
        r->needed_from = find_key(r, 0, utc_ns);
        return PL_OK;
    }
    s = pl_reader_next(r, &r->queue[0]); /* the session, */
    if (s)
        return s;
    r->queue_at = 0; /* which is returned once more, */
    r->queue_num = 1;
    r->queue[0].payload = NULL; /* as the file's window moves */
    r->needed_from = find_key(r, start, utc_ns);
    r->scan.at = start;
    r->next_seq = r->follower = record.seq;
    return PL_OK;
}

void pl_reader_skip_session(struct pl_reader *r)
{
    uint64_t at = r->scan.at;

    if (r->foreign || pl_file_is_stream(r->scan.file) || r->scan.follow ||
        r->queue_at < r->queue_num)
        return;
    for (;;) {
        struct pl_record record;
        const uint8_t *p;
        size_t got;

        if (pl_record_scan_peek(&r->scan, at, PL_RECORD_LEN, &p, &got) ||
            (got && (got < PL_RECORD_LEN || pl_record_get(&record, p) ||
                     !pl_codec_is_plausible(&record))))
            return;
        if (!got || record.session != r->session)
            break;
        at += PL_RECORD_LEN + pl_padded_len(record.stored_len);
    }
    if (at > r->scan.size)
        return;
    r->scan.at = at;
    if (r->pack)
        pl_pack_decoder_close(r->pack);
}

/* Times that no sample may have, and what is known of them. */
struct forbidden {
    int64_t first_ns, last_ns;
    uint64_t longest;
};

enum finding { NONE_THERE, SOME_THERE, NOT_KNOWN };

/* Sessions of other intervals have other rows. */
static bool note_session(struct pl_reader *r, uint64_t at, uint64_t *longest)
{
    struct pl_session session;
    struct pl_record record;
    const uint8_t *p;

    if (pl_reader_read_at(r, at, &record, &p) ||
        record.codec != PL_CODEC_STORED ||
        pl_session_parse(&session, p, record.stored_len))
        return false;
    if (session.interval_ns > *longest)
        *longest = session.interval_ns;
    return true;
}

/* By the headers of the records from 'at' to 'end', or to the file's end. */
static enum finding look_at_headers(struct pl_reader *r, uint64_t at,
                                    uint64_t end, struct forbidden *f)
{
    while (at < end) {
        struct pl_record record;
        struct pl_pack_head h;

        if (end == UINT64_MAX && at <= r->scan.size &&
            r->scan.size - at < PL_RECORD_LEN)
            return NONE_THERE;
        if (!read_header(r, at, &record, &h) ||
            (record.type == PL_SESS && !note_session(r, at, &f->longest)))
            return NOT_KNOWN;
        if (h.samples && h.utc_last >= f->first_ns && h.utc_first <= f->last_ns)
            return SOME_THERE;
        at += PL_RECORD_LEN + pl_padded_len(record.stored_len);
    }
    return at == end ? NONE_THERE : NOT_KNOWN;
}

/* True if the chunk's key is where the indx says, with a time that fits. */
static bool is_true(struct pl_reader *r, uint64_t session,
                    const struct pl_chunk *c)
{
    struct pl_record key;
    const uint8_t *p;
    size_t got;
    bool there;

    r->scan.scattered = true;
    there = !pl_record_scan_peek(&r->scan, c->offset, PL_RECORD_LEN, &p, &got);
    r->scan.scattered = false;
    return there && got == PL_RECORD_LEN && !pl_record_get(&key, p) &&
           is_key(&key) && key.session == session && key.seq == c->key_seq &&
           key.utc_ns >= c->utc_first && key.utc_ns <= c->utc_last;
}

/*
 * By the chunks of an indx that are not before 'from'.  *begin is where they
 * begin; at first it is where the last one ends.
 */
static enum finding look_at_chunks(struct pl_reader *r, uint64_t session,
                                   const struct pl_index *index, uint64_t from,
                                   uint64_t *begin, const struct forbidden *f)
{
    for (uint32_t i = index->num_chunks; i-- > 0;) {
        const struct pl_chunk c = pl_index_chunk(index, i);

        if (c.offset >= *begin || !is_true(r, session, &c))
            return NOT_KNOWN;
        if (c.offset < from)
            return NONE_THERE;
        if (c.utc_last >= f->first_ns && c.utc_first <= f->last_ns)
            return SOME_THERE;
        *begin = c.offset;
    }
    return NONE_THERE;
}

/* By the indexes from the last one back to 'from', and headers around them. */
static enum finding look_at_indexes(struct pl_reader *r, uint64_t from,
                                    struct forbidden *f)
{
    struct pl_record key;
    const uint8_t *p;
    enum finding found;
    uint64_t at;

    r->sought = 0;
    if (pl_reader_read_at(r, 0, &key, &p) || key.type != PL_SESS ||
        !note_session(r, 0, &f->longest) ||
        (!last_index(r, key.session, NEAR_TAIL, &at) &&
         !last_index(r, key.session, FAR_TAIL, &at)) ||
        at < from)
        return NOT_KNOWN;
    found = look_at_headers(r, at, UINT64_MAX, f);
    while (found == NONE_THERE) {
        struct pl_index index;
        uint64_t begin = at;

        if (!read_index(r, key.session, at, &index, &key))
            return NOT_KNOWN;
        found = look_at_chunks(r, key.session, &index, from, &begin, f);
        if (found != NONE_THERE)
            break;
        if (index.prev <= from)
            return look_at_headers(r, from, begin, f);
        at = index.prev;
    }
    return found;
}

bool pl_reader_none_between(struct pl_reader *r, int64_t first_ns,
                            int64_t last_ns, uint64_t *longest)
{
    struct forbidden f = { first_ns, last_ns, longest ? *longest : 0 };
    uint64_t from = r->scan.at;
    enum finding found;

    if (r->foreign || pl_file_is_stream(r->scan.file) || r->scan.follow ||
        r->queue_at < r->queue_num)
        return false;
    if (!pl_reader_pack_has_none(r, first_ns, last_ns))
        return false;
    found = look_at_indexes(r, from, &f);
    if (found == NOT_KNOWN)
        found = look_at_headers(r, from, UINT64_MAX, &f);
    if (longest)
        *longest = f.longest;
    return found == NONE_THERE;
}
