/*                                                 analyze/input/host_log.h
 * The logs named on a command line, put in order: a folder stands for all
 * segments in it, files of one host are read one after another, several hosts
 * side by side.  Logs of other formats (foreign.h) are among them; a folder
 * stands for its .plog files only.
 */
#ifndef PL_ANALYZE_INPUT_HOST_LOG_H
#define PL_ANALYZE_INPUT_HOST_LOG_H

#include "analyze/foreign/foreign.h"
#include "format/cli/message.h"
#include "format/reader/reader.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { PL_HOSTS_OF_A_LOG = 1024 }; /* of one .plog, as an import may be */

/*
 * Files of one host: sessions in the order in which they began, those of one
 * session in the order in which they were written.
 */
struct pl_host_log {
    char **paths;
    struct pl_host_log_file {
        struct pl_foreign_file *file; /* NULL: a .plog */
        size_t host;                  /* index of the host in 'file' */
        int64_t first_utc; /* of its first record, see unset_clock.h */
        uint64_t session;  /* the first one in it; 0: not known */
        bool shared;       /* the file holds sessions of other hosts, too */
        bool no_record;    /* the file holds zeros or damage only */
        bool more_hosts;   /* than PL_HOSTS_OF_A_LOG; they are not read */
    } * foreign;           /* one per path */
    size_t num_paths;
    char *host;
    uint64_t machine_hash;
    int64_t first_utc; /* time of the oldest file's first record */
    /*
     * Where it was recorded: an IANA name, of an imported log what Windows
     * calls the zone; NULL: not known.
     */
    char *zone;
    int32_t zone_minutes; /* east of UTC; as recorded, so not limited */
    bool imported;        /* made from a log of another program, or is one */
    /* titles made up by the import, numbered in the order of a list */
    bool titles_made_up;
    /* the samples are calculated values, not raw counters */
    bool calculated;
};

struct pl_host_logs {
    struct pl_host_log *logs;
    size_t num;
};

/*
 * Print a line if files of one host overlap in time, as they do where machines
 * share a name and have no machine id, or where two recorders ran on a machine:
 * they are read one after the other.  What overlaps by less than a minute may be
 * a corrected clock.  'together': files of other programs may overlap, as their
 * rows of one time are taken together.
 */
void pl_host_logs_say_overlap(const struct pl_host_logs *t, bool together);

/*
 * Look at each log and sort them by host.  On failure *bad is the operand or
 * file concerned (valid until release) and nothing is opened.  PL_END: a folder
 * without logs, or with empty ones; else as pl_reader_open.  A file of a
 * folder that holds zeros or damage only is assigned to the host before it.
 */
enum pl_status pl_host_logs_open(struct pl_host_logs *t, char *const *operands,
                                 size_t num, const char **bad);
void pl_host_logs_release(struct pl_host_logs *t);

/*
 * The same for a command: reports what went wrong, and unless 'quiet' that files
 * overlap and what files of other programs were taken for.  A .plog that holds
 * several hosts, as an import may, becomes one host log with 'whole', else one
 * for each host.  With 'together' see pl_host_logs_say_overlap.
 */
enum pl_exit pl_host_logs_open_or_say(struct pl_host_logs *t,
                                      char *const *operands, int num,
                                      bool quiet);
enum pl_exit pl_host_logs_open_together_or_say(struct pl_host_logs *t,
                                               char *const *operands, int num,
                                               bool quiet);
enum pl_exit pl_host_logs_open_whole_or_say(struct pl_host_logs *t,
                                            char *const *operands, int num,
                                            bool quiet);

/*
 * The same for a caller that may continue without some files: 'refuse' is
 * called for each that cannot be read, with its number among the operands and
 * the reason.  PL_END: nothing is left.
 */
enum pl_status pl_host_logs_open_some(struct pl_host_logs *t,
                                      char *const *operands, size_t num,
                                      bool (*refuse)(void *ctx, size_t i,
                                                     enum pl_status why),
                                      void *ctx, const char **bad);

/*
 * What is to be reported once of a file: what it was taken for without being
 * certain, or that it has hosts which are not read; NULL: nothing, or the
 * file's first host has it.
 */
const char *pl_host_log_remark(const struct pl_host_log *t, size_t k);

/* True if all of them are in one file, which then holds several hosts. */
bool pl_host_logs_are_one_file(const struct pl_host_logs *t);

/* True if one of them is a pipe, which can be read only once. */
bool pl_host_logs_is_stream(const struct pl_host_logs *t);
/* The first that is one; NULL: none is. */
const char *pl_host_logs_stream(const struct pl_host_logs *t);

/*
 * True if all of them were imported from lists of counters, whose order is
 * kept.
 */
bool pl_host_logs_are_listed(const struct pl_host_logs *t);

/*
 * Access rights that all of the files have (format/base/file.h); pipes count as
 * having all.
 */
unsigned pl_host_logs_rights(const struct pl_host_logs *t);

/* Bytes of all files together; 0 if one is a pipe. */
uint64_t pl_host_logs_bytes(const struct pl_host_logs *t);

/*
 * The instant of the last sample, and the interval of its session (0: none).  It
 * is the one that was recorded last, also where a clock was set back before it; of
 * several hosts the latest of these.  As pl_reader_open; PL_END: there is no
 * sample.
 */
enum pl_status pl_host_logs_last_time(const struct pl_host_logs *t,
                                      int64_t *utc_ns, uint64_t *interval_ns);
/* The same, reporting what went wrong; pipes are refused. */
enum pl_exit pl_host_logs_last_time_or_say(const struct pl_host_logs *t,
                                           int64_t *utc_ns,
                                           uint64_t *interval_ns);

/*
 * The interval of the session that has the first sample from 'utc_ns' on (0: none,
 * or there is no such sample); of several hosts the longest.  Errors are those of
 * pl_host_log_start; *bad is then the file.
 */
enum pl_status pl_host_logs_interval_at(const struct pl_host_logs *t,
                                        int64_t utc_ns, uint64_t *interval_ns,
                                        const char **bad);

/*
 * The last sample of file 'k' of a host log; *utc_ns and *interval_ns are set only if
 * it has a sample.
 */
enum pl_status pl_host_log_last_time(const struct pl_host_log *log, size_t k,
                                     int64_t *utc_ns, uint64_t *interval_ns);

/*
 * Open file 'k' of a host log; '*r' NULL: with a new reader, else with this
 * one.
 */
enum pl_status pl_host_log_open_file(struct pl_reader **r,
                                     const struct pl_host_log *log, size_t k,
                                     const struct pl_reader_options *options);

/* Reads the files of one host log one after another. */
struct pl_host_log_reader {
    const struct pl_host_log *log;
    size_t next; /* index of the path to open next */
    struct pl_reader *reader;
    uint64_t bytes_before; /* bytes of files already finished */
    bool follow, names_only;
    bool others; /* the current session is another host's */
    /* the session that continues in another segment; 0: none */
    uint64_t rotated;
    /* steady clock: since when that segment was not found; 0: not searched */
    int64_t alone_since;
    /* segments started since the log was opened; the last one is being read */
    char **followed;
    size_t num_followed, cap_followed;
};

/*
 * True for an item of another host whose sessions are in file 'k', too; *others is
 * kept from item to item, at first false.  The rest of such a session is skipped.
 */
bool pl_host_log_is_of_others(const struct pl_host_log *log, size_t k,
                              struct pl_reader *r, const struct pl_item *item,
                              bool *others);

/* Files that no longer exist are skipped, except the last. */
enum pl_status pl_host_log_start(struct pl_host_log_reader *r,
                                 const struct pl_host_log *log,
                                 const struct pl_reader_options *options);
/*
 * The same from the last file on that begins no later than 'utc_ns': the one that
 * holds what was recorded then, unless a clock was set back after it.  From there to
 * the log's end is all that was recorded since 'utc_ns' without such a step.
 */
enum pl_status pl_host_log_start_at(struct pl_host_log_reader *r,
                                    const struct pl_host_log *log,
                                    const struct pl_reader_options *options,
                                    int64_t utc_ns);
/*
 * The same from the last file on that may be needed for what was recorded after
 * 'utc_ns' and for the sample before that, whatever the clock did.
 */
enum pl_status pl_host_log_start_after(struct pl_host_log_reader *r,
                                       const struct pl_host_log *log,
                                       const struct pl_reader_options *options,
                                       int64_t utc_ns);
void pl_host_log_stop(struct pl_host_log_reader *r);

/*
 * True if it is certain that no row after the position has a time up to
 * 'row_ns', neither in this file nor in later ones, although clocks may step
 * back.  'interval_ns' is that of the session being read.  It takes far less
 * than reading.
 */
bool pl_host_log_is_past(struct pl_host_log_reader *r, int64_t row_ns,
                         uint64_t interval_ns);
/* The same of this file alone, whatever later ones hold. */
bool pl_host_log_file_is_past(struct pl_host_log_reader *r, int64_t row_ns,
                              uint64_t interval_ns);

/*
 * The next item of the host log; its file is pl_host_log_path.  A reader that
 * follows continues into segments started later, until the recording has ended
 * or its next segment does not appear for two seconds.
 */
enum pl_status pl_host_log_next(struct pl_host_log_reader *r,
                                struct pl_item *item);
const char *pl_host_log_path(const struct pl_host_log_reader *r);

/* Hash of the list of counters of that file; 0: it is a .plog. */
uint64_t pl_host_log_list_hash(const struct pl_host_log_reader *r);

/*
 * The files in which something occurred: the first one, and whether there are
 * others.
 */
struct pl_places {
    /* NULL: none; valid as long as the host log's, or its reader's */
    const char *path;
    bool others;
};

/* Note that it occurred in the file being read. */
void pl_places_note(struct pl_places *p, const struct pl_host_log_reader *r);

/* The text after the path in a message: "", or that there are others. */
const char *pl_places_rest(const struct pl_places *p);

#endif
