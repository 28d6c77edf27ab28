/*                                     logger/linux/tables/counter_filter.h
 * What the paths of -c ask for.  Without paths, or with '+' paths only, the
 * default set is in force: every counter that costs little.  A path adds the
 * counters it fits; one that names a counter without a wildcard gets it even
 * if it is costly.
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
    bool all; /* everything there is, costly or on request too */
    /* What the object has at the start; some are recorded from a number on. */
    unsigned num_instances;
};

enum pl_want {
    PL_UNWANTED,
    PL_WANTED, /* unless it is costly */
    PL_NAMED,
};

/* True if 'path' speaks of that object. */
bool pl_path_fits(const struct pl_counter_filter *c,
                  const struct pl_counter_path *path,
                  const struct pl_object_def *o);

/*
 * True if something of the object may be asked for; with as many instances
 * as it might have, not as c->num_instances says.
 */
bool pl_counter_filter_touches(const struct pl_counter_filter *c,
                               const struct pl_object_def *o);

/*
 * True if an object is chosen whose instances belong to those of 'o': these
 * are recorded too, if need be with nothing but what identifies them.
 */
bool pl_counter_filter_brings(const struct pl_counter_filter *c,
                              const struct pl_object_def *o);

enum pl_want pl_counter_filter_wants(const struct pl_counter_filter *c,
                                     const struct pl_object_def *o,
                                     const char *counter);

/* Which instances of an object are recorded. */
struct pl_filter {
    bool all;                 /* that are shown */
    struct pl_text *patterns; /* others; point into the path list */
    size_t num;
};

/* PL_OK or PL_NOMEM. */
enum pl_status pl_filter_init(struct pl_filter *f,
                              const struct pl_counter_filter *c,
                              const struct pl_object_def *o);
void pl_filter_release(struct pl_filter *f);
/* True if one of the paths names it, if only by a pattern. */
bool pl_filter_names(const struct pl_filter *f, struct pl_text instance);
bool pl_filter_allows(const struct pl_filter *f, struct pl_text instance,
                      enum pl_show show);

#endif
