/*                                              logger/record/sample_loop.h
 * A recording: samples from the sampler to the thread that writes, one at each
 * tick, until something ends it.  What goes wrong on the way is said, and
 * counted in the log.
 */
#ifndef PL_LOGGER_RECORD_SAMPLE_LOOP_H
#define PL_LOGGER_RECORD_SAMPLE_LOOP_H

#include "format/base/buf.h"
#include "format/log/payloads.h"
#include "logger/record/clock.h"
#include "logger/record/notify.h"
#include "logger/record/record_options.h"
#include "logger/sampler.h"
#include "logger/record/write_queue.h"

#include <stdbool.h>
#include <stdint.h>

/* Begins zeroed but for the first two, which are the caller's. */
struct pl_sample_loop {
    struct pl_sampler *sampler;
    struct pl_write_queue *spool;
    struct pl_ticks ticks;
    struct pl_notify notify; /* opened and closed by the caller */
    struct pl_logger_stats stats;
    struct pl_buf titles;
    uint32_t titles_generation;
    bool titles_waiting; /* not yet handed to the writing thread */
    uint64_t ring_full;  /* deadlines without a place for their sample */
    uint64_t too_large;  /* samples taken, but over the cap */
    uint64_t written;    /* samples, when that number last grew */
    uint64_t lost_then;  /* and how many had been lost by then */
    enum pl_status told; /* the trouble last spoken of */
    uint32_t taken_away; /* files, as far as that was spoken of */
    bool told_source;    /* that samples lack something */
};

/*
 * Sample until something ends it; returns what that was.  *trouble: why no
 * sample could be made any more, or PL_OK.
 */
enum pl_end_reason pl_sample_loop_run(struct pl_sample_loop *r,
                                      const struct pl_record_options *p,
                                      enum pl_status *trouble);
void pl_sample_loop_release(struct pl_sample_loop *r);

/*
 * Say that the log was taken away, if 's' tells so and it was not said.  The
 * thread that writes may find out when no more samples are taken.
 */
void pl_sample_loop_tell_taken_away(struct pl_sample_loop *r, const char *path,
                                    const struct pl_writer_stats *s);

/*
 * Samples that were due and are not in the log, of which 's' tells in the end;
 * told as missed or not.
 */
uint64_t pl_sample_loop_num_lost(const struct pl_sample_loop *r,
                                 const struct pl_writer_stats *s);

#endif
