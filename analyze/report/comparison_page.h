/*                                         analyze/report/comparison_page.h
 * A comparison as a page: a chart for each series that differs most, with the
 * window before drawn over the one after, and the figures of 'compare' as text.
 */
#ifndef PL_ANALYZE_REPORT_COMPARISON_PAGE_H
#define PL_ANALYZE_REPORT_COMPARISON_PAGE_H

#include "analyze/compare/compare_curves.h"
#include "analyze/output/output_file.h"
#include "format/base/status.h"

#include <stdbool.h>

/* False: this perflog has been built without what pages need. */
bool pl_comparison_page_can(void);

/* Curves of both windows have been gathered.  PL_IO, PL_NOMEM. */
enum pl_status pl_comparison_put_page(struct pl_output_file *out,
                                      const struct pl_curves *curves);

#endif
