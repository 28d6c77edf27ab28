/*                                                  format/writer/segment.h
 * The files of a rotated log, called segments: "NAME.plog" is written as
 * "NAME-YYYYmmddTHHMMSSZ-NNN.plog", with the UTC time of the segment's
 * beginning and its number of three digits or more.
 */
#ifndef PL_FORMAT_WRITER_SEGMENT_H
#define PL_FORMAT_WRITER_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a segment of the log 'path'; free it.  NULL: out of memory. */
char *pl_segment_path(const char *path, int64_t utc_ns, uint32_t number);

/*
 * True if 'name' is the file name of a segment.  It belongs to the log
 * "STEM.plog", where STEM is its first *stem_len bytes, and has *number.
 */
bool pl_segment_parse(const char *name, size_t *stem_len, uint64_t *number);

/* True if 'name' is the file name of a segment of the log "STEM.plog". */
bool pl_segment_matches(const char *stem, const char *name);

/*
 * What is kept of a log: the newest 'num' segments, at least 1; and of those
 * before them the newest that began in the second of 'since' or later, as long
 * as there are no more than 'most' in all, and all but the current one take no
 * more than 'bytes'.
 */
struct pl_segments_kept {
    uint64_t num;
    uint64_t most; /* less than num: only those */
    uint64_t bytes;
    int64_t since; /* UTC, ns */
};

/*
 * Delete the oldest segments of the log 'path' until only those to keep are
 * left; 'current' is the newest, whatever the names of the others.  A segment
 * that another recorder is writing, or of which that is not known as it cannot
 * be opened, stays.  What is left of packing a segment
 * (pack_log.h) goes with it.  Errors are ignored: a file that cannot be deleted,
 * or is not for lack of memory, only costs space.
 */
void pl_segment_drop_old(const char *path, const char *current,
                         const struct pl_segments_kept *kept);

/* Delete what kills have left of packing segments of the log 'path'. */
void pl_segment_drop_parts(const char *path);

/*
 * The paths of segments of the log 'path' other than 'current', at most 'most',
 * those begun last before it first.  Returns their number; free each.
 */
size_t pl_segment_others(const char *path, const char *current, size_t most,
                         char **paths);

/*
 * True if a recorder is writing the log 'path' or one of its segments, other
 * than the file 'but' (NULL: any).
 */
bool pl_segment_is_written(const char *path, const char *but);

#endif
