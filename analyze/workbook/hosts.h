/*                                                 analyze/workbook/hosts.h
 * What a workbook says of each host log: when it was recorded and how often, at
 * which cost, and whether it is complete.
 */
#ifndef PL_ANALYZE_WORKBOOK_HOSTS_H
#define PL_ANALYZE_WORKBOOK_HOSTS_H

#include "analyze/inspect/log_counts.h"
#include "analyze/query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_xlsx_host {
    const char *name; /* of the host log */
    struct pl_log_counts counts;
    uint64_t bytes;
    bool live; /* it is still being recorded */
};

/* All zero is none. */
struct pl_xlsx_hosts {
    struct pl_xlsx_host *hosts; /* as e->logs */
    size_t num;
};

/*
 * Read all logs of 'e', whatever its time.  As pl_host_log_start, reported; must
 * be released in any case.
 */
enum pl_status pl_xlsx_hosts_read(struct pl_xlsx_hosts *h, struct pl_query *e);
void pl_xlsx_hosts_release(struct pl_xlsx_hosts *h);

#endif
