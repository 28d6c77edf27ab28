/*                                            analyze/import/import_write.h
 * The second pass of an import: indexed blocks become the samples of a new log.
 * A session is one boot of one machine: another begins where PerfTime runs
 * backwards or changes its frequency.  Where wall clock and PerfTime disagree
 * the sample is marked as following a clock step.
 */
#ifndef PL_ANALYZE_IMPORT_IMPORT_WRITE_H
#define PL_ANALYZE_IMPORT_IMPORT_WRITE_H

#include "analyze/blocks/clock_steps.h"
#include "analyze/blocks/block_index.h"
#include "analyze/blocks/block_merge.h"
#include "analyze/copy/log_output.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_import_write {
    /* What to write; the caller owns all of it. */
    const char *output;
    char *const *paths;                    /* paths of the files by number */
    const struct pl_block_index *gathered; /* sorted */
    const struct pl_buf *titles;           /* TITL payload */
    /* hash of the source, and its name */
    const uint8_t *sha256;
    const char *source;
    uint64_t source_bytes; /* for the progress line, */
    bool quiet;            /* which is not wanted */

    /* Results: what was written, and what was not. */
    struct pl_log_output log;    /* to be committed or discarded */
    struct pl_block_merge merge; /* its counts */
    uint64_t sessions, samples;
    int64_t first_utc, last_utc, last_boot;
    const char *why; /* of PL_UNSAFE */
    /* index of a file that could not be read; -1: the output failed */
    int bad_file;

    /* The sample being merged, and the one before it in its session. */
    struct pl_block header; /* its clocks only */
    int64_t utc_ns;
    uint32_t machine;
    uint32_t session_machine;
    struct pl_clock_steps steps;
};

/*
 * Write all samples.  PL_CORRUPT: a file changed since it was indexed.  Errors
 * as pl_log_output_open, pl_file_open and pl_writer_sample.
 */
enum pl_status pl_import_write(struct pl_import_write *c);

/* Also discards the log if it was not committed. */
void pl_import_write_release(struct pl_import_write *c);

#endif
