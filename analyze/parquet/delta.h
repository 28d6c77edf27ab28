/*                                                 analyze/parquet/delta.h
 * Numbers as the differences of neighbours, packed: next to nothing for times.
 * Source: Apache Parquet format, Encodings.md (DELTA_BINARY_PACKED).
 */
#ifndef PL_ANALYZE_PARQUET_DELTA_H
#define PL_ANALYZE_PARQUET_DELTA_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Append 'num' numbers of 64 bits, one or more; any values. */
void pl_delta_put(struct pl_buf *out, const uint64_t *v, size_t num);

#endif
