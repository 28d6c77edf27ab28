/*                                              analyze/blocks/block_scan.h
 * The performance data blocks of a file that somebody else made: one behind
 * the other, as far as the file is what it should be.  Nothing in it is
 * trusted.  What is no block is told as a range of damage, and reading goes on
 * where the next "PERF" begins a header that makes sense.  Memory is at most a
 * few blocks, work is linear in the file's size.
 */
#ifndef PL_ANALYZE_BLOCKS_BLOCK_SCAN_H
#define PL_ANALYZE_BLOCKS_BLOCK_SCAN_H

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_block_scan {
    struct pl_file *file;
    uint64_t at;     /* in the file: what comes next */
    uint64_t begins; /* in the file: the first byte of 'window' */
    struct pl_buf window;
    size_t most;   /* bytes of a block */
    bool ended;    /* the window reaches to the end of the file */
    bool torn;     /* the block told last was not whole */
    SHA2_CTX *sha; /* takes in all bytes, each once; NULL: not wanted */
};

struct pl_block_scan_item {
    uint64_t at;        /* where it lies in the file */
    uint64_t len;       /* of a block: up to the end of its last object */
    bool is_block;      /* otherwise bytes that are none */
    const char *reason; /* of damage; NULL: a whole block, or its torn rest */
    struct pl_block block; /* before its first object, until the next call */
    uint32_t num_objects;  /* that are there, of block.num_objects */
};

/*
 * Read the file under 'path' from its beginning.  'most' is the length beyond
 * which a block is damage, at most PL_MAX_BLOCK_LEN.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_block_scan_open(struct pl_block_scan *b, const char *path,
                                  size_t most, SHA2_CTX *sha);
void pl_block_scan_close(struct pl_block_scan *b);

/*
 * The next block or range of damage.  A block that is cut or contradicts
 * itself is told with the objects before that place and a reason; its rest is
 * a range of its own, without one.  Zeros between blocks are padding.  PL_END
 * (then all bytes have been read), PL_IO, PL_NOMEM.
 */
enum pl_status pl_block_scan_next(struct pl_block_scan *b,
                                  struct pl_block_scan_item *item);

/*
 * Walk all definitions and instances of an object, a copy of which is taken.
 * False: they do not add up to what its header says.
 */
bool pl_object_is_whole(struct pl_object o);

#endif
