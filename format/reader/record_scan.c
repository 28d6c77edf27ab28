/* Finds proven records and the stretches between them. */
#include "format/reader/record_scan.h"

#include "format/record/codec.h"
#include "format/reader/interrupted.h"

#include <string.h>

enum {
    READ_AHEAD = 256 << 10,
    READ_LITTLE = 1 << 10,
    SEARCH_STEP = 256 << 10,
    MOST_LOOKS = 8, /* for the end of a write, of READ_AHEAD each: iden, TITL
                     * and SMPL may be larger than that */
    BEHIND = 96,    /* bytes kept before the place being searched */
};

enum pl_status pl_record_scan_open(struct pl_record_scan *s, const char *path,
                                   bool follow)
{
    enum pl_status status;

    *s = (struct pl_record_scan){ .follow = follow };
    status = pl_file_open(&s->file, path);
    if (!status)
        status = pl_file_size(s->file, &s->size);
    if (status) {
        pl_record_scan_close(s);
        return status;
    }
    /* In this order: if the lock is free, all bytes of that size are final, as
     * those of a pipe are. */
    s->live =
        !pl_file_is_stream(s->file) && (follow || pl_file_is_locked(s->file));
    return PL_OK;
}

void pl_record_scan_close(struct pl_record_scan *s)
{
    pl_file_close(s->file);
    pl_buf_release(&s->window);
    s->file = NULL;
}

enum pl_status pl_record_scan_peek(struct pl_record_scan *s, uint64_t at,
                                   size_t n, const uint8_t **p, size_t *got)
{
    size_t have, drop;

    if (at > s->size)
        at = s->size;
    if (n > s->size - at)
        n = (size_t)(s->size - at);
    if (at < s->window_at) { /* a file can be read again, a pipe cannot */
        s->window.len = 0;
        s->window_at = at;
    }
    have = at - s->window_at < s->window.len
               ? s->window.len - (size_t)(at - s->window_at)
               : 0;
    if (have < n) {
        /* More than requested, so that moving 'have' bytes pays off. */
        size_t want = n + (s->scattered ? READ_LITTLE : READ_AHEAD), part;
        uint8_t *room;
        enum pl_status status;

        drop = s->window.len - have;
        if (drop)
            memmove(s->window.p, s->window.p + drop, have);
        s->window.len = have;
        s->window_at = at;
        if (want > s->size - at)
            want = (size_t)(s->size - at);
        room = pl_buf_room(&s->window, want - have + 1);
        if (!room) {
            s->window.oom = false;
            return PL_NOMEM;
        }
        status = pl_file_read(s->file, at + have, room, want - have, &part);
        if (status)
            return status;
        s->window.len += part;
        if (part < want - have && s->size == UINT64_MAX)
            s->size = at + have + part; /* the stream ends here */
        have += part;
    }
    *p = s->window.p ? s->window.p + (at - s->window_at) : NULL;
    *got = have < n ? have : n;
    return PL_OK;
}

/* Bytes read ahead are kept: a pipe cannot be read again. */
void pl_record_scan_drop(struct pl_record_scan *s)
{
    struct pl_buf rest = { 0 };
    size_t done;

    if (s->window.cap <= PL_LARGE + READ_AHEAD || s->at < s->window_at)
        return;
    done = s->at - s->window_at < s->window.len ? (size_t)(s->at - s->window_at)
                                                : s->window.len;
    pl_buf_bytes(&rest, s->window.p + done, s->window.len - done);
    if (rest.oom)
        return;
    s->window_at += done;
    pl_buf_swap(&s->window, &rest);
    pl_buf_release(&rest);
}

/*
 * First proven header at 'from' or later; *found false: none to the end.
 * 'tail' (may be NULL) notes the bytes from 'start' to there.
 */
static enum pl_status search(struct pl_record_scan *s, uint64_t start,
                             uint64_t from, bool *found, uint64_t *at,
                             struct pl_record *record, struct pl_tail *tail)
{
    for (;;) {
        uint64_t base = from - start > BEHIND ? from - BEHIND : start;
        const uint8_t *p;
        size_t got, hit;
        enum pl_status status =
            pl_record_scan_peek(s, base, SEARCH_STEP, &p, &got);

        if (status)
            return status;
        hit = pl_record_search(p, got, (size_t)(from - base), record);
        *found = hit < got;
        *at = base + hit;
        if (tail)
            pl_tail_note(tail, base, p, hit);
        if (*found || got < SEARCH_STEP)
            return PL_OK;
        from = base + got - PL_RECORD_LEN + 1;
    }
}

enum pl_status pl_record_scan_has_any(struct pl_record_scan *s, bool *found,
                                      bool *zeros)
{
    struct pl_record record;
    struct pl_tail tail;
    enum pl_status status;
    bool is_all = true;
    const uint8_t *p;
    uint64_t at;
    size_t got;

    pl_tail_start(&tail, 0);
    if (!pl_file_is_stream(s->file)) {
        status = search(s, 0, 0, found, &at, &record, &tail);
    } else {
        status = pl_record_scan_peek(s, 0, PL_FIRST_LOOK, &p, &got);
        if (status)
            return status;
        *found = pl_record_search(p, got, 0, &record) < got;
        pl_tail_note(&tail, 0, p, got);
        is_all = got < PL_FIRST_LOOK;
    }
    *zeros = is_all && !tail.end;
    return status;
}

/*
 * The file may still grow.  Its last bytes must then be read again: a writer
 * whose disk is full truncates an incomplete write and puts another in its
 * place.
 */
static enum pl_status not_yet(struct pl_record_scan *s)
{
    if (s->at >= s->window_at && s->at - s->window_at < s->window.len)
        s->window.len = (size_t)(s->at - s->window_at);
    return PL_END;
}

/*
 * A pack takes the place of records in one go, when it is complete: a kill leaves
 * no part of one, as far as its first bytes tell.
 */
static bool is_pack(const uint8_t *p, size_t n)
{
    static const uint8_t begins[] = "\x89PL1PACK";

    return n >= sizeof begins - 1 && !memcmp(p, begins, sizeof begins - 1);
}

/*
 * The bytes from 'at' are no good record.  Find where reading can continue, and
 * decide whether they are damage or the end of a run that was killed or lost
 * power: only zeros, a fragment too short for a header, a record whose claim
 * reaches beyond the end or whose last bytes are replaced by zeros ('filled'),
 * each followed by any number of zeros; or one of these, then the first bytes
 * of a run that was killed in its first write.
 * 'claim' is the length a proven header claims, 0 if there is none; 'session'
 * is that header's or the current one.
 */
static enum pl_status cut(struct pl_record_scan *s, uint64_t session,
                          uint64_t from, uint64_t claim, bool filled,
                          struct pl_stretch *out)
{
    struct pl_tail tail;
    struct pl_record next;
    uint64_t end, used;
    bool found, packed;
    const uint8_t *p;
    size_t got;
    enum pl_status status =
        pl_record_scan_peek(s, out->at, PL_RECORD_LEN, &p, &got);

    if (status)
        return status;
    packed = is_pack(p, got);
    pl_tail_start(&tail, out->at);
    status = search(s, out->at, from, &found, &end, &next, &tail);
    if (status)
        return status;
    if (!found && s->live)
        return not_yet(s);
    if (!found)
        end = s->size;
    out->len = end - out->at;
    used = tail.end - out->at;
    out->kind = PL_STRETCH_DAMAGED;
    if (packed || (found && !pl_record_is_fresh(&next, session)))
        ;
    else if (used < PL_RECORD_LEN || claim > out->len ||
             (filled && used < claim) ||
             pl_interrupted_twice(&tail, out, claim, filled))
        out->kind = PL_STRETCH_INTERRUPTED;
    out->zeros = !used;
    s->at = end;
    return PL_OK;
}

/* Of a stream as long as its end is not known: torn keys may be as large as
 * any, and more may follow than there is so far. */
static uint64_t work_bound(const struct pl_record_scan *s)
{
    return s->size != UINT64_MAX ? 4 * s->size + (1 << 20)
                                 : 4 * (s->at + (uint64_t)PL_MAX_PAYLOAD);
}

/*
 * A proven header begins where the record out->at would end.  A record of the
 * same session, or a fresh SESS, between the two shows that the claim ends at
 * 'end' by chance; any other is a look-alike inside the payload.  *at is that
 * record, or 'end'.
 */
static enum pl_status first_inside(struct pl_record_scan *s,
                                   const struct pl_stretch *out, uint64_t end,
                                   uint64_t *at, struct pl_record *record)
{
    uint64_t from = out->at + PL_RECORD_LEN;

    for (;;) {
        bool found;
        enum pl_status status =
            search(s, out->at, from, &found, at, record, NULL);

        if (status || *at >= end)
            return status;
        if (record->session == out->record.session ||
            pl_record_is_fresh(record, out->record.session))
            return PL_OK;
        from = *at + 1;
    }
}

/* A proven header whose payload does not match its hash. */
static enum pl_status bad_payload(struct pl_record_scan *s, size_t total,
                                  struct pl_stretch *out)
{
    uint64_t session = out->record.session, end = out->at + total;
    struct pl_record next;
    const uint8_t *p;
    size_t got;
    bool filled;
    enum pl_status status;

    out->reason = "payload does not match its hash";
    out->kind = PL_STRETCH_DAMAGED;
    out->len = total;
    s->vain += total;
    if (s->vain > work_bound(s)) {
        s->at = end;
        return PL_OK;
    }
    status = pl_interrupted_is_filled(s, total, out, &filled);
    if (!status)
        status =
            pl_record_scan_peek(s, out->at, total + PL_RECORD_LEN, &p, &got);
    if (status)
        return status;
    if (got < total + PL_RECORD_LEN || pl_record_get(&next, p + total)) {
        status = cut(s, session, out->at + PL_RECORD_LEN, total, filled, out);
        if (status == PL_END)
            s->vain -= total; /* it will be hashed again */
        return status;
    }
    status = first_inside(s, out, end, &s->at, &next);
    out->len = s->at - out->at;
    if (status || out->record.type == PL_PACK ||
        !pl_record_is_fresh(&next, session))
        return status;
    if (s->at < end || filled)
        out->kind = PL_STRETCH_INTERRUPTED;
    return status;
}

static enum pl_status newer_major(struct pl_record_scan *s,
                                  struct pl_stretch *out)
{
    bool found;
    uint64_t end;
    enum pl_status status = search(s, out->at, out->at + PL_RECORD_LEN, &found,
                                   &end, &out->record, NULL);

    if (status)
        return status;
    if (!found && s->live)
        return not_yet(s);
    if (!found)
        end = s->size;
    out->kind = PL_STRETCH_TOO_NEW;
    out->reason = "written by another major version of perflog";
    out->len = end - out->at;
    s->at = end;
    return PL_OK;
}

/* ---- the end of a live file ------------------------------------------------- */

/* True for the last record of a write, and for a session's first record, which
 * is a write of its own. */
static bool ends_write(const struct pl_record *r, uint64_t at)
{
    return r->type == PL_SMPL || r->type == PL_PACK || r->type == PL_ENDS ||
           !r->seq || !at;
}

/* Pass the complete records that begin among the READ_AHEAD bytes at '*at'. */
static enum pl_status pass_complete(struct pl_record_scan *s, uint64_t *at)
{
    struct pl_record r;
    const uint8_t *p;
    size_t got;
    enum pl_status status = pl_record_scan_peek(s, *at, READ_AHEAD, &p, &got);

    while (!status && got >= PL_RECORD_LEN && !pl_record_get(&r, p)) {
        size_t total = PL_RECORD_LEN + pl_padded_len(r.stored_len);

        if (total > s->size - *at)
            break;
        if (ends_write(&r, *at))
            s->settled = *at + total;
        *at += total;
        p += total < got ? total : got;
        got -= total < got ? total : got;
    }
    return status;
}

/*
 * PL_OK if the record at s->at is final: the last record of its write is
 * complete, or other bytes follow.  Else PL_END.  Bytes read ahead may be
 * outdated and are read again, as many at once as fit; s->settled is then the
 * end of those that are final.
 */
static enum pl_status settle(struct pl_record_scan *s)
{
    uint64_t at = s->at, before, hit;
    enum pl_status status;
    struct pl_record r;
    int num = 0;
    bool found;

    not_yet(s);
    do {
        before = at;
        status = pass_complete(s, &at);
    } while (!status && s->settled <= s->at && at > before &&
             ++num < MOST_LOOKS);
    if (status || s->settled > s->at || at == s->at)
        return status;
    /* No write of a recorder has so many records, or such bytes after them. */
    status = search(s, at, at + 1, &found, &hit, &r, NULL);
    if (status || !found)
        return status ? status : PL_END;
    s->settled = hit;
    return PL_OK;
}

/*
 * Whether a run of another session begins behind 'out', as far as is known.  Of
 * two that are of different sessions, one is of another than any record.
 */
static bool is_before_run(const struct pl_record_scan *s,
                          const struct pl_stretch *out)
{
    for (size_t i = 0; i < sizeof s->runs / sizeof *s->runs; i++)
        if (out->at < s->runs[i].at &&
            out->record.session != s->runs[i].session)
            return true;
    return false;
}

/* Its recorder writes behind all that is before it, which so is final. */
static void note_run(struct pl_record_scan *s, const struct pl_stretch *out,
                     uint64_t at, uint64_t session)
{
    s->runs[out->at < s->runs[0].at] = (struct pl_run_begin){ at, session };
    if (s->settled < at)
        s->settled = at;
}

/*
 * The record at out->at reaches beyond the end of a live file.  *torn: a fresh
 * SESS behind its header shows that nothing will complete it.  It must be one of
 * this file: a record that is being written may contain what others chose.
 */
static enum pl_status is_torn(struct pl_record_scan *s,
                              const struct pl_stretch *out, bool *torn)
{
    uint64_t from = out->at + PL_RECORD_LEN, at;
    struct pl_record next;
    bool found = true;
    enum pl_status status = PL_OK;

    *torn = is_before_run(s, out);
    while (!status && found && !*torn) {
        status = search(s, out->at, from, &found, &at, &next, NULL);
        *torn = !status && found &&
                pl_record_is_fresh(&next, out->record.session) &&
                pl_session_descends(next.session, s->root);
        if (*torn)
            note_run(s, out, at, next.session);
        from = at + 1;
    }
    return status;
}

/* ---- one stretch ------------------------------------------------------------ */

static enum pl_status next_of_session(struct pl_record_scan *s,
                                      uint64_t session, struct pl_stretch *out)
{
    const uint8_t *p;
    size_t got, total;
    bool torn;
    enum pl_status status;

    *out = (struct pl_stretch){ .at = s->at };
    status = pl_record_scan_peek(s, s->at, PL_RECORD_LEN, &p, &got);
    if (status)
        return status;
    if (!got || (got < PL_RECORD_LEN && s->live))
        return not_yet(s);
    if (got < PL_RECORD_LEN) {
        out->kind =
            is_pack(p, got) ? PL_STRETCH_DAMAGED : PL_STRETCH_INTERRUPTED;
        out->reason = "record reaches beyond the end of the file";
        out->zeros = !*p && !memcmp(p, p + 1, got - 1);
        out->len = got;
        s->at += got;
        return PL_OK;
    }
    status = pl_record_get(&out->record, p);
    if (status == PL_UNSUPPORTED)
        return newer_major(s, out);
    if (status) {
        out->record = (struct pl_record){ 0 };
        out->reason = "no valid record header";
        return cut(s, session, out->at + 1, 0, false, out);
    }
    if (!pl_codec_is_plausible(&out->record)) {
        out->reason = "record claims an impossible length";
        return cut(s, out->record.session, out->at + PL_RECORD_LEN, 0, false,
                   out);
    }
    total = PL_RECORD_LEN + pl_padded_len(out->record.stored_len);
    status = pl_record_scan_peek(s, s->at, total, &p, &got);
    if (status)
        return status;
    if (got < total && s->live) {
        status = is_torn(s, out, &torn);
        if (status || !torn)
            return status ? status : not_yet(s);
    }
    if (got < total) {
        out->reason = "record reaches beyond the end of the file";
        return cut(s, out->record.session, out->at + PL_RECORD_LEN, total,
                   false, out);
    }
    if (pl_hash(p + PL_RECORD_LEN, total - PL_RECORD_LEN,
                out->record.session) != out->record.payload_hash)
        return bad_payload(s, total, out);
    if (!s->root)
        s->root = out->record.session;
    out->kind = PL_STRETCH_RECORD;
    out->len = total;
    out->payload = p + PL_RECORD_LEN;
    s->at += total;
    return PL_OK;
}

enum pl_status pl_record_scan_next(struct pl_record_scan *s, uint64_t session,
                                   struct pl_stretch *out)
{
    enum pl_status status = PL_OK;

    if (s->follow)
        status = pl_file_size(s->file, &s->size);
    if (!status && s->live && s->at >= s->settled)
        status = settle(s);
    if (status == PL_END)
        return not_yet(s);
    return status ? status : next_of_session(s, session, out);
}
