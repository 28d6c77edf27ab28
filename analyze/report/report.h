/*                                                  analyze/report/report.h
 * The layout of an export that makes a page of charts.  Beside what others use
 * of the plan, top.num is how many instances a chart shows, and top.way says
 * by what these are chosen.
 */
#ifndef PL_ANALYZE_REPORT_REPORT_H
#define PL_ANALYZE_REPORT_REPORT_H

#include "analyze/query/query.h"

extern const struct pl_layout pl_layout_report;

#endif
