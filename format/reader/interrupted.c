/* Distinguishes what kills and power cuts leave from damage. */
#include "format/reader/interrupted.h"

#include <string.h>

enum { MOST_FLIPPED = 15 }; /* zeros in which a flipped bit is searched for */

static const uint8_t session_begins[] = "\x89PL1SESS";
enum { BEGIN_LEN = sizeof session_begins - 1 };

void pl_tail_start(struct pl_tail *t, uint64_t at)
{
    *t = (struct pl_tail){ .seen = at, .end = at };
}

/* Note a byte that is not zero; the first byte of session_begins occurs nowhere
 * else in it. */
static void note_byte(struct pl_tail *t, uint64_t at, uint8_t byte)
{
    if (t->same && t->same < BEGIN_LEN && at == t->begins + t->same &&
        byte == session_begins[t->same]) {
        if (++t->same == BEGIN_LEN) {
            t->session = t->begins;
            t->before_session = t->before;
        }
    } else if (byte == session_begins[0]) {
        t->begins = at;
        t->before = t->end;
        t->same = 1;
    }
    t->end = at + 1;
}

void pl_tail_note(struct pl_tail *t, uint64_t at, const uint8_t *p, size_t n)
{
    for (size_t i = t->seen > at ? (size_t)(t->seen - at) : 0; i < n; i++)
        if (p[i])
            note_byte(t, at + i, p[i]);
    if (t->seen < at + n)
        t->seen = at + n;
}

bool pl_interrupted_twice(const struct pl_tail *t, const struct pl_stretch *out,
                          uint64_t claim, bool filled)
{
    bool is_known = t->session && t->end - t->session < PL_RECORD_LEN;
    uint64_t at = is_known ? t->session : t->begins;
    uint64_t before = is_known ? t->before_session : t->before;
    bool fenced = at >= before + PL_MIN_FENCE;

    if (!is_known && (!t->same || t->end != t->begins + t->same || !fenced))
        return false;
    at -= out->at;
    before -= out->at;
    if (!claim)
        return (fenced ? before : at) < PL_RECORD_LEN;
    return (claim > at && claim < out->len) ||
           (filled && before < claim && claim + PL_MIN_FENCE <= at);
}

/*
 * *yes: the payload at 'p', which ends in zeros, is complete but for one
 * bit among them: then the zeros belong to it and are no fence.
 */
static enum pl_status one_bit_explains(const struct pl_record *r,
                                       const uint8_t *p, size_t zeros,
                                       bool *yes)
{
    size_t n = pl_padded_len(r->stored_len);
    struct pl_buf copy = { 0 };

    *yes = false;
    pl_buf_bytes(&copy, p, n);
    if (copy.oom)
        return PL_NOMEM;
    for (size_t bit = 0; bit < 8 * zeros && !*yes; bit++) {
        uint8_t *at = copy.p + n - 1 - bit / 8;

        *at = (uint8_t)(1u << bit % 8);
        *yes = pl_hash(copy.p, n, r->session) == r->payload_hash;
        *at = 0;
    }
    pl_buf_release(&copy);
    return PL_OK;
}

/*
 * Number of zero bytes after the record's 'total' bytes, if fewer than a fence
 * come before the end of the file or a later run; else PL_MIN_FENCE.
 */
static size_t zeros_behind(const struct pl_record_scan *s, const uint8_t *p,
                           size_t total, size_t got, uint64_t session)
{
    for (size_t n = 0; n < PL_MIN_FENCE; n++) {
        struct pl_record r;

        if (total + n == got)
            return s->live ? PL_MIN_FENCE : n;
        if (got - total - n >= PL_RECORD_LEN &&
            !pl_record_get(&r, p + total + n))
            return pl_record_is_fresh(&r, session) ? n : PL_MIN_FENCE;
        if (p[total + n])
            break;
    }
    return PL_MIN_FENCE;
}

enum pl_status pl_interrupted_is_filled(struct pl_record_scan *s, size_t total,
                                        const struct pl_stretch *out,
                                        bool *filled)
{
    size_t padding = total - PL_RECORD_LEN - out->record.stored_len;
    size_t got, behind, zeros = 0;
    const uint8_t *p;
    bool flipped;
    enum pl_status status = pl_record_scan_peek(
        s, out->at, total + PL_MIN_FENCE + PL_RECORD_LEN, &p, &got);

    *filled = false;
    if (status || got < total)
        return status;
    while (zeros < MOST_FLIPPED && zeros < total - PL_RECORD_LEN &&
           !p[total - 1 - zeros])
        zeros++;
    if (zeros <= padding) /* a tear would have taken more than that */
        return PL_OK;
    behind = zeros_behind(s, p, total, got, out->record.session);
    *filled = behind == PL_MIN_FENCE;
    if (*filled || zeros + behind <= PL_MIN_FENCE)
        return PL_OK;
    if (s->probed > out->at) /* records in each other: not what a tear leaves */
        return PL_OK;
    s->probed += total;
    status = one_bit_explains(&out->record, p + PL_RECORD_LEN, zeros, &flipped);
    *filled = !flipped;
    return status;
}
