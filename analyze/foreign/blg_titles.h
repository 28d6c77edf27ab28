/*                                             analyze/foreign/blg_titles.h
 * The titles that a Performance Monitor log has for its blocks (messages of
 * kind 0x24, blg-format): the machine's name, then pairs of an index and a
 * name, each in UTF-16 with a zero behind it.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_TITLES_H
#define PL_ANALYZE_FOREIGN_BLG_TITLES_H

#include "analyze/blocks/title_set.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: none yet.  Their order in the log does not make it slow. */
struct pl_blg_titles {
    size_t *starts; /* where in names that of each index is, + 1; 0: nowhere */
    struct pl_buf names;
    bool english; /* they seem to be */
};

void pl_blg_titles_release(struct pl_blg_titles *t);

/* Take those of a message; a later one replaces an earlier.  PL_NOMEM. */
enum pl_status pl_blg_titles_take(struct pl_blg_titles *t, const uint8_t *p,
                                  size_t n);

/*
 * Append a payload of TITL with the names of those in 'used', which is not to
 * be asked again.  PL_NOMEM.
 */
enum pl_status pl_blg_titles_keep(const struct pl_blg_titles *t,
                                  struct pl_title_set *used,
                                  struct pl_buf *out);

#endif
