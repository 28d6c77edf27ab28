/*                                                       format/record/delta.h
 * A block as the difference to an earlier one, the reference.  The new block is
 * divided into copies, each predicted by a run of the reference's 8-byte words
 * or stored literally; where it differs from the prediction, the difference is
 * stored.  The decoder does not depend on the structure of blocks, so a block
 * cannot mislead it; only pl_delta_plan looks at the structure, and a poor plan
 * costs bytes, never correctness.
 *
 * Token stream, numbers LEB128:
 *   n, n x (src, len), then per operation
 *     src = 0   len x 8 bytes as they are
 *     src > 0   {z equal words, k, k x zigzag(new - predicted)} until len
 */
#ifndef PL_FORMAT_RECORD_DELTA_H
#define PL_FORMAT_RECORD_DELTA_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/record/delta_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_COPIES = 262144 };

/* Words of the new block predicted by reference words src-1 ...; 0: literal */
struct pl_delta_copy {
    uint32_t src;
    uint32_t len;
};

/* A growing list of copies, kept between calls. */
struct pl_plan {
    struct pl_delta_copy *copies;
    size_t num, cap;
    struct pl_delta_rows rows; /* of the object being looked at */
};

void pl_plan_release(struct pl_plan *plan);

/*
 * Choose copies for 'raw' (raw_len a multiple of 8) by walking both blocks in
 * parallel: objects by title index, looking ahead at most 64; instances as
 * delta_rows.h says.  Malformed blocks are compared offset by offset.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_delta_plan(struct pl_plan *plan, const uint8_t *ref,
                             size_t ref_len, const uint8_t *raw,
                             size_t raw_len);

/*
 * Append the token stream of 'raw' to 'out'; the plan must cover 'raw'.  False
 * if it takes more than 'most' bytes, or out->oom; 'out' is then unchanged.
 */
bool pl_delta_encode(struct pl_buf *out, const struct pl_plan *plan,
                     const uint8_t *ref, const uint8_t *raw, size_t most);

/*
 * Rebuild exactly 'raw_len' bytes.  PL_CORRUPT if the stream yields fewer or
 * more, reaches outside the reference, or has bytes left over.
 */
enum pl_status pl_delta_decode(const uint8_t *tokens, size_t len,
                               const uint8_t *ref, size_t ref_len, uint8_t *raw,
                               size_t raw_len);

#endif
