/*                                                    analyze/query/parts.h
 * The rows of a query that several threads make: the time range is cut into
 * parts, each thread replays every other part with readers and a registry of its
 * own and writes its rows to memory, and the parts are written one after
 * another.  The bytes are those that one thread writes:
 *
 * - A part ends where it is certain that all rows up to that time come before
 *   all later ones, although clocks may step back.
 * - What one row leaves to the next, the sample before a part has: it is the
 *   older one of its first pair, and its series count as present.
 * - A part in which anything is unusual is thrown away: damage, a series without
 *   a column, another host, parts that overlap, an error.  From there on one
 *   thread does all, and reports it.
 *
 * Memory is at most a few times PL_PART_BYTES for each thread, whatever the log.
 */
#ifndef PL_ANALYZE_QUERY_PARTS_H
#define PL_ANALYZE_QUERY_PARTS_H

#include "analyze/query/query.h"

enum {
    PL_PART_BYTES = 8 << 20, /* of rows that a thread makes before it waits */
    PL_PART_ROWS = 64,       /* in a part, at least: each takes a beginning */
    PL_MAX_JOBS = 256,
};

/* What a layout does in each thread, with a query and a state of its own. */
struct pl_part_layout {
    size_t size; /* of that state, all zero at first */
    /* the layout's own state, to begin from; not changed by any thread */
    const void *whole;
    /*
     * 'part' has a registry that is a copy of the whole query's, and a csv in
     * memory.  PL_NOMEM.
     */
    enum pl_status (*begin)(struct pl_query *part, void *state,
                            const void *whole);
    void (*release)(void *state);
    /* false: rows had something that only the whole layout can add */
    bool (*is_whole)(const void *state); /* NULL: they never have */
    enum pl_status (*take)(struct pl_query *part, void *state,
                           const struct pl_row *row);
    enum pl_status (*end)(struct pl_query *part, void *state, int64_t time_ns);
};

/*
 * As pl_query_rows, after pl_query_begin: with plan->jobs threads where this is
 * possible, that is for rows of logs that are complete files, without stages
 * between them and the layout, written to e->csv.  e->last_ns is the time at
 * which they are expected to end.
 */
enum pl_status pl_query_rows_by_parts(struct pl_query *e,
                                      const struct pl_rows *to,
                                      const struct pl_part_layout *layout);

#endif
