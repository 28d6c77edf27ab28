/*                                     logger/linux/tables/counter_filter.h
 * Selection of counters by the paths of -c.  Without paths, or with '+' paths
 * only, the default set is recorded: every counter that costs little.  A path
 * adds the counters it matches; a path that names a counter without a wildcard
 * selects it even if it is costly.
 */
#ifndef PL_LOGGER_LINUX_TABLES_COUNTER_FILTER_H
#define PL_LOGGER_LINUX_TABLES_COUNTER_FILTER_H

#include "format/block/counter_path.h"
#include "format/base/text.h"
#include "logger/linux/tables/objects.h"
#include "logger/linux/machine/rows.h"

#include <stdbool.h>
#include <stddef.h>

struct pl_counter_filter {
    const struct pl_counter_path_list *list; /* NULL: the default set */
    struct pl_text host;
    bool all; /* every counter, also costly ones and those on request */
    /* Of the object at the start; some are recorded from a number on. */
    unsigned num_instances;
};

enum pl_want {
    PL_UNWANTED,
    PL_WANTED, /* unless it is costly */
    PL_NAMED,
};

/* True if 'path' matches that object. */
bool pl_path_fits(const struct pl_counter_filter *c,
                  const struct pl_counter_path *path,
                  const struct pl_object_def *o);

/*
 * True if a counter of the object may be selected, for any number of instances
 * it might have, regardless of c->num_instances.
 */
bool pl_counter_filter_touches(const struct pl_counter_filter *c,
                               const struct pl_object_def *o);

/*
 * True if an object is selected whose instances have those of 'o' as parents:
 * these are recorded too, if need be with only their identity.
 */
bool pl_counter_filter_brings(const struct pl_counter_filter *c,
                              const struct pl_object_def *o);

enum pl_want pl_counter_filter_wants(const struct pl_counter_filter *c,
                                     const struct pl_object_def *o,
                                     const char *counter);

/* Which instances of an object are recorded. */
struct pl_filter {
    bool all;                 /* that are shown */
    struct pl_text *patterns; /* if not all; point into the path list */
    size_t num;
};

/* PL_OK or PL_NOMEM. */
enum pl_status pl_filter_init(struct pl_filter *f,
                              const struct pl_counter_filter *c,
                              const struct pl_object_def *o);
void pl_filter_release(struct pl_filter *f);
/* True if an instance is recorded whatever its name is, or becomes. */
bool pl_filter_has_all_names(const struct pl_filter *f);
/* True if one of the paths matches it, if only by a pattern. */
bool pl_filter_names(const struct pl_filter *f, struct pl_text instance);
bool pl_filter_allows(const struct pl_filter *f, struct pl_text instance,
                      enum pl_show show);

#endif
