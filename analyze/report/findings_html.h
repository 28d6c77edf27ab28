/*                                           analyze/report/findings_html.h
 * The findings of 'perflog diagnose' at the top of a report: what was wrong, when
 * (as a link that shows that time), and which processes did it.  They are those
 * of the built-in rules.
 */
#ifndef PL_ANALYZE_REPORT_FINDINGS_HTML_H
#define PL_ANALYZE_REPORT_FINDINGS_HTML_H

#include "analyze/diagnose/diagnose.h"
#include "analyze/output/html.h"

/* Nothing, if there are none. */
void pl_findings_put_html(struct pl_html *h, const struct pl_diagnosis *d);

#endif
