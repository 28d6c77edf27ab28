/*                                                  analyze/report/assets.h
 * The parts of a report that are the same in each: made of files when perflog
 * is built (cmake/Report.cmake).  Empty in a perflog that makes no reports.
 */
#ifndef PL_ANALYZE_REPORT_ASSETS_H
#define PL_ANALYZE_REPORT_ASSETS_H

#include "format/base/text.h"

struct pl_report_assets {
    struct pl_text uplot_css, page_css; /* style sheets */
    struct pl_text uplot_js, page_js;   /* scripts */
    struct pl_text uplot_licence;       /* which has to go along */
};

extern const struct pl_report_assets pl_report_assets;

#endif
