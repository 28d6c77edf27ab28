/* Finds the nearest names. */
#include "analyze/cli/did_you_mean.h"

#include "format/base/near_name.h"

#include <string.h>

/* A name that contains the given one is as near as one with two errors. */
enum { FAR = 1000, A_PART = 2 };

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_part(struct pl_text part, struct pl_text of)
{
    for (size_t at = 0; part.n >= 3 && at + part.n <= of.n; at++) {
        size_t i = 0;

        while (i < part.n && lower(part.p[i]) == lower(of.p[at + i]))
            i++;
        if (i == part.n)
            return true;
    }
    return false;
}

struct nearest {
    const char *name;
    unsigned distance;
};

static void try_name(struct nearest *best, struct pl_text wanted,
                     const char *name)
{
    unsigned d = pl_name_distance(wanted, pl_text_of(name));

    if (d > A_PART && is_part(wanted, pl_text_of(name)))
        d = A_PART;
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

static void put_path(struct pl_buf *out, const char *object,
                     const struct pl_counter_path *like, const char *counter)
{
    pl_buf_u8(out, '\\');
    pl_counter_path_escape(out, pl_text_of(object));
    if (like->instance.p && like->instance.n) {
        pl_buf_u8(out, '(');
        pl_buf_bytes(out, like->instance.p, like->instance.n);
        pl_buf_u8(out, ')');
    }
    pl_buf_u8(out, '\\');
    if (counter)
        pl_counter_path_escape(out, pl_text_of(counter));
    else if (like->counter.p)
        pl_buf_bytes(out, like->counter.p, like->counter.n);
    else
        pl_buf_u8(out, '*');
    pl_buf_u8(out, 0);
}

bool pl_did_you_mean_path(struct pl_buf *out, const struct pl_registry *r,
                          const struct pl_counter_path *path)
{
    struct nearest object = { 0 }, counter = { 0 };
    const struct pl_object_names *of = NULL;
    bool known = false;

    for (const struct pl_object_names *o = r->objects; o; o = o->next) {
        const char *before = counter.name;

        try_name(&object, path->object, o->name);
        if (!fits(path->object, o->name))
            continue;
        known = true;
        if (has_counter(o, path->counter))
            return false; /* so the instance is unknown */
        try_counters(&counter, path->counter, o);
        if (counter.name != before)
            of = o;
    }
    if (known && of)
        put_path(out, of->name, path, counter.name);
    else if (!known && object.name)
        put_path(out, object.name, path, NULL);
    else
        return false;
    return !out->oom;
}

const char *pl_did_you_mean_counter(const struct pl_registry *r,
                                    struct pl_text name)
{
    struct nearest best = { 0 };

    for (const struct pl_object_names *o = r->objects; o; o = o->next)
        try_counters(&best, name, o);
    return best.name;
}
