/* Copies a registry, for a thread that replays a part of the same logs. */
#include "analyze/series/series_registry.h"

#include <stdlib.h>
#include <string.h>

/* By rank, which is the order of appearance: first the originals, then copies. */
struct ranked {
    const struct pl_host **hosts;
    const struct pl_object_names **objects;
};

/* Lists of a registry begin with the newest. */
static enum pl_status rank(struct ranked *all, const struct pl_registry *from)
{
    all->hosts = calloc(from->num_hosts + (size_t)1, sizeof *all->hosts);
    all->objects = calloc(from->num_objects + (size_t)1, sizeof *all->objects);
    if (!all->hosts || !all->objects)
        return PL_NOMEM;
    for (const struct pl_host *h = from->hosts; h; h = h->next)
        all->hosts[h->rank] = h;
    for (const struct pl_object_names *o = from->objects; o; o = o->next)
        all->objects[o->rank] = o;
    return PL_OK;
}

/* In their order, which gives equal names the same numbers. */
static enum pl_status copy_hosts(struct pl_registry *to, uint32_t num,
                                 struct ranked *all)
{
    for (uint32_t i = 0; i < num; i++) {
        const struct pl_host *h = all->hosts[i];

        all->hosts[i] =
            pl_registry_host(to, pl_text_of(h->own_name), h->machine_hash);
        if (!all->hosts[i])
            return PL_NOMEM;
    }
    return PL_OK;
}

/* As one set of definitions, so that counters of one name stay apart. */
static enum pl_status copy_counters(const struct pl_registry *to,
                                    struct pl_object_names *o,
                                    const struct pl_object_names *from)
{
    const struct pl_text no_help = { NULL, 0 };

    o->mark++;
    for (uint32_t i = 0; i < from->num_counters; i++) {
        const struct pl_counter_names *c = &from->counters[i];

        if (pl_object_slot(to, o, pl_text_of(c->name), no_help, c->type) != i)
            return PL_NOMEM;
        o->counters[i].size = c->size;
        o->counters[i].detail_level = c->detail_level;
        o->counters[i].scale = c->scale;
        o->counters[i].has_wanted = c->has_wanted;
    }
    o->default_slot = from->default_slot;
    return PL_OK;
}

static enum pl_status copy_objects(struct pl_registry *to, uint32_t num,
                                   struct ranked *all)
{
    const struct pl_text no_help = { NULL, 0 };
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < num && !s; i++) {
        const struct pl_object_names *from = all->objects[i];
        struct pl_object_names *o =
            pl_registry_object(to, pl_text_of(from->name), no_help);

        s = o ? copy_counters(to, o, from) : PL_NOMEM;
        all->objects[i] = o;
    }
    return s;
}

static enum pl_status copy_group(struct pl_registry *to,
                                 const struct pl_group *from,
                                 const struct ranked *all)
{
    const struct pl_host *host = all->hosts[from->host->rank];
    const struct pl_object_names *object = all->objects[from->object->rank];
    bool made;
    struct pl_group *g = (from->of_many ? pl_registry_sum : pl_registry_group)(
        to, host, object, from->instance, &made);

    if (!g)
        return PL_NOMEM;
    g->derived = from->derived;
    g->unrecorded = from->unrecorded;
    g->num_slots = from->num_slots;
    if (!from->series)
        return PL_OK;
    g->series = malloc(from->num_slots * sizeof *g->series);
    if (!g->series)
        return PL_NOMEM;
    memcpy(g->series, from->series, from->num_slots * sizeof *g->series);
    return PL_OK;
}

enum pl_status pl_registry_copy(struct pl_registry *to,
                                const struct pl_registry *from)
{
    struct ranked all = { 0 };
    enum pl_status s = rank(&all, from);

    if (!s)
        s = copy_hosts(to, from->num_hosts, &all);
    if (!s)
        s = copy_objects(to, from->num_objects, &all);
    for (const struct pl_group *g = from->groups; g && !s; g = g->later)
        s = copy_group(to, g, &all);
    to->some_unrecorded = from->some_unrecorded;
    to->bytes = from->bytes;
    to->slots = from->slots;
    free(all.hosts);
    free(all.objects);
    return s;
}
