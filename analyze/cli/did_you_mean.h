/*                                               analyze/cli/did_you_mean.h
 * Suggestions for a name that does not exist.
 */
#ifndef PL_ANALYZE_CLI_DID_YOU_MEAN_H
#define PL_ANALYZE_CLI_DID_YOU_MEAN_H

#include "analyze/replay/series_registry.h"
#include "format/base/buf.h"
#include "format/block/counter_path.h"

#include <stdbool.h>

/*
 * Append to 'out', with a terminator, a path like 'path' with the object or
 * counter of 'r' that is nearest to its own.  False, and nothing is appended,
 * if none is near, or if only the host or the instance is unknown.
 */
bool pl_did_you_mean_path(struct pl_buf *out, const struct pl_registry *r,
                          const struct pl_counter_path *path);

/* The counter of any object that is nearest to 'name', NULL if none is near. */
const char *pl_did_you_mean_counter(const struct pl_registry *r,
                                    struct pl_text name);

#endif
