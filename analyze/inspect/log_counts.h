/*                                             analyze/inspect/log_counts.h
 * Counts the contents of a log, item by item as it is read: for info and
 * verify.
 */
#ifndef PL_ANALYZE_INSPECT_LOG_COUNTS_H
#define PL_ANALYZE_INSPECT_LOG_COUNTS_H

#include "format/cli/message.h"
#include "format/reader/reader.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_LEFT_OUT_USERS = 4 };

struct pl_log_counts {
    uint64_t records; /* complete records with a good checksum */
    uint64_t samples, sessions;
    uint64_t unread;             /* of these samples, see pl_reader_brief */
    uint64_t raw_bytes;          /* bytes of the samples' blocks */
    int64_t first_utc, last_utc; /* of samples; 0: there is none */
    uint64_t interval_ns;        /* of the last session */

    uint64_t damaged_ranges, damaged_bytes;
    uint64_t damaged_samples; /* in these, as far as they can be counted */
    uint64_t interrupted;     /* records cut by a kill */
    uint64_t unreachable;     /* samples whose reference is lost */
    uint64_t malformed;       /* samples with an inconsistent part */
    /* of the last sample; reason NULL: it is consistent */
    struct pl_misfit misfit;
    uint64_t too_new;
    /* gaps in the record numbers of a file */
    uint64_t missing_records;
    uint64_t missing_between_files; /* records of missing segments */
    /* missed deadlines, by the cause shown; 0: others */
    uint64_t missed[PL_NUM_SHOWN_CAUSES];
    uint64_t clock_steps;
    /* notes that published counters were left out by a limit */
    uint64_t left_out;
    /* the users concerned, the first few */
    uint32_t left_out_users[PL_LEFT_OUT_USERS];
    size_t num_left_out_users;

    bool ended;   /* the last session has its end */
    bool rotated; /* the last segment ended, and another was begun */
    uint32_t end_reason;
    uint64_t cpu_100ns; /* CPU time of the recorder, all sessions */
    uint64_t session_cpu_100ns;
    uint64_t first_cpu_100ns; /* of it, before the first sample of each */
    uint64_t start_cpu_100ns; /* of it, with the first sample of each */
    uint64_t start_samples;   /* those whose own cost is not in the rest */
    uint64_t second;          /* sample of the session, counted as 'samples' */
};

/* Count one item that 'r' returned. */
void pl_log_counts_add(struct pl_log_counts *t, const struct pl_reader *r,
                       const struct pl_item *item);

/* The exit status for these counts. */
enum pl_exit pl_log_counts_exit(const struct pl_log_counts *t);

/*
 * "2 damaged ranges (840 bytes), 57 samples unreachable ...": everything that
 * is wrong with the log.  Returns 'out'.
 */
enum { PL_HEALTH_TEXT = 256 };
const char *pl_log_counts_health(const struct pl_log_counts *t,
                                 char out[PL_HEALTH_TEXT]);

/*
 * "user 65534 (12 notes)": whose counters limits left out, which is not damage.
 * NULL: none.  Returns 'out'.
 */
const char *pl_log_counts_left_out(const struct pl_log_counts *t,
                                   char out[PL_HEALTH_TEXT]);

/*
 * "9 samples lost (2 late, 7 disk full)": deadlines at which no sample was
 * written, by cause.  NULL: none.  Returns 'out'.
 */
enum { PL_LOST_TEXT = 512 };
const char *pl_log_counts_lost(const struct pl_log_counts *t,
                               char out[PL_LOST_TEXT]);

/* Deadlines at which no sample was written, of all causes. */
uint64_t pl_log_counts_missed(const struct pl_log_counts *t);

/* True if the machine was booted between sessions with these boot ids. */
bool pl_is_reboot(const uint8_t before[PL_BOOT_ID_LEN],
                  const uint8_t since[PL_BOOT_ID_LEN]);

/* CPU time of the recorder up to the last sample, 0 if it is not recorded. */
uint64_t pl_log_counts_cpu_100ns(const struct pl_log_counts *t);

/*
 * The same before the first sample of each session: what it takes to start, and
 * what is not here where a log begins later than its session.
 */
uint64_t pl_log_counts_first_cpu_100ns(const struct pl_log_counts *t);

/* The same with the first sample of each, which reads who every process is, as
 * far as there is a second, which has that; record's last line has it likewise. */
uint64_t pl_log_counts_start_cpu_100ns(const struct pl_log_counts *t);

/*
 * CPU time of a sample in ms, without that.  NAN: it is not recorded, or less
 * than at first, or there are no others.
 */
double pl_log_counts_sample_ms(const struct pl_log_counts *t);

/*
 * "0.80 ms CPU a sample, 0.031 s to start, with the first, 0.512 s in all": what
 * recording cost.  NULL: it is not recorded, or less than at first.  Returns 'out'.
 */
enum { PL_COST_TEXT = 120 };
const char *pl_log_counts_cost(const struct pl_log_counts *t,
                               char out[PL_COST_TEXT]);

/* "asked", "interrupted" …: why a session ended. */
const char *pl_end_reason_text(uint32_t reason);

#endif
