/*                                             analyze/blocks/block_merge.h
 * One sample of blocks that were taken one object at a time, as PDH does: the
 * first block's header, then all objects.  A single whole block stays as it
 * is, to the byte.  Objects that do not add up, that are there already, or
 * that would be too many or too much for a log are left out and counted.
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
    uint32_t num_blocks; /* 0: nothing begun */
    bool big_endian;
    bool changed; /* its header counts other objects */
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
