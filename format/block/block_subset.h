/*                                              format/block/block_subset.h
 * Copies a block with only some of its objects, counters and instances.  These
 * are copied unchanged, in the block's own byte order and revision; only
 * lengths, counts and offsets of values change.
 */
#ifndef PL_FORMAT_BLOCK_BLOCK_SUBSET_H
#define PL_FORMAT_BLOCK_BLOCK_SUBSET_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stdbool.h>

/* Clear 'b' and write the header of 'block' to it; objects are added next. */
void pl_block_subset_begin(struct pl_buf *b, const struct pl_block *block);
void pl_block_subset_end(struct pl_buf *b, const struct pl_block *block,
                         uint32_t num_objects);

/* Add the complete object 'o' of 'block'. */
void pl_block_subset_whole(struct pl_buf *b, const struct pl_block *block,
                           const struct pl_object *o);

/*
 * Add 'o', of which no counter or instance has been visited yet, with those
 * counters and instances whose element is true (index: position in the object;
 * NULL: all).  PL_CORRUPT: the object is malformed, and nothing was added;
 * PL_NOMEM.
 */
enum pl_status pl_block_subset_object(struct pl_buf *b,
                                      const struct pl_block *block,
                                      const struct pl_object *o,
                                      const bool *counters,
                                      const bool *instances);

#endif
