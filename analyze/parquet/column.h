/*                                                analyze/parquet/column.h
 * The values of one column that are not yet in a file, and their encoding as
 * the pages of a column chunk: times as differences (delta.h); a dictionary and
 * the numbers of its entries where there are few different values, else the
 * values as they are.
 * Source: Apache Parquet format, Encodings.md (PLAIN, RLE_DICTIONARY).
 */
#ifndef PL_ANALYZE_PARQUET_COLUMN_H
#define PL_ANALYZE_PARQUET_COLUMN_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_parquet_type {
    PL_PARQUET_TIME,   /* microseconds since 1970, UTC */
    PL_PARQUET_DOUBLE, /* not NaN */
    PL_PARQUET_COUNT,  /* unsigned */
    PL_PARQUET_TEXT,   /* UTF-8 */
};

/* Different texts, numbered in the order in which they came. */
struct pl_parquet_texts {
    struct pl_buf bytes; /* each with its length before it, as PLAIN is */
    size_t *starts;      /* by number, of the length */
    size_t num, cap;
    uint32_t *slots; /* numbers from 1, by hash; 0: free */
    size_t num_slots;
    uint64_t seed;       /* of the hash; 0: none yet */
    struct pl_buf valid; /* one that is not UTF-8, made so */
};

struct pl_parquet_column {
    enum pl_parquet_type type;
    bool has_nulls;
    uint8_t *present;      /* with nulls, by row: it has a value */
    size_t rows, cap_rows; /* rows: up to the last value */
    /* bits of the values in order; of texts, their numbers, by row */
    uint64_t *values;
    size_t num, cap; /* num: rows with a value */
    struct pl_parquet_texts texts;
};

/*
 * Set the value of 'row', which is above the last one that was set.  Rows left
 * out are null.  False: out of memory.
 */
bool pl_parquet_put_slowly(struct pl_parquet_column *c, size_t row,
                           uint64_t bits);
static inline bool pl_parquet_put(struct pl_parquet_column *c, size_t row,
                                  uint64_t bits)
{
    if (row != c->rows || c->num == c->cap ||
        (c->has_nulls && row >= c->cap_rows))
        return pl_parquet_put_slowly(c, row, bits);
    if (c->has_nulls)
        c->present[row] = 1;
    c->values[c->num++] = bits;
    c->rows++;
    return true;
}

/*
 * The same for texts.  'like' is an earlier row that probably has the same
 * text, and makes it quick; SIZE_MAX: none.
 */
bool pl_parquet_put_text(struct pl_parquet_column *c, size_t row,
                         struct pl_text text, size_t like);

/* Of the values; numbers of parquet.thrift. */
enum pl_parquet_encoding {
    PL_PARQUET_PLAIN = 0,
    PL_PARQUET_DELTA = 5,
    PL_PARQUET_DICTIONARY = 8,
};

/* What a column chunk holds, for the file's metadata. */
struct pl_parquet_pages {
    enum pl_parquet_encoding encoding;
    struct pl_buf dictionary; /* entries as PLAIN */
    struct pl_buf data;       /* levels and values */
    uint32_t num_entries;
    size_t nulls;
    /* least and greatest value as PLAIN; 'has_range' false: not stated */
    bool has_range;
    struct pl_buf least, greatest;
};

/*
 * Encode 'rows' rows into 'to', whose buffers are reused, and forget them; their
 * memory is kept.
 * PL_NOMEM.
 */
enum pl_status pl_parquet_encode(struct pl_parquet_column *c, size_t rows,
                                 struct pl_parquet_pages *to);

/* Forget the values, and free their memory; the type stays. */
void pl_parquet_column_release(struct pl_parquet_column *c);
void pl_parquet_pages_release(struct pl_parquet_pages *p);

#endif
