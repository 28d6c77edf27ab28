/*                                              analyze/foreign/seen_bytes.h
 * Reads of a file no more than the first pass over it has seen.  A log that grows
 * meanwhile, as one that Windows still writes, has counters without a value and
 * instances behind that, for which the first pass prepared nothing.
 */
#ifndef PL_ANALYZE_FOREIGN_SEEN_BYTES_H
#define PL_ANALYZE_FOREIGN_SEEN_BYTES_H

#include "format/base/file.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

#define PL_ALL_BYTES UINT64_MAX /* none was seen yet: all that are there now */

/* The size of 'f', at most 'seen'.  PL_IO. */
enum pl_status pl_seen_size(struct pl_file *f, uint64_t seen, uint64_t *size);

/* As pl_file_read, as if the file ended after 'size' bytes. */
enum pl_status pl_seen_read(struct pl_file *f, uint64_t size, uint64_t at,
                            void *p, size_t n, size_t *got);

#endif
