/*                                                 format/log/record_scan.h
 * Walks the bytes of a log and tells, stretch by stretch, what they are: a
 * record whose header and payload are proven, damage, what a kill or a power
 * cut left, or something of a newer major version.  Every byte of the file belongs to
 * exactly one stretch.  Sessions and samples are the reader's business.
 *
 * The work is linear in the file's size even for files made to prevent it:
 * after 4 x size + 1 MiB of payload hashed in vain, a lying header's whole
 * claim is skipped.
 *
 * While a recorder writes, the end of its file may change under a reader: a
 * write that fails half-way is taken back and another put in its place.  In a
 * file that is locked or followed, records are therefore given out only when
 * the last of their write, a SMPL or ends, is there as well.
 */
#ifndef PL_FORMAT_LOG_RECORD_SCAN_H
#define PL_FORMAT_LOG_RECORD_SCAN_H

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/log/record.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum pl_stretch_kind {
    PL_STRETCH_RECORD,
    PL_STRETCH_DAMAGED,
    PL_STRETCH_INTERRUPTED,
    PL_STRETCH_TOO_NEW,
};

struct pl_stretch {
    enum pl_stretch_kind kind;
    uint64_t at, len;
    struct pl_record
        record;             /* RECORD; DAMAGED: its header, if that is proven */
    const uint8_t *payload; /* RECORD; valid until the next call */
    const char *reason;     /* DAMAGED: English */
    bool zeros;             /* INTERRUPTED: it holds nothing else */
};

struct pl_record_scan {
    struct pl_file *file; /* owned */
    struct pl_buf window; /* bytes [window_at, window_at + window.len) */
    uint64_t window_at;
    uint64_t size;    /* of the file when last asked; bytes beyond are not */
    uint64_t at;      /* where the next stretch begins */
    uint64_t vain;    /* payload bytes hashed for nothing */
    bool follow;      /* the size is asked for again and again */
    bool live;        /* what is cut at the end may yet be completed */
    uint64_t settled; /* live: bytes before it will stay as they are */
};

/* Open 'path'; PL_IO, PL_NOMEM. */
enum pl_status pl_record_scan_open(struct pl_record_scan *s, const char *path,
                                   bool follow);
void pl_record_scan_close(struct pl_record_scan *s);

/*
 * The next stretch.  'session' is the session being read (0: none yet): only
 * the SESS of another one may follow an interrupted record.  PL_END, PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_record_scan_next(struct pl_record_scan *s, uint64_t session,
                                   struct pl_stretch *out);

/* The last stretch is not needed any more: give back the memory it takes. */
void pl_record_scan_drop(struct pl_record_scan *s);

/*
 * Look at up to 'n' bytes at 'at', which is not before the last stretch.
 * *got is less than 'n' at the end.
 */
enum pl_status pl_record_scan_peek(struct pl_record_scan *s, uint64_t at,
                                   size_t n, const uint8_t **p, size_t *got);

#endif
