/*                                           logger/record/nearest_counter.h
 * What a path may have meant that matches no counter of this machine.
 */
#ifndef PL_LOGGER_RECORD_NEAREST_COUNTER_H
#define PL_LOGGER_RECORD_NEAREST_COUNTER_H

#include "format/base/buf.h"
#include "format/block/counter_path.h"
#include "logger/sampler.h"

#include <stdbool.h>

/*
 * Append the path of this machine's counters, also of those on request, that is
 * nearest to 'path', and a terminator; nothing if none is near, or if no sample
 * can be taken.
 */
void pl_nearest_counter(struct pl_buf *out,
                        const struct pl_sampler_options *like,
                        const char *path);

/*
 * Path 'i' of a choice selects no instance; 'near': the path with the nearest
 * there is, valid during the call, NULL if none is near.
 */
typedef void pl_lacking_instance(void *context, size_t i, const char *near);

/*
 * Call 'report' for each path of like->choice whose object has instances, but
 * none that matches.  Not for paths without an instance or with "_Total", which
 * is calculated on reading, and for none if no sample can be taken.  Takes one
 * sample, whatever the number of paths.
 */
void pl_find_lacking_instances(const struct pl_sampler_options *like,
                               pl_lacking_instance *report, void *context);

#endif
