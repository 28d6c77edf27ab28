/*                                              analyze/blocks/block_scan.h
 * The performance data blocks of a file made by another program: one after the
 * other, if the file is intact.  Nothing in it is trusted.  Bytes that are not
 * a block are reported as a range of damage, and reading continues where the
 * next "PERF" begins a plausible header.  Memory is at most a few blocks, work
 * is linear in the file's size.
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
    uint64_t at;     /* offset in the file of the next block */
    uint64_t begins; /* offset in the file of the first byte of 'window' */
    struct pl_buf window;
    size_t most;   /* most bytes of a block */
    bool ended;    /* the window reaches to the end of the file */
    bool torn;     /* the block returned last was not complete */
    SHA2_CTX *sha; /* hashes all bytes, each once; NULL: not wanted */
};

struct pl_block_scan_item {
    uint64_t at; /* offset in the file */
    /* length; of a block up to the end of its last object */
    uint64_t len;
    bool is_block; /* false: bytes that are not a block */
    /* reason of damage; NULL: a complete block, or the rest of a cut one */
    const char *reason;
    /* positioned before its first object; valid until the next call */
    struct pl_block block;
    uint32_t num_objects; /* complete objects, of block.num_objects */
};

/*
 * Read the file under 'path' from its beginning.  'most' is the length beyond
 * which a block is damage, at most PL_MAX_BLOCK_LEN.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_block_scan_open(struct pl_block_scan *b, const char *path,
                                  size_t most, SHA2_CTX *sha);
void pl_block_scan_close(struct pl_block_scan *b);

/*
 * The next block or range of damage.  A block that is cut or contradicts itself
 * is returned with the objects before that place and a reason; its rest is a
 * range of its own, without one.  Zeros between blocks are padding.  PL_END
 * (then all bytes have been read), PL_IO, PL_NOMEM.
 */
enum pl_status pl_block_scan_next(struct pl_block_scan *b,
                                  struct pl_block_scan_item *item);

/*
 * Walk all definitions and instances of an object, passed as a copy.  False:
 * they contradict its header.
 */
bool pl_object_is_whole(struct pl_object o);

#endif
