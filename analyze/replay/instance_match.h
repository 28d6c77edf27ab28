/*                                          analyze/replay/instance_match.h
 * Which instance of the older sample an instance of the newer one was: by
 * identity where the recorder says what that is (a process is its number and
 * its start time), else by name.
 */
#ifndef PL_ANALYZE_REPLAY_INSTANCE_MATCH_H
#define PL_ANALYZE_REPLAY_INSTANCE_MATCH_H

#include "analyze/replay/sample_view.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The older object's instances by identity; filled in on first need. */
struct pl_instance_match {
    uint32_t *first;  /* instance by hash of its identity; UINT32_MAX: none */
    size_t cap, mask; /* of those in use, a power of two less one */
    uint32_t *next;   /* of the same hash, by place in the object */
    size_t cap_next;
    uint64_t seed; /* so that no choice of identities makes it slow */
    bool ready;    /* to be cleared with every object */
};

/* All zero is a fresh start. */
void pl_instance_match_release(struct pl_instance_match *m);

/*
 * *out is what 'i' was in 'was', an object of 'older' (NULL: it was not there);
 * NULL if it is new.  Two instances of equal identity find one each as long
 * as the caller sets 'paired' in what was found.  PL_NOMEM.
 */
enum pl_status pl_instance_match_find(struct pl_instance_match *m,
                                      struct pl_sample *older,
                                      const struct pl_sampled_object *was,
                                      const struct pl_counter_plan *plan,
                                      const struct pl_sampled_instance *i,
                                      struct pl_sampled_instance **out);

#endif
