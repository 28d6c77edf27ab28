/*                                               analyze/workbook/busiest.h
 * The processes that did most in a log, whatever a workbook's sheets show of
 * them: by processor time, by what they read and wrote, and by memory.
 *
 * Logs of more than PL_BUSIEST_SAMPLES are looked at in their key samples alone,
 * about one a minute: what a process did between two of them counts, but one
 * that lived between them is not seen.
 */
#ifndef PL_ANALYZE_WORKBOOK_BUSIEST_H
#define PL_ANALYZE_WORKBOOK_BUSIEST_H

#include "analyze/query/query.h"
#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_BUSIEST_SAMPLES = 7200,
    PL_BUSIEST_MOST = 5,
    PL_BUSIEST_NAMES = 9, /* a chart has as many lines, and one of the others */
};

enum pl_busiest_by {
    PL_BUSIEST_CPU,
    PL_BUSIEST_IO,
    PL_BUSIEST_MEMORY,
    PL_NUM_BUSIEST
};

/* One of those that did most by one measure. */
struct pl_busy_process {
    struct pl_buf name;                /* ended by NUL */
    struct pl_buf host, user, command; /* empty: not known */
    double mean;                       /* while it was there */
    double share;                      /* of what all processes did, 0 to 1 */
};

/* All zero is none. */
struct pl_busiest {
    struct pl_busy_process top[PL_NUM_BUSIEST][PL_BUSIEST_MOST];
    size_t num[PL_NUM_BUSIEST]; /* those that did nothing left out */
    bool keys_only;             /* of key samples */
    /* names of the first by each measure, then of the second; ends with NULL */
    const char *names[PL_BUSIEST_NAMES + 1];
};

/* The counters of Process, by enum pl_busiest_by. */
extern const char *const pl_busiest_counters[PL_NUM_BUSIEST];

/*
 * A pass over the logs of 'e', which have so many samples at most, between its
 * passes.  As pl_query_rows; PL_NOMEM.  Must be released in any case.
 */
enum pl_status pl_busiest_find(struct pl_busiest *b, struct pl_query *e,
                               uint64_t samples);
void pl_busiest_release(struct pl_busiest *b);

#endif
