/*                                        tests/unit/format/pack/made_pack.h
 * What tests of packs share: a pack that was made, another content for it, and how
 * many of its samples can be read.
 */
#ifndef PL_TESTS_UNIT_FORMAT_PACK_MADE_PACK_H
#define PL_TESTS_UNIT_FORMAT_PACK_MADE_PACK_H

#include "format/pack/pack_decoder.h"
#include "tests/support/support.h"

#include <zstd.h>

enum { MOST = 400, SESSION = 0x5E5510 };

/* Blocks that went in, and the payload they became. */
struct made_pack {
    struct pl_buf blocks[MOST];
    size_t num;
    struct pl_record record;
    struct pl_buf payload;
};

static inline void pack_release(struct made_pack *m)
{
    for (size_t i = 0; i < m->num; i++)
        pl_buf_release(&m->blocks[i]);
    pl_buf_release(&m->payload);
}

/* Read all of a pack; returns how many blocks had the right hash. */
static inline size_t pack_read_all(struct pl_pack_decoder *decoder,
                                   const struct pl_record *record,
                                   const uint8_t *payload)
{
    struct pl_buf slots[2] = { { 0 } };
    struct pl_record r;
    const uint8_t *p;
    size_t num = 0, good = 0;

    if (pl_pack_decoder_open(decoder, record, payload))
        return 0;
    while (!pl_pack_decoder_next(decoder, &r, &p)) {
        if (r.type != PL_SMPL)
            continue;
        if (pl_pack_decoder_block(decoder, num ? &slots[(num + 1) % 2] : NULL,
                                  1 << 20, &r, &slots[num % 2]))
            break;
        num++;
        good++;
    }
    pl_pack_decoder_close(decoder);
    pl_buf_release(&slots[0]);
    pl_buf_release(&slots[1]);
    return good;
}

/* Give the pack another content, with right hashes. */
static inline void pack_wrap(struct made_pack *m, const uint8_t *content,
                             size_t n)
{
    size_t bound = ZSTD_compressBound(n);

    m->payload.len = PL_PACK_HEAD;
    m->payload.len +=
        ZSTD_compress(pl_buf_room(&m->payload, bound), bound, content, n, 1);
    m->record.stored_len = (uint32_t)m->payload.len;
    m->record.raw_len = (uint32_t)n;
    m->record.raw_hash = pl_hash(content, n, SESSION);
}

/* A content of parts in their order: their lengths, their bytes. */
static inline void pack_content(struct pl_buf *out, const struct pl_buf *parts,
                                size_t num)
{
    pl_buf_clear(out);
    for (size_t i = 0; i < num; i++)
        pl_buf_varint(out, parts[i].len);
    for (size_t i = 0; i < num; i++)
        pl_buf_bytes(out, parts[i].p, parts[i].len);
}

#endif
