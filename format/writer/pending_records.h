/*                                          format/writer/pending_records.h
 * Records that wait for a writer's next sample: missing samples, summed by
 * cause (gaps), and events (notes).  They are kept until they are written.
 */
#ifndef PL_FORMAT_WRITER_PENDING_RECORDS_H
#define PL_FORMAT_WRITER_PENDING_RECORDS_H

#include "format/writer/record_batch.h"
#include "format/payload/payloads.h"

#include <stdint.h>

/* All zero: none. */
struct pl_pending_records {
    struct pl_gaps gaps[PL_NUM_SHOWN_CAUSES]; /* count 0: none */
    struct pl_buf notes; /* {type, utc, boot, length, payload} each */
};

void pl_pending_records_release(struct pl_pending_records *p);
void pl_pending_records_clear(struct pl_pending_records *p);

/* Drop the notes and keep the gaps. */
void pl_pending_records_forget_notes(struct pl_pending_records *p);

/* Add to the sum of the cause that is shown; g->cause must be one of enum pl_gap_cause. */
void pl_pending_records_gap(struct pl_pending_records *p,
                            const struct pl_gaps *g);

/* Missing samples, all causes together. */
uint32_t pl_pending_records_missed(const struct pl_pending_records *p);

/*
 * Add an event.  If more than 64 KiB are pending, or memory runs out, it is
 * dropped.
 */
void pl_pending_records_note(struct pl_pending_records *p,
                             enum pl_note_kind kind, int64_t utc_ns,
                             int64_t boot_ns, const char *text);

/*
 * Add a record of another log unchanged: its type, times and payload.  There
 * is no limit; the caller checks notes.len.  PL_NOMEM.
 */
enum pl_status pl_pending_records_record(struct pl_pending_records *p,
                                         const struct pl_record *r,
                                         const uint8_t *payload);

/* Add all records to 'b': gaps with the times given, notes with their own. */
void pl_pending_records_put(const struct pl_pending_records *p,
                            struct pl_record_batch *b, int64_t utc_ns,
                            int64_t boot_ns);

#endif
