/* Writes, proves and searches for record headers. */
#include "format/record/record.h"

#include "format/base/cursor.h"

#include <string.h>
#ifdef PL_XXHASH_DISPATCHES /* uses the processor's widest registers */
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

enum {
    AT_TYPE = 4,
    AT_SESSION = 8,
    AT_SEQ = 16,
    AT_REF = 20,
    AT_CODEC = 22,
    AT_FLAGS = 23,
    AT_UTC = 24,
    AT_BOOT = 32,
    AT_STORED_LEN = 40,
    AT_RAW_LEN = 44,
    AT_RAW_HASH = 48,
    AT_PAYLOAD_HASH = 56,
    AT_HEADER_HASH = 64,
};

static const uint8_t magic[4] = { 0x89, 'P', 'L', PL_MAJOR };

uint64_t pl_hash(const void *p, size_t n, uint64_t seed)
{
#ifdef PL_UNHASHED /* tests/fuzz only: hashes would reject changed bytes */
    (void)p;
    (void)n;
    (void)seed;
    return 0;
#else
    return XXH3_64bits_withSeed(p, n, seed);
#endif
}

uint64_t pl_session_child(uint64_t root, uint64_t random)
{
    uint64_t high = random & ~UINT64_C(0xFFFFFF);
    uint8_t bytes[8];

    pl_put_le64(bytes, high);
    return high | (pl_hash(bytes, sizeof bytes, root) & 0xFFFFFF);
}

bool pl_session_descends(uint64_t session, uint64_t root)
{
    return session == root || session == pl_session_child(root, session);
}

void pl_record_put(const struct pl_record *r, uint8_t out[PL_RECORD_LEN])
{
    memcpy(out, magic, sizeof magic);
    pl_put_le32(out + AT_TYPE, r->type);
    pl_put_le64(out + AT_SESSION, r->session);
    pl_put_le32(out + AT_SEQ, r->seq);
    pl_put_le16(out + AT_REF, r->ref);
    out[AT_CODEC] = r->codec;
    out[AT_FLAGS] = r->flags;
    pl_put_le64(out + AT_UTC, (uint64_t)r->utc_ns);
    pl_put_le64(out + AT_BOOT, (uint64_t)r->boot_ns);
    pl_put_le32(out + AT_STORED_LEN, r->stored_len);
    pl_put_le32(out + AT_RAW_LEN, r->raw_len);
    pl_put_le64(out + AT_RAW_HASH, r->raw_hash);
    pl_put_le64(out + AT_PAYLOAD_HASH, r->payload_hash);
    pl_put_le64(out + AT_HEADER_HASH, pl_hash(out, AT_HEADER_HASH, 0));
}

enum pl_status pl_record_get(struct pl_record *r,
                             const uint8_t in[PL_RECORD_LEN])
{
    bool other_major;

    if (memcmp(in, magic, 3) != 0 || in[3] < '0' || in[3] > '9')
        return PL_CORRUPT;
    other_major = in[3] != PL_MAJOR;
    if (pl_get_le64(in + AT_HEADER_HASH) != pl_hash(in, AT_HEADER_HASH, 0))
        return PL_CORRUPT;
    *r = (struct pl_record){ 0 };
    if (other_major)
        return PL_UNSUPPORTED;
    r->type = pl_get_le32(in + AT_TYPE);
    r->session = pl_get_le64(in + AT_SESSION);
    r->seq = pl_get_le32(in + AT_SEQ);
    r->ref = pl_get_le16(in + AT_REF);
    r->codec = in[AT_CODEC];
    r->flags = in[AT_FLAGS];
    r->utc_ns = (int64_t)pl_get_le64(in + AT_UTC);
    r->boot_ns = (int64_t)pl_get_le64(in + AT_BOOT);
    r->stored_len = pl_get_le32(in + AT_STORED_LEN);
    r->raw_len = pl_get_le32(in + AT_RAW_LEN);
    r->raw_hash = pl_get_le64(in + AT_RAW_HASH);
    r->payload_hash = pl_get_le64(in + AT_PAYLOAD_HASH);
    if (!r->session || r->stored_len > PL_MAX_PAYLOAD ||
        r->raw_len > PL_MAX_PAYLOAD)
        return PL_CORRUPT;
    return PL_OK;
}

bool pl_record_may_begin(const uint8_t *p, size_t n)
{
    return n >= sizeof magic && !memcmp(p, magic, sizeof magic);
}

size_t pl_record_search(const uint8_t *p, size_t n, size_t from,
                        struct pl_record *found)
{
    size_t last = n < PL_RECORD_LEN ? 0 : n - PL_RECORD_LEN + 1;

    while (from < last) {
        const uint8_t *hit = memchr(p + from, magic[0], last - from);
        enum pl_status s;

        if (!hit)
            return n;
        s = pl_record_get(found, hit);
        if (s == PL_OK || s == PL_UNSUPPORTED)
            return (size_t)(hit - p);
        from = (size_t)(hit - p) + 1;
    }
    return n;
}
