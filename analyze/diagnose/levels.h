/*                                                analyze/diagnose/levels.h
 * The first pass of 'perflog diagnose': of each series that a rule is about,
 * one value (a level) for each slice of the log.  A slice is ten samples long, or
 * ten seconds where the first samples have no interval.
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
    PL_SLICES_MOST = 1 << 20, /* of a log */
};

/* Levels are kept from the limit on, divided by this or the rule's factor. */
#define PL_LEVEL_KEPT 3.0

struct pl_slice_level {
    uint32_t slice;
    float value;
};

struct pl_level_series {
    const struct pl_rule *rule;
    const struct pl_host *host;
    const char *object, *counter;
    char *instance; /* NULL: the object has none */
    uint64_t hash;  /* of these names */
    uint32_t next;  /* another rule's series of this counter, from 1; 0: none */
    struct pl_slice_level *levels; /* those kept, ascending by slice */
    size_t num, cap;
    uint32_t slices;        /* in which it had a value */
    struct pl_level_slice { /* the current one */
        uint32_t slice;
        bool any;
        double sum, seconds, max, min;
    } now;
};

/* All zero but 'rules' is empty. */
struct pl_levels {
    const struct pl_rules *rules;
    struct pl_level_series *series;
    size_t num, cap;
    size_t kept;         /* levels of all series */
    bool begun, several; /* logs, one after the other */
    int64_t begin_ns;    /* of slice 0 */
    uint64_t length_ns;  /* of a slice */
    uint32_t last;       /* the last slice */
    uint32_t newest;     /* the last one of the log that is being read */
    /* hash table of 'series', numbers from 1; half empty */
    uint32_t *table;
    size_t table_size;
};

/*
 * Rows of another log follow, which may be of the same time: before the first
 * row of several logs, 'earliest_ns' is when the first of them begins.
 */
void pl_levels_next_log(struct pl_levels *l, int64_t earliest_ns);

/* Add a row; those with PL_CELL_ABSENT show that a series ended.  PL_NOMEM. */
enum pl_status pl_levels_add(struct pl_levels *l, const struct pl_row *row);

/* After the last row.  PL_NOMEM. */
enum pl_status pl_levels_end(struct pl_levels *l);
void pl_levels_release(struct pl_levels *l);

/* The instant at which a slice begins, and the one before it ends. */
int64_t pl_levels_time(const struct pl_levels *l, uint32_t slice);

/* True if a level is as bad as the rule's limit. */
static inline bool pl_rule_is_met(const struct pl_rule *r, double level)
{
    return r->below ? level <= r->limit : level >= r->limit;
}

#endif
