/*                                                     format/log/pending.h
 * What a writer has to tell with its next sample: samples that are missing,
 * summed by cause, and events.  It is kept until it has been written.
 */
#ifndef PL_FORMAT_LOG_PENDING_H
#define PL_FORMAT_LOG_PENDING_H

#include "format/log/batch.h"
#include "format/log/meta.h"

#include <stdint.h>

/* All zero: nothing to tell. */
struct pl_pending {
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES]; /* count 0: none */
    struct pl_buf notes; /* {type, utc, boot, length, payload} each */
};

void pl_pending_release(struct pl_pending *p);
void pl_pending_clear(struct pl_pending *p);

/* Add to the sum of g->cause, which must be a known one. */
void pl_pending_gap(struct pl_pending *p, const struct pl_gaps *g);

/* Missing samples, all causes together. */
uint32_t pl_pending_missed(const struct pl_pending *p);

/*
 * Add an event.  Where more than 64 KiB have gathered, or memory runs out,
 * it is dropped.
 */
void pl_pending_note(struct pl_pending *p, enum pl_note_kind kind,
                     int64_t utc_ns, int64_t boot_ns, const char *text);

/*
 * Add a record of another log as it is: its type, times and payload.  There
 * is no limit; the caller looks at notes.len.  PL_NOMEM.
 */
enum pl_status pl_pending_record(struct pl_pending *p,
                                 const struct pl_record *r,
                                 const uint8_t *payload);

/* Put all of it into 'b': gaps as of utc_ns, notes as of their own time. */
void pl_pending_put(const struct pl_pending *p, struct pl_batch *b,
                    int64_t utc_ns, int64_t boot_ns);

#endif
