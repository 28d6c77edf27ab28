/*                                                  logger/record/packer.h
 * Packs the segments of a log that are complete (format/packing/pack_log.h), in a
 * program of its own, "perflog pack --idle": it takes only what time others
 * leave, and never delays a sample.  What fails for want of room, or by an error
 * of the disk, is tried again with the next segment, and after further failures
 * with the 2nd, 4th, ... up to the 64th after it.
 */
#ifndef PL_LOGGER_RECORD_PACKER_H
#define PL_LOGGER_RECORD_PACKER_H

#include "format/writer/writer.h"

struct pl_packer;

/* For the segments of the log 'path', which must outlive it.  PL_NOMEM. */
enum pl_status pl_packer_new(struct pl_packer **out, const char *path);

/*
 * For the thread that writes, after each sample: begin to pack where a segment
 * has been begun since, and notice when it has ended.  Never waits.  'current'
 * is the file being written.
 */
void pl_packer_look(struct pl_packer *p, const struct pl_writer_stats *stats,
                    const char *current);

/* End what is running, which leaves the segment as it was, and free 'p'; NULL
 * is fine.  What waits for a slow disk is not waited for, and ends by itself. */
void pl_packer_end(struct pl_packer *p);

#endif
