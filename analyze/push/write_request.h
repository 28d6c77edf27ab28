/*                                              analyze/push/write_request.h
 * The message of Prometheus remote write 1.0 (prometheus.WriteRequest, package
 * prompb of Prometheus): protocol buffers, of which it needs four messages.
 *
 *     WriteRequest { repeated TimeSeries timeseries = 1 }
 *     TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2 }
 *     Label        { string name = 1; string value = 2 }
 *     Sample       { double value = 1; int64 timestamp = 2 }, in milliseconds
 */
#ifndef PL_ANALYZE_PUSH_WRITE_REQUEST_H
#define PL_ANALYZE_PUSH_WRITE_REQUEST_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The value that says that a series has ended (value.StaleNaN of Prometheus).
 */
#define PL_STALE_BITS UINT64_C(0x7ff0000000000002)

/* Append a label of a series; they must be sorted by name. */
void pl_write_label(struct pl_buf *b, const char *name, const char *value);

/* Append a sample of a series; 'bits' are those of a double. */
void pl_write_sample(struct pl_buf *b, uint64_t bits, int64_t ms);

/* Append a series to a request: its labels, then its samples. */
void pl_write_series(struct pl_buf *b, const void *labels, size_t num_labels,
                     const struct pl_buf *samples);

#endif
