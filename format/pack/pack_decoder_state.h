/*                                          format/pack/pack_decoder_state.h
 * The state of a decoder of packs, shared by pack_decoder.c, which reads
 * records, and pack_blocks.c, which puts blocks together.
 */
#ifndef PL_FORMAT_PACK_PACK_DECODER_STATE_H
#define PL_FORMAT_PACK_PACK_DECODER_STATE_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/record/codec.h"
#include "format/pack/pack.h"

/* The steps of a series that changes. */
struct pl_pack_column {
    uint32_t run;                /* offset of its next {unchanged, changed} */
    uint32_t change;             /* and of its next change */
    uint16_t runs;               /* not yet begun */
    uint16_t unchanged, changed; /* of the current run */
    bool bent;                   /* changes are those of the step */
    uint64_t scale;              /* value += step * scale */
};

/* A word of the block that a column changes, with the state of that: so all
 * that a sample changes lies together, in the order of the words. */
struct pl_pack_place {
    struct pl_pack_column column;
    uint64_t step;
    uint32_t at; /* word */
    bool fresh;  /* its column begins with the next sample */
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

    /* Words with a column that goes on, in their order. */
    struct pl_pack_place *places, *next_places;
    size_t num_places, places_cap, num_next, next_cap;
    uint8_t *used; /* a byte a word of the block before: it has predicted */
    size_t used_cap;
};

#endif
