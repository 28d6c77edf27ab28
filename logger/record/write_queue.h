/*                                              logger/record/write_queue.h
 * Queue between the sampling thread and the writing thread, which encodes,
 * writes and syncs, so that a slow or hung disk never delays a sample.  It is
 * a ring of at most 4 MiB or 256 blocks, whichever is less, but at least 2
 * blocks; samples it cannot hold are lost and counted (gaps, cause 8).
 *
 * All functions here are for the sampling thread.
 */
#ifndef PL_LOGGER_RECORD_WRITE_QUEUE_H
#define PL_LOGGER_RECORD_WRITE_QUEUE_H

#include "format/writer/writer.h"
#include "logger/record/packer.h"

#include <stdint.h>

struct pl_write_queue;

/*
 * Start the writing thread; on PL_OK the queue owns 'w' and 'packer', which is
 * NULL if segments are not to be packed.  PL_NOMEM, PL_IO.
 */
enum pl_status pl_write_queue_start(struct pl_write_queue **out,
                                    struct pl_writer *w,
                                    struct pl_packer *packer);

/* A buffer to sample into; NULL: the ring is full, the sample is lost. */
struct pl_buf *pl_write_queue_slot(struct pl_write_queue *s);

/*
 * Hand over the buffer last got from pl_write_queue_slot.  'titles' is the TITL
 * payload if it changed since the last sample, else NULL.  PL_NOMEM: the
 * titles could not be kept; hand them over again next time.
 */
enum pl_status pl_write_queue_push(struct pl_write_queue *s,
                                   const struct pl_sample_stamp *stamp,
                                   const struct pl_buf *titles);

/*
 * Identities of processes for the sample that is pushed next; 'payload' is
 * swapped with a buffer that may be reused.
 */
void pl_write_queue_identities(struct pl_write_queue *s,
                               struct pl_buf *payload);

/* Missed deadlines; written with the next sample that is pushed. */
void pl_write_queue_missed(struct pl_write_queue *s, const struct pl_gaps *g);

/* A step of the wall clock; written with the next sample that is pushed. */
void pl_write_queue_clock_step(struct pl_write_queue *s, int64_t utc_ns,
                               int64_t boot_ns, int64_t step_ns);

/* A note for readers of the log; written likewise.  If more than a few wait for
 * a sample, further ones are dropped. */
void pl_write_queue_note(struct pl_write_queue *s, enum pl_note_kind kind,
                         int64_t utc_ns, int64_t boot_ns, const char *text);

/* Ask for a new segment before the next sample. */
void pl_write_queue_rotate(struct pl_write_queue *s);

/* State of the writer after the last finished sample. */
struct pl_write_queue_report {
    struct pl_writer_stats stats;
    enum pl_status last; /* result of writing the last sample */
    int error;           /* its errno */
};
void pl_write_queue_report(struct pl_write_queue *s,
                           struct pl_write_queue_report *out);

/*
 * Write what is in the ring, close the log, end the thread and free 's'.
 * 'final' receives the last report; its 'last' is PL_IO if the end of the log
 * could not be written.
 */
void pl_write_queue_stop(struct pl_write_queue *s, enum pl_end_reason reason,
                         struct pl_write_queue_report *final);

#endif
