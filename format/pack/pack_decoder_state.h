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
#include "format/pack/pack_fields.h"

#define PL_PACK_NOWHERE UINT32_MAX
#define PL_PACK_NEVER UINT16_MAX

/* As many samples ahead are steps worked out, fewer where columns are many; they
 * lie in chunks of so many. */
enum { PL_PACK_AHEAD = 64, PL_PACK_CHUNK = 64 };

/* Of a column's form: changes are those of the step; one run. */
enum { PL_PACK_BENT = 1, PL_PACK_RUN = 2 };

/* A series that changes. */
struct pl_pack_column {
    uint32_t run;    /* offset of its next {unchanged, changed} */
    uint32_t change; /* and of its next change */
    /* of its next step, which is not yet worked out; PL_PACK_NEVER: none */
    uint16_t sample;
    uint16_t form;               /* runs not yet begun, PL_PACK_RUN each; */
    uint16_t unchanged, changed; /* steps left of the current run */
    uint64_t scale;              /* value += step * scale */
    uint64_t step;
};

/* What a column adds to its word in a sample. */
struct pl_pack_step {
    uint32_t column;
    uint64_t by;
};

/* The steps of a sample, in chunks that are linked.  All zero is empty. */
struct pl_pack_chunks {
    uint32_t first; /* chunk */
    uint32_t end;   /* behind the last step of the last one */
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
    bool is_over; /* a sample was not decoded: none is any more */
    struct pl_pack_rows rows;
    struct pl_pack_sources sources;
    struct pl_pack_column *columns;
    size_t num_columns, num_listed; /* room, and how many there are */
    uint8_t *has_column; /* a bit for each series, in order: it ever changes */
    /* word of the block, of each column; PL_PACK_NOWHERE: not in it */
    uint32_t *word_of;
    size_t columns_cap, has_column_cap, word_of_cap;
    const uint8_t *words, *runs, *changes; /* where these parts begin */
    size_t block_len;

    /* Steps of the samples before 'ahead_end', and those of later ones that some
     * columns already have; of each sample by its number, modulo as many. */
    struct pl_pack_step *steps;
    uint32_t *chunk_after; /* of each chunk, in its list */
    size_t steps_cap, chunks_cap;
    uint32_t free_chunk, num_free;
    struct pl_pack_chunks ahead_of[PL_PACK_AHEAD];
    uint32_t ahead_end;

    /* Words with a column, in their order. */
    struct pl_pack_place *places, *next_places;
    size_t num_places, places_cap, num_next, next_cap;
    uint8_t *used; /* a byte a word of the block before: it has predicted */
    size_t used_cap;
};

/* Get room for steps, when all columns are listed.  PL_NOMEM. */
enum pl_status pl_pack_make_steps(struct pl_pack_decoder *d);

/* A column's word is new in the current sample: it changes from the next one on. */
void pl_pack_begin_steps(struct pl_pack_decoder *d, uint32_t column);

/* Change the words of 'block', the current sample's, that change in it. */
void pl_pack_take_steps(struct pl_pack_decoder *d, uint8_t *block);

#endif
