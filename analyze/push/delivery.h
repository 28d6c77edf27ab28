/*                                                  analyze/push/delivery.h
 * Delivers requests: tries again, ever more rarely, while the receiver cannot
 * take them, and reports what it refuses.
 */
#ifndef PL_ANALYZE_PUSH_DELIVERY_H
#define PL_ANALYZE_PUSH_DELIVERY_H

#include "analyze/push/sender.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_delivery {
    struct pl_sender_options options;
    uint64_t give_up_ns; /* of an outage; 0: never */
    struct pl_sender *sender;
    uint64_t requests; /* that were accepted */
};

/* What becomes of an answer. */
enum pl_verdict {
    PL_ACCEPTED,
    PL_REFUSED, /* what is in the request: it will never be accepted */
    PL_TRY_LATER /* it cannot be taken now */,
    PL_HOPELESS, /* so it will be with every request until the cause is removed */
};

enum pl_verdict pl_verdict_of(long code);

/*
 * How long to wait before try 'n' of a request, from 1 on: from 0.25 s on twice
 * as long each time, at most 30 s, and of that between half and all by chance
 * (any 'random' number), but at least what the receiver asks for, of which an
 * hour is believed.
 */
uint64_t pl_delivery_pause(unsigned n, int64_t retry_after_s, uint64_t random);

/*
 * False: a message has been printed.  Credentials go to https only, or to this
 * machine.
 */
bool pl_delivery_open(struct pl_delivery *d);

/*
 * Deliver a request.  PL_CORRUPT: it was refused, *answer says why; PL_END:
 * options.is_over; PL_USAGE: it cannot be delivered, which has been reported.
 */
enum pl_status pl_deliver(struct pl_delivery *d, const void *p, size_t n,
                          struct pl_answer *answer);
void pl_delivery_close(struct pl_delivery *d);

#endif
