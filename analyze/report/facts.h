/*                                                   analyze/report/facts.h
 * The facts of a recording in a report, besides values: what recorded it and at
 * which cost, and where on the time axis samples are missing and why.
 */
#ifndef PL_ANALYZE_REPORT_FACTS_H
#define PL_ANALYZE_REPORT_FACTS_H

#include "analyze/output/progress.h"
#include "analyze/series/series_filter.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/input/host_log.h"
#include "format/payload/payloads.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MARKS_MOST = 4096 };

enum pl_chart_mark_kind {
    PL_MARK_DAMAGED, /* bytes that cannot be used */
    PL_MARK_MISSING, /* samples not taken, not written, or in missing files */
    PL_MARK_OFF,     /* between two runs of the recorder */
    PL_MARK_STEP,    /* the wall clock was set */
    PL_MARK_NOTE,
    PL_NUM_MARK_KINDS
};

/* Of PL_MARK_OFF, as bits of the cause. */
enum { PL_OFF_REBOOTED = 1, PL_OFF_NOT_ENDED = 2 };

/*
 * A stretch of time, or several that are too close to be distinguished in a
 * chart.
 */
struct pl_chart_mark {
    enum pl_chart_mark_kind kind;
    uint32_t cause; /* MISSING: enum pl_gap_cause; OFF: see above; STEP, NOTE:
                     * enum pl_note_kind */
    int64_t from_ns, to_ns;
    bool
        from_unknown; /* no time is known before to_ns, which from_ns is, too */
    uint64_t samples; /* samples lost; 0: not known */
    uint32_t times;   /* number of events joined */
    char *text;       /* STEP, NOTE: safe for display; else NULL */
};

struct pl_facts {
    /* set by the caller, the rest zero */
    struct pl_time_range window; /* marks outside are left out */
    /* marks of one kind at most this far apart become one */
    uint64_t near_ns;

    struct pl_log_counts tally;
    char *host, *os, *architecture, *tool, *process_path; /* safe for display */
    uint32_t num_cpus;
    uint64_t bytes;
    uint64_t reboots;
    bool live;
    struct pl_chart_mark *marks; /* by kind, then by time */
    size_t num_marks, cap_marks;
    uint64_t marks_left_out;
};

/*
 * Read a host log from end to end.  Errors as pl_host_log_start; must be
 * released in any case.
 */
enum pl_status pl_facts_gather(struct pl_facts *f,
                               const struct pl_host_log *log,
                               struct pl_progress *progress);
void pl_facts_release(struct pl_facts *f);

/* A text about a mark, never NULL. */
const char *pl_chart_mark_text(const struct pl_chart_mark *m);

#endif
