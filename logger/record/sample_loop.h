/*                                              logger/record/sample_loop.h
 * The sampling loop of a recording: at each deadline one sample is taken and
 * handed to the writing thread, until an option, a request or an error ends
 * it.  Problems are reported on standard error and counted in the log.
 */
#ifndef PL_LOGGER_RECORD_SAMPLE_LOOP_H
#define PL_LOGGER_RECORD_SAMPLE_LOOP_H

#include "format/base/buf.h"
#include "format/payload/payloads.h"
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
    bool titles_waiting;     /* not yet handed to the writing thread */
    uint64_t ring_full;      /* deadlines when the write queue was full */
    uint64_t not_made;       /* samples that the sampler failed to make */
    bool stepped;            /* the clock, since the last sample handed over */
    uint64_t written;        /* samples written, when this last grew */
    uint64_t lost_then;      /* samples lost up to then */
    enum pl_status reported; /* the write error last reported */
    uint32_t taken_away;     /* deleted or changed files reported so far */
    bool source_reported;    /* a source trouble was reported */
    enum pl_status unmade_reported; /* why samples are not made, as reported */
    /* CPU time of this process until the second sample, else until the first was
     * handed over, which reads the identity of every process; the caller's until
     * then. */
    int64_t begin_cpu_ns;
};

/*
 * Sample until the recording ends; returns the reason.  *trouble: the error of
 * the sampler that ended it, or PL_OK.
 */
enum pl_end_reason pl_sample_loop_run(struct pl_sample_loop *r,
                                      const struct pl_record_options *p,
                                      enum pl_status *trouble);
void pl_sample_loop_release(struct pl_sample_loop *r);

/*
 * Report that the log was deleted or changed by another program, if 's' counts
 * a file for which this has not been reported yet.  The writing thread may
 * notice this after the last sample.
 */
void pl_sample_loop_tell_taken_away(struct pl_sample_loop *r, const char *path,
                                    const struct pl_writer_stats *s);

/*
 * Number of samples that were due but are not in the log, whether recorded as
 * missed or not; 's' holds the writer's final counts.
 */
uint64_t pl_sample_loop_num_lost(const struct pl_sample_loop *r,
                                 const struct pl_writer_stats *s);

#endif
