/*                                            analyze/inspect/names_check.h
 * Checks what the ends of a segment says of names (FORMAT.md, section 8.2)
 * against its samples: a question about names is answered without them.
 */
#ifndef PL_ANALYZE_INSPECT_NAMES_CHECK_H
#define PL_ANALYZE_INSPECT_NAMES_CHECK_H

#include "format/log/reader.h"
#include "format/log/stated_names.h"

/* All zero is a valid initial state. */
struct pl_names_check {
    struct pl_segment_names *names; /* NULL: none are stated */
    uint64_t segment_at;
    bool is_whole; /* all of the segment has been read so far */
};

/* Begin with the file that 'r' reads.  PL_NOMEM. */
enum pl_status pl_names_check_begin(struct pl_names_check *c,
                                    const struct pl_reader *r);
void pl_names_check_release(struct pl_names_check *c);

/*
 * Take the next item that 'r' gave out.  PL_CORRUPT: it is an ends whose names
 * are not those of its segment, of which nothing is damaged; PL_NOMEM.
 */
enum pl_status pl_names_check(struct pl_names_check *c,
                              const struct pl_reader *r,
                              const struct pl_item *item);

#endif
