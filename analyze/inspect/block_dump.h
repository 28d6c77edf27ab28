/*                                             analyze/inspect/block_dump.h
 * Shows a block field by field, as it is stored: nothing is calculated, and
 * fields have winperf.h's names.
 */
#ifndef PL_ANALYZE_INSPECT_BLOCK_DUMP_H
#define PL_ANALYZE_INSPECT_BLOCK_DUMP_H

#include "analyze/output/dump_tree.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>

/* Which objects: all, or those with a matching name or index. */
struct pl_dump_choice {
    const char *object; /* pattern or number; NULL: all */
    size_t matched;     /* number of objects matched */
};

/*
 * Show 'len' bytes.  The consistent part is shown; *misfit then says where and
 * why the rest is not (reason NULL: all was shown).  PL_NOMEM.
 */
enum pl_status pl_dump_block(struct pl_dump_tree *t, const void *bytes,
                             size_t len, const struct pl_titles *titles,
                             struct pl_dump_choice *choice,
                             struct pl_misfit *misfit);

#endif
