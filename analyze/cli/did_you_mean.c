/* Finds the nearest names. */
#include "analyze/cli/did_you_mean.h"

#include "format/base/near_name.h"
#include "format/base/zone.h"
#include "format/block/nearest_path.h"

#include <stdio.h>
#include <string.h>

static bool fits(struct pl_text pattern, const char *name)
{
    return pl_part_fits(pattern, pl_text_of(name));
}

/* ---- instances ----------------------------------------------------------- */

/* The length of a process' name without ":PID"; 0: it has none. */
static size_t name_before_number(const char *instance)
{
    const char *colon = strrchr(instance, ':');
    size_t n = colon ? strspn(colon + 1, "0123456789") : 0;

    return n && !colon[1 + n] ? (size_t)(colon - instance) : 0;
}

struct nearest_instance {
    const char *name;
    size_t part; /* of a process, whose number may be any; 0: all of it */
    unsigned distance;
};

/* A process is as near as its name, with or without its number. */
static void try_instance(struct nearest_instance *best, struct pl_text wanted,
                         const char *instance)
{
    size_t part = name_before_number(instance);
    unsigned whole = pl_name_likeness(wanted, pl_text_of(instance));
    unsigned d =
        part ? pl_name_likeness(wanted, (struct pl_text){ instance, part })
             : whole;

    if (whole < d) {
        d = whole;
        part = 0;
    }
    if (pl_name_is_near(d, wanted) && (!best->name || d < best->distance))
        *best = (struct nearest_instance){ instance, part, d };
}

static struct nearest_instance find_instance(const struct pl_registry *r,
                                             const struct pl_counter_path *path)
{
    struct nearest_instance best = { 0 };

    for (const struct pl_group *g = r->groups; g; g = g->later)
        if (g->instance && fits(path->object, g->object->name) &&
            fits(path->host, g->host->name))
            try_instance(&best, path->instance, g->instance);
    return best;
}

/* Append 'path' with the instance "python3:*" or "_Total". */
static void put_instance(struct pl_buf *out, const struct pl_counter_path *path,
                         const struct nearest_instance *i)
{
    static const struct pl_text same = { 0 };
    struct pl_buf name = { 0 };
    size_t n = i->part ? i->part : strlen(i->name);

    pl_counter_path_escape(&name, (struct pl_text){ i->name, n });
    if (i->part)
        pl_buf_bytes(&name, ":*", 2);
    out->oom |= name.oom;
    pl_path_put_changed(out, path, same,
                        (struct pl_text){ (char *)name.p, name.len }, same);
    pl_buf_release(&name);
}

/* ---- paths --------------------------------------------------------------- */

static bool has_host(const struct pl_registry *r, struct pl_text pattern)
{
    for (const struct pl_host *h = r->hosts; h; h = h->next)
        if (fits(pattern, h->name))
            return true;
    return false;
}

static bool has_instance(const struct pl_registry *r,
                         const struct pl_counter_path *path)
{
    for (const struct pl_group *g = r->groups; g; g = g->later)
        if (fits(path->object, g->object->name) &&
            fits(path->instance, g->instance ? g->instance : ""))
            return true;
    return false;
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
    struct nearest_instance instance;

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
    if (instance.name)
        put_instance(out, path, &instance);
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
