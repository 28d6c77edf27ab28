/*                                            analyze/inspect/log_summary.h
 * A summary of one host's log for 'info': who recorded it, its counts, its
 * objects, and its events.  An event is a loss, a gap, a further session, a
 * step of the clock or a note.  The most important ones are kept, all are
 * counted, and equal notes about publishers are one event with a number.
 */
#ifndef PL_ANALYZE_INSPECT_LOG_SUMMARY_H
#define PL_ANALYZE_INSPECT_LOG_SUMMARY_H

#include "analyze/input/host_log.h"
#include "analyze/inspect/damage_summary.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/inspect/object_counts.h"
#include "analyze/output/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* events shown, the most important ones; all are counted */
    PL_MAX_EVENTS = 20,
    PL_MAX_EVENTS_KEPT = 256, /* from which these are selected */
};

/* The most important first. */
enum pl_log_event_weight {
    PL_EVENT_DAMAGE,
    PL_EVENT_LOST,
    PL_EVENT_NOT_TAKEN,
    PL_EVENT_SESSION,
    PL_EVENT_CLOCK,
    PL_EVENT_LEFT_OUT,
    PL_EVENT_NOTE,
    PL_EVENT_PUBLISHER
};

struct pl_log_event {
    enum pl_log_event_weight weight;
    int64_t utc_ns;   /* of the first, */
    int64_t until_ns; /* and of the last of those that are one event */
    bool timed;       /* both are known */
    uint64_t times;
    uint64_t order;   /* of the first in the log, whatever its clock said */
    const char *kind; /* for programs */
    char *text;
};

/* Texts are UTF-8 without control characters; NULL: not known. */
struct pl_log_summary {
    const struct pl_host_log *log; /* set by the caller, the rest is 0 */
    struct pl_log_counts counts;
    struct pl_object_counts objects;
    /* of the last session */
    char *host, *os, *architecture, *tool, *zone, *process_path;
    char *process_reason;
    uint32_t num_cpus;
    uint64_t bytes;
    const struct pl_foreign *foreign; /* another format; NULL: a .plog */
    bool live;
    bool imported; /* the last session: its blocks were imported */
    struct pl_log_event events[PL_MAX_EVENTS_KEPT];
    size_t num_events, all_events;
    uint64_t reboots;

    /* while it is gathered */
    struct pl_damage_summary losses;
    uint64_t session; /* current session; 0: none yet */
    uint8_t boot_id[PL_BOOT_ID_LEN];
    /* its start, until its first sample gives a better time */
    int64_t begun_ns;
    /* the text to report it with; NULL: reported, or the first session */
    const char *begun;
    bool oom; /* a text is missing */
};

/*
 * Read the log as far as counting needs it (pl_reader_brief).  Times in
 * texts are in the zone of pl_zone_set.  PL_OK, PL_NOMEM, or why it cannot be
 * read; to be released in any case.
 */
enum pl_status pl_log_summary_gather(struct pl_log_summary *a,
                                     struct pl_progress *progress);
void pl_log_summary_release(struct pl_log_summary *a);

#endif
