/* Matches instances of neighbouring samples. */
#include "analyze/replay/instance_match.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/record/record.h"

#include <stdlib.h>
#include <string.h>

/* How often all instances are looked through until a table of them pays off. */
enum { FEW = 8 };

/*
 * Look through all instances, except for the first ones, which have been matched:
 * cheaper than a table as long as few are new.
 */
static struct pl_sampled_instance *
look_through(struct pl_instance_match *m, struct pl_sample *older,
             const struct pl_sampled_object *was,
             const struct pl_sampled_instance *i)
{
    struct pl_sampled_instance *o = &older->instances[was->first];

    while (m->matched < was->num && o[m->matched].paired)
        m->matched++;
    for (size_t k = m->matched; k < was->num; k++, m->looked++)
        if (!o[k].paired && pl_same_identity(&o[k], i))
            return &o[k];
    return NULL;
}

static uint32_t *list_of(const struct pl_instance_match *m,
                         const struct pl_sampled_instance *i)
{
    uint64_t h = pl_hash(i->identity, sizeof i->identity, m->seed);

    return &m->first[h & m->mask];
}

/* Enter the older object's instances into the table; only when first needed. */
static enum pl_status fill(struct pl_instance_match *m,
                           const struct pl_sample *older,
                           const struct pl_sampled_object *was)
{
    size_t cap = 64;

    while (cap < was->num)
        cap *= 2;
    if (!pl_array_reserve((void **)&m->first, &m->cap, cap, sizeof *m->first) ||
        !pl_array_reserve((void **)&m->next, &m->cap_next, was->num,
                          sizeof *m->next))
        return PL_NOMEM;
    if (!m->seed)
        m->seed = pl_random();
    m->mask = cap - 1;
    memset(m->first, 0xFF, cap * sizeof *m->first);
    /* Backwards, so that the first of equal instances is found first. */
    for (size_t i = was->num; i-- > 0;) {
        uint32_t *list = list_of(m, &older->instances[was->first + i]);

        m->next[i] = *list;
        *list = (uint32_t)i;
    }
    m->ready = true;
    return PL_OK;
}

enum pl_status pl_instance_match_search(struct pl_instance_match *m,
                                        struct pl_sample *older,
                                        const struct pl_sampled_object *was,
                                        const struct pl_sampled_instance *i,
                                        struct pl_sampled_instance **out)
{
    enum pl_status s;

    *out = NULL;
    if (!was->num)
        return PL_OK;
    if (i->group->shared) { /* often the only candidate */
        struct pl_sampled_instance *first = &older->instances[was->first];

        if (!first->paired && pl_same_identity(first, i)) {
            *out = first;
            return PL_OK;
        }
    }
    if (!m->ready && m->looked < FEW * was->num) {
        *out = look_through(m, older, was, i);
        return PL_OK;
    }
    if (!m->ready) {
        s = fill(m, older, was);
        if (s)
            return s;
    }
    /* Matched instances are removed, so equal ones are not searched again. */
    for (uint32_t *at = list_of(m, i); *at != UINT32_MAX;) {
        struct pl_sampled_instance *o = &older->instances[was->first + *at];

        if (o->paired) {
            *at = m->next[*at];
            continue;
        }
        if (pl_same_identity(o, i)) {
            *out = o;
            break;
        }
        at = &m->next[*at];
    }
    return PL_OK;
}

void pl_instance_match_release(struct pl_instance_match *m)
{
    free(m->first);
    free(m->next);
    *m = (struct pl_instance_match){ 0 };
}
