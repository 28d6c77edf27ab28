/*                                               analyze/copy/packed_log.h
 * Packs a log for a command: with progress, and without leaving anything when a
 * signal ends the program.
 */
#ifndef PL_ANALYZE_COPY_PACKED_LOG_H
#define PL_ANALYZE_COPY_PACKED_LOG_H

#include "analyze/output/progress.h"
#include "format/packing/pack_log.h"

/* As pl_pack_log; 'before': bytes that count as done when it begins;
 * 'min_free': bytes to keep free, 0: none. */
enum pl_status pl_packed_log_make(const char *path,
                                  struct pl_progress *progress, uint64_t before,
                                  int level, uint64_t min_free,
                                  struct pl_pack_result *result);

#endif
