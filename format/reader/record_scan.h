/*                                              format/reader/record_scan.h
 * Divides the bytes of a log into stretches: a record whose header and payload
 * are proven, damage, what a kill or a power cut left, or a record of a newer
 * major version.  Every byte of the file belongs to exactly one stretch.
 * Sessions and samples are handled by reader.h.
 *
 * The work is linear in the file's size even for files made to prevent it:
 * after 4 x size + 1 MiB of records hashed in vain, in a stream 4 x what was read
 * + 256 MiB, the complete claimed length of a record with a wrong payload is
 * skipped; a flipped bit is searched for
 * in no more bytes than the file has; and no byte more than twice for the run
 * that shows a record to be torn.
 *
 * While a recorder writes, the end of its file may change under a reader: a
 * write that fails half-way is taken back and another put in its place.  In a
 * file that is locked or followed, records are therefore given out only when
 * the last of their write, a SMPL or ends, is there as well.
 */
#ifndef PL_FORMAT_READER_RECORD_SCAN_H
#define PL_FORMAT_READER_RECORD_SCAN_H

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/record/record.h"
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
    bool zeros;             /* INTERRUPTED: it holds only zeros */
    bool packed;            /* RECORD: it came out of a PACK */
};

struct pl_record_scan {
    struct pl_file *file; /* owned */
    struct pl_buf window; /* bytes [window_at, window_at + window.len) */
    uint64_t window_at;
    uint64_t size;        /* of the file, last read; bytes beyond are ignored */
    uint64_t at;          /* where the next stretch begins */
    uint64_t vain;        /* bytes of records hashed in vain */
    uint64_t probed;      /* and of those searched for a flipped bit */
    bool follow;          /* the file may grow: its size is read again */
    bool live;            /* a recorder may complete a record cut by the end */
    bool scattered;       /* little is read ahead: reading jumps about */
    uint64_t root;        /* the session of the first record; 0: none yet */
    uint64_t settled;     /* live: bytes before this offset are final */
    struct pl_run_begin { /* live: of two sessions, found ahead */
        uint64_t at, session;
    } runs[2];
};

/* Open 'path'; PL_IO, PL_NOMEM. */
enum pl_status pl_record_scan_open(struct pl_record_scan *s, const char *path,
                                   bool follow);
void pl_record_scan_close(struct pl_record_scan *s);

/*
 * Has the file a proven header, of any major version?  Without one, *zeros: it
 * holds only zeros.  Of a stream, which cannot be read again, the first
 * PL_FIRST_LOOK bytes count.  Call it before all others.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_record_scan_has_any(struct pl_record_scan *s, bool *found,
                                      bool *zeros);

/*
 * The next stretch.  'session' is the session being read (0: none yet): only
 * the SESS of another one may follow an interrupted record.  PL_END, PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_record_scan_next(struct pl_record_scan *s, uint64_t session,
                                   struct pl_stretch *out);

/* The last stretch is no longer needed: free its memory. */
void pl_record_scan_drop(struct pl_record_scan *s);

/*
 * Read up to 'n' bytes at 'at', which is not before the last stretch, without
 * moving on.  *got is less than 'n' at the end.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_record_scan_peek(struct pl_record_scan *s, uint64_t at,
                                   size_t n, const uint8_t **p, size_t *got);

#endif
