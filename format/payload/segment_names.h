/*                                          format/payload/segment_names.h
 * Which objects and instances the samples of a segment name: what the ends of
 * a packed log holds (FORMAT.md, section 8.2), so that a question about names
 * need not read all samples.
 *
 * Names are kept as blocks: each object of the segment, with its counters and
 * once each instance that any sample has, all counters 0.  They are read like
 * any sample, so that a name is spelled by one piece of code only.
 */
#ifndef PL_FORMAT_PAYLOAD_SEGMENT_NAMES_H
#define PL_FORMAT_PAYLOAD_SEGMENT_NAMES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/titles.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_MOST_NAMES_LEN = 4 << 20, /* bytes of the blocks; more are not kept */
    PL_MOST_NAMES_CONTENT = 5 << 20, /* and with what stands before them */
    PL_MOST_NAMED_OBJECTS = 1024,
};

struct pl_segment_names;

/* PL_NOMEM. */
enum pl_status pl_segment_names_new(struct pl_segment_names **out);
void pl_segment_names_free(struct pl_segment_names *n); /* NULL is fine */

/* Begin with another segment. */
void pl_segment_names_begin(struct pl_segment_names *n);

/*
 * A TITL of the segment, 'distance' bytes from its SESS, with the titles from here
 * on.  The last one counts: where it calls anything otherwise that the samples
 * before it have, nothing is kept of the segment.
 */
void pl_segment_names_titles(struct pl_segment_names *n, uint64_t distance,
                             const struct pl_titles *titles);

/*
 * Add a sample, of those titles.  Where blocks cannot say the same as the samples
 * (malformed blocks, parents that are not there, too many names ...) nothing is
 * kept of the segment.  PL_NOMEM.
 */
enum pl_status pl_segment_names_add(struct pl_segment_names *n,
                                    const struct pl_buf *block,
                                    const struct pl_titles *titles);

/*
 * Append the content of an ends 'ends_at' bytes from the segment's SESS; nothing
 * if there is nothing to keep, or no TITL.  PL_NOMEM.
 */
enum pl_status pl_segment_names_content(struct pl_segment_names *n,
                                        uint64_t ends_at, struct pl_buf *out);

#endif
