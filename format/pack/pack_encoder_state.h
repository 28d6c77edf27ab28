/*                                          format/pack/pack_encoder_state.h
 * The state of an encoder of packs, shared by pack_encoder.c, which takes
 * samples apart, and pack_columns.c, which writes the columns.
 */
#ifndef PL_FORMAT_PACK_PACK_ENCODER_STATE_H
#define PL_FORMAT_PACK_PACK_ENCODER_STATE_H

#include "format/base/buf.h"
#include "format/record/delta.h"
#include "format/pack/pack.h"

#include <zstd.h>

enum { MOST_GROUPS = 1024 };

/* A value that differs from the one before it in its series. */
struct pl_pack_change {
    uint64_t delta;
    uint32_t series;
    uint32_t sample;
};

/* Where a row begins in a block, in words. */
struct pl_pack_bound {
    uint32_t at;
    uint64_t title; /* rows of one title form a group */
};

struct pl_pack_encoder {
    ZSTD_CCtx *zstd;
    struct pl_plan plan; /* of the sample being added */
    struct pl_buf parts[PL_PACK_NUM_PARTS];
    struct pl_pack_head head;
    uint64_t blocks;               /* bytes of the blocks together */
    uint64_t utc, utc_step, ahead; /* of the last record */
    struct pl_buf words;           /* new ones, by series */
    struct pl_buf rests;           /* bytes that are no complete word */

    struct pl_buf last; /* the block before */
    uint32_t *ids;      /* the series of each of its words */
    uint32_t *next_ids;
    uint8_t *used; /* a byte a word: it has predicted another */
    size_t ids_cap, next_cap, used_cap;

    struct pl_pack_rows rows;
    struct pl_pack_order order;
    struct pl_pack_bound *bounds;
    size_t num_bounds, bounds_cap;
    uint64_t *titles; /* of the groups */
    size_t num_titles, titles_cap;

    struct pl_pack_change *changes;
    size_t num_changes, changes_cap;
};

/* Write SERIES and the parts after it, by e->order.  PL_NOMEM. */
enum pl_status pl_pack_put_columns(struct pl_pack_encoder *e);

#endif
