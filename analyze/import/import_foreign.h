/*                                          analyze/import/import_foreign.h
 * Logs of other formats (foreign.h) become a log of ours: what reading them
 * gives, sample by sample, one session after another.  Files that are of
 * another kind than the rest, or no logs after all, are named and left out.
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
 * Whether the sources are such logs, or blocks: what the first of them is that
 * shows it.  Those of the other kind are named and leave the sources.  Says
 * itself why a file cannot be looked at.
 */
enum pl_exit pl_import_choose(struct pl_import_files *sources, bool *are_logs);

/* Import them all, and say what came of it. */
enum pl_exit pl_import_foreign(const struct pl_import_foreign *plan);

#endif
