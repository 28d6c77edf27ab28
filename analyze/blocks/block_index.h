/*                                             analyze/blocks/block_index.h
 * The table of all blocks of an import, made in a first pass over its files:
 * which machines they come from, where they lie, and which titles they need.
 * After sorting, blocks of one sample are adjacent.
 *
 * Order: by machine, in order of first appearance; then by time; blocks of one
 * file never change places, even where the machine's clock was set back.
 */
#ifndef PL_ANALYZE_BLOCKS_BLOCK_INDEX_H
#define PL_ANALYZE_BLOCKS_BLOCK_INDEX_H

#include "analyze/blocks/title_set.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_MAX_MACHINES = 1024,  /* machines of one import */
    PL_MAX_PIECES = 1 << 24, /* blocks of one import: a table of 512 MiB */
};

/* A machine: blocks with one name and byte order. */
struct pl_block_machine {
    char *name;
    bool big_endian;
    bool has_zone;        /* a block stated the zone */
    int32_t zone_minutes; /* east of UTC */
    int64_t newest;       /* newest time of the blocks of 'file' so far */
    uint32_t file;
};

struct pl_piece {
    int64_t order; /* the latest time in its file so far, ns since 1970 */
    uint64_t at;   /* in its file */
    uint32_t len;
    uint32_t file;
    uint32_t machine;
};

struct pl_block_index {
    struct pl_block_machine *machines;
    size_t num_machines;
    struct pl_piece *pieces;
    size_t num_pieces, cap_pieces;
    struct pl_title_set objects, names, helps; /* title indexes that occur */
};

/*
 * When the block was made: PerfTime100nSec, or SystemTime where that is 0 or
 * absurd.  False: the block does not state it.
 */
bool pl_block_utc(const struct pl_block *b, int64_t *utc_ns);

/* PerfTime in ns; 0 where the block has no such clock. */
int64_t pl_block_boot(const struct pl_block *b);

/*
 * Add the block at 'at' of file number 'file'.  Files come in order.
 * PL_CORRUPT: it has no time; PL_TOO_LARGE: more machines or blocks than fit;
 * PL_NOMEM.
 */
enum pl_status pl_block_index_add(struct pl_block_index *g, struct pl_block b,
                                  uint32_t file, uint64_t at);

void pl_block_index_sort(struct pl_block_index *g);
void pl_block_index_release(struct pl_block_index *g);

#endif
