/* What a kill leaves behind, told from damage. */
#include "format/log/interrupted.h"

#include <string.h>

enum pl_status pl_interrupted_zeros(struct pl_record_scan *s, uint64_t start,
                                    uint64_t end, size_t *zeros)
{
    size_t n =
        end - start < PL_MAX_FENCE ? (size_t)(end - start) : PL_MAX_FENCE;
    const uint8_t *p;
    size_t got;
    enum pl_status status = pl_record_scan_peek(s, end - n, n, &p, &got);

    *zeros = 0;
    if (status)
        return status;
    while (*zeros < got && !p[got - 1 - *zeros])
        ++*zeros;
    return PL_OK;
}

static const uint8_t session_begins[] = "\x89PL1SESS";
enum { BEGIN_LEN = sizeof session_begins - 1 };

/* How much of a SESS cut within its header the 'n' bytes at 'p' are; 0: none. */
static size_t torn_session(const uint8_t *p, size_t n)
{
    size_t same;

    if (n > PL_RECORD_LEN - 1 + PL_MAX_FENCE)
        return 0;
    while (n && !p[n - 1]) /* its own zeros, and a fence */
        n--;
    same = n < BEGIN_LEN ? n : BEGIN_LEN;
    return memcmp(p, session_begins, same) ? 0 : n;
}

enum pl_status pl_interrupted_twice(struct pl_record_scan *s,
                                    const struct pl_stretch *out,
                                    uint64_t claim, bool *yes)
{
    static const uint8_t fence[PL_MIN_FENCE];
    size_t most = PL_RECORD_LEN + PL_MIN_FENCE + PL_MAX_FENCE, got;
    uint64_t skip = out->len > most ? out->len - most : 0;
    const uint8_t *p;
    enum pl_status status = pl_record_scan_peek(
        s, out->at + skip, (size_t)(out->len - skip), &p, &got);

    *yes = false;
    for (size_t i = PL_MIN_FENCE; !status && i < got && !*yes; i++) {
        uint64_t at = skip + i;
        size_t torn = torn_session(p + i, got - i);
        bool fenced = !memcmp(p + i - PL_MIN_FENCE, fence, PL_MIN_FENCE);

        if (!torn || (!fenced && torn < BEGIN_LEN))
            continue;
        if (claim)
            *yes = (fenced && claim + PL_MIN_FENCE == at) ||
                   (claim > at && claim < out->len);
        else
            *yes = at < PL_RECORD_LEN + (fenced ? PL_MAX_FENCE : 0);
    }
    return status;
}

/*
 * True if the payload at 'p', which ends in zeros, is whole but for one bit
 * among them: then they are its own and no fence.
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

enum pl_status pl_interrupted_in_fence(struct pl_record_scan *s, size_t total,
                                       const struct pl_stretch *out,
                                       bool *fence)
{
    const uint8_t *p;
    size_t got, zeros;
    bool flipped;
    enum pl_status status = pl_interrupted_zeros(s, out->at + PL_RECORD_LEN,
                                                 out->at + total, &zeros);

    *fence = false;
    if (status || zeros <= PL_MIN_FENCE)
        return status;
    status = pl_record_scan_peek(s, out->at, total, &p, &got);
    if (status)
        return status;
    s->vain += 8 * zeros * (uint64_t)total;
    status = one_bit_explains(&out->record, p + PL_RECORD_LEN, zeros, &flipped);
    *fence = !flipped;
    return status;
}
