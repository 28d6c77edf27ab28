/*                                               analyze/workbook/summary.h
 * The first sheet of a workbook: what was recorded, findings, statistics of
 * vital series, the busiest processes, links to the sheets, and everything that
 * is missing.
 */
#ifndef PL_ANALYZE_WORKBOOK_SUMMARY_H
#define PL_ANALYZE_WORKBOOK_SUMMARY_H

#include "analyze/workbook/book.h"
#include "analyze/workbook/busiest.h"
#include "analyze/workbook/charts.h"
#include "analyze/workbook/findings.h"
#include "analyze/workbook/hosts.h"
#include "analyze/workbook/vitals.h"
#include "analyze/query/query.h"

struct pl_xlsx_summary {
    const struct pl_query *e;
    struct pl_xlsx_hosts hosts;
    bool is_long;   /* a log has more than PL_BUSIEST_SAMPLES */
    bool diagnosed; /* findings and processes were looked for */
    struct pl_xlsx_findings findings;
    struct pl_busiest busiest;
    struct pl_xlsx_vitals vitals;
    uint64_t blanks[PL_NUM_CELLS]; /* blank cells, by reason */
    uint32_t num_series;
};

/* Add the sheet, the first one of the book. */
void pl_xlsx_summary_add(struct pl_xlsx_book *b);

/*
 * Read what it says of the logs besides the rows of 'e': between its passes, and
 * findings and processes only if the user chose no counters.  As pl_query_rows;
 * must be released in any case.
 */
enum pl_status pl_xlsx_summary_read(struct pl_xlsx_summary *s,
                                    struct pl_query *e);
void pl_xlsx_summary_release(struct pl_xlsx_summary *s);

/* Fill the sheet, when the book has all others. */
void pl_xlsx_summary_put(struct pl_xlsx_summary *s, struct pl_xlsx_book *b,
                         const struct pl_xlsx_charts *charts);

#endif
