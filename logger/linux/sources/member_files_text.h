/*                                 logger/linux/sources/member_files_text.h
 * The text of one file of a member of a family, taken apart.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_TEXT_H
#define PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_TEXT_H

#include "logger/linux/sources/member_files.h"

#include <stdint.h>

/*
 * Put the fields of 'part' that f->text holds into 'values'; returns which,
 * as bits of their numbers.  Of PL_SUMS all are there: none is 0.
 */
uint64_t pl_member_files_scan(struct pl_member_files_source *f,
                              const struct pl_part *part, uint64_t *values);

#endif
