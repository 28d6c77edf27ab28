/*                                                  analyze/query/regroup.h
 * Processes summed up by what they have in common: a stage that rows with
 * steps go through before windows are made of them.  In each row the
 * processes of one key become one instance called after it.
 *
 * What can be summed is: rates and timers, and what the log has a rule of sums
 * for, such as sizes (see enum pl_total_rule).  Of all else there is nothing.
 * _Total, and what is no process, stays as it is.
 */
#ifndef PL_ANALYZE_QUERY_REGROUP_H
#define PL_ANALYZE_QUERY_REGROUP_H

#include "analyze/replay/replay.h"
#include "analyze/replay/series_registry.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* By what: one of a table, to be added to there. */
struct pl_regroup_key;

/* "name", "parent"; NULL: there is no such key. */
const struct pl_regroup_key *pl_regroup_key(const char *name);

/*
 * The counters of processes that the key is found by, ending with NULL: they
 * must be in the rows, wanted or not.
 */
const char *const *pl_regroup_counters(const struct pl_regroup_key *k);

struct pl_regroup_sums; /* those of one key, in the row under way */

/* Set 'key', 'registry' and 'calc'; all zero else is empty. */
struct pl_regroup {
    const struct pl_regroup_key *key;
    struct pl_registry *registry;
    struct pl_calc_options calc;
    /* the row that comes out */
    struct pl_cell_at *cells;
    size_t num_cells, cap_cells;
    struct pl_step_at *steps;
    size_t cap_steps;
    /* scratch */
    struct pl_regroup_sums *sums; /* by pl_group.gathered */
    size_t num_sums, cap_sums;
    struct pl_regroup_number { /* of the row's processes, sorted */
        uint64_t id;
        const struct pl_group *group;
    } * numbers;
    size_t num_numbers, cap_numbers;
    struct pl_buf text; /* of a key */
};

/*
 * Replace the cells of 'row', which must have steps; they are valid until the
 * next call.  The groups that were summed up have pl_group.other set to the one
 * that they are in.  PL_NOMEM.
 */
enum pl_status pl_regroup_row(struct pl_regroup *r, struct pl_row *row);

void pl_regroup_release(struct pl_regroup *r);

#endif
