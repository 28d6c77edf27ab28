/*                                             format/payload/chunk_index.h
 * A writer's chunks: the current one, when it ends, and the finished chunks
 * that no index lists yet.
 */
#ifndef PL_FORMAT_PAYLOAD_CHUNK_INDEX_H
#define PL_FORMAT_PAYLOAD_CHUNK_INDEX_H

#include "format/payload/payloads.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_INDEX_CHUNKS = 64 };

/* All zero: a segment that has no chunk yet. */
struct pl_chunk_index {
    struct pl_chunk now; /* the current chunk; samples = 0: none has begun */
    uint64_t bytes;      /* of its samples' records */
    int64_t boot_ns;     /* of its key */
    size_t key_len;      /* stored bytes of its key's payload */

    struct pl_chunk done[PL_INDEX_CHUNKS]; /* not yet in an index */
    uint32_t num_done;
    uint64_t last_index; /* distance of the previous index; 0: none */
};

/* A key was written as record 'seq' at 'offset'; its payload has 'stored'
 * bytes. */
void pl_chunk_index_begin(struct pl_chunk_index *c, int64_t utc_ns,
                          int64_t boot_ns, uint32_t seq, uint64_t offset,
                          size_t stored);

/* A sample, keys included, was written as a record of 'bytes'. */
void pl_chunk_index_extend(struct pl_chunk_index *c, int64_t utc_ns,
                           uint64_t bytes);

/* True if a sample at 'boot_ns' has to begin a new chunk. */
bool pl_chunk_index_is_over(const struct pl_chunk_index *c, int64_t boot_ns);

/* The current chunk, if there is one, is complete. */
void pl_chunk_index_finish(struct pl_chunk_index *c);

/* An index at 'distance' lists all finished chunks. */
void pl_chunk_index_indexed(struct pl_chunk_index *c, uint64_t distance);

#endif
