/*                                                analyze/workbook/vitals.h
 * Mean, P95 and greatest value of the series that show a machine's state
 * (default_series.h), of the rows that a workbook shows.  Of many hosts only
 * those series that all of them have, and of these the hosts with the highest
 * means, the median, and the host with the lowest.
 */
#ifndef PL_ANALYZE_WORKBOOK_VITALS_H
#define PL_ANALYZE_WORKBOOK_VITALS_H

#include "analyze/calc/percentile.h"
#include "analyze/workbook/sheet_plan.h"
#include "analyze/replay/replay.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_XLSX_VITALS_MOST = 10000, /* each of 15 kB at most */
    PL_XLSX_FEW_HOSTS = 3,       /* all vital series are shown of so many */
    PL_XLSX_HIGHEST_HOSTS = 2,   /* of more: so many are named */
};

struct pl_xlsx_vital {
    const struct pl_xlsx_column *column;
    size_t chart; /* in pl_vitals */
    struct pl_percentiles values;
    double sum, weight, max;
};

/* All zero is none. */
struct pl_xlsx_vitals {
    struct pl_xlsx_vital *vitals; /* chart by chart */
    size_t num, cap;
    size_t left_out;  /* series of counters that did not fit as a whole */
    bool many;        /* more than PL_XLSX_FEW_HOSTS */
    uint32_t *places; /* by column of the registry: from 1; 0: it is none */
    uint32_t num_columns;
};

/* Of the columns of 'plan', which must live as long.  PL_NOMEM; must be
 * released in any case. */
enum pl_status pl_xlsx_vitals_choose(struct pl_xlsx_vitals *v,
                                     const struct pl_xlsx_plan *plan,
                                     uint32_t num_columns, uint32_t num_hosts);
void pl_xlsx_vitals_release(struct pl_xlsx_vitals *v);

/* PL_NOMEM. */
enum pl_status pl_xlsx_vitals_add(struct pl_xlsx_vitals *v,
                                  const struct pl_row *row);

/* What is shown in a line. */
struct pl_xlsx_vital_line {
    const struct pl_xlsx_column *column;
    size_t chart; /* in pl_vitals */
    bool has_values;
    double mean, p95, max;
    uint32_t num_hosts; /* it is the median of so many; 0: of column's host */
};

/*
 * The lines, chart by chart, to be freed; *zeros: how many more there are of
 * interfaces that did nothing.  NULL: no memory.
 */
struct pl_xlsx_vital_line *pl_xlsx_vitals_lines(struct pl_xlsx_vitals *v,
                                                size_t *num, size_t *zeros);

#endif
