/*                                              format/reader/interrupted.h
 * Distinguishes what a killed recorder or a power cut left from damage: torn
 * records, the zeros (fence) by which the next recorder separates its session
 * from them, zeros in place of data that never reached the disk, and the
 * fragment of a next recorder that was killed in its first write.  FORMAT.md,
 * section 11.2.  For record_scan.c only.
 */
#ifndef PL_FORMAT_READER_INTERRUPTED_H
#define PL_FORMAT_READER_INTERRUPTED_H

#include "format/reader/record_scan.h"

enum { PL_MIN_FENCE = 8 };

/*
 * The tail of a stretch, noted while its bytes are read, since a pipe cannot be
 * read again.  Offsets are the file's.
 */
struct pl_tail {
    uint64_t seen;   /* bytes before this offset have been noted */
    uint64_t end;    /* after the last byte that is not zero */
    uint64_t begins; /* the last place that may be the beginning of a SESS, */
    uint64_t before; /* 'end' as it was there, */
    size_t same;     /* and number of bytes of such a beginning found there */
    uint64_t session, before_session; /* 'begins' and 'before' of the last
                                       * complete beginning; 0: none */
};

/* Start with the stretch at 'at'. */
void pl_tail_start(struct pl_tail *t, uint64_t at);

/* Note those of the 'n' bytes at file offset 'at' that are not yet noted. */
void pl_tail_note(struct pl_tail *t, uint64_t at, const uint8_t *p, size_t n);

/*
 * True if a run was killed in the record at out->at, which claims 'claim' bytes
 * (0: its header is not proven), and the next run in the first bytes of its
 * SESS: such a fragment ends the stretch, a fence comes before it (or, where
 * the file's length needed none, the fragment is long enough to be recognized),
 * and the record cannot have been complete, since its claim ends in the
 * fragment, or zeros replace its last bytes ('filled').  Where the claim ends
 * exactly with fence or fragment, a damaged complete record would look the
 * same.
 */
bool pl_interrupted_twice(const struct pl_tail *t, const struct pl_stretch *out,
                          uint64_t claim, bool filled);

/*
 * The payload of the record at out->at, of 'total' bytes, does not match its
 * hash.  *filled: it was torn and zeros replace the missing bytes, provided
 * that only zeros follow up to where reading can continue.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_interrupted_is_filled(struct pl_record_scan *s, size_t total,
                                        const struct pl_stretch *out,
                                        bool *filled);

#endif
