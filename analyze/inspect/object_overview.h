/*                                         analyze/inspect/object_overview.h
 * The overview that list begins with: of each object how many instances,
 * counters and rows there are, in all of a log.
 */
#ifndef PL_ANALYZE_INSPECT_OBJECT_OVERVIEW_H
#define PL_ANALYZE_INSPECT_OBJECT_OVERVIEW_H

#include "analyze/inspect/object_counts.h"
#include "analyze/output/json.h"
#include "analyze/series/series_registry.h"

#include <stddef.h>

struct pl_object_overview {
    const struct pl_object_names *object;
    size_t instances; /* names seen; a calculated _Total is none */
    bool has_instances;
    size_t counters, series; /* of those that are listed */
    uint64_t rows;           /* samples that hold the object */
};

/*
 * Make *out, *num entries in the order of 'groups', which are those of
 * pl_registry_columns; to be freed.  'counts' NULL: rows are not known.
 * PL_NOMEM.
 */
enum pl_status pl_object_overview(struct pl_object_overview **out, size_t *num,
                                  const struct pl_registry *r,
                                  struct pl_group *const *groups,
                                  size_t num_groups,
                                  const struct pl_object_counts *counts);

/*
 * Print them as aligned lines, with a line of sums; 'rows': they are known.
 * PL_NOMEM: nothing was printed.
 */
enum pl_status pl_object_overview_print(const struct pl_object_overview *list,
                                        size_t num, bool rows);

/* As a JSON array. */
void pl_object_overview_json(const struct pl_object_overview *list, size_t num,
                             bool rows, struct pl_json *j);

#endif
