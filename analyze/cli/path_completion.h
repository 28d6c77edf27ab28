/*                                            analyze/cli/path_completion.h
 * Completes a counter path for shells: from what has been typed, one part
 * further: the object, the instance, the counter.
 */
#ifndef PL_ANALYZE_CLI_PATH_COMPLETION_H
#define PL_ANALYZE_CLI_PATH_COMPLETION_H

#include "analyze/series/series_registry.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stddef.h>

/*
 * Append to 'out', a line each, the completions of 'text' with the series of
 * 'groups': "\Proc" gives "\Processor(" and "\Process(", which gives
 * "\Process(bash:4711)\" and so on.  A single completion is extended to the
 * next alternative.  'text' may lack the first backslash, or begin with '+';
 * its instance may have wildcards; case is ignored.  "5:Wri" gives the names of
 * counters, as "5:Writes/sec", and ":Wri" without the colon.  PL_NOMEM.
 */
enum pl_status pl_path_completion(struct pl_buf *out, const char *text,
                                  struct pl_group *const *groups,
                                  size_t num_groups);

#endif
