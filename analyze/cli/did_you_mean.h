/*                                               analyze/cli/did_you_mean.h
 * Suggestions for a name that does not exist.
 */
#ifndef PL_ANALYZE_CLI_DID_YOU_MEAN_H
#define PL_ANALYZE_CLI_DID_YOU_MEAN_H

#include "analyze/series/series_registry.h"
#include "format/base/buf.h"
#include "format/block/counter_path.h"

#include <stdbool.h>

/* Why a path matches nothing. */
enum pl_path_mistake {
    PL_NO_SUCH_OBJECT,
    PL_NO_SUCH_COUNTER, /* such objects do not have it */
    PL_NO_SUCH_HOST,
    PL_NO_SUCH_INSTANCE,
    PL_NO_SUCH_SERIES, /* each part of it occurs, but not together */
};

/*
 * What is wrong with 'path', which matches nothing.  Append to 'out', with a
 * terminator, a path like it with the object, counter or instance of 'r' that
 * is nearest to its own; nothing if none is near.  A process may be named
 * without its number: "python" is near "python3:*".
 */
enum pl_path_mistake pl_did_you_mean_path(struct pl_buf *out,
                                          const struct pl_registry *r,
                                          const struct pl_counter_path *path);

/*
 * The zone of the system that is nearest to 'name', "" if none is near: also
 * by its city alone, "Berlin".  Returns 'out'.
 */
enum { PL_NEAR_ZONE = 64 };
const char *pl_did_you_mean_zone(const char *name, char out[PL_NEAR_ZONE]);

/* The counter of any object that is nearest to 'name', NULL if none is near. */
const char *pl_did_you_mean_counter(const struct pl_registry *r,
                                    struct pl_text name);

#endif
