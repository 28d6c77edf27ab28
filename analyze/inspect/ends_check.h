/*                                             analyze/inspect/ends_check.h
 * Checks what the ends of a segment states of its samples (FORMAT.md, section
 * 8.2) against these: names and counts are taken from there without them.
 */
#ifndef PL_ANALYZE_INSPECT_ENDS_CHECK_H
#define PL_ANALYZE_INSPECT_ENDS_CHECK_H

#include "format/reader/reader.h"
#include "format/payload/segment_counts.h"
#include "format/payload/segment_names.h"

/* All zero is a valid initial state. */
struct pl_ends_check {
    struct pl_segment_names *names; /* NULL: nothing is stated */
    struct pl_segment_counts counts;
    uint64_t segment_at;
    bool is_whole; /* all of the segment has been read so far */
};

/* Begin with the file that 'r' reads.  PL_NOMEM. */
enum pl_status pl_ends_check_begin(struct pl_ends_check *c,
                                   const struct pl_reader *r);
void pl_ends_check_release(struct pl_ends_check *c);

/*
 * Take the next item that 'r' gave out.  PL_CORRUPT: it is an ends that states
 * something else of its segment, of which nothing is damaged, and *why says what;
 * PL_NOMEM.
 */
enum pl_status pl_ends_check(struct pl_ends_check *c, const struct pl_reader *r,
                             const struct pl_item *item, const char **why);

#endif
