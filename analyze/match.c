/* Instances of neighbouring samples, brought together. */
#include "analyze/match.h"

#include <stdlib.h>
#include <string.h>

static bool same_identity(const struct pl_sampled_instance *a,
                          const struct pl_sampled_instance *b)
{
    return !memcmp(a->identity, b->identity, sizeof a->identity);
}

static size_t identity_slot(const struct pl_sampled_instance *i, size_t cap)
{
    uint64_t h = 0;

    for (size_t k = 0; k < PL_MAX_IDENTITY; k++)
        h = (h ^ i->identity[k]) * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (cap - 1);
}

/* Enter the older object's instances into the table; on first need only. */
static enum pl_status fill(struct pl_match *m, const struct pl_sample *older,
                           const struct pl_sampled_object *was)
{
    size_t cap = 64;

    while (cap < was->num * 2)
        cap *= 2;
    if (cap > m->cap) {
        uint32_t *grown = realloc(m->identities, cap * sizeof *grown);

        if (!grown)
            return PL_NOMEM;
        m->identities = grown;
        m->cap = cap;
    }
    memset(m->identities, 0xFF, m->cap * sizeof *m->identities);
    for (size_t i = 0; i < was->num; i++) {
        const struct pl_sampled_instance *older_i =
            &older->instances[was->first + i];
        size_t at = identity_slot(older_i, m->cap);

        while (m->identities[at] != UINT32_MAX)
            at = (at + 1) & (m->cap - 1);
        m->identities[at] = (uint32_t)(was->first + i);
    }
    m->ready = true;
    return PL_OK;
}

enum pl_status pl_match_find(struct pl_match *m, struct pl_sample *older,
                             const struct pl_sampled_object *was,
                             const struct pl_object_plan *plan,
                             const struct pl_sampled_instance *i,
                             struct pl_sampled_instance **out)
{
    struct pl_sampled_instance *same_name = NULL;
    enum pl_status s;

    *out = NULL;
    if (!was)
        return PL_OK;
    if (i->group->older_row == older->row &&
        i->group->older_index < older->num_instances)
        same_name = &older->instances[i->group->older_index];
    if (!plan->num_identity) {
        *out = same_name;
        return PL_OK;
    }
    if (same_name && same_identity(same_name, i)) {
        *out = same_name;
        return PL_OK;
    }
    if (!m->ready) {
        s = fill(m, older, was);
        if (s)
            return s;
    }
    for (size_t at = identity_slot(i, m->cap); m->identities[at] != UINT32_MAX;
         at = (at + 1) & (m->cap - 1)) {
        struct pl_sampled_instance *o = &older->instances[m->identities[at]];

        if (!o->paired && same_identity(o, i)) {
            *out = o;
            break;
        }
    }
    return PL_OK;
}

void pl_match_release(struct pl_match *m)
{
    free(m->identities);
    *m = (struct pl_match){ 0 };
}
