/*                                          analyze/replay/instance_match.h
 * Finds which instance of the older sample is the same as one of the newer: by
 * identity where the recorder states one (a process: its number and its start
 * time), else by name.
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
    uint32_t *first; /* instance by hash of its identity; UINT32_MAX: none */
    /* slots allocated; slots in use less 1 (a power of two less 1) */
    size_t cap, mask;
    uint32_t *next; /* next of the same hash, by place in the object */
    size_t cap_next;
    /* random, so that no log can choose identities that collide */
    uint64_t seed;
    bool ready;    /* the table is filled, */
    size_t looked; /* or so many instances were looked at without it */
    size_t
        matched; /* the first ones of the older object that were all matched */
};

/* All zero is a valid initial state. */
void pl_instance_match_release(struct pl_instance_match *m);

/* Begin with another object. */
static inline void pl_instance_match_begin(struct pl_instance_match *m)
{
    m->ready = false;
    m->looked = m->matched = 0;
}

static inline bool pl_same_identity(const struct pl_sampled_instance *a,
                                    const struct pl_sampled_instance *b)
{
    uint64_t differs = 0;

    for (size_t k = 0; k < PL_MAX_IDENTITY; k++)
        differs |= a->identity[k] ^ b->identity[k];
    return !differs;
}

/* The older instance of the same name, if it is not of a shared one. */
static inline struct pl_sampled_instance *
pl_instance_match_name(struct pl_sample *older,
                       const struct pl_sampled_instance *i)
{
    const struct pl_group_place *place = &i->group->place;

    return place->older_row == older->row &&
                   place->older_index < older->num_instances
               ? &older->instances[place->older_index]
               : NULL;
}

/* The same as pl_instance_match_find, where the name does not show it. */
enum pl_status pl_instance_match_search(struct pl_instance_match *m,
                                        struct pl_sample *older,
                                        const struct pl_sampled_object *was,
                                        const struct pl_sampled_instance *i,
                                        struct pl_sampled_instance **out);

/*
 * *out is the instance of 'was' that is the same as 'i', or NULL if 'i' is new.
 * 'was' is an object of 'older', NULL if 'older' has no such object.  Two
 * instances of equal identity match one each as long as the caller sets
 * 'paired' in the instance found.  PL_NOMEM.
 */
static inline enum pl_status pl_instance_match_find(
    struct pl_instance_match *m, struct pl_sample *older,
    const struct pl_sampled_object *was, const struct pl_counter_plan *plan,
    const struct pl_sampled_instance *i, struct pl_sampled_instance **out)
{
    struct pl_sampled_instance *same = NULL;

    if (was && !i->group->shared) {
        same = pl_instance_match_name(older, i);
        if (plan->num_identity && same &&
            (same->paired || !pl_same_identity(same, i)))
            same = NULL;
    }
    *out = same;
    return same || !was || (!plan->num_identity && !i->group->shared)
               ? PL_OK
               : pl_instance_match_search(m, older, was, i, out);
}

#endif
