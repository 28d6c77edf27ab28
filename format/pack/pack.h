/*                                                       format/pack/pack.h
 * A pack: many samples and the short records between them in one record, PACK,
 * whose values lie in columns instead of rows.  Here: what encoder
 * (pack_encoder.h) and decoder (pack_decoder.h) of packs share.  FORMAT.md,
 * section 7.1, describes every byte.
 *
 * As in a delta (delta.h) the words of a block, 8 bytes each, are predicted by
 * words of the block before it or are new.  A new word begins a series, and a
 * word that is predicted continues one: so a series is the values of one
 * counter of one instance.  Neither side has to know what a block means; only
 * the encoder looks at its structure, and what it finds costs bytes, never
 * correctness.
 */
#ifndef PL_FORMAT_PACK_PACK_H
#define PL_FORMAT_PACK_PACK_H

#include "format/base/status.h"
#include "format/record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_PACK_WORD = 8,
    PL_PACK_MAX_RECORDS = 4096,     /* of a pack, samples included */
    PL_PACK_MAX_BLOCKS = 256 << 20, /* bytes of its blocks together */
};

/* What stands before the frame, so that times are known without decoding. */
struct pl_pack_head {
    uint32_t records; /* in the pack, numbered from the PACK's own seq */
    uint32_t samples; /* of these; at least one */
    int64_t utc_first, utc_last; /* earliest and latest of the samples */
};

/* The parts of a pack's content, in the order in which they are stored.  With
 * PL_CODEC_PACK_OLD FORMS and SCALES lie within SERIES, and WORDS are stored in
 * the order of the samples. */
enum pl_pack_part {
    PL_PACK_KINDS,   /* a byte a record */
    PL_PACK_TIMES,   /* two varints a record */
    PL_PACK_HASHES,  /* a u32 a sample */
    PL_PACK_OTHERS,  /* records that are no samples */
    PL_PACK_LAYOUTS, /* copies, and the rows of new words */
    PL_PACK_WORDS,   /* new words, and bytes that are no complete word */
    PL_PACK_SERIES,  /* which series change */
    PL_PACK_RUNS,    /* when they change */
    PL_PACK_CHANGES, /* by how much */
    PL_PACK_OLD_PARTS,
    PL_PACK_FORMS = PL_PACK_OLD_PARTS, /* how their changes are coded */
    PL_PACK_SCALES,                    /* in which unit */
    PL_PACK_NUM_PARTS
};

/* Bits of a kind. */
enum {
    PL_PACK_FLAGS = 0x0F, /* of the record's header */
    PL_PACK_IS_SAMPLE = 0x10,
    PL_PACK_HAS_LAYOUT = 0x20, /* the words are not where they were before */
    PL_PACK_KNOWN = 0x3F,
};

/* New words that belong together, such as an instance's. */
struct pl_pack_row {
    uint32_t first; /* series of its first word */
    uint32_t len;   /* words */
    uint32_t group; /* of rows like this one */
    uint32_t birth; /* sample, counted from 0 */
};

/* The rows of a pack, in the order of their series.  All zero is empty. */
struct pl_pack_rows {
    struct pl_pack_row *rows;
    size_t num, cap;
    uint32_t num_series;
    uint32_t num_groups;
};

/* The words of one distance from the end of their rows, in the rows of a group:
 * mostly the values of one counter. */
struct pl_pack_field {
    uint32_t end; /* in the order, of its series */
    uint32_t distance;
};

/* The order in which series are stored: by field, in a field by number.  All
 * zero is empty. */
struct pl_pack_order {
    uint32_t *series;
    struct pl_pack_field *fields;
    size_t num_fields;
    size_t series_cap, fields_cap;
};

void pl_pack_rows_release(struct pl_pack_rows *r);
void pl_pack_rows_clear(struct pl_pack_rows *r);

/* Add a row of 'len' new series.  PL_CORRUPT: no words, or a group above the
 * number of groups so far; PL_NOMEM. */
enum pl_status pl_pack_rows_add(struct pl_pack_rows *r, uint64_t len,
                                uint64_t group, uint32_t birth);

/* The order of the rows' series; its memory is used again.  PL_NOMEM. */
enum pl_status pl_pack_rows_order(const struct pl_pack_rows *r,
                                  struct pl_pack_order *order);
void pl_pack_order_release(struct pl_pack_order *order);

/* What is there is needed soon. */
static inline void pl_pack_fetch(const void *p)
{
    __builtin_prefetch(p);
}

#endif
