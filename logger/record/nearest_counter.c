/* Looks for the nearest path in a sample of all counters. */
#include "logger/record/nearest_counter.h"

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

void pl_nearest_counter(struct pl_buf *out,
                        const struct pl_sampler_options *like, const char *path)
{
    struct pl_sampler_options options = *like;
    static const struct pl_logger_stats none;
    struct pl_nearest_path n = { .has_object = false };
    struct pl_sampler *sampler;
    struct pl_counter_path parts;
    struct pl_buf block = { 0 };
    struct pl_tick now;
    uint32_t generation;
    const char *why;

    options.choice = NULL;
    options.all = true;
    if (pl_counter_path_parse(&parts, path) ||
        pl_sampler_open(&sampler, &options, &why))
        return;
    pl_sampler_clocks(&now);
    if (!pl_sampler_read(sampler, &now, &none, &block)) {
        look_at(&n, &parts, pl_sampler_titles(sampler, &generation), &block);
        pl_nearest_path_put(out, &n, &parts);
    }
    pl_buf_release(&block);
    pl_sampler_close(sampler);
}
