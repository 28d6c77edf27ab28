/*                                         format/payload/segment_counts.h
 * What is counted of a segment: how many samples it has and of which bytes and
 * times, what they hold of each object, and all gaps and notes.  The ends of a
 * packed log states it (FORMAT.md, section 8.2), so that a summary need not read
 * the packs.
 */
#ifndef PL_FORMAT_PAYLOAD_SEGMENT_COUNTS_H
#define PL_FORMAT_PAYLOAD_SEGMENT_COUNTS_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/titles.h"
#include "format/record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_MOST_COUNTED_OBJECTS = 1024,
    PL_MOST_COUNTED_RECORDS = 1 << 20, /* bytes of gaps and notes */
    PL_MOST_COUNTS_CONTENT = PL_MOST_COUNTED_RECORDS + (64 << 10),
};

struct pl_counted_object {
    uint32_t title_index;
    uint32_t defined;   /* the most counters of a definition, */
    uint32_t bases;     /* and how many of them are denominators */
    bool has_instances; /* in any sample; */
    uint32_t instances; /* the most in one */
    uint64_t samples;   /* that hold it */
};

/* All zero is a valid initial state: of a segment that begins. */
struct pl_segment_counts {
    bool given_up;
    uint64_t samples, bytes;     /* of their blocks */
    int64_t utc_first, utc_last; /* the earliest and the latest */
    struct counted *objects; /* in the order in which samples first have them */
    size_t num, cap;
    size_t next;           /* which is likely to come next */
    struct pl_buf records; /* as they are written */
};

/* Begin with another segment. */
void pl_segment_counts_begin(struct pl_segment_counts *c);
void pl_segment_counts_release(struct pl_segment_counts *c);

/* State nothing of this segment: a sample in it is malformed. */
void pl_segment_counts_give_up(struct pl_segment_counts *c);

/*
 * The titles from here on.  Where they call an object otherwise that samples have,
 * nothing is stated, nor where they call two of them alike: objects are counted by
 * their names.
 */
void pl_segment_counts_titles(struct pl_segment_counts *c,
                              const struct pl_titles *titles);

/* Add a sample, of those titles; a gaps or a note, with its decoded payload.
 * PL_NOMEM. */
enum pl_status pl_segment_counts_sample(struct pl_segment_counts *c,
                                        const struct pl_record *r,
                                        const struct pl_buf *block,
                                        const struct pl_titles *titles);
enum pl_status pl_segment_counts_record(struct pl_segment_counts *c,
                                        const struct pl_record *r,
                                        const uint8_t *payload, size_t n);

/*
 * Append the content of an ends 'ends_at' bytes from the segment's SESS; nothing
 * if there is nothing to state.  PL_NOMEM.
 */
enum pl_status pl_segment_counts_content(const struct pl_segment_counts *c,
                                         uint64_t ends_at, struct pl_buf *out);

#endif
