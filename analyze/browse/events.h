/*                                                   analyze/browse/events.h
 * What is worth going to in a log: peaks, gaps, damage, notes, and where a
 * recording began.  One pass over the log finds all of them, in pieces.
 *
 * A peak is a run of values that are at least as great as 98 % of the log's, at
 * least half as great again as its median, and at least what the table of vitals
 * says; its place is the run's greatest value.  A long log is read by its key
 * samples alone, about one a minute: a value is then the mean up to the next
 * key.  Its sample is looked for when one goes there.
 */
#ifndef PL_ANALYZE_BROWSE_EVENTS_H
#define PL_ANALYZE_BROWSE_EVENTS_H

#include "analyze/browse/page_reader.h"
#include "analyze/browse/vitals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_event_kind {
    PL_EVENT_PEAK,
    PL_EVENT_GAP, /* at the first sample after it */
    PL_EVENT_DAMAGE,
    PL_EVENT_BEGINS, /* the first sample of a recording */
    PL_EVENT_NOTE,
    PL_EVENT_DAMAGED_END, /* just after the last sample */
};

struct pl_event {
    int64_t time_ns;
    int64_t from_ns; /* PEAK: it is after this; GAP: the last sample before */
    enum pl_event_kind kind;
    size_t vital;        /* PEAK */
    float value, median; /* PEAK */
    /* of the sample at it, where a .plog has it; session 0: not known */
    struct pl_page_place place;
};

struct pl_events {
    struct pl_page_reader reader;
    bool is_open, done;
    int64_t first_ns, last_ns; /* of the log */
    struct pl_event *events;   /* by time, when done */
    size_t num, cap;
    struct pl_event_value {
        int64_t time_ns, from_ns;
        float values[PL_PAGE_VITALS];
    } * values;
    size_t num_values, cap_values;
    /* of the last item */
    int64_t sample_ns;
    bool any, begins, damaged, noted, failed;
};

/* Begin; the log outlives it.  'samples': about how many it has.  PL_NOMEM. */
enum pl_status pl_events_open(struct pl_events *e,
                              const struct pl_host_log *log, uint64_t max_block,
                              int64_t first_ns, int64_t last_ns,
                              uint64_t samples);
void pl_events_close(struct pl_events *e);

/* Read on for some milliseconds, until e->done.  PL_NOMEM, PL_IO. */
enum pl_status pl_events_read(struct pl_events *e);

/* How far it is, in percent. */
int pl_events_percent(const struct pl_events *e);

/*
 * The next event after a time (direction 1), or the last before; NULL: none.
 */
const struct pl_event *pl_events_find(const struct pl_events *e,
                                      int64_t time_ns, int direction);

#endif
