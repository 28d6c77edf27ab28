/*                                                format/block/title_text.h
 * Lists of counter names outside a log, in two formats:
 *
 *   the registry's lists, "Counter 009" and "Help 009": UTF-16, an index, a
 *   NUL, its name, a NUL, and so on;
 *   UTF-8 lines of an index, a tab and its name.
 *
 * The format is detected from the bytes; a byte-order mark is skipped.  After
 * a damaged entry, reading continues with the next index.
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
    uint64_t num_bad; /* strings or lines that are not titles, or not UTF-8 */
};

/*
 * Read the list in 'bytes'.  Of two titles with the same index the later
 * counts.  PL_NOT_A_LOG: it holds no title; PL_NOMEM.
 */
enum pl_status pl_title_text_parse(struct pl_title_text *f,
                                   const struct pl_buf *bytes);
void pl_title_text_release(struct pl_title_text *f);

/* The title of 'index'; p is NULL if there is none. */
struct pl_text pl_title_text_find(const struct pl_title_text *f,
                                  uint32_t index);

#endif
