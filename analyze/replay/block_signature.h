/*                                         analyze/replay/block_signature.h
 * All of a block but its clocks and the values of its counters: what decides
 * which objects, definitions and instances it has and where they lie.  A block
 * that has the same bytes there consists of the same.
 */
#ifndef PL_ANALYZE_REPLAY_BLOCK_SIGNATURE_H
#define PL_ANALYZE_REPLAY_BLOCK_SIGNATURE_H

#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where these bytes lie, noted in the order of the block.  All zero: unknown */
struct pl_block_signature {
    struct pl_range {
        uint32_t at, len;
    } * ranges;
    size_t num, cap;
    bool known; /* nothing was left out */
};

void pl_block_signature_release(struct pl_block_signature *f);

/*
 * Begin the frame of 'block', and note an object's header (of one that nobody
 * looks into no more is needed), its definitions, an instance up to its
 * counters, and bytes [at, at + len) that belong to nothing else.  Out of
 * memory the frame becomes unknown.
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
 * True if the frame is known and 'now', a block of as many bytes as 'was', of
 * which it is, has the same.
 */
bool pl_block_signature_is_same(const struct pl_block_signature *f,
                                const uint8_t *was, const uint8_t *now);

#endif
