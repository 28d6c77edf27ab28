/*                                              analyze/workbook/identity.h
 * The columns of a table that say which process a row is about, so that it can
 * be grouped by them.
 */
#ifndef PL_ANALYZE_WORKBOOK_IDENTITY_H
#define PL_ANALYZE_WORKBOOK_IDENTITY_H

#include "analyze/series/series_registry.h"
#include "analyze/workbook/cells.h"

enum { PL_XLSX_NUM_IDENTITIES = 3 };

/* Headers of these columns. */
extern const char *const pl_xlsx_identities[PL_XLSX_NUM_IDENTITIES];

/* Text, or a blank cell if it is empty.  at->column is advanced. */
void pl_xlsx_put_name(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                      struct pl_text t);
/* Those columns of a group.  at->column is advanced past them. */
void pl_xlsx_put_identity(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                          const struct pl_group *g);

#endif
