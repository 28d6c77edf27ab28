/*                                              analyze/foreign/blg_block.h
 * Makes a performance data block of a sample's raw items.  Values, clocks,
 * names and type words are those of the log; a counter with an error status
 * keeps its place and is flagged, with the status as its value.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_BLOCK_H
#define PL_ANALYZE_FOREIGN_BLG_BLOCK_H

#include "analyze/foreign/blg_groups.h"

/* One sample of one machine, and its part of the log. */
struct pl_blg_sample {
    const struct pl_blg_list *list;
    const struct pl_blg_groups *groups;
    const struct pl_blg_record *records;
    size_t first, num_records; /* the entry that has the first one */
    uint32_t machine;
    const char *host;
    int64_t utc_ns;
};

struct pl_blg_made {
    int64_t perf_time, perf_freq; /* clocks of the block */
    uint32_t num_objects;         /* 0: it is empty */
    bool left_out;                /* objects were left out: too many */
};

/* Replace 'out' by the block.  PL_NOMEM. */
enum pl_status pl_blg_block_make(struct pl_buf *out,
                                 const struct pl_blg_sample *s,
                                 struct pl_blg_made *made);

#endif
