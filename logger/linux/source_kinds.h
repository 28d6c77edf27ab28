/*                                              logger/linux/source_kinds.h
 * The table of sources.  It lies above the folders that implement them, which
 * know only machine/source.h: the sampler passes it to pl_machine_open.
 */
#ifndef PL_LOGGER_LINUX_SOURCE_KINDS_H
#define PL_LOGGER_LINUX_SOURCE_KINDS_H

#include "logger/linux/machine/source.h"

extern const struct pl_source_kind *const pl_source_kinds[PL_NUM_SOURCES];

#endif
