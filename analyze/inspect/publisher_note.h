/*                                         analyze/inspect/publisher_note.h
 * What a recorder notes of the programs that publish counters, taken apart:
 * "counters of PROGRAM:PID, user NUMBER: WHAT", or "user NUMBER: WHAT".  A
 * program that is often begun anew makes many; people see one line of it.
 */
#ifndef PL_ANALYZE_INSPECT_PUBLISHER_NOTE_H
#define PL_ANALYZE_INSPECT_PUBLISHER_NOTE_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_publisher_note {
    struct pl_text program; /* empty: all of that user's */
    struct pl_text user;    /* digits */
    struct pl_text what;
};

/* False: it is another note.  The parts are those of 'text'. */
bool pl_publisher_note_parse(struct pl_publisher_note *n, struct pl_text text);

/* True if both are of one program of one user. */
bool pl_publisher_note_same(struct pl_text a, struct pl_text b);

/*
 * One line for 'times' notes of which 'text' is the last, of this moment; one
 * is left as it is.  Appended to 'out' with a zero byte.
 */
void pl_publisher_note_fold(struct pl_buf *out, struct pl_text text,
                            uint64_t times, int64_t utc_ns);

#endif
