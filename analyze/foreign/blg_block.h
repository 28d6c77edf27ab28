/*                                              analyze/foreign/blg_block.h
 * A sample's raw items as the performance data block they could have come
 * from.  Values, clocks, names and type words are those of the log; a counter
 * with an error status stays in its place and is flagged, with the status for
 * a value.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_BLOCK_H
#define PL_ANALYZE_FOREIGN_BLG_BLOCK_H

#include "analyze/foreign/blg_groups.h"

/* One sample of one machine, and the part of the log it is in. */
struct pl_blg_sample {
    const struct pl_blg_list *list;
    const struct pl_blg_groups *groups;
    const struct pl_blg_record *records;
    size_t num_records;
    uint32_t machine;
    const char *host;
    int64_t utc_ns;
};

struct pl_blg_made {
    int64_t perf_time, perf_freq; /* of the block */
    uint32_t num_objects;         /* 0: it is empty */
    bool left_out;                /* some: there were too many */
};

/* Replace 'out' by the block.  PL_NOMEM. */
enum pl_status pl_blg_block_make(struct pl_buf *out,
                                 const struct pl_blg_sample *s,
                                 struct pl_blg_made *made);

#endif
