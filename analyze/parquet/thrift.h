/*                                                analyze/parquet/thrift.h
 * Writes the compact protocol of Apache Thrift, in which Parquet states what is
 * in a file: fields of structures by number, integers as zigzag varints.
 * Source: Apache Thrift, doc/specs/thrift-compact-protocol.md.
 */
#ifndef PL_ANALYZE_PARQUET_THRIFT_H
#define PL_ANALYZE_PARQUET_THRIFT_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_THRIFT_DEPTH = 8 }; /* most structures within one another */

/* Types of fields and of list elements. */
enum pl_thrift_type {
    PL_THRIFT_TRUE = 1,
    PL_THRIFT_FALSE = 2,
    PL_THRIFT_BYTE = 3,
    PL_THRIFT_I32 = 5,
    PL_THRIFT_I64 = 6,
    PL_THRIFT_BINARY = 8,
    PL_THRIFT_LIST = 9,
    PL_THRIFT_STRUCT = 12,
};

/* All zero but for 'out': within the outermost structure. */
struct pl_thrift {
    struct pl_buf *out; /* the caller's, who checks its 'oom' */
    unsigned depth;
    int last[PL_THRIFT_DEPTH]; /* number of the last field, by depth */
};

/* A number by itself: small ones, of either sign, are short. */
void pl_thrift_put_zigzag(struct pl_buf *out, int64_t v);

/* Fields, in ascending order of 'id' within their structure. */
void pl_thrift_i32(struct pl_thrift *t, int id, int32_t v);
void pl_thrift_i64(struct pl_thrift *t, int id, int64_t v);
void pl_thrift_byte(struct pl_thrift *t, int id, int8_t v);
void pl_thrift_bool(struct pl_thrift *t, int id, bool v);
void pl_thrift_text(struct pl_thrift *t, int id, struct pl_text v);

/* A structure as a field, or ('id' 0) as an element of a list; and its end. */
void pl_thrift_begin(struct pl_thrift *t, int id);
void pl_thrift_end(struct pl_thrift *t);

/* A list; 'num' elements of 'type' follow, integers and texts by these. */
void pl_thrift_list(struct pl_thrift *t, int id, enum pl_thrift_type type,
                    size_t num);
void pl_thrift_item(struct pl_thrift *t, int32_t v);
void pl_thrift_item_text(struct pl_thrift *t, struct pl_text v);

#endif
