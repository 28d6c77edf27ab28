/*                                                      format/record/record.h
 * The 72-byte header before every payload of a log, and the types of records.
 * A header is proven by its own hash before any length in it is used.
 * FORMAT.md describes the complete format.
 *
 *  at size field
 *   0  4  magic 89 50 4C 31              24  8  utc_ns
 *   4  4  type, four letters             32  8  boot_ns
 *   8  8  session                        40  4  stored_len
 *  16  4  seq                            44  4  raw_len
 *  20  2  ref                            48  8  raw_hash
 *  22  1  codec                          56  8  payload_hash
 *  23  1  flags                          64  8  header_hash
 */
#ifndef PL_FORMAT_RECORD_RECORD_H
#define PL_FORMAT_RECORD_RECORD_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PL_TYPE(a, b, c, d)                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 |                \
     (uint32_t)(d) << 24)
#define PL_SESS PL_TYPE('S', 'E', 'S', 'S')
#define PL_TITL PL_TYPE('T', 'I', 'T', 'L')
#define PL_SMPL PL_TYPE('S', 'M', 'P', 'L')
#define PL_INDX PL_TYPE('i', 'n', 'd', 'x')
#define PL_ENDS PL_TYPE('e', 'n', 'd', 's')
#define PL_GAPS PL_TYPE('g', 'a', 'p', 's')
#define PL_NOTE PL_TYPE('n', 'o', 't', 'e')
#define PL_IDEN PL_TYPE('i', 'd', 'e', 'n')
#define PL_PACK PL_TYPE('P', 'A', 'C', 'K')

enum {
    PL_RECORD_LEN = 72,
    PL_MAX_PAYLOAD = 64 << 20, /* stored_len and raw_len */
    PL_MAJOR = '1',            /* the magic's fourth byte */
    PL_MINOR = 0,              /* SESS tag 11 */
};

enum pl_codec {
    PL_CODEC_STORED = 0,
    PL_CODEC_ZSTD = 1,
    PL_CODEC_DELTA = 2,
    PL_CODEC_DELTA_ZSTD = 3,
    PL_CODEC_PACK_OLD = 4, /* of PACK alone, as 5 */
    PL_CODEC_PACK = 5,
};

enum { PL_PACK_HEAD = 24 }; /* bytes of a PACK's payload before its frame */

enum {
    PL_FLAG_CLOCK_STEPPED = 1, /* since the previous sample */
    PL_FLAG_MISSED = 2,        /* samples are missing before this one */
    PL_FLAGS_CRITICAL = 0xF0,  /* readers must understand these bits */
};

struct pl_record {
    uint32_t type;
    uint64_t session;
    uint32_t seq;
    uint16_t ref;
    uint8_t codec;
    uint8_t flags;
    int64_t utc_ns;
    int64_t boot_ns;
    uint32_t stored_len;
    uint32_t raw_len;
    uint64_t raw_hash;
    uint64_t payload_hash;
};

/* Critical types have an upper-case first letter. */
static inline bool pl_type_is_critical(uint32_t type)
{
    return !(type & 0x20);
}

/* True for a SESS of another session, which begins a later run. */
static inline bool pl_record_is_fresh(const struct pl_record *r,
                                      uint64_t session)
{
    return r->type == PL_SESS && r->session != session;
}

/*
 * Every session of a file descends from its root, the session of the file's
 * first record: the lowest 24 bits of its id are those of a hash of the other
 * bits, seeded with the root's id.  So each record shows in which file it was
 * written.  FORMAT.md, section 11.3.
 */
uint64_t pl_session_child(uint64_t root, uint64_t random);
bool pl_session_descends(uint64_t session, uint64_t root);

/* Payload bytes on disk: stored_len and its padding. */
static inline size_t pl_padded_len(uint32_t stored_len)
{
    return ((size_t)stored_len + 7) & ~(size_t)7;
}

/* Write the 72 bytes of 'r', its hash included. */
void pl_record_put(const struct pl_record *r, uint8_t out[PL_RECORD_LEN]);

/*
 * Read and prove a header.  PL_CORRUPT: no magic, wrong hash, session 0, or
 * a length over its cap.  PL_UNSUPPORTED: the magic of another major version;
 * *r is then all zero.
 */
enum pl_status pl_record_get(struct pl_record *r,
                             const uint8_t in[PL_RECORD_LEN]);

/* A stream without a proven record in its first PL_FIRST_LOOK bytes is no log. */
enum { PL_FIRST_LOOK = 1 << 20 };

/* True if 'n' bytes, fewer than a header, may be the beginning of one. */
bool pl_record_may_begin(const uint8_t *p, size_t n);

/* XXH3-64 of 'n' bytes; payloads and blocks are seeded with the session. */
uint64_t pl_hash(const void *p, size_t n, uint64_t seed);

/*
 * The first offset, 'from' or later, where a proven header begins; 'n' if
 * there is none in p[0..n).  Headers cut by the end do not count.
 */
size_t pl_record_search(const uint8_t *p, size_t n, size_t from,
                        struct pl_record *found);

#endif
