/*                                                    analyze/push/outbox.h
 * The series that are alive, and samples of them that wait to be delivered.  A
 * series lives as long as each row of its host has a value of it; then a marker
 * says that it has ended, so that queries do not go on with its last value.
 */
#ifndef PL_ANALYZE_PUSH_OUTBOX_H
#define PL_ANALYZE_PUSH_OUTBOX_H

#include "analyze/push/delivery.h"
#include "analyze/push/forecast.h"
#include "analyze/push/metric_name.h"
#include "analyze/replay/row_values.h"
#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_live_series;

struct pl_live_host {
    const struct pl_host *host;
    struct pl_live_series *series;
    size_t num, cap;
    uint32_t unused; /* first of those that are not in use, from 1; 0: none */
    uint64_t row;    /* number of its current row */
    /*
     * Those with samples that wait, in the order of their first ones.  One that
     * ended and began again is there twice, and receivers drop samples that
     * come after later ones of the same labels.
     */
    uint32_t *waiting;
    size_t num_waiting, cap_waiting;
};

struct pl_waiting_sample;

struct pl_outbox { /* all zero at first */
    /* series are followed, but samples are not kept */
    bool muted;
    struct pl_forecast *forecast; /* samples are counted instead; or NULL */
    struct pl_metric_names names;
    struct pl_waiting_sample *samples;
    size_t num_samples, cap_samples;
    struct pl_buf request, of_series, label;
    int64_t last_ms; /* the latest of what waits */
    /*
     * Samples up to that time were perhaps taken before: a receiver that has
     * later ones of their series has them, too.
     */
    bool in_doubt;
    int64_t doubt_ms;
    uint64_t sent, refused;   /* samples */
    struct pl_answer refusal; /* the first one */
};

/* Put the value of a cell of the host's current row, if it has one.  PL_NOMEM. */
enum pl_status pl_outbox_value(struct pl_outbox *b, struct pl_live_host *h,
                               const struct pl_cell_at *cell, int64_t ms);

/* End the row: series that it has no value of have ended then.  PL_NOMEM. */
enum pl_status pl_outbox_end_row(struct pl_outbox *b, struct pl_live_host *h,
                                 int64_t ms);

/* All series of the host have ended at that time.  PL_NOMEM. */
enum pl_status pl_outbox_end_all(struct pl_outbox *b, struct pl_live_host *h,
                                 int64_t ms);

/*
 * Deliver what waits, of all hosts.  What is refused is tried again row by row,
 * as a receiver refuses requests as a whole; what is refused still is counted
 * and left out, unless it is in doubt and there already.  As pl_deliver but
 * PL_CORRUPT; PL_NOMEM.
 */
enum pl_status pl_outbox_deliver(struct pl_outbox *b,
                                 struct pl_live_host *hosts, size_t num_hosts,
                                 struct pl_delivery *d);

void pl_live_host_release(struct pl_live_host *h);
void pl_outbox_release(struct pl_outbox *b);

#endif
