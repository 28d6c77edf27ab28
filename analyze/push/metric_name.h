/*                                                analyze/push/metric_name.h
 * Names of metrics as Prometheus and its kin take them:
 * perflog_<object>_<counter>_<unit>, of lower-case letters, digits and
 * underscores.  A name belongs to one counter of one object only; where two
 * would get the same, the later one ends in a hash of what it is called.
 */
#ifndef PL_ANALYZE_PUSH_METRIC_NAME_H
#define PL_ANALYZE_PUSH_METRIC_NAME_H

#include "analyze/series/series_registry.h"
#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct pl_metric_names { /* all zero at first */
    struct pl_object_metrics {
        char **names; /* by slot; NULL: not needed so far */
        uint32_t num;
        size_t cap;
    } * objects; /* by rank */
    size_t num_objects, cap_objects;
    const char **taken; /* hash table of all names; NULL: free */
    size_t num_taken, cap_taken;
    struct pl_buf text;
};

/* The name of a counter, valid until release; NULL: out of memory. */
const char *pl_metric_name(struct pl_metric_names *m,
                           const struct pl_object_names *o, uint32_t slot);
void pl_metric_names_release(struct pl_metric_names *m);

/*
 * Append the name that a counter has when nothing else has it, without a NUL.
 */
void pl_metric_name_put(struct pl_buf *b, const char *object,
                        const char *counter);

#endif
