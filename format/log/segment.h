/*                                                     format/log/segment.h
 * The names of a rotated log's files: "NAME.plog" is written as
 * "NAME-YYYYmmddTHHMMSSZ-NNN.plog", with the UTC time of the segment's
 * beginning and its number, three digits or more.
 */
#ifndef PL_FORMAT_LOG_SEGMENT_H
#define PL_FORMAT_LOG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a segment of the log 'path'; free it.  NULL: out of memory. */
char *pl_segment_path(const char *path, int64_t utc_ns, uint32_t number);

/*
 * True if the file name 'name' is that of a segment: of the log "STEM.plog",
 * with STEM its first 'stem_len' bytes, and which number it has.
 */
bool pl_segment_parse(const char *name, size_t *stem_len, uint64_t *number);

/* True if the file name 'name' is a segment of the log "STEM.plog". */
bool pl_segment_matches(const char *stem, const char *name);

/*
 * Delete the oldest segments of the log 'path' until 'keep', at least 1, are
 * left; 'current' is the youngest, whatever the others are called.  One that
 * another recorder writes to stays.  What cannot be deleted only costs space.
 */
void pl_segment_drop_old(const char *path, const char *current, uint64_t keep);

/*
 * True if a recorder has the log 'path' or one of its segments open; the file
 * 'but' does not count (NULL: all do).
 */
bool pl_segment_is_written(const char *path, const char *but);

#endif
