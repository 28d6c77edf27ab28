/*                                          analyze/import/import_foreign.h
 * Imports logs of other formats (foreign.h) into a .plog, sample by sample, one
 * session after another.  Files of another kind than the rest, and files that
 * are not logs, are reported and left out.
 */
#ifndef PL_ANALYZE_IMPORT_IMPORT_FOREIGN_H
#define PL_ANALYZE_IMPORT_IMPORT_FOREIGN_H

#include "analyze/import/import_files.h"
#include "format/cli/message.h"

#include <stdbool.h>

struct pl_import_foreign {
    struct pl_import_files *sources;
    const char *output;
    bool quiet;
};

/*
 * Whether the sources are such logs, or blocks: the kind of the first source
 * that has one.  Those of the other kind are reported and removed from the
 * sources.  Reports why a file cannot be read.
 */
enum pl_exit pl_import_choose(struct pl_import_files *sources, bool *are_logs);

/* Import all of them, and report the result. */
enum pl_exit pl_import_foreign(const struct pl_import_foreign *plan);

#endif
