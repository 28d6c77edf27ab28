/*                                           analyze/output/output_folder.h
 * Several files that belong together: those of a folder, which appears under
 * its name when all of them are whole, or numbered ones beside each other.
 * Until then the work bears another name, NAME.part or the next that is free,
 * and goes away if the program is interrupted.  No file is kept open between
 * two writes, so there may be hundreds.
 */
#ifndef PL_ANALYZE_OUTPUT_OUTPUT_FOLDER_H
#define PL_ANALYZE_OUTPUT_OUTPUT_FOLDER_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>

struct pl_made_file; /* one that was begun */

struct pl_output_folder {
    char *folder;    /* NULL: none of their own */
    char *part;      /* what it is called until it is whole */
    unsigned rights; /* of the files */
    struct pl_made_file *made;
};

/*
 * Begin a folder, or ('folder' NULL) files without one; 'rights' are the most
 * that the files get.  PL_IO (EEXIST: there
 * is one already, or anything else of that name), PL_NOMEM.
 */
enum pl_status pl_output_folder_open(struct pl_output_folder *f,
                                     const char *folder, unsigned rights);

/* Give everything its name.  PL_IO: that could not be, and nothing is left. */
enum pl_status pl_output_folder_commit(struct pl_output_folder *f);

/* Leave nothing behind; fine after commit and for all zero. */
void pl_output_folder_discard(struct pl_output_folder *f);

/*
 * One sheet in as many files as it takes.  'stem' is its path without ".csv",
 * within the folder if there is one.  With 'step' 0 it is one file; else they
 * are numbered stem-001.csv from 'number' on, and the next one is 'step'
 * further, so that several sheets may share a stem.
 */
struct pl_paged {
    struct pl_output_folder *files;
    const char *stem;
    const char *suffix; /* ".csv" */
    unsigned number, step;
    struct pl_made_file *file; /* NULL: none yet */
};

/* For pl_csv_init and pl_csv_paged: ctx is the pl_paged. */
enum pl_status pl_paged_write(void *ctx, const void *p, size_t n);
enum pl_status pl_paged_next(void *ctx);

/*
 * Append to 'out', with a terminator, a name for a file that every file system
 * takes: other characters than ASCII letters, digits, blanks and ._-()+, are
 * replaced, and names that Windows keeps for itself changed.  'taken' are the
 * 'num' names given out before; the new one differs from them by more than
 * case.
 */
void pl_safe_name(struct pl_buf *out, struct pl_text name,
                  const char *const *taken, size_t num);

#endif
