/*
 * The content of a pack, without zstd around it and with right hashes: the
 * decoder stays within its bytes, and ends.
 *
 * Input: 2 bytes, records and samples of the head, of which the highest bit of
 * the first asks for the codec of the first writers; the content.
 */
#include "format/pack/pack_decoder.h"
#include "tests/fuzz/fuzz.h"

#include "format/base/cursor.h"

#include <stdlib.h>
#include <zstd.h>

enum { SESSION = 5, MOST_BLOCK = 1 << 20 };

/* Two blocks are kept, as by a reader. */
static void read_all(struct pl_pack_decoder *d)
{
    struct pl_buf slots[2] = { { 0 } };
    const uint8_t *payload;
    struct pl_record r;
    size_t num = 0;

    while (!pl_pack_decoder_next(d, &r, &payload)) {
        if (r.type != PL_SMPL) {
            fuzz_touch(payload, r.stored_len);
            continue;
        }
        pl_pack_decoder_has_none(d, INT64_MIN, INT64_MAX);
        if (pl_pack_decoder_block(d, num ? &slots[(num + 1) % 2] : NULL,
                                  MOST_BLOCK, &r, &slots[num % 2]))
            break;
        fuzz_check(r.raw_len == slots[num % 2].len);
        fuzz_touch(slots[num % 2].p, slots[num % 2].len);
        num++;
    }
    pl_buf_release(&slots[0]);
    pl_buf_release(&slots[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    struct pl_record r = { .type = PL_PACK,
                           .session = SESSION,
                           .codec = PL_CODEC_PACK };
    struct pl_pack_decoder *d;
    uint8_t *payload;
    size_t bound;

    if (n < 2 || n > MOST_BLOCK || pl_pack_decoder_new(&d))
        return 0;
    bound = ZSTD_compressBound(n);
    payload = calloc(1, PL_PACK_HEAD + bound);
    if (!payload)
        abort();
    payload[0] = fuzz_byte(&in);
    if (payload[0] & 0x80)
        r.codec = PL_CODEC_PACK_OLD;
    payload[0] &= 0x7F;
    payload[4] = fuzz_byte(&in);
    r.raw_len = (uint32_t)in.left;
    r.raw_hash = pl_hash(in.p, in.left, SESSION);
    r.stored_len =
        (uint32_t)(PL_PACK_HEAD + ZSTD_compress(payload + PL_PACK_HEAD, bound,
                                                in.p, in.left, 1));
    if (!pl_pack_decoder_open(d, &r, payload))
        read_all(d);
    pl_pack_decoder_free(d);
    free(payload);
    return 0;
}
