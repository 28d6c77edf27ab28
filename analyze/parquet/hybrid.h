/*                                                analyze/parquet/hybrid.h
 * Parquet's hybrid of run lengths and packed bits, for levels and for numbers
 * of dictionary entries.
 * Source: Apache Parquet format, Encodings.md, "Run Length Encoding /
 * Bit-Packing Hybrid (RLE = 3)".
 */
#ifndef PL_ANALYZE_PARQUET_HYBRID_H
#define PL_ANALYZE_PARQUET_HYBRID_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Bits of the numbers below 'num', at least 1. */
unsigned pl_hybrid_width(uint32_t num);

/* Append 'num' numbers of 'width' bits, 1 to 32. */
void pl_hybrid_put(struct pl_buf *out, const uint32_t *v, size_t num,
                   unsigned width);

/* Append 'num' times the same number. */
void pl_hybrid_put_run(struct pl_buf *out, uint32_t v, size_t num,
                       unsigned width);

#endif
