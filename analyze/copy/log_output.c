/* A log that gets its name when it is complete. */
#include "analyze/copy/log_output.h"

#include "analyze/output/partial_file.h"
#include "format/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum pl_status pl_log_output_check(const char *path, char *const *inputs,
                                   int num, const char **why)
{
    *why = NULL;
    for (int i = 0; i < num && !*why; i++)
        if (pl_file_is_same(path, inputs[i]))
            *why = "it is one of the inputs";
    if (*why)
        return PL_UNSAFE;
    if (!strcmp(path, "-"))
        *why = "a log is a file; name one";
    else if (pl_path_exists(path))
        *why = "it exists; name a new file";
    return *why ? PL_UNSAFE : PL_OK;
}

static enum pl_status open_writer(struct pl_log_output *log,
                                  const struct pl_session *session,
                                  const struct pl_sample_stamp *begun,
                                  enum pl_file_new how, const char **why)
{
    struct pl_writer_options options = { .session = *session,
                                         .sync_ns = PL_SYNC_NEVER,
                                         .opening = how };

    log->reason = begun ? PL_END_NONE : PL_END_ASKED;
    if (begun) {
        options.is_copy = true;
        options.begun_utc_ns = begun->utc_ns;
        options.begun_boot_ns = begun->boot_ns;
    }
    return pl_writer_open(&log->writer, log->part, &options, why);
}

static enum pl_status open_first(struct pl_log_output *log, const char *path,
                                 const struct pl_session *session,
                                 const struct pl_sample_stamp *begun,
                                 const char **why)
{
    enum pl_status s = pl_log_output_check(path, NULL, 0, why);
    bool taken = true;

    *log = (struct pl_log_output){ .path = path };
    if (s)
        return s;
    pl_partial_file_hold();
    for (int i = 0; taken && i < PL_MAX_PARTS; i++) {
        free(log->part);
        log->part = pl_partial_file_name(path, i);
        s = log->part
                ? open_writer(log, session, begun, PL_NEW_AND_PRIVATE, why)
                : PL_NOMEM;
        taken = s == PL_IO && errno == EEXIST;
    }
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, s ? NULL : log->part);
    if (s) {
        PL_KEEP_ERRNO;

        free(log->part); /* not made by this program */
        *log = (struct pl_log_output){ 0 };
    }
    return s;
}

enum pl_status pl_log_output_open(struct pl_log_output *log, const char *path,
                                  const struct pl_session *session,
                                  const char **why)
{
    return open_first(log, path, session, NULL, why);
}

static void add_stats(struct pl_writer_stats *sum,
                      const struct pl_writer_stats *s)
{
    sum->samples += s->samples;
    sum->not_written += s->not_written;
    sum->block_bytes += s->block_bytes;
    sum->log_bytes += s->log_bytes;
    sum->file_bytes = s->file_bytes;
}

static enum pl_status end_session(struct pl_log_output *log)
{
    struct pl_writer_stats stats;
    enum pl_status s = pl_writer_close(log->writer, log->reason, &stats);

    log->writer = NULL;
    add_stats(&log->stats, &stats);
    return s;
}

static enum pl_status open_further(struct pl_log_output *log,
                                   const struct pl_session *session,
                                   const struct pl_sample_stamp *begun,
                                   const char **why)
{
    enum pl_status s = end_session(log);

    *why = NULL;
    return s ? s : open_writer(log, session, begun, PL_MAY_EXIST, why);
}

enum pl_status pl_log_output_session(struct pl_log_output *log,
                                     const struct pl_session *session,
                                     const char **why)
{
    return open_further(log, session, NULL, why);
}

enum pl_status pl_log_output_copy(struct pl_log_output *log, const char *path,
                                  const struct pl_session *session,
                                  const struct pl_sample_stamp *begun,
                                  const char **why)
{
    return log->writer ? open_further(log, session, begun, why)
                       : open_first(log, path, session, begun, why);
}

/* Sync the complete log before it gets its name. */
static enum pl_status sync_part(const struct pl_log_output *log)
{
    struct pl_file *f;
    enum pl_status s = pl_file_open(&f, log->part);

    if (s)
        return s;
    s = pl_file_sync(f);
    pl_file_close(f);
    return s;
}

enum pl_status pl_log_output_commit(struct pl_log_output *log)
{
    enum pl_status s = end_session(log);

    if (!s)
        s = sync_part(log);
    if (!s)
        s = pl_file_rename_new(log->part, log->path);
    if (!s) {
        pl_partial_file_guard(PL_UNFINISHED_OUTPUT, NULL);
        free(log->part);
        log->part = NULL;
    }
    pl_log_output_discard(log);
    return s;
}

void pl_log_output_discard(struct pl_log_output *log)
{
    PL_KEEP_ERRNO;

    if (log->writer)
        pl_writer_close(log->writer, PL_END_ERROR, NULL);
    if (log->part) {
        pl_file_delete(log->part);
        pl_partial_file_guard(PL_UNFINISHED_OUTPUT, NULL);
    }
    free(log->part);
    log->writer = NULL;
    log->part = NULL;
}
