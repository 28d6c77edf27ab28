/*                                           analyze/output/output_folder.h
 * Several files that belong together: those of a folder, which gets its name
 * when all of them are complete, or numbered ones beside each other.  Until
 * then they have a temporary name, NAME.part or the next free one, and are
 * removed if the program is interrupted.  No file is kept open between two
 * writes, so there may be hundreds.
 */
#ifndef PL_ANALYZE_OUTPUT_OUTPUT_FOLDER_H
#define PL_ANALYZE_OUTPUT_OUTPUT_FOLDER_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>

struct pl_made_file; /* a file that was begun */

struct pl_output_folder {
    char *folder;    /* NULL: files without a folder */
    char *part;      /* its name until it is complete */
    unsigned rights; /* access rights of the files */
    struct pl_made_file *made;
};

/*
 * Begin a folder, or ('folder' NULL) files without one; the files get at most
 * 'rights'.  PL_IO (EEXIST: a file or folder of that name exists), PL_NOMEM.
 */
enum pl_status pl_output_folder_open(struct pl_output_folder *f,
                                     const char *folder, unsigned rights);

/* Give all files their names.  PL_IO: this failed, and all are removed. */
enum pl_status pl_output_folder_commit(struct pl_output_folder *f);

/* Remove what is unfinished; allowed after commit and for all zero. */
void pl_output_folder_discard(struct pl_output_folder *f);

/*
 * One sheet in as many files as it needs.  'stem' is its path without ".csv",
 * within the folder if there is one.  With 'step' 0 it is one file; else they
 * are numbered stem-001.csv from 'number' on, and the number grows by 'step',
 * so that several sheets may share a stem.
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
 * Append to 'out', with a terminator, a name for a file that is valid on every
 * file system: characters other than ASCII letters, digits, blanks and ._-()+,
 * are replaced, and names reserved by Windows are changed.  'taken' are the
 * 'num' earlier names; the new one differs from them by more than case.
 */
void pl_safe_name(struct pl_buf *out, struct pl_text name,
                  const char *const *taken, size_t num);

#endif
