/*                                          analyze/import/import_foreign.h
 * Logs of other formats (foreign.h) become a log of ours: what reading them
 * gives, sample by sample, one session after another.
 */
#ifndef PL_ANALYZE_IMPORT_IMPORT_FOREIGN_H
#define PL_ANALYZE_IMPORT_IMPORT_FOREIGN_H

#include "analyze/import/import_files.h"
#include "format/cli/message.h"

#include <stdbool.h>

struct pl_import_foreign {
    const struct pl_import_files *sources;
    const char *output;
    bool quiet;
};

/*
 * How many of the sources are such logs; -1: one could not be looked at, which
 * has been told.
 */
int pl_import_count_logs(const struct pl_import_files *sources,
                         enum pl_exit *code);

/* Import them all, and say what came of it. */
enum pl_exit pl_import_foreign(const struct pl_import_foreign *plan);

#endif
