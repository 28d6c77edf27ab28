/*                                          format/payload/stated_counts.h
 * What an ends states of what is counted of its segment: the content that
 * segment_counts.h makes (FORMAT.md, section 8.2), as untrusted as all that is
 * read.
 */
#ifndef PL_FORMAT_PAYLOAD_STATED_COUNTS_H
#define PL_FORMAT_PAYLOAD_STATED_COUNTS_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/base/status.h"
#include "format/payload/segment_counts.h"
#include "format/record/codec.h"

#include <stddef.h>
#include <stdint.h>

/* The content, which must outlive this. */
struct pl_stated_counts {
    uint64_t ends_at;        /* distance from the segment's SESS */
    uint64_t samples, bytes; /* of the segment, and of its samples' blocks */
    int64_t utc_first, utc_last; /* the earliest and the latest */
    struct pl_cur objects;       /* for pl_stated_counts_object, */
    struct pl_cur records;       /* and for pl_stated_counts_record */
};

/*
 * Unpack what an ends with a payload of 'n' bytes states into 'content', which is
 * cleared first.  PL_END: it states no counts; PL_CORRUPT; PL_NOMEM.
 */
enum pl_status pl_stated_counts_unpack(struct pl_decoder *d, uint64_t session,
                                       const uint8_t *ends, size_t n,
                                       struct pl_buf *content);

/* PL_CORRUPT. */
enum pl_status pl_stated_counts_parse(struct pl_stated_counts *counts,
                                      const struct pl_buf *content);

/* The next object; the next gaps or note, of which type, seq, utc_ns and lengths
 * are set, and its payload.  PL_END after the last one. */
enum pl_status pl_stated_counts_object(struct pl_stated_counts *counts,
                                       struct pl_counted_object *o);
enum pl_status pl_stated_counts_record(struct pl_stated_counts *counts,
                                       struct pl_record *r,
                                       const uint8_t **payload);

/*
 * PL_OK: an ends of 'session', 'ends_at' bytes from its SESS, with a payload of
 * 'len' bytes, states no counts, or those in 'c'; PL_CORRUPT: others; PL_NOMEM.
 */
enum pl_status pl_segment_counts_compare(const struct pl_segment_counts *c,
                                         uint64_t session, uint64_t ends_at,
                                         const uint8_t *ends, size_t len);

#endif
