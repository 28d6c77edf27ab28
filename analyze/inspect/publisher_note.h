/*                                         analyze/inspect/publisher_note.h
 * Parses a recorder's notes about programs that publish counters: "counters of
 * PROGRAM:PID, user NUMBER: WHAT", or "user NUMBER: WHAT".  A program that
 * restarts often causes many; they are shown as one line.
 */
#ifndef PL_ANALYZE_INSPECT_PUBLISHER_NOTE_H
#define PL_ANALYZE_INSPECT_PUBLISHER_NOTE_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_publisher_note {
    struct pl_text program; /* empty: all programs of that user */
    struct pl_text user;    /* digits */
    struct pl_text what;
};

/* False: it is another note.  The parts point into 'text'. */
bool pl_publisher_note_parse(struct pl_publisher_note *n, struct pl_text text);

/* True if both notes are about one program of one user. */
bool pl_publisher_note_same(struct pl_text a, struct pl_text b);

/*
 * One line for 'times' notes of which 'text' is the last, of this moment; a
 * single one is unchanged.  Appended to 'out' with a NUL.
 */
void pl_publisher_note_fold(struct pl_buf *out, struct pl_text text,
                            uint64_t times, int64_t utc_ns);

#endif
