/*                                             analyze/blocks/block_merge.h
 * Merges blocks that were collected one object at a time, as PDH does, to one
 * sample: the first block's header, then all objects.  A single complete block
 * is kept byte for byte.  Objects that are inconsistent, that occur already, or
 * that exceed the limits of a log in number or size are left out and counted.
 */
#ifndef PL_ANALYZE_BLOCKS_BLOCK_MERGE_H
#define PL_ANALYZE_BLOCKS_BLOCK_MERGE_H

#include "format/base/buf.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_block_merge {
    struct pl_buf out;
    uint32_t objects[PL_MAX_OBJECTS]; /* title indexes in 'out' */
    uint32_t num_objects;
    uint32_t num_blocks; /* 0: no sample has begun */
    bool big_endian;
    bool changed; /* the counts of the header no longer fit */
    /* Over all samples: */
    uint64_t num_malformed; /* objects left out */
    uint64_t num_twice;
    uint64_t num_too_many;
};

/* Add a block of the same byte order; the first begins the sample. */
void pl_block_merge_add(struct pl_block_merge *m, struct pl_block b);

/*
 * Set the header's lengths; 'out' is then the sample, until the next begins.
 * PL_NOMEM.
 */
enum pl_status pl_block_merge_end(struct pl_block_merge *m);

void pl_block_merge_release(struct pl_block_merge *m);

#endif
