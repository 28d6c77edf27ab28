/*                                              analyze/workbook/findings.h
 * What 'perflog diagnose' finds in a log, as the cells of a workbook's first
 * sheet.
 */
#ifndef PL_ANALYZE_WORKBOOK_FINDINGS_H
#define PL_ANALYZE_WORKBOOK_FINDINGS_H

#include "analyze/diagnose/findings_within.h"
#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct pl_xlsx_finding {
    int64_t first_ns, last_ns;
    double severity;
    double share;                       /* of the process, 0: not known */
    struct pl_buf words, process, user; /* of the one that did most */
    struct pl_buf evidence;             /* with its command line */
};

/* All zero is none. */
struct pl_xlsx_findings {
    struct pl_xlsx_finding list[PL_DIAGNOSE_USUAL];
    size_t num;
    size_t more; /* that are less severe */
};

/* As pl_findings_for; must be released in any case. */
enum pl_status pl_xlsx_findings_find(struct pl_xlsx_findings *f,
                                     struct pl_query *e);
void pl_xlsx_findings_release(struct pl_xlsx_findings *f);

#endif
