/* Finds the nearest names. */
#include "analyze/cli/did_you_mean.h"

#include "format/base/near_name.h"
#include "format/base/zone.h"

#include <stdio.h>
#include <string.h>

struct nearest {
    const char *name;
    unsigned distance;
};

static void try_name(struct nearest *best, struct pl_text wanted,
                     const char *name)
{
    unsigned d = pl_name_likeness(wanted, pl_text_of(name));

    if (pl_name_is_near(d, wanted) && (!best->name || d < best->distance))
        *best = (struct nearest){ name, d };
}

static void try_counters(struct nearest *best, struct pl_text wanted,
                         const struct pl_object_names *o)
{
    for (uint32_t i = 0; i < o->num_counters; i++)
        try_name(best, wanted, o->counters[i].name);
}

static bool fits(struct pl_text pattern, const char *name)
{
    return !pattern.p || pl_pattern_match(pattern, pl_text_of(name));
}

static bool has_counter(const struct pl_object_names *o, struct pl_text pattern)
{
    for (uint32_t i = 0; i < o->num_counters; i++)
        if (fits(pattern, o->counters[i].name))
            return true;
    return false;
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

/* Append "python3:*" or "_Total". */
static void put_instance(struct pl_buf *out, const struct nearest_instance *i)
{
    size_t n = i->part ? i->part : strlen(i->name);

    pl_counter_path_escape(out, (struct pl_text){ i->name, n });
    if (i->part)
        pl_buf_bytes(out, ":*", 2);
}

/* ---- paths --------------------------------------------------------------- */

/* What replaces the parts of a path; NULL: they stay. */
struct change {
    const char *object, *counter;
    const struct nearest_instance *instance;
};

static void put_path(struct pl_buf *out, const struct pl_counter_path *like,
                     const struct change *to)
{
    pl_buf_u8(out, '\\');
    if (to->object)
        pl_counter_path_escape(out, pl_text_of(to->object));
    else
        pl_buf_bytes(out, like->object.p, like->object.n);
    if (to->instance || (like->instance.p && like->instance.n)) {
        pl_buf_u8(out, '(');
        if (to->instance)
            put_instance(out, to->instance);
        else
            pl_buf_bytes(out, like->instance.p, like->instance.n);
        pl_buf_u8(out, ')');
    }
    pl_buf_u8(out, '\\');
    if (to->counter)
        pl_counter_path_escape(out, pl_text_of(to->counter));
    else if (like->counter.p)
        pl_buf_bytes(out, like->counter.p, like->counter.n);
    else
        pl_buf_u8(out, '*');
    pl_buf_u8(out, 0);
}

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

/* What the names of objects and counters tell. */
struct look {
    struct nearest object, counter;
    const struct pl_object_names *of; /* of the nearest counter */
    bool known, has_counter;
};

static struct look look_at(const struct pl_registry *r,
                           const struct pl_counter_path *path)
{
    struct look l = { .known = false };

    for (const struct pl_object_names *o = r->objects; o; o = o->next) {
        const char *before = l.counter.name;

        try_name(&l.object, path->object, o->name);
        if (!fits(path->object, o->name))
            continue;
        l.known = true;
        l.has_counter |= has_counter(o, path->counter);
        try_counters(&l.counter, path->counter, o);
        if (l.counter.name != before)
            l.of = o;
    }
    return l;
}

enum pl_path_mistake pl_did_you_mean_path(struct pl_buf *out,
                                          const struct pl_registry *r,
                                          const struct pl_counter_path *path)
{
    struct look l = look_at(r, path);
    struct change to = { .object = NULL };
    struct nearest_instance instance;

    if (!l.known) {
        to.object = l.object.name;
        if (to.object)
            put_path(out, path, &to);
        return PL_NO_SUCH_OBJECT;
    }
    if (!l.has_counter) {
        to.object = l.of ? l.of->name : NULL;
        to.counter = l.counter.name;
        if (l.of)
            put_path(out, path, &to);
        return PL_NO_SUCH_COUNTER;
    }
    if (!has_host(r, path->host))
        return PL_NO_SUCH_HOST;
    if (!path->instance.p || has_instance(r, path))
        return PL_NO_SUCH_SERIES;
    instance = find_instance(r, path);
    to.instance = &instance;
    if (instance.name)
        put_path(out, path, &to);
    return PL_NO_SUCH_INSTANCE;
}

const char *pl_did_you_mean_counter(const struct pl_registry *r,
                                    struct pl_text name)
{
    struct nearest best = { 0 };

    for (const struct pl_object_names *o = r->objects; o; o = o->next)
        try_counters(&best, name, o);
    return best.name;
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
