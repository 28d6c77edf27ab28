/*                                            analyze/cli/path_completion.h
 * How a counter path may go on: from what somebody has typed of it, one part
 * further, the object, the instance, the counter.  For shells.
 */
#ifndef PL_ANALYZE_CLI_PATH_COMPLETION_H
#define PL_ANALYZE_CLI_PATH_COMPLETION_H

#include "analyze/replay/series_registry.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stddef.h>

/*
 * Append to 'out', a line each, the ways to go on from 'text' with the series
 * of 'groups': "\Proc" gives "\Processor(" and "\Process(", which gives
 * "\Process(bash:4711)\" and so on.  Where there is one way only, it is
 * followed to a fork.  'text' may lack the first backslash, or begin with '+';
 * its instance may have wildcards; case does not count.  PL_NOMEM.
 */
enum pl_status pl_path_completion(struct pl_buf *out, const char *text,
                                  struct pl_group *const *groups,
                                  size_t num_groups);

#endif
