/*                                               format/packing/pack_log.h
 * Packs a log that is complete: makes a packed one beside it, compares both
 * record by record and block by block, and puts it in the log's place.  Until
 * then the log is not changed; killed at any moment, this leaves the one or the
 * other, and at most a file called as pl_pack_part says, which the next try
 * deletes.
 */
#ifndef PL_FORMAT_PACKING_PACK_LOG_H
#define PL_FORMAT_PACKING_PACK_LOG_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define PL_PACK_PART_END ".packing"

/* zstd's levels, for logs that are kept, and for those that are packed beside a
 * recording: a tenth more bytes, in a twentieth of the time. */
enum { PL_PACK_LEVEL = 19, PL_PACK_IDLE_LEVEL = 9 };

struct pl_pack_options {
    int level;
    uint64_t min_free; /* bytes to keep free on the file system; 0: none */
    /* Called with the bytes of the log that are done, which is read twice; may
     * be NULL. */
    void (*progress)(void *ctx, uint64_t done);
    /* Called before the part is made; then with its name as soon as it is, or with
     * NULL if it could not be; and with NULL when there is none any more.  Each may
     * be NULL. */
    void (*before_part)(void *ctx);
    void (*part)(void *ctx, char *path);
    void *ctx;
};

struct pl_pack_result {
    uint64_t samples;
    uint64_t old_size, new_size;
    /* Of PL_UNSAFE, PL_BUSY, PL_NO_SPACE, PL_END; perhaps of others. */
    const char *why;
    bool is_defect; /* of PL_UNSAFE: what was packed was not the same */
    bool is_others; /* of PL_UNSAFE: another program has linked or changed it */
    bool is_empty;  /* of PL_TRUNCATED: what is readable has no samples */
};

/*
 * PL_OK: 'path' is packed now.  Otherwise it is as it was: PL_END: there is
 * nothing to gain (*why); PL_BUSY (*why): it is being recorded into, or
 * packed; PL_NO_SPACE: less
 * than min_free would be left; PL_UNSAFE (*why): as
 * pl_file_open_append, or the file has changed or gone meanwhile, or its group
 * and rights cannot be kept; PL_CORRUPT: it is damaged; PL_TRUNCATED (*why):
 * nothing is readable, or no sample; PL_UNSUPPORTED: part of it needs a newer perflog;
 * PL_IO, PL_NOMEM, and those of pl_reader_open.
 */
enum pl_status pl_pack_log(const char *path, const struct pl_pack_options *o,
                           struct pl_pack_result *result);

/* The name of the file while it is being made: LOG.packing; to be freed.  NULL: no memory. */
char *pl_pack_part(const char *path);

#endif
