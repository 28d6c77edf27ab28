/*                                                analyze/diagnose/levels.h
 * The first pass of 'perflog diagnose': of each series that a rule is about,
 * one value (a level) for each slice of the log.  What is cut apart (slicing.h)
 * has series of its own.
 *
 * Levels far from the rule's limit are only counted, so memory grows with what
 * is remarkable in a log; it is bounded by making all slices twice as long when
 * there are too many.  Of two slices that become one the level nearer to a
 * finding is kept (of counts: the sum).
 */
#ifndef PL_ANALYZE_DIAGNOSE_LEVELS_H
#define PL_ANALYZE_DIAGNOSE_LEVELS_H

#include "analyze/diagnose/rules.h"
#include "analyze/diagnose/slicing.h"
#include "analyze/replay/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_LEVELS_MOST = 1 << 19, /* kept, of all series */
};

/* Levels are kept from the limit on, divided by this or the rule's factor. */
#define PL_LEVEL_KEPT 3.0

struct pl_slice_level {
    uint32_t slice;
    uint32_t number; /* the slice's, without those that pairs leave empty */
    float value;
};

struct pl_level_series {
    const struct pl_rule *rule;
    const struct pl_slicing *slicing;
    const struct pl_host *host;
    const char *object, *counter;
    char *instance; /* NULL: the object has none */
    uint64_t hash;  /* of these names */
    uint32_t next;  /* another rule's series of this counter, from 1; 0: none */
    /* the same in another slicing; the last one has the first: a ring of
     * numbers from 1 */
    uint32_t twin;
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
    struct pl_slicings slicings;
    /* hash table of 'series', numbers from 1; half empty */
    uint32_t *table;
    size_t table_size;
};

/* Add a row; those with PL_CELL_ABSENT show that a series ended.  PL_NOMEM. */
enum pl_status pl_levels_add(struct pl_levels *l, const struct pl_row *row);

/* After the last row.  PL_NOMEM. */
enum pl_status pl_levels_end(struct pl_levels *l);
void pl_levels_release(struct pl_levels *l);

/* True if a level is as bad as the rule's limit. */
static inline bool pl_rule_is_met(const struct pl_rule *r, double level)
{
    return r->below ? level <= r->limit : level >= r->limit;
}

#endif
