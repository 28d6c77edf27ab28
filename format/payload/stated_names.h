/*                                           format/payload/stated_names.h
 * What an ends states of the names of its segment's samples, behind its own
 * fields (FORMAT.md, section 8.2): the content that segment_names.h makes,
 * compressed.
 */
#ifndef PL_FORMAT_PAYLOAD_STATED_NAMES_H
#define PL_FORMAT_PAYLOAD_STATED_NAMES_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/base/status.h"
#include "format/payload/segment_names.h"
#include "format/record/codec.h"

#include <stddef.h>
#include <stdint.h>

/* The content, which must outlive this. */
struct pl_stated_names {
    uint64_t ends_at, titles_at; /* distances from the segment's SESS */
    uint64_t samples;            /* of the segment */
    struct pl_cur objects;       /* for pl_stated_names_object, */
    struct pl_cur blocks;        /* and for pl_stated_names_block */
};

struct pl_named_object {
    uint32_t title_index;
    uint64_t samples; /* that hold it */
};

/*
 * Unpack what an ends with a payload of 'n' bytes holds into 'content', which is
 * cleared first.  PL_END: it holds no names; PL_CORRUPT; PL_NOMEM.
 */
enum pl_status pl_stated_names_unpack(struct pl_decoder *d, uint64_t session,
                                      const uint8_t *ends, size_t n,
                                      struct pl_buf *content);

/* PL_CORRUPT. */
enum pl_status pl_stated_names_parse(struct pl_stated_names *names,
                                     const struct pl_buf *content);

/*
 * PL_OK: an ends of 'session', 'ends_at' bytes from its SESS, with a payload of
 * 'len' bytes, holds no names, or those gathered in 'n'; PL_CORRUPT: others;
 * PL_NOMEM.
 */
enum pl_status pl_segment_names_compare(struct pl_segment_names *n,
                                        uint64_t session, uint64_t ends_at,
                                        const uint8_t *ends, size_t len);

/* The next object, or block, whose bytes are as untrusted as those of a sample.
 * PL_END after the last one. */
enum pl_status pl_stated_names_object(struct pl_stated_names *names,
                                      struct pl_named_object *o);
enum pl_status pl_stated_names_block(struct pl_stated_names *names,
                                     struct pl_cur *block);

#endif
