/*                                                analyze/diagnose/levels.h
 * The first pass of 'perflog diagnose': of each series that a rule is about,
 * one value (a level) for each slice of the log.  A slice is ten samples long,
 * or ten seconds where they have no interval.
 *
 * What follows may be of another host, or of another interval, or after a clock
 * was set from 1970 to today: it is cut into slices of its own then, which are
 * counted from 0 again, and has series of its own.
 *
 * Levels far from the rule's limit are only counted, so memory grows with what
 * is remarkable in a log; it is bounded by making all slices twice as long when
 * there are too many.  Of two slices that become one the level nearer to a
 * finding is kept (of counts: the sum).
 */
#ifndef PL_ANALYZE_DIAGNOSE_LEVELS_H
#define PL_ANALYZE_DIAGNOSE_LEVELS_H

#include "analyze/diagnose/rules.h"
#include "analyze/replay/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_LEVELS_MOST = 1 << 19, /* kept, of all series */
    PL_SLICES_MOST = 1 << 20, /* of one slicing */
    PL_SLICINGS_MOST = 16,    /* of a host */
    PL_EPISODE_GAP = 2, /* slices of an episode that do not meet its rule */
};

/* Levels are kept from the limit on, divided by this or the rule's factor. */
#define PL_LEVEL_KEPT 3.0

struct pl_slice_level {
    uint32_t slice;
    uint32_t number; /* the slice's, without those that pairs leave empty */
    float value;
};

/* How rows of a host are cut into slices. */
struct pl_slicing {
    struct pl_slicing *next; /* made before this one */
    const struct pl_host *host;
    int64_t begin_ns;   /* of slice 0 */
    uint64_t length_ns; /* of a slice */
    uint64_t chosen_ns; /* the length before slices were doubled */
    uint32_t newest;    /* the last slice */
    uint32_t number;    /* its number, as in struct pl_slice_level */
    uint64_t pair_ns;   /* length of the last pair */
};

struct pl_level_series {
    const struct pl_rule *rule;
    const struct pl_slicing *slicing;
    const struct pl_host *host;
    const char *object, *counter;
    char *instance; /* NULL: the object has none */
    uint64_t hash;  /* of these names */
    uint32_t next;  /* another rule's series of this counter, from 1; 0: none */
    struct pl_slice_level *levels; /* those kept, ascending by slice */
    size_t num, cap;
    uint32_t slices;        /* in which it had a value */
    struct pl_level_slice { /* the current one */
        uint32_t slice, number;
        bool any;
        double sum, seconds, max, min;
    } now;
};

/* All zero but 'rules' is empty. */
struct pl_levels {
    const struct pl_rules *rules;
    struct pl_level_series *series;
    size_t num, cap;
    size_t kept; /* levels of all series */
    struct pl_slicing *slicings, *now;
    bool aligned;
    int64_t align_ns; /* an instant at which slices begin */
    /* hash table of 'series', numbers from 1; half empty */
    uint32_t *table;
    size_t table_size;
};

/*
 * Before the first row of several hosts, one after the other: where the earliest
 * of them begins, so that slices of one length begin at the same instants.
 */
void pl_levels_align(struct pl_levels *l, int64_t earliest_ns);

/* Add a row; those with PL_CELL_ABSENT show that a series ended.  PL_NOMEM. */
enum pl_status pl_levels_add(struct pl_levels *l, const struct pl_row *row);

/* After the last row.  PL_NOMEM. */
enum pl_status pl_levels_end(struct pl_levels *l);
void pl_levels_release(struct pl_levels *l);

/* The instant at which a slice begins, and the one before it ends. */
int64_t pl_slice_time(const struct pl_slicing *c, uint32_t slice);

/* True if a level is as bad as the rule's limit. */
static inline bool pl_rule_is_met(const struct pl_rule *r, double level)
{
    return r->below ? level <= r->limit : level >= r->limit;
}

#endif
