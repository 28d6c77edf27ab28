/*                                                  analyze/report/report.h
 * The layout of an export that makes a page of charts.  Besides the usual
 * members of the plan it uses top.num, the number of instances in a chart, and
 * top.way, how these are ranked.
 */
#ifndef PL_ANALYZE_REPORT_REPORT_H
#define PL_ANALYZE_REPORT_REPORT_H

#include "analyze/query/query.h"

extern const struct pl_layout pl_layout_report;

#endif
