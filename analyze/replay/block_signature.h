/*                                         analyze/replay/block_signature.h
 * The layout of a block: all its bytes but the clocks and the values of
 * counters.  They decide which objects, definitions and instances it has and
 * where these lie.  Two blocks with equal bytes there have the same layout.
 */
#ifndef PL_ANALYZE_REPLAY_BLOCK_SIGNATURE_H
#define PL_ANALYZE_REPLAY_BLOCK_SIGNATURE_H

#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the layout bytes lie, in the order of the block.  All zero: unknown. */
struct pl_block_signature {
    struct pl_range {
        uint32_t at, len;
    } * ranges;
    size_t num, cap;
    bool known; /* no range was left out */
};

void pl_block_signature_release(struct pl_block_signature *f);

/*
 * Begin the signature of 'block'; then add an object's header (enough for an
 * object that is not read), its definitions, an instance up to its counters,
 * and bytes [at, at + len) that belong to none of these.  Out of memory the
 * signature becomes unknown.
 */
void pl_block_signature_begin(struct pl_block_signature *f,
                              const struct pl_block *block);
void pl_block_signature_header(struct pl_block_signature *f,
                               const struct pl_object *o);
void pl_block_signature_definitions(struct pl_block_signature *f,
                                    const struct pl_object *o);
void pl_block_signature_instance(struct pl_block_signature *f,
                                 const struct pl_block *block,
                                 const struct pl_instance *i);
void pl_block_signature_bytes(struct pl_block_signature *f, size_t at,
                              size_t len);

/*
 * True if the signature is known and 'now' has the same layout as 'was', a
 * block of the same length whose signature it is.
 */
bool pl_block_signature_is_same(const struct pl_block_signature *f,
                                const uint8_t *was, const uint8_t *now);

#endif
