/*                                                  analyze/copy/log_copy.h
 * A new log with what is good in an old one: all of it (repair), or what lies
 * in a window, and of that what is chosen (cut).  Sessions keep their facts,
 * samples their bytes, times and flags; gaps, notes and ends are taken over.
 * Records get new numbers and session ids, so that nothing is missing; where
 * something was, a gaps record tells, and no pair reaches over it.
 */
#ifndef PL_ANALYZE_COPY_LOG_COPY_H
#define PL_ANALYZE_COPY_LOG_COPY_H

#include "analyze/inspect/damage_summary.h"
#include "analyze/copy/log_output.h"
#include "analyze/output/progress.h"
#include "analyze/replay/series_filter.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/input/host_log.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_block_filter;

struct pl_log_copy {
    /* Set by the caller, the rest being zero. */
    const char *path;             /* of the new log */
    struct pl_time_range window;  /* neither end: all of it */
    struct pl_block_filter *pick; /* NULL: whole blocks */
    struct pl_progress *progress;
    const uint8_t *sha256; /* of the file it is made from, and its name; */
    const char *source;    /* NULL: as the log itself has it */

    /* What became of it. */
    struct pl_log_output log;
    struct pl_log_counts tally; /* of what was read */
    uint64_t samples;           /* in the window, copied */
    uint64_t lost;              /* told in the new log to be lost, */
    bool lost_at_least;         /* or more */
    uint64_t left_out;          /* records of a newer perflog, not taken over */
    struct pl_places where;     /* all that commands tell of it was */
    const char *bad; /* the file that a status is about, old or new */
    const char *why; /* of PL_UNSAFE */

    /* The session being read. */
    struct pl_buf facts; /* its SESS, and */
    struct pl_buf open;  /* that of the session which the writer has open */
    struct pl_sample_stamp begun;
    uint64_t interval_ns;
    bool is_open; /* it has begun in the new log */
    bool ended;   /* nothing came behind its end, which says */
    uint32_t reason;
    bool titles_changed;  /* 'titles' are those of the last sample, */
    bool titles_put;      /* and known to the writer */
    struct pl_buf titles; /* until they are */

    /* Since the last sample. */
    struct pl_damage_summary losses;
    struct pl_buf kept;  /* records that may have to be taken over */
    struct pl_item last; /* it; block NULL: there is none, or it is done with */
    bool last_put;       /* it is written */
    bool last_loss;      /* something is lost before it */
    bool was_inside;     /* it is in the window */
    bool looked_ahead;   /* whether there is anything more in the window */

    struct pl_buf block; /* what is chosen */
};

/*
 * Copy 'tape' as far as it can be read.  The log has no name yet: that is
 * what pl_log_output_commit(&c->log) is for.  PL_END: there is nothing to copy
 * in the window.  On failure c->bad tells the file concerned.
 */
enum pl_status pl_log_copy_run(struct pl_log_copy *c,
                               const struct pl_host_log *tape);

/*
 * Copy all tapes, each as sessions of its own.  PL_END: there is nothing to
 * copy on any of them.
 */
enum pl_status pl_log_copy_all(struct pl_log_copy *c,
                               const struct pl_host_logs *tapes);

/* Free everything; a log without a name goes away.  Keeps errno. */
void pl_log_copy_release(struct pl_log_copy *c);

#endif
