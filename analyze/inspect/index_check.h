/*                                            analyze/inspect/index_check.h
 * Whether the indexes of a log tell the truth about the samples before them.
 * A seek cannot see that without reading what it wants to skip; who reads all
 * can.
 */
#ifndef PL_ANALYZE_INSPECT_INDEX_CHECK_H
#define PL_ANALYZE_INSPECT_INDEX_CHECK_H

#include "format/log/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is a fresh start, for each file. */
struct pl_index_check {
    struct pl_index_seen {
        uint64_t at;    /* where an index stands */
        int64_t newest; /* of the samples between it and the one before */
    } * seen;
    size_t num, cap;
    int64_t newest; /* of the samples since, if there are any */
    bool any;
};

/*
 * Take the next item.  *hides: it is an index that a seek would use, and calls
 * samples before it older than they are.  PL_NOMEM.
 */
enum pl_status pl_index_check(struct pl_index_check *c,
                              const struct pl_item *item, bool *hides);

/* Another file begins. */
void pl_index_check_restart(struct pl_index_check *c);
void pl_index_check_release(struct pl_index_check *c);

#endif
