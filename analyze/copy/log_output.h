/*                                                analyze/copy/log_output.h
 * A log made by a reading command: import, repair, cut.  It is written under
 * a name of its own beside the one asked for (analyze/output/partial_file.h) and gets that
 * name only when it is whole and on the disk.  An existing file is never
 * replaced nor appended to; an interrupted or failed command leaves nothing.
 * One at a time.
 *
 * Nothing is kept free (no --min-free), nothing is synced before the end, and
 * the log is one file.  The first failed write is the end of it: the caller
 * discards it.  It is readable by its owner only, whatever it is made from.
 */
#ifndef PL_ANALYZE_COPY_LOG_OUTPUT_H
#define PL_ANALYZE_COPY_LOG_OUTPUT_H

#include "format/base/status.h"
#include "format/log/writer.h"

struct pl_log_output {
    struct pl_writer *writer;     /* of the session that is open */
    const char *path;             /* must outlive it */
    char *part;                   /* its name until then; NULL: none made */
    enum pl_end_reason reason;    /* why that session ends */
    struct pl_writer_stats stats; /* sums of all sessions, after commit */
};

/*
 * May a log be made under 'path'?  PL_UNSAFE with *why, for pl_say_status: it
 * is one of the 'num' inputs, exists, or is "-".  To be asked before long
 * work; pl_log_output_open and _commit see to it again.
 */
enum pl_status pl_log_output_check(const char *path, char *const *inputs,
                                   int num, const char **why);

/*
 * Begin the log with its first session, whose texts must outlive it.  Samples,
 * titles and notes go to log->writer.  As pl_writer_open and pl_log_output_check,
 * without inputs.  On failure there is nothing to discard.
 */
enum pl_status pl_log_output_open(struct pl_log_output *log, const char *path,
                                  const struct pl_session *session,
                                  const char **why);

/*
 * End the session and begin another in the same log.  On failure the log can
 * only be discarded.
 */
enum pl_status pl_log_output_session(struct pl_log_output *log,
                                     const struct pl_session *session,
                                     const char **why);

/*
 * The same two, by whether the log is open, for a session that was recorded
 * before: it began at 'begun', and it ends without saying why until 'reason'
 * is set.
 */
enum pl_status pl_log_output_copy(struct pl_log_output *log, const char *path,
                                  const struct pl_session *session,
                                  const struct pl_sample_stamp *begun,
                                  const char **why);

/*
 * End the session and give the log its name.  PL_IO (EEXIST: somebody else
 * has taken the name meanwhile), PL_NOMEM: it is gone.
 */
enum pl_status pl_log_output_commit(struct pl_log_output *log);

/* Leave nothing behind; fine after commit and for all zero.  Keeps errno. */
void pl_log_output_discard(struct pl_log_output *log);

#endif
