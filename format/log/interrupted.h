/*                                                 format/log/interrupted.h
 * Tells bytes that a killed recorder or a power cut left from damaged ones:
 * torn records, the zeros (fence) by which the next recorder keeps its session
 * apart from them, zeros in the place of bytes that never reached the disk,
 * and what is left where the next recorder was killed at once.
 * FORMAT.md, section 11.2.  For the scanner alone; all may return PL_IO or
 * PL_NOMEM.
 */
#ifndef PL_FORMAT_LOG_INTERRUPTED_H
#define PL_FORMAT_LOG_INTERRUPTED_H

#include "format/log/record_scan.h"

enum { PL_MIN_FENCE = 8 };

/*
 * What the bytes of a stretch end in, noted as they pass by, since a pipe
 * cannot be looked at again.  Offsets are the file's.
 */
struct pl_tail {
    uint64_t seen;   /* bytes before it have been noted */
    uint64_t end;    /* behind the last byte that is not zero */
    uint64_t begins; /* the last place that may be the beginning of a SESS, */
    uint64_t before; /* 'end' when it came, */
    size_t same;     /* and how many bytes of such a beginning stand there */
    uint64_t session, before_session; /* the same of the last with all of them,
                                       * which has any if session > 0 */
};

/* Begin with the stretch at 'at'. */
void pl_tail_start(struct pl_tail *t, uint64_t at);

/* Note the 'n' bytes at file offset 'at', as far as they are new. */
void pl_tail_note(struct pl_tail *t, uint64_t at, const uint8_t *p, size_t n);

/*
 * A run was killed in the record at out->at, which claims 'claim' bytes (0:
 * its header is not proven), and the next one in the first bytes of its SESS.
 * True if such a fragment ends the stretch, a fence stands before it (or, where
 * the file's length needed none, it is long enough to be known), and the
 * record cannot have been complete: its claim ends in the fragment, or zeros
 * have taken its last bytes ('filled').  Where it ends exactly with one of
 * them, a complete record that was damaged would look the same.
 */
bool pl_interrupted_twice(const struct pl_tail *t, const struct pl_stretch *out,
                          uint64_t claim, bool filled);

/*
 * The payload of the record at out->at, of 'total' bytes, does not match.
 * *filled: it was torn and zeros stand in the place of what is missing, if
 * zeros are all that follows it up to where reading can go on.
 */
enum pl_status pl_interrupted_is_filled(struct pl_record_scan *s, size_t total,
                                        const struct pl_stretch *out,
                                        bool *filled);

#endif
