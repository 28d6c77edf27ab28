/*                                             analyze/inspect/block_dump.h
 * A block shown field by field, as it is stored: nothing is calculated, and
 * fields bear winperf.h's names.
 */
#ifndef PL_ANALYZE_INSPECT_BLOCK_DUMP_H
#define PL_ANALYZE_INSPECT_BLOCK_DUMP_H

#include "analyze/output/dump_tree.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>

/* Which objects: all, or those whose name fits or whose index it is. */
struct pl_dump_choice {
    const char *object; /* pattern or number; NULL: all */
    size_t matched;     /* objects it fitted */
};

/*
 * Show 'len' bytes.  What adds up is shown; *misfit then says where and why
 * the rest is not (reason NULL: all was).  PL_NOMEM.
 */
enum pl_status pl_dump_block(struct pl_dump_tree *t, const void *bytes,
                             size_t len, const struct pl_titles *titles,
                             struct pl_dump_choice *choice,
                             struct pl_misfit *misfit);

#endif
