/* In place of the parts of a report where uPlot was not there when it was built. */
#include "analyze/report/assets.h"

const struct pl_report_assets pl_report_assets = { .page_js = { NULL, 0 } };
