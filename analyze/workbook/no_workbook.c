/* The workbook layout of a build without libxlsxwriter. */
#include "analyze/workbook/workbook.h"

static enum pl_status run_nothing(struct pl_query *e)
{
    pl_say("export: this perflog was built without libxlsxwriter and makes no "
           "workbooks; take CSV, or build with -DPERFLOG_XLSX=ON");
    e->code = PL_EXIT_FAILED;
    return PL_USAGE;
}

#define FORM                                                                   \
    {                                                                          \
        .name = "xlsx", .run = run_nothing                                     \
    }

const struct pl_layout pl_layout_xlsx = FORM, pl_layout_xlsx_wide = FORM,
                       pl_layout_xlsx_long = FORM;
