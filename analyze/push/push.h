/*                                                      analyze/push/push.h
 * Sends the rows of logs to a receiver of Prometheus remote write: the layout of
 * the command push.  What is sent twice, after a kill, is the same bytes, so
 * that a receiver keeps it once.
 */
#ifndef PL_ANALYZE_PUSH_PUSH_H
#define PL_ANALYZE_PUSH_PUSH_H

#include "analyze/push/delivery.h"
#include "analyze/push/outbox.h"
#include "analyze/push/position.h"
#include "analyze/query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_push_host;

/* A host log, and what earlier runs sent of it. */
struct pl_push_log {
    bool has_position;
    struct pl_position from; /* its texts are those of p->positions */
    /* a sample was read between which and the position there is room for none */
    bool goes_on;
    bool any;
    int64_t last_ns; /* the latest row time that was read, if there is any */
};

/* What is lost, and counted. */
enum pl_push_loss {
    PL_PUSH_REFUSED,   /* samples, by the receiver */
    PL_PUSH_GAPS,      /* rows before which the log has lost samples */
    PL_PUSH_WENT_BACK, /* rows whose time is not after the one before */
    PL_PUSH_FUTURE,    /* rows in the future, for now */
    PL_PUSH_PASSED,    /* of these: before later ones that were sent */
    PL_PUSH_DELETED,   /* records in segments that went before they were read */
    PL_PUSH_LOSSES
};

struct pl_push {
    struct pl_query_plan plan; /* first, as layouts get this */
    const char *state;         /* file of positions; NULL: none */
    bool forecasts;            /* print what would be sent, and send nothing */
    uint64_t top; /* see top_processes.h; 0: all processes are sent */
    struct pl_delivery delivery;
    /* the rest is all zero at first */
    const struct pl_query *query;
    struct pl_positions positions;
    struct pl_push_log *logs; /* as many as the query has */
    struct pl_outbox outbox;
    struct pl_forecast forecast;
    struct pl_push_host *hosts; /* how each host's log goes on */
    struct pl_live_host *live;  /* as many: its series */
    size_t num_hosts, cap_hosts, cap_live;
    size_t *places; /* by the rank of a host: its place in 'hosts', from 1 */
    size_t num_places;
    bool chose_from; /* the user chose where to begin */
    bool has_times;
    int64_t first_ns, last_ns; /* earliest and latest of rows not left out */
    int64_t interval_ns;       /* from one row to the next; 0: not known */
    bool any;
    uint64_t overtaken; /* hosts whose log lost what was to be sent */
    uint64_t lost[PL_PUSH_LOSSES], said[PL_PUSH_LOSSES]; /* so far; reported */
};

/* Its plan is that of a struct pl_push. */
extern const struct pl_layout pl_layout_push;

void pl_push_release(struct pl_push *p);

#endif
