/*                                              analyze/report/chart_form.h
 * How a page draws charts: which share a frame, and what a line is in it.
 */
#ifndef PL_ANALYZE_REPORT_CHART_FORM_H
#define PL_ANALYZE_REPORT_CHART_FORM_H

#include "analyze/report/charts.h"

#include <stdbool.h>
#include <stdint.h>

enum pl_chart_form pl_chart_form_of(const struct pl_chart *chart);

/* True if a page shows both, which are of two hosts, in one frame. */
bool pl_charts_share(const struct pl_chart *a, const struct pl_chart *b);

/*
 * What the line at c->lines[line] is: of a chart's first counter, which stands
 * for its host where many hosts are shown together; stacked on others; one of
 * the instances that are ranked.
 */
bool pl_line_leads(const struct pl_charts *c, const struct pl_chart *chart,
                   uint32_t line);
bool pl_line_is_stacked(const struct pl_charts *c, const struct pl_chart *chart,
                        uint32_t line);
bool pl_line_is_ranked(const struct pl_chart_line *line);

/* True if it has values, and all are 0. */
bool pl_line_is_zero(const struct pl_chart_line *line);

/* True if it is of a process that has no value in the last rows. */
bool pl_line_ended(const struct pl_charts *c, const struct pl_chart *chart,
                   const struct pl_chart_line *line);

#endif
