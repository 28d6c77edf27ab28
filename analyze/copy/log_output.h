/*                                                analyze/copy/log_output.h
 * A log made by a reading command: import, repair, cut.  It is written under a
 * temporary name beside the final one (analyze/output/partial_file.h) and gets
 * its final name only when it is complete and on the disk.  An existing file is
 * never replaced nor appended to; an interrupted or failed command leaves no
 * file.  One at a time.
 *
 * No space is reserved (no --min-free), nothing is synced before the end, and
 * the log is one file.  After the first failed write the caller discards it.
 * It is readable by its owner only, whatever the rights of its sources.
 */
#ifndef PL_ANALYZE_COPY_LOG_OUTPUT_H
#define PL_ANALYZE_COPY_LOG_OUTPUT_H

#include "format/base/status.h"
#include "format/writer/writer.h"

struct pl_log_output {
    struct pl_writer *writer;     /* of the session that is open */
    const char *path;             /* the final name; must outlive this */
    char *part;                   /* its temporary name; NULL: no file made */
    enum pl_end_reason reason;    /* why the open session ends */
    struct pl_writer_stats stats; /* sums of all sessions, after commit */
};

/*
 * Whether a log may be made under 'path'.  PL_UNSAFE with *why, for
 * pl_say_status: it is one of the 'num' inputs, exists, or is "-".  For use
 * before long work; pl_log_output_open and _commit check it again.
 */
enum pl_status pl_log_output_check(const char *path, char *const *inputs,
                                   int num, const char **why);

/*
 * Begin the log with its first session, whose texts must outlive it.  Samples,
 * titles and notes go to log->writer.  Errors as pl_writer_open and
 * pl_log_output_check, without inputs.  After a failure there is nothing to
 * discard.
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
 * One of these two, depending on whether the log is open, for a copied session:
 * it began at 'begun', and it ends without a reason until 'reason' is set.
 */
enum pl_status pl_log_output_copy(struct pl_log_output *log, const char *path,
                                  const struct pl_session *session,
                                  const struct pl_sample_stamp *begun,
                                  const char **why);

/*
 * End the session and give the log its name.  PL_IO (EEXIST: another program
 * has created that name meanwhile), PL_NOMEM: the log is removed.
 */
enum pl_status pl_log_output_commit(struct pl_log_output *log);

/*
 * Remove what is unfinished; allowed after commit and for all zero.  Keeps
 * errno.
 */
void pl_log_output_discard(struct pl_log_output *log);

#endif
