/*                                             analyze/foreign/blg_titles.h
 * Titles in a Performance Monitor log for its blocks (messages of kind 0x24,
 * blg-format): the machine's name, then pairs of an index and a name, each in
 * UTF-16 with a NUL.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_TITLES_H
#define PL_ANALYZE_FOREIGN_BLG_TITLES_H

#include "analyze/blocks/title_set.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: none yet.  Time does not depend on their order in the log. */
struct pl_blg_titles {
    size_t *starts; /* offset of each index's name in 'names', + 1; 0: none */
    struct pl_buf names;
    bool english; /* the titles seem to be English */
};

void pl_blg_titles_release(struct pl_blg_titles *t);

/* Add the titles of a message; a later one replaces an earlier.  PL_NOMEM. */
enum pl_status pl_blg_titles_take(struct pl_blg_titles *t, const uint8_t *p,
                                  size_t n);

/*
 * Append a payload of TITL with the names of those in 'used', which must not be
 * queried again.  PL_NOMEM.
 */
enum pl_status pl_blg_titles_keep(const struct pl_blg_titles *t,
                                  struct pl_title_set *used,
                                  struct pl_buf *out);

#endif
