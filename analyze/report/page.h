/*                                                    analyze/report/page.h
 * A report as a page: one file of HTML that needs nothing else.  What charts
 * are drawn from stands in it as JSON, which holds numbers only; all names
 * stand in the markup, escaped.
 */
#ifndef PL_ANALYZE_REPORT_PAGE_H
#define PL_ANALYZE_REPORT_PAGE_H

#include "analyze/query/query.h"
#include "analyze/output/html.h"
#include "analyze/report/charts.h"
#include "analyze/report/facts.h"

#define PL_NO_TAPE SIZE_MAX

struct pl_report {
    const struct pl_query *e;
    struct pl_charts charts;
    struct pl_facts *facts;    /* by tape */
    size_t *tapes;             /* by rank of hosts; PL_NO_TAPE: it has none */
    int64_t first_ns, last_ns; /* on all axes */
};

/* Failures are kept in 'h'. */
void pl_report_put_page(struct pl_html *h, const struct pl_report *r);

/* ---- its parts ------------------------------------------------------------- */

/* The numbers that charts are drawn from. */
void pl_report_put_data(struct pl_html *h, const struct pl_report *r);

/* Facts, and the time axis with its gaps, of one tape. */
void pl_report_put_facts(struct pl_html *h, const struct pl_report *r,
                         size_t tape);

/* A time as all of the page has it. */
void pl_report_put_time(struct pl_html *h, const struct pl_report *r,
                        int64_t utc_ns);

#endif
