/*                                            analyze/inspect/index_check.h
 * Checks the indexes of a log against the samples before them.  A seek cannot
 * do that without reading what it wants to skip; a reader of the complete log
 * can.
 */
#ifndef PL_ANALYZE_INSPECT_INDEX_CHECK_H
#define PL_ANALYZE_INSPECT_INDEX_CHECK_H

#include "format/log/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is a valid initial state, for each file. */
struct pl_index_check {
    struct pl_index_seen {
        uint64_t at; /* offset of an index */
        /* newest time of the samples between it and the previous index */
        int64_t newest;
    } * seen;
    size_t num, cap;
    int64_t newest; /* newest time of the samples since, if there are any */
    bool any;
};

/*
 * Check the next item.  *hides: it is an index that a seek would use, and it
 * states that samples before it are older than they are.  PL_NOMEM.
 */
enum pl_status pl_index_check(struct pl_index_check *c,
                              const struct pl_item *item, bool *hides);

/* Begin another file. */
void pl_index_check_restart(struct pl_index_check *c);
void pl_index_check_release(struct pl_index_check *c);

#endif
