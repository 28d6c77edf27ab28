/*                                            analyze/inspect/index_check.h
 * Checks the indexes of a log against the samples before them.  A seek cannot
 * do that without reading what it wants to skip; a reader of the complete log
 * can.
 */
#ifndef PL_ANALYZE_INSPECT_INDEX_CHECK_H
#define PL_ANALYZE_INSPECT_INDEX_CHECK_H

#include "format/reader/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_INDEX_SPANS = 128 }; /* twice the chunks of this writer's indexes */

/* All zero is a valid initial state, for each file. */
struct pl_index_check {
    /* What was sampled since the last index: a span is a chunk or, where there
     * are more chunks than spans, several. */
    struct pl_index_span {
        uint64_t at, last_at; /* offsets of the first and the last sample */
        int64_t utc_first, utc_last; /* their earliest and latest time */
    } spans[PL_INDEX_SPANS];
    size_t num;
    uint64_t last_index; /* its offset; 0: none yet */
};

/*
 * Take the next item.  False: it is an index that a seek would use, and of
 * some sample since the previous one it states another time than its chunk's,
 * or no chunk; or it leads past the previous one.
 */
bool pl_index_check(struct pl_index_check *c, const struct pl_item *item);

/* Begin another file. */
void pl_index_check_restart(struct pl_index_check *c);

#endif
