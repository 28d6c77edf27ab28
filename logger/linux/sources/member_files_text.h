/*                                 logger/linux/sources/member_files_text.h
 * Parses the text of one file of a family's member.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_TEXT_H
#define PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_TEXT_H

#include "logger/linux/sources/member_files.h"

#include <stdint.h>

/*
 * Put the fields of 'part' found in f->text into 'values'; returns them as bits
 * of their numbers.  Of PL_SUMS all are returned: a missing one is 0.
 */
uint64_t pl_member_files_scan(struct pl_member_files_source *f,
                              const struct pl_part *part, uint64_t *values);

#endif
