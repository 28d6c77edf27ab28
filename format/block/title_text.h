/*                                                format/block/title_text.h
 * Names of counters as Windows keeps them and as people carry them along:
 *
 *   the registry's lists, "Counter 009" and "Help 009": UTF-16, an index, a
 *   NUL, its name, a NUL, and so on;
 *   UTF-8 lines of an index, a tab and its name.
 *
 * Which it is shows in the bytes; a byte-order mark is passed over.  A damaged
 * list goes on with the next index.
 */
#ifndef PL_FORMAT_BLOCK_TITLE_TEXT_H
#define PL_FORMAT_BLOCK_TITLE_TEXT_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_TITLE_LIST = 64 << 20 }; /* bytes; Windows has 4 MB */

/* All zero is an empty list. */
struct pl_title_text {
    struct pl_buf text; /* UTF-8; strings ended by NUL or line end */
    struct pl_title_entry {
        uint32_t index;
        uint32_t len;
        size_t at; /* in text */
    } * titles;    /* by index, each once */
    size_t num, cap;
    uint64_t num_bad; /* strings or lines that are no title */
};

/*
 * Read the list in 'bytes'.  Of two titles with one index the later holds.
 * PL_NOT_A_LOG: no title in it; PL_NOMEM.
 */
enum pl_status pl_title_text_parse(struct pl_title_text *f,
                                   const struct pl_buf *bytes);
void pl_title_text_release(struct pl_title_text *f);

/* The title of 'index'; p is NULL if there is none. */
struct pl_text pl_title_text_find(const struct pl_title_text *f,
                                  uint32_t index);

#endif
