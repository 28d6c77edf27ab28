/*                                        analyze/replay/sample_instances.h
 * The instances of an object in one sample: where they lie, which group each
 * belongs to, and what identifies it.
 */
#ifndef PL_ANALYZE_REPLAY_SAMPLE_INSTANCES_H
#define PL_ANALYZE_REPLAY_SAMPLE_INSTANCES_H

#include "analyze/replay/sample_view.h"

#include <stdbool.h>

/*
 * Read those of 'o', an object of the newer sample, of which none has been read.
 * 'was': the object in the older sample; NULL: nothing comparable.  *whole
 * becomes false if a part of them is inconsistent.  PL_NOMEM.
 */
enum pl_status pl_sample_instances_read(struct pl_sample_view *samples,
                                        struct pl_sampled_object *o,
                                        const struct pl_sampled_object *was,
                                        bool *whole);

/* Set i->identity from its counters; the group is known. */
void pl_sampled_identity_read(const struct pl_counter_plan *plan,
                              const struct pl_object *o,
                              struct pl_sampled_instance *i);

#endif
