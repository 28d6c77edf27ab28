/*                                                    analyze/report/page.h
 * Writes a report as one file of HTML that needs no other file.  It holds the
 * data of the charts as JSON, with numbers only; all names are in the markup,
 * escaped.
 */
#ifndef PL_ANALYZE_REPORT_PAGE_H
#define PL_ANALYZE_REPORT_PAGE_H

#include "analyze/diagnose/diagnose.h"
#include "analyze/hosts/hosts.h"
#include "analyze/query/query.h"
#include "analyze/output/html.h"
#include "analyze/report/charts.h"
#include "analyze/report/facts.h"

#define PL_NO_LOG SIZE_MAX

struct pl_report {
    struct pl_query *e;
    struct pl_hosts compared; /* if there are several */
    struct pl_charts charts;
    struct pl_facts *facts; /* by host log */
    /* by rank of hosts; PL_NO_LOG: the host has none */
    size_t *logs;
    const char **hosts;                   /* their names, by rank */
    int64_t first_ns, last_ns;            /* on all axes */
    const struct pl_diagnosis *diagnosis; /* NULL: none */
};

/* Failures are kept in 'h'. */
void pl_report_put_page(struct pl_html *h, const struct pl_report *r);

/* ---- parts of a page ----------------------------------------------------- */

/* The table of hosts by how unlike the others they are, if compared. */
void pl_report_put_unlike(struct pl_html *h, const struct pl_report *r);

/* The data of the charts, and how many digits their numbers have. */
void pl_report_put_data(struct pl_html *h, const struct pl_report *r);
unsigned pl_report_digits(const struct pl_report *r);

/*
 * All charts, those of hosts with the same content in one frame.  False: there
 * are none.
 */
bool pl_report_put_charts(struct pl_html *h, const struct pl_report *r);

/* Facts, and the time axis with its gaps, of one host log. */
void pl_report_put_facts(struct pl_html *h, const struct pl_report *r,
                         size_t log);

/* The same of several: a table of them, and the rest folded. */
void pl_report_put_hosts(struct pl_html *h, const struct pl_report *r);

/* The name of a host log's host. */
void pl_report_put_host(struct pl_html *h, const struct pl_report *r,
                        size_t log);

/* A time in the form of the page. */
void pl_report_put_time(struct pl_html *h, const struct pl_report *r,
                        int64_t utc_ns);

#endif
