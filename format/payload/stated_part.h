/*                                            format/payload/stated_part.h
 * What the ends of a packed log states of its segment, behind its own fields
 * (FORMAT.md, section 8.2): parts, each compressed with a hash of its own, and
 * at last the length of it all, by which it is found from the end of a file.
 */
#ifndef PL_FORMAT_PAYLOAD_STATED_PART_H
#define PL_FORMAT_PAYLOAD_STATED_PART_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/record/codec.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_STATED_TRAILER = 8 }; /* bytes of the length */

/* In this order; a reader that does not know the later ones does not see them. */
enum pl_stated_part { PL_STATED_NAMES, PL_STATED_COUNTS };

/* Append the next part to the payload of an ends of 'session'; the length.
 * PL_NOMEM. */
enum pl_status pl_stated_part_put(const struct pl_buf *content,
                                  uint64_t session, struct pl_buf *out);
void pl_stated_end(struct pl_buf *out);

/*
 * Unpack a part of at most 'most' bytes from the 'n' bytes of an ends into
 * 'content', which is cleared first.  PL_END: it is not there, or empty;
 * PL_CORRUPT; PL_NOMEM.
 */
enum pl_status pl_stated_part_unpack(struct pl_decoder *d, uint64_t session,
                                     const uint8_t *ends, size_t n,
                                     enum pl_stated_part part, uint32_t most,
                                     struct pl_buf *content);

/* PL_OK: the part is 'found', or it is not there; PL_CORRUPT: it is something
 * else; PL_NOMEM. */
enum pl_status pl_stated_part_compare(uint64_t session, const uint8_t *ends,
                                      size_t n, enum pl_stated_part part,
                                      uint32_t most,
                                      const struct pl_buf *found);

#endif
