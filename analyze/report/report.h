/*                                                  analyze/report/report.h
 * The layout of an export that makes a page of charts.  Beside what others use
 * of the plan, top.num is how many instances a chart shows; top.by_peak says
 * that the highest peak decides which, else the mean over all of the time.
 */
#ifndef PL_ANALYZE_REPORT_REPORT_H
#define PL_ANALYZE_REPORT_REPORT_H

#include "analyze/query/query.h"

extern const struct pl_layout pl_layout_report;

#endif
