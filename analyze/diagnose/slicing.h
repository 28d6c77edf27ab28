/*                                               analyze/diagnose/slicing.h
 * How rows are cut into slices, the unit of time of 'perflog diagnose'.  A slice
 * is ten samples long, or ten seconds where they have no interval.
 *
 * What follows may be of another host, or of a very different interval, or after
 * a clock was set back, or from 1970 to today.  It is cut apart then: another
 * slicing, whose slices are counted from 0 again, or an earlier one that it
 * continues.
 */
#ifndef PL_ANALYZE_DIAGNOSE_SLICING_H
#define PL_ANALYZE_DIAGNOSE_SLICING_H

#include "analyze/replay/replay.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PL_SLICES_MOST = 1 << 20, /* of one slicing */
    PL_SLICINGS_MOST = 16,    /* of a host */
    PL_SLICING_RUNS_MOST = 1 << 14,
    PL_EPISODE_GAP = 2, /* slices of an episode that do not meet its rule */
};

struct pl_slicing {
    struct pl_slicing *next; /* made before this one */
    const struct pl_host *host;
    int64_t begin_ns;   /* of slice 0 */
    uint64_t length_ns; /* of a slice */
    uint64_t chosen_ns; /* the length before slices were doubled */
    uint32_t newest;    /* the last slice */
    uint32_t number;    /* its number, without slices that pairs leave empty */
    uint64_t pair_ns;   /* length of the last pair */
    /*
     * It begins, or goes on, at a time before the row before: so several samples
     * of its host may have one time.
     */
    bool turned_back;
    /* It also holds rows of other times, as there was no room for a slicing. */
    bool is_mixed;
};

/* Rows, from this one on, that are of a slicing. */
struct pl_slicing_run {
    const struct pl_slicing *slicing;
    uint64_t session;
    uint32_t seq;
};

/* All zero is empty. */
struct pl_slicings {
    struct pl_slicing *latest, *now; /* 'now': of the last row */
    bool aligned;
    int64_t align_ns;            /* an instant at which slices begin */
    struct pl_slicing_run *runs; /* in the order of the rows */
    size_t num_runs, cap_runs;
};

/*
 * Before the first row of several hosts, one after the other: where the earliest
 * of them begins, so that slices of one length begin at the same instants.
 */
void pl_slicings_align(struct pl_slicings *s, int64_t earliest_ns);

/* Find or make the slicing of a row: s->now.  PL_NOMEM. */
enum pl_status pl_slicings_choose(struct pl_slicings *s,
                                  const struct pl_row *row);

/*
 * The slice of a time, 0 before the first one.  At PL_SLICES_MOST and above all
 * slices must be made longer.
 */
static inline uint64_t pl_slice_at(const struct pl_slicing *c, int64_t time_ns)
{
    return time_ns < c->begin_ns
               ? 0
               : ((uint64_t)time_ns - (uint64_t)c->begin_ns) / c->length_ns;
}

/* The slice of the row becomes the newest one, or is held to be in it. */
void pl_slicing_enter(struct pl_slicing *c, const struct pl_row *row);

/* True if no samples of the slicing's host have times that others have, too. */
bool pl_slicings_are_in_order(const struct pl_slicings *s,
                              const struct pl_slicing *c);

/*
 * True if the row, which may have been replayed again, is of the slicing.  False
 * if that is not known, as after PL_SLICING_RUNS_MOST runs.
 */
bool pl_slicings_have(const struct pl_slicings *s, const struct pl_slicing *c,
                      const struct pl_row *row);

/* The instant at which a slice begins, and the one before it ends. */
int64_t pl_slice_time(const struct pl_slicing *c, uint32_t slice);
void pl_slicings_release(struct pl_slicings *s);

#endif
