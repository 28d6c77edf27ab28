/*                                              format/block/block_subset.h
 * A block with a part of its objects, counters and instances.  What is kept
 * is kept as it is, in the block's own byte order and revision; only lengths,
 * counts and places of values change.
 */
#ifndef PL_FORMAT_BLOCK_BLOCK_SUBSET_H
#define PL_FORMAT_BLOCK_BLOCK_SUBSET_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stdbool.h>

/* Replace 'b' by the header of 'block', to which objects are added. */
void pl_block_subset_begin(struct pl_buf *b, const struct pl_block *block);
void pl_block_subset_end(struct pl_buf *b, const struct pl_block *block,
                         uint32_t num_objects);

/* Add the object 'o' of 'block' as it is. */
void pl_block_subset_whole(struct pl_buf *b, const struct pl_block *block,
                           const struct pl_object *o);

/*
 * Add of 'o', of which nothing has been visited, the counters and instances
 * (NULL: all) that are true, by their place.  PL_CORRUPT: it does not add up,
 * and nothing was added; PL_NOMEM.
 */
enum pl_status pl_block_subset_object(struct pl_buf *b,
                                      const struct pl_block *block,
                                      const struct pl_object *o,
                                      const bool *counters,
                                      const bool *instances);

#endif
