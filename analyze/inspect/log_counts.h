/*                                             analyze/inspect/log_counts.h
 * What there is in a log, counted item by item as it is read: for info and
 * verify.
 */
#ifndef PL_ANALYZE_INSPECT_LOG_COUNTS_H
#define PL_ANALYZE_INSPECT_LOG_COUNTS_H

#include "format/cli/message.h"
#include "format/log/reader.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_LEFT_OUT_USERS = 4 };

struct pl_log_counts {
    uint64_t records; /* whole and proven */
    uint64_t samples, sessions;
    uint64_t raw_bytes;          /* of the samples' blocks */
    int64_t first_utc, last_utc; /* of samples; 0 if there is none */
    uint64_t interval_ns;        /* of the last session */

    uint64_t damaged_ranges, damaged_bytes;
    uint64_t interrupted;    /* records cut by a kill */
    uint64_t unreachable;    /* samples whose reference is lost */
    uint64_t malformed;      /* samples of which a part does not add up */
    struct pl_misfit misfit; /* of the last sample; reason NULL: it adds up */
    uint64_t too_new;
    uint64_t missing_records;           /* holes in the numbering of a file */
    uint64_t missing_between_files;     /* segments that are not here */
    uint64_t missed[PL_NUM_GAP_CAUSES]; /* deadlines, by cause; 0: others */
    uint64_t clock_steps;
    uint64_t left_out; /* notes that a limit kept out published counters */
    uint32_t left_out_users[PL_LEFT_OUT_USERS]; /* of whom, the first few */
    size_t num_left_out_users;

    bool ended;   /* the last session has its end */
    bool rotated; /* the last segment has, and another was begun */
    uint32_t end_reason;
    uint64_t cpu_100ns; /* the recorder's own, all sessions */
    uint64_t session_cpu_100ns;
};

/* Count one item that 'r' has given out. */
void pl_log_counts_add(struct pl_log_counts *t, const struct pl_reader *r,
                       const struct pl_item *item);

/* The exit status all this asks for. */
enum pl_exit pl_log_counts_exit(const struct pl_log_counts *t);

/*
 * "2 damaged ranges (840 bytes), 57 samples unreachable ...": all that keeps
 * that from being good.  Returns 'out'.
 */
enum { PL_HEALTH_TEXT = 256 };
const char *pl_log_counts_health(const struct pl_log_counts *t,
                                 char out[PL_HEALTH_TEXT]);

/*
 * "user 65534 (12 notes)": whose counters limits kept out, which is no damage.
 * NULL: nobody's.  Returns 'out'.
 */
const char *pl_log_counts_left_out(const struct pl_log_counts *t,
                                   char out[PL_HEALTH_TEXT]);

/* Deadlines at which no sample was written, of all causes. */
uint64_t pl_log_counts_missed(const struct pl_log_counts *t);

/* True if the machine was started between sessions with these boot ids. */
bool pl_is_reboot(const uint8_t before[PL_BOOT_ID_LEN],
                  const uint8_t since[PL_BOOT_ID_LEN]);

/* CPU time of the recorder up to the last sample, 0 if it did not say. */
uint64_t pl_log_counts_cpu_100ns(const struct pl_log_counts *t);

/* "asked", "interrupted" …: why a session ended. */
const char *pl_end_reason_text(uint32_t reason);

#endif
