/* Finds the nearest names. */
#include "analyze/cli/did_you_mean.h"

#include "format/base/near_name.h"
#include "format/time/zone.h"
#include "format/block/nearest_path.h"

#include <stdio.h>
#include <string.h>

static bool part_fits(struct pl_text pattern, const char *name)
{
    return pl_part_fits(pattern, pl_text_of(name));
}

/* ---- paths --------------------------------------------------------------- */

static bool has_host(const struct pl_registry *r, struct pl_text pattern)
{
    for (const struct pl_host *h = r->hosts; h; h = h->next)
        if (part_fits(pattern, h->name))
            return true;
    return false;
}

static bool has_instance(const struct pl_registry *r,
                         const struct pl_counter_path *path)
{
    for (const struct pl_group *g = r->groups; g; g = g->later)
        if (part_fits(path->object, g->object->name) &&
            part_fits(path->instance, g->instance ? g->instance : ""))
            return true;
    return false;
}

static struct pl_near_instance find_instance(const struct pl_registry *r,
                                             const struct pl_counter_path *path)
{
    struct pl_near_instance best = { 0 };

    for (const struct pl_group *g = r->groups; g; g = g->later)
        if (g->instance && part_fits(path->object, g->object->name) &&
            part_fits(path->host, g->host->name))
            pl_near_instance_try(&best, path->instance,
                                 pl_text_of(g->instance));
    return best;
}

static struct pl_nearest_path look_at(const struct pl_registry *r,
                                      const struct pl_counter_path *path)
{
    struct pl_nearest_path n = { .has_object = false };

    for (const struct pl_object_names *o = r->objects; o; o = o->next) {
        struct pl_text name = pl_text_of(o->name);

        if (!pl_nearest_path_object(&n, path, name))
            continue;
        for (uint32_t i = 0; i < o->num_counters; i++)
            pl_nearest_path_counter(&n, path, name,
                                    pl_text_of(o->counters[i].name));
    }
    return n;
}

enum pl_path_mistake pl_did_you_mean_path(struct pl_buf *out,
                                          const struct pl_registry *r,
                                          const struct pl_counter_path *path)
{
    struct pl_nearest_path n = look_at(r, path);
    struct pl_near_instance instance;

    pl_nearest_path_put(out, &n, path);
    if (!n.has_object)
        return PL_NO_SUCH_OBJECT;
    if (!n.has_counter)
        return PL_NO_SUCH_COUNTER;
    if (!has_host(r, path->host))
        return PL_NO_SUCH_HOST;
    if (!path->instance.p || has_instance(r, path))
        return PL_NO_SUCH_SERIES;
    instance = find_instance(r, path);
    pl_near_instance_put(out, &instance, path);
    return PL_NO_SUCH_INSTANCE;
}

const char *pl_did_you_mean_counter(const struct pl_registry *r,
                                    struct pl_text name)
{
    struct pl_near_name best = { .distance = 0 };

    for (const struct pl_object_names *o = r->objects; o; o = o->next)
        for (uint32_t i = 0; i < o->num_counters; i++)
            pl_near_name_try(&best, name, pl_text_of(o->counters[i].name));
    return best.name.p;
}

/* ---- zones --------------------------------------------------------------- */

struct near_zone {
    struct pl_text wanted;
    unsigned distance;
    char *name;
};

static void try_zone(void *context, const char *name)
{
    struct near_zone *z = context;
    const char *city = strrchr(name, '/');
    unsigned d = pl_name_likeness(z->wanted, pl_text_of(name));
    unsigned of_city =
        city ? pl_name_distance(z->wanted, pl_text_of(city + 1)) : d;

    d = of_city < d ? of_city : d;
    if (!pl_name_is_near(d, z->wanted) || (*z->name && d >= z->distance) ||
        strlen(name) >= PL_NEAR_ZONE)
        return;
    z->distance = d;
    snprintf(z->name, PL_NEAR_ZONE, "%s", name);
}

const char *pl_did_you_mean_zone(const char *name, char out[PL_NEAR_ZONE])
{
    struct near_zone z = { .wanted = pl_text_of(name), .name = out };

    *out = 0;
    pl_zone_names(try_zone, &z);
    return out;
}
