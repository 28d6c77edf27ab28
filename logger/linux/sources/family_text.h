/*                                       logger/linux/sources/family_text.h
 * The text of one file of a member of a family, taken apart.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_FAMILY_TEXT_H
#define PL_LOGGER_LINUX_SOURCES_FAMILY_TEXT_H

#include "logger/linux/sources/family.h"

#include <stdint.h>

/*
 * Put the fields of 'part' that f->text holds into 'values'; returns which,
 * as bits of their numbers.  Of PL_SUMS all are there: none is 0.
 */
uint64_t pl_family_scan(struct pl_family_source *f, const struct pl_part *part,
                        uint64_t *values);

#endif
