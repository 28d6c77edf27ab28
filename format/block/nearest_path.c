/* Finds the nearest path. */
#include "format/block/nearest_path.h"

#include "format/base/near_name.h"

void pl_near_name_try(struct pl_near_name *n, struct pl_text wanted,
                      struct pl_text name)
{
    unsigned d = pl_name_likeness(wanted, name);

    if (pl_name_is_near(d, wanted) && (!n->name.p || d < n->distance))
        *n = (struct pl_near_name){ name, d };
}

bool pl_part_fits(struct pl_text pattern, struct pl_text name)
{
    return !pattern.p || pl_pattern_match(pattern, name);
}

bool pl_nearest_path_object(struct pl_nearest_path *n,
                            const struct pl_counter_path *path,
                            struct pl_text object)
{
    bool fits = pl_part_fits(path->object, object);

    pl_near_name_try(&n->object, path->object, object);
    n->has_object = n->has_object || fits;
    return fits;
}

void pl_nearest_path_counter(struct pl_nearest_path *n,
                             const struct pl_counter_path *path,
                             struct pl_text object, struct pl_text counter)
{
    const char *before = n->counter.name.p;

    n->has_counter = n->has_counter || pl_part_fits(path->counter, counter);
    pl_near_name_try(&n->counter, path->counter, counter);
    if (n->counter.name.p != before)
        n->of = object;
}

/* A part that replaces another, or else that one. */
static void put_part(struct pl_buf *out, struct pl_text to, struct pl_text like)
{
    if (to.p)
        pl_counter_path_escape(out, to);
    else if (like.p)
        pl_buf_bytes(out, like.p, like.n);
    else
        pl_buf_u8(out, '*');
}

void pl_path_put_changed(struct pl_buf *out, const struct pl_counter_path *like,
                         struct pl_text object, struct pl_text instance,
                         struct pl_text counter)
{
    if (!instance.p)
        instance = like->instance;
    pl_buf_u8(out, '\\');
    put_part(out, object, like->object);
    if (instance.n) {
        pl_buf_u8(out, '(');
        pl_buf_bytes(out, instance.p, instance.n);
        pl_buf_u8(out, ')');
    }
    pl_buf_u8(out, '\\');
    put_part(out, counter, like->counter);
    pl_buf_u8(out, 0);
}

void pl_nearest_path_put(struct pl_buf *out, const struct pl_nearest_path *n,
                         const struct pl_counter_path *path)
{
    static const struct pl_text same = { 0 };

    if (!n->has_object && n->object.name.p)
        pl_path_put_changed(out, path, n->object.name, same, same);
    else if (n->has_object && !n->has_counter && n->counter.name.p)
        pl_path_put_changed(out, path, n->of, same, n->counter.name);
}

/* ---- instances ----------------------------------------------------------- */

/* The length of a process' name without ":PID"; 0: it has none. */
static size_t name_before_number(struct pl_text instance)
{
    size_t n = instance.n;

    while (n && instance.p[n - 1] >= '0' && instance.p[n - 1] <= '9')
        n--;
    return n > 1 && n < instance.n && instance.p[n - 1] == ':' ? n - 1 : 0;
}

void pl_near_instance_try(struct pl_near_instance *best, struct pl_text wanted,
                          struct pl_text instance)
{
    size_t part = name_before_number(instance);
    unsigned whole = pl_name_likeness(wanted, instance);
    unsigned d =
        part ? pl_name_likeness(wanted, (struct pl_text){ instance.p, part })
             : whole;

    if (whole < d) {
        d = whole;
        part = 0;
    }
    if (pl_name_is_near(d, wanted) && (!best->name.p || d < best->distance))
        *best = (struct pl_near_instance){ instance, part, d };
}

void pl_near_instance_put(struct pl_buf *out, const struct pl_near_instance *i,
                          const struct pl_counter_path *path)
{
    static const struct pl_text same = { 0 };
    struct pl_buf name = { 0 };

    if (!i->name.p)
        return;
    pl_counter_path_escape(
        &name, (struct pl_text){ i->name.p, i->part ? i->part : i->name.n });
    if (i->part)
        pl_buf_bytes(&name, ":*", 2);
    out->oom |= name.oom;
    pl_path_put_changed(out, path, same,
                        (struct pl_text){ (char *)name.p, name.len }, same);
    pl_buf_release(&name);
}
