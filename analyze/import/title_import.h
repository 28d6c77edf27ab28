/*                                            analyze/import/title_import.h
 * Titles from files (format/block/title_text.h), and those of them that blocks
 * use.
 */
#ifndef PL_ANALYZE_IMPORT_TITLE_IMPORT_H
#define PL_ANALYZE_IMPORT_TITLE_IMPORT_H

#include "analyze/blocks/title_set.h"
#include "format/base/status.h"
#include "format/block/title_text.h"
#include "format/block/titles.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Read the file 'path'; release it with pl_title_text_release.  PL_TOO_LARGE,
 * PL_NOT_A_LOG: no title in it; PL_IO, PL_NOMEM.
 */
enum pl_status pl_title_import_load(struct pl_title_text *f, const char *path);

/* Which titles to take from a file; no file: none. */
struct pl_title_choice {
    const struct pl_title_text *file; /* NULL or all zero: none */
    const struct pl_title_set *wanted;
    enum pl_title_kind kind;
    size_t num; /* set: how many were taken */
};

/*
 * Copy the titles of both choices whose indexes are wanted into 'out', which is
 * empty, as English.  No more than PL_MAX_TITLES are taken.  PL_NOMEM.
 */
enum pl_status pl_titles_choose(struct pl_title_choice choices[2],
                                struct pl_titles *out);

#endif
