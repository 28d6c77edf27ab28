/*                                                    analyze/push/losses.h
 * What push loses, as messages.
 */
#ifndef PL_ANALYZE_PUSH_LOSSES_H
#define PL_ANALYZE_PUSH_LOSSES_H

#include "analyze/push/push.h"

#include <stdbool.h>

/*
 * Report what has been lost since it was reported last; unless it is over, only
 * what is twice as much now, so that months of it are few lines.
 */
void pl_push_say_losses(struct pl_push *p, bool is_over);

/*
 * Report that the last sample that was sent, of 'last_ns', is no longer in the
 * host's log, of which 'next_ns' is the first one that was not sent; 'is_future':
 * that was a time in the future.
 */
void pl_push_say_overtaken(struct pl_push *p, const char *host, int64_t last_ns,
                           int64_t next_ns, bool is_future);

/*
 * To be called with each item that is read, 'ctx' is a struct pl_push: finds whether
 * the log goes on where the position is, and how far.  Of a log that grows it counts records of
 * segments that were deleted before they were read, as rows of windows do not show
 * that.
 */
void pl_push_watch(void *ctx, const struct pl_host_log *log,
                   const struct pl_item *item);

/* The exit status for what was lost or refused, which has been reported. */
enum pl_exit pl_push_losses(const struct pl_push *p);

#endif
