/*                                                  analyze/query/regroup.h
 * Sums processes with the same key: a stage for rows with steps, before windows
 * are made of them.  In each row the processes of one key become one instance
 * named after it.
 *
 * Rates and timers are summed, and counters for which the log has a rule for
 * sums, such as sizes (see enum pl_total_rule).  All other counters are left
 * out: all of a sheet, which has calculated values, unless 'keeps_sheets'.
 * _Total, and objects other than processes, stay as they are.
 */
#ifndef PL_ANALYZE_QUERY_REGROUP_H
#define PL_ANALYZE_QUERY_REGROUP_H

#include "analyze/replay/replay.h"
#include "analyze/replay/u32_map.h"
#include "analyze/series/series_registry.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The key to sum by: a row of the table in regroup.c. */
struct pl_regroup_key;

/* "name", "user", "unit", "command", "parent"; NULL: there is no such key. */
const struct pl_regroup_key *pl_regroup_key(const char *name);

/* "Program", "User", ...: the title of a column of its instances. */
const char *pl_regroup_title(const struct pl_regroup_key *k);

/*
 * The process counters that the key is calculated from, ending with NULL: they
 * must be in the rows, wanted or not.
 */
const char *const *pl_regroup_counters(const struct pl_regroup_key *k);

/* True if it needs the processes' identities (group_identity.h). */
bool pl_regroup_identifies(const struct pl_regroup_key *k);

/* True if names of such sums are command lines, long as these are. */
bool pl_regroup_is_long(const struct pl_regroup_key *k);

struct pl_regroup_sums; /* the sums of one key in the current row */

/* Set 'key', 'registry' and 'calc'; all others zero is empty. */
struct pl_regroup {
    const struct pl_regroup_key *key;
    struct pl_registry *registry;
    struct pl_calc_options calc;
    bool keeps_sheets; /* processes of a sheet stay as they are, too */
    /* there were processes so far; one had a value that can be summed */
    bool met, summed;
    /* the resulting row */
    struct pl_cell_at *cells;
    size_t num_cells, cap_cells;
    struct pl_step_at *steps;
    size_t cap_steps;
    /* scratch */
    struct pl_regroup_sums *sums; /* by pl_group.gathered */
    size_t num_sums, cap_sums;
    struct pl_regroup_number { /* numbers of the row's processes, sorted */
        uint64_t id;
        const struct pl_group *group;
    } * numbers;
    size_t num_numbers, cap_numbers;
    struct pl_u32_map *users; /* by rank of host: their numbers' names, */
    size_t num_users, cap_users;
    struct pl_buf user_names; /* which are here, each with a NUL */
    struct pl_buf text;       /* text of a key */
};

/*
 * Replace the cells of 'row', which must have steps; they are valid until the
 * next call.  The groups that were summed up have pl_group.other set to the one
 * that they were added to.  PL_NOMEM.
 */
enum pl_status pl_regroup_row(struct pl_regroup *r, struct pl_row *row);

void pl_regroup_release(struct pl_regroup *r);

#endif
