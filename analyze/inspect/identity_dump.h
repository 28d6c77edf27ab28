/*                                          analyze/inspect/identity_dump.h
 * Shows what identifies the processes of one sample, for 'perflog dump'.
 */
#ifndef PL_ANALYZE_INSPECT_IDENTITY_DUMP_H
#define PL_ANALYZE_INSPECT_IDENTITY_DUMP_H

#include "analyze/output/dump_tree.h"
#include "format/payload/identity_set.h"

/*
 * Show the processes of 'set' that 'block' has; nothing where the log has none.
 * PL_NOMEM.
 */
enum pl_status pl_dump_identities(struct pl_dump_tree *t,
                                  const struct pl_identity_set *set,
                                  const struct pl_buf *block);

#endif
