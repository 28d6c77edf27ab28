/*                                                      analyze/title_file.h
 * Names of counters as people can carry them from a Windows machine:
 *
 *   the registry's lists, "Counter 009" and "Help 009": UTF-16, an index, a
 *   NUL, its name, a NUL, and so on;
 *   UTF-8 lines of an index, a tab and its name.
 *
 * Which it is shows in the bytes; a byte-order mark is passed over.  A damaged
 * list goes on with the next index.
 */
#ifndef PL_ANALYZE_TITLE_FILE_H
#define PL_ANALYZE_TITLE_FILE_H

#include "analyze/index_set.h"
#include "format/buf.h"
#include "format/status.h"
#include "format/titles.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_TITLE_FILE = 64 << 20 }; /* bytes; Windows has 4 MB */

struct pl_title_file {
    struct pl_buf text; /* UTF-8; strings ended by NUL or line end */
    struct pl_file_title {
        uint32_t index;
        uint32_t len;
        size_t at; /* in text */
    } * titles;    /* by index, each once */
    size_t num, cap;
    uint64_t num_bad; /* strings or lines that are no title */
};

/*
 * Read the file under 'path'.  Of two titles with one index the later holds.
 * PL_TOO_LARGE, PL_NOT_A_LOG: no title in it;
 * PL_IO, PL_NOMEM.
 */
enum pl_status pl_title_file_load(struct pl_title_file *f, const char *path);
void pl_title_file_release(struct pl_title_file *f);

/* What to take from a file; no file: nothing. */
struct pl_title_choice {
    const struct pl_title_file *file; /* NULL or all zero: none */
    const struct pl_index_set *wanted;
    enum pl_title_kind kind;
    size_t num; /* set: how many were taken */
};

/*
 * Put the titles of both choices whose indexes are wanted into 'out', which is
 * empty, as English.  No more than PL_MAX_TITLES
 * are taken.  PL_NOMEM.
 */
enum pl_status pl_titles_choose(struct pl_title_choice choices[2],
                                struct pl_titles *out);

#endif
