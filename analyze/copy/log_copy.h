/*                                                  analyze/copy/log_copy.h
 * Copies what is good in a log to a new one: all of it (repair), or the
 * selected part of a time range (cut).  Sessions keep their facts, samples
 * their bytes, times and flags; gaps, notes and ends are copied.  Records get
 * new numbers and session ids, so that none is missing; where records were
 * lost, a gaps record states it, and the samples around it are not a pair.
 */
#ifndef PL_ANALYZE_COPY_LOG_COPY_H
#define PL_ANALYZE_COPY_LOG_COPY_H

#include "analyze/copy/copied_identities.h"
#include "analyze/inspect/damage_summary.h"
#include "analyze/copy/log_output.h"
#include "analyze/output/progress.h"
#include "analyze/series/series_filter.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/input/host_log.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_block_filter;

struct pl_log_copy {
    /* Set by the caller, the rest being zero. */
    const char *path;             /* of the new log */
    struct pl_time_range window;  /* without ends: all of it */
    struct pl_block_filter *pick; /* NULL: complete blocks */
    struct pl_progress *progress;
    struct pl_copied_identities identities;
    const uint8_t *sha256; /* hash of the source file, and its name; */
    const char *source;    /* NULL: as in the source log */

    /* Results. */
    struct pl_log_output log;
    struct pl_log_counts tally; /* of what was read */
    uint64_t samples;           /* samples copied, in the time range */
    uint64_t before;            /* and those before it, for first rates */
    /* samples recorded as missing in the new log, */
    uint64_t lost;
    bool lost_at_least;     /* or more */
    uint64_t left_out;      /* records of a newer perflog, not copied */
    struct pl_places where; /* files of all losses that commands report */
    const char *bad;        /* the file that a status is about, old or new */
    const char *why;        /* of PL_UNSAFE */

    /* The session being read. */
    struct pl_buf facts; /* its SESS payload, and */
    struct pl_buf open;  /* the one of the session that the writer has open */
    struct pl_sample_stamp begun;
    uint64_t interval_ns;
    bool is_open; /* it has begun in the new log */
    bool ended;   /* nothing followed its end record, which states */
    uint32_t reason;
    bool titles_changed;  /* 'titles' differ from those of the last sample, */
    bool titles_put;      /* and known to the writer */
    struct pl_buf titles; /* until they are */

    /* Since the last sample. */
    struct pl_damage_summary losses;
    struct pl_buf kept; /* records that may have to be copied */
    /* the last sample; block NULL: none, or no longer needed */
    struct pl_item last;
    bool last_put;     /* it has been written */
    bool last_loss;    /* there is a loss before it */
    bool was_inside;   /* it is in the time range */
    bool looked_ahead; /* whether more samples can be in the time range */

    struct pl_buf block; /* the selected part */
};

/*
 * Copy 'log' as far as it can be read.  The log gets its name by
 * pl_log_output_commit(&c->log).  PL_END: nothing to copy in the time range.
 * On failure c->bad is the file concerned.
 */
enum pl_status pl_log_copy_run(struct pl_log_copy *c,
                               const struct pl_host_log *log);

/*
 * Copy all host logs, each as sessions of its own.  PL_END: there is nothing to
 * copy in any of them.
 */
enum pl_status pl_log_copy_all(struct pl_log_copy *c,
                               const struct pl_host_logs *logs);

/* Free everything; a log without its final name is removed.  Keeps errno. */
void pl_log_copy_release(struct pl_log_copy *c);

#endif
