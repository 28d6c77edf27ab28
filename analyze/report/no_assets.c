/* Empty parts of a report, for a build without uPlot. */
#include "analyze/report/assets.h"

const struct pl_report_assets pl_report_assets = { .page_js = { NULL, 0 } };
