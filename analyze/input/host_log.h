/*                                                 analyze/input/host_log.h
 * The logs named on a command line, put in order: a folder stands for all
 * segments in it, files of one host are read one after another, several hosts
 * side by side.  Logs of other formats (foreign.h) are among them; a folder
 * stands for logs of ours only.
 */
#ifndef PL_ANALYZE_INPUT_HOST_LOG_H
#define PL_ANALYZE_INPUT_HOST_LOG_H

#include "analyze/foreign/foreign.h"
#include "format/cli/message.h"
#include "format/log/reader.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Files of one host: sessions in the order in which they began, those of one
 * session in the order in which they were written.
 */
struct pl_host_log {
    char **paths;
    struct pl_host_log_file {
        struct pl_foreign_file *file; /* NULL: a log of ours */
        size_t host;                  /* in it */
        bool shared; /* it holds sessions of other hosts, too */
        bool zeros;  /* and nothing else */
    } * foreign;     /* one per path */
    size_t num_paths;
    char *host;
    uint64_t machine_hash;
    int64_t first_utc; /* of the oldest file's first record */
    char *zone; /* where an imported log was made; NULL: not known, no import */
    int32_t zone_minutes; /* east of UTC; as recorded, so of any size */
    bool titles_made_up;  /* and numbered in the order of a list */
    bool calculated;      /* the samples are values, not counters */
};

struct pl_host_logs {
    struct pl_host_log *tapes;
    size_t num;
};

/*
 * Look at each log and sort them into tapes.  On failure *bad is the operand
 * or file concerned (valid until release) and nothing is opened.  PL_END: a
 * folder without logs, or with empty ones; else as pl_reader_open.  A log of
 * zeros in a folder with others is taken for one of the host before it.
 */
enum pl_status pl_host_logs_open(struct pl_host_logs *t, char *const *operands,
                                 size_t num, const char **bad);
void pl_host_logs_release(struct pl_host_logs *t);

/*
 * The same for a command: says itself what went wrong.  A log of ours that
 * holds several hosts, as an import may, is on one tape with 'whole', else on
 * as many as there are hosts.
 */
enum pl_exit pl_host_logs_open_or_say(struct pl_host_logs *t,
                                      char *const *operands, int num);
enum pl_exit pl_host_logs_open_whole_or_say(struct pl_host_logs *t,
                                            char *const *operands, int num);

/*
 * The same where one may go on without some of the files: 'refuse' is asked
 * about each that cannot be read, by its number among the operands and why.
 * PL_END: nothing is left.
 */
enum pl_status pl_host_logs_open_some(struct pl_host_logs *t,
                                      char *const *operands, size_t num,
                                      bool (*refuse)(void *ctx, size_t i,
                                                     enum pl_status why),
                                      void *ctx, const char **bad);

/* True if they are all of one file, which then holds several hosts. */
bool pl_host_logs_are_one_file(const struct pl_host_logs *t);

/* True if a pipe is among them, which can be read only once. */
bool pl_host_logs_is_stream(const struct pl_host_logs *t);

/* True if all of them were made of a list of counters, which has an order. */
bool pl_host_logs_are_listed(const struct pl_host_logs *t);

/* Rights that all of the files give (format/base/file.h); those of pipes are all. */
unsigned pl_host_logs_rights(const struct pl_host_logs *t);

/* Bytes of all files together; 0 if one is a pipe. */
uint64_t pl_host_logs_bytes(const struct pl_host_logs *t);

/* The instant of the newest sample.  As pl_reader_open; PL_END: none. */
enum pl_status pl_host_logs_last_time(const struct pl_host_logs *t,
                                      int64_t *utc_ns);
/* The same, saying what went wrong; pipes are refused. */
enum pl_exit pl_host_logs_last_time_or_say(const struct pl_host_logs *t,
                                           int64_t *utc_ns);

/* Read file 'k' of a tape; '*r' NULL: by a new reader, else it goes on. */
enum pl_status pl_host_log_open_file(struct pl_reader **r,
                                     const struct pl_host_log *tape, size_t k,
                                     const struct pl_reader_options *options);

/* A reader that goes on from file to file. */
struct pl_host_log_reader {
    const struct pl_host_log *tape;
    size_t next; /* path to be opened next */
    struct pl_reader *reader;
    uint64_t bytes_before; /* in files already finished */
    bool follow, names_only;
    bool others;      /* the session being read is another host's */
    uint64_t rotated; /* the session that goes on in another segment; 0: none */
    int64_t alone_since; /* steady clock: it was looked for in vain; 0: not */
    char **followed;     /* segments begun since, the last one being read */
    size_t num_followed;
};

/* Files that are there no more are passed over, but for the last. */
enum pl_status pl_host_log_start(struct pl_host_log_reader *r,
                                 const struct pl_host_log *tape,
                                 const struct pl_reader_options *options);
void pl_host_log_stop(struct pl_host_log_reader *r);

/*
 * The next item of the tape; the file it is in is pl_host_log_path.  A reader that
 * follows goes on into segments begun later, until a recording has ended or its
 * next segment is not there for two seconds.
 */
enum pl_status pl_host_log_next(struct pl_host_log_reader *r,
                                struct pl_item *item);
const char *pl_host_log_path(const struct pl_host_log_reader *r);

/* The files in which something was met: the first, and if there are others. */
struct pl_places {
    const char *path; /* NULL: none; as long as the tape's, or its reader's */
    bool others;
};

/* It was met in the file being read. */
void pl_places_note(struct pl_places *p, const struct pl_host_log_reader *r);

/* What stands behind the path in a message: "", or that there are others. */
const char *pl_places_rest(const struct pl_places *p);

#endif
