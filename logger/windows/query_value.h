/*                                             logger/windows/query_value.h
 * Queries values of the registry of any size.  Windows does not report the size
 * of performance data in advance: the buffer is doubled up to a limit, and a
 * reply that fills it exactly counts as cut.
 */
#ifndef PL_WINDOWS_FETCH_H
#define PL_WINDOWS_FETCH_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/windows/registry.h"

#include <stdint.h>

enum { PL_FETCH_LEAST = 64 << 10, PL_FETCH_MOST = 64 << 20 };

/*
 * Replace 'out' by a value (see struct pl_windows_registry).  PL_TOO_LARGE:
 * more than PL_FETCH_MOST; PL_CORRUPT: Windows reports a length greater than
 * the buffer; PL_IO: *error is Windows' number; PL_NOMEM.
 */
enum pl_status pl_query_value(struct pl_windows_registry *r, const char *folder,
                              const char *value, struct pl_buf *out,
                              uint32_t *error);

#endif
