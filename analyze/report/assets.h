/*                                                  analyze/report/assets.h
 * The parts of a report that are the same in each: embedded files, made when
 * perflog is built (cmake/Report.cmake).  Empty in a perflog without reports.
 */
#ifndef PL_ANALYZE_REPORT_ASSETS_H
#define PL_ANALYZE_REPORT_ASSETS_H

#include "format/base/text.h"

struct pl_report_assets {
    struct pl_text uplot_css, page_css; /* style sheets */
    struct pl_text uplot_js, page_js;   /* scripts */
    /* uPlot's licence, which must be included */
    struct pl_text uplot_licence;
};

extern const struct pl_report_assets pl_report_assets;

#endif
