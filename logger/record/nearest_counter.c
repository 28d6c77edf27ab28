/* Looks for the nearest path in a sample of this machine. */
#include "logger/record/nearest_counter.h"

#include "format/base/codepage.h"
#include "format/block/nearest_path.h"
#include "format/block/winperf.h"

static void look_at(struct pl_nearest_path *n,
                    const struct pl_counter_path *path,
                    const struct pl_titles *titles, const struct pl_buf *bytes)
{
    struct pl_counter_def def;
    struct pl_block block;
    struct pl_object o;

    if (pl_block_parse(&block, bytes->p, bytes->len))
        return;
    while (!pl_object_next(&block, &o)) {
        struct pl_text object = pl_titles_name(titles, o.title_index);

        if (!object.p || !pl_nearest_path_object(n, path, object))
            continue;
        while (!pl_counter_next(&o, &def)) {
            struct pl_text counter = pl_titles_name(titles, def.title_index);

            if (counter.p && !pl_type_is_base(def.type))
                pl_nearest_path_counter(n, path, object, counter);
        }
    }
}

/* A sample of what 'options' choose.  False: there is none. */
static bool take_sample(const struct pl_sampler_options *options,
                        struct pl_sampler **sampler, struct pl_buf *block)
{
    static const struct pl_logger_stats none;
    struct pl_tick now;
    const char *why;

    if (pl_sampler_open(sampler, options, &why))
        return false;
    pl_sampler_clocks(&now);
    if (!pl_sampler_read(*sampler, &now, &none, block))
        return true;
    pl_sampler_close(*sampler);
    return false;
}

void pl_nearest_counter(struct pl_buf *out,
                        const struct pl_sampler_options *like, const char *path)
{
    struct pl_sampler_options options = *like;
    struct pl_nearest_path n = { .has_object = false };
    struct pl_sampler *sampler;
    struct pl_counter_path parts;
    struct pl_buf block = { 0 };
    uint32_t generation;

    options.choice = NULL;
    options.all = true;
    if (pl_counter_path_parse(&parts, path))
        return;
    if (take_sample(&options, &sampler, &block)) {
        look_at(&n, &parts, pl_sampler_titles(sampler, &generation), &block);
        pl_nearest_path_put(out, &n, &parts);
        pl_sampler_close(sampler);
    }
    pl_buf_release(&block);
}

/* ---- instances ----------------------------------------------------------- */

/* Of the objects that a path selects. */
struct instances {
    const struct pl_counter_path *path;
    bool any, fits;
    struct pl_near_instance near;
    struct pl_buf name; /* of 'near' */
};

static void meet_instance(struct instances *i, struct pl_text name)
{
    const char *before = i->near.name.p;

    i->any = true;
    i->fits = i->fits || pl_part_fits(i->path->instance, name);
    pl_near_instance_try(&i->near, i->path->instance, name);
    if (i->near.name.p == before)
        return;
    i->name.len = 0;
    pl_buf_bytes(&i->name, name.p, name.n);
    i->near.name.p = i->name.oom ? NULL : (const char *)i->name.p;
}

static void look_at_instances(struct instances *found, struct pl_object *o)
{
    struct pl_codepages pages = { 0 };
    struct pl_instance i;
    struct pl_buf name = { 0 };

    while (!pl_instance_next(o, &i)) {
        name.len = 0;
        pl_instance_name(&pages, &name, o, &i);
        meet_instance(found, (struct pl_text){ (char *)name.p, name.len });
    }
    pl_buf_release(&name);
    pl_codepages_release(&pages);
}

static void look_at_objects(struct instances *found,
                            const struct pl_titles *titles,
                            const struct pl_buf *bytes)
{
    struct pl_block block;
    struct pl_object o;

    if (pl_block_parse(&block, bytes->p, bytes->len))
        return;
    while (!pl_object_next(&block, &o)) {
        struct pl_text object = pl_titles_name(titles, o.title_index);

        if (object.p && pl_part_fits(found->path->object, object) &&
            o.num_instances >= 0)
            look_at_instances(found, &o);
    }
    if (found->any)
        meet_instance(found, pl_text_of("_Total"));
}

/* All instances of what 'path' selects. */
static enum pl_status choose_all(struct pl_counter_path_list *list,
                                 const struct pl_counter_path *path)
{
    static const struct pl_text same = { 0 };
    struct pl_buf text = { 0 };
    const char *why;
    enum pl_status s;

    pl_path_put_changed(&text, path, same, pl_text_of("*"), same);
    s = text.oom ? PL_NOMEM
                 : pl_counter_path_list_add(list, (const char *)text.p, &why);
    pl_buf_release(&text);
    return s;
}

/* "_Total" is there where any instance is, and "*" fits it, too. */
static bool fits_total(const struct pl_counter_path *path)
{
    return pl_pattern_match(path->instance, pl_text_of("_Total"));
}

static bool wants_instance(const struct pl_counter_path *path)
{
    return path->instance.n && !fits_total(path);
}

/* True: an object that 'path' selects has instances, none of which it does. */
static bool lacks(struct pl_buf *near, const struct pl_counter_path *path,
                  const struct pl_titles *titles, const struct pl_buf *block)
{
    struct instances found = { .path = path };

    look_at_objects(&found, titles, block);
    near->len = 0;
    if (found.any && !found.fits)
        pl_near_instance_put(near, &found.near, path);
    pl_buf_release(&found.name);
    return found.any && !found.fits;
}

void pl_find_lacking_instances(const struct pl_sampler_options *like,
                               pl_lacking_instance *report, void *context)
{
    const struct pl_counter_path_list *wanted = like->choice;
    struct pl_sampler_options options = *like;
    struct pl_counter_path_list all = { 0 };
    struct pl_buf block = { 0 }, near = { 0 };
    struct pl_sampler *sampler;
    uint32_t generation;
    enum pl_status s = PL_OK;

    for (size_t i = 0; wanted && i < wanted->num && !s; i++)
        if (wants_instance(&wanted->paths[i]))
            s = choose_all(&all, &wanted->paths[i]);
    options.choice = &all;
    if (!s && all.num && take_sample(&options, &sampler, &block)) {
        const struct pl_titles *titles =
            pl_sampler_titles(sampler, &generation);

        for (size_t i = 0; i < wanted->num; i++)
            if (wants_instance(&wanted->paths[i]) &&
                lacks(&near, &wanted->paths[i], titles, &block))
                report(context, i, near.len ? (const char *)near.p : NULL);
        pl_sampler_close(sampler);
    }
    pl_buf_release(&near);
    pl_buf_release(&block);
    pl_counter_path_list_release(&all);
}
