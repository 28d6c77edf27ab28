/*                                          format/pack/pack_decoder_state.h
 * The state of a decoder of packs, shared by pack_decoder.c, which reads
 * records, pack_blocks.c, which puts blocks together, and pack_steps.c, which
 * changes their words.
 */
#ifndef PL_FORMAT_PACK_PACK_DECODER_STATE_H
#define PL_FORMAT_PACK_PACK_DECODER_STATE_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/record/codec.h"
#include "format/pack/pack.h"

#define PL_PACK_NOWHERE UINT32_MAX

/* A series that changes. */
struct pl_pack_column {
    uint32_t run;                /* offset of its next {unchanged, changed} */
    uint32_t change;             /* and of its next change */
    uint16_t runs;               /* not yet begun */
    uint16_t unchanged, changed; /* steps left of the current run */
    bool bent;                   /* changes are those of the step */
    uint64_t scale;              /* value += step * scale */
    uint64_t step;
    uint32_t at;   /* word of the block; PL_PACK_NOWHERE: not in it */
    uint32_t next; /* in its list of 'due', number + 1 */
};

/* A word of the block that a column changes. */
struct pl_pack_place {
    uint32_t column;
    uint32_t at;
};

struct pl_pack_decoder {
    struct pl_decoder *frames;
    struct pl_buf content;
    struct pl_cur parts[PL_PACK_NUM_PARTS];
    struct pl_pack_head head;
    uint64_t session;
    uint32_t seq;    /* of the next record */
    uint32_t left;   /* records */
    uint32_t sample; /* number of the current one, from 1 */
    uint32_t hash;   /* of the current one */
    uint8_t kind;    /* of the current one */
    uint64_t utc, utc_step, ahead;
    bool is_old;     /* PL_CODEC_PACK_OLD */
    uint64_t blocks; /* bytes so far */

    bool has_columns;
    struct pl_pack_rows rows;
    struct pl_pack_order order;
    uint8_t *words; /* first one of each series, unless it is old */
    struct pl_pack_column *columns;
    size_t num_columns, num_listed; /* room, and how many there are */
    uint32_t *column_of; /* of each series, + 1; 0: it never changes */
    size_t words_cap, columns_cap, column_of_cap;
    const uint8_t *runs, *changes; /* where these parts begin */
    uint32_t next_series;
    size_t block_len;

    /* By number of a sample, the first column that changes its word in it, + 1:
     * most columns do in few samples. */
    uint32_t *due;
    size_t due_cap;

    /* Words with a column, in their order. */
    struct pl_pack_place *places, *next_places;
    size_t num_places, places_cap, num_next, next_cap;
    uint8_t *used; /* a byte a word of the block before: it has predicted */
    size_t used_cap;
};

/* Put a column into the list of the sample after the current one in which its
 * word changes next, if there is one.  One whose word is new begins so. */
void pl_pack_await_change(struct pl_pack_decoder *d, uint32_t column);

/* Change the words of 'block', the current sample's, that change in it. */
void pl_pack_take_steps(struct pl_pack_decoder *d, uint8_t *block);

#endif
