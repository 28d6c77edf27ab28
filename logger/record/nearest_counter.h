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
 * True if an object that 'path' selects has instances, but none that matches; if
 * one is near, the path with that and a terminator is appended.  False also
 * where the path has no instance or "_Total", which is calculated on reading, or
 * no sample can be taken.
 */
bool pl_lacks_instance(struct pl_buf *out,
                       const struct pl_sampler_options *like,
                       const struct pl_counter_path *path);

#endif
