/*                                                     analyze/moment/top.h
 * The layout of 'perflog top': a page for each host.  Three hosts or more are
 * compared first, and of more than three the most unlike have a page.
 */
#ifndef PL_ANALYZE_MOMENT_TOP_H
#define PL_ANALYZE_MOMENT_TOP_H

#include "analyze/moment/moment.h"
#include "analyze/query/query.h"

struct pl_top_plan {
    struct pl_query_plan query; /* the first member */
    const struct pl_moment_sort *sort;
    struct pl_moment_sort named; /* a counter that the user named */
    uint64_t rows;               /* processes; 0: as many as fit */
};

extern const struct pl_layout pl_layout_top;

/*
 * Choose the counters of a page, and that to sort by; 'sort' NULL: none of
 * processes.  PL_NOMEM; PL_USAGE: it is the name of no counter.
 */
enum pl_status pl_top_choose(const struct pl_moment_sort *sort,
                             struct pl_counter_path_list *list);

#endif
