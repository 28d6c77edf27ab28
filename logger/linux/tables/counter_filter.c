/* Selection of counters by the paths of -c. */
#include "logger/linux/tables/counter_filter.h"

#include <stdlib.h>

/* True if the object is recorded by default. */
static bool by_default(const struct pl_counter_filter *c,
                       const struct pl_object_def *o)
{
    if (o->always)
        return true;
    return o->default_from <= c->num_instances &&
           (!c->list || !c->list->num || !c->list->replaces);
}

static size_t num_paths(const struct pl_counter_filter *c)
{
    return c->list ? c->list->num : 0;
}

bool pl_path_fits(const struct pl_counter_filter *c,
                  const struct pl_counter_path *path,
                  const struct pl_object_def *o)
{
    if (path->host.p && !pl_pattern_match(path->host, c->host))
        return false;
    /* No instances: only a pattern that matches an empty name fits. */
    if (path->instance.p && !o->has_instances &&
        !pl_pattern_match(path->instance, pl_text_of("")))
        return false;
    /* Objects on request must be named without wildcards. */
    if (o->default_from == PL_ON_REQUEST &&
        !pl_pattern_is_literal(path->object))
        return false;
    return pl_pattern_match(path->object, pl_text_of(o->name));
}

bool pl_counter_filter_brings(const struct pl_counter_filter *c,
                              const struct pl_object_def *o)
{
    for (size_t k = 0; k < pl_num_objects; k++)
        for (size_t i = 0;
             pl_objects[k]->parent == o->index && i < num_paths(c); i++)
            if (pl_path_fits(c, &c->list->paths[i], pl_objects[k]))
                return true;
    return false;
}

bool pl_counter_filter_touches(const struct pl_counter_filter *c,
                               const struct pl_object_def *o)
{
    if (c->all || by_default(c, o) || pl_counter_filter_brings(c, o))
        return true;
    for (size_t i = 0; i < num_paths(c); i++)
        if (pl_path_fits(c, &c->list->paths[i], o))
            return true;
    return false;
}

enum pl_want pl_counter_filter_wants(const struct pl_counter_filter *c,
                                     const struct pl_object_def *o,
                                     const char *counter)
{
    enum pl_want want = by_default(c, o) ? PL_WANTED : PL_UNWANTED;

    if (c->all)
        return PL_NAMED;

    for (size_t i = 0; i < num_paths(c); i++) {
        const struct pl_counter_path *path = &c->list->paths[i];

        if (!pl_path_fits(c, path, o))
            continue;
        if (path->counter.p &&
            !pl_pattern_match(path->counter, pl_text_of(counter)))
            continue;
        if (path->counter.p && pl_pattern_is_literal(path->counter))
            return PL_NAMED;
        want = PL_WANTED;
    }
    return want;
}

/* _Total is computed on reading the log, from all instances. */
static bool is_total(struct pl_text pattern)
{
    return pl_pattern_is_literal(pattern) &&
           pl_pattern_match(pattern, pl_text_of("_Total"));
}

enum pl_status pl_filter_init(struct pl_filter *f,
                              const struct pl_counter_filter *c,
                              const struct pl_object_def *o)
{
    *f = (struct pl_filter){ .all = c->all || by_default(c, o) ||
                                    pl_counter_filter_brings(c, o) };
    if (!num_paths(c))
        return PL_OK;
    f->patterns = calloc(num_paths(c), sizeof *f->patterns);
    if (!f->patterns)
        return PL_NOMEM;
    for (size_t i = 0; i < num_paths(c); i++) {
        const struct pl_counter_path *path = &c->list->paths[i];

        if (!pl_path_fits(c, path, o))
            continue;
        if (!path->instance.p || is_total(path->instance))
            f->all = true;
        else
            f->patterns[f->num++] = path->instance;
    }
    return PL_OK;
}

void pl_filter_release(struct pl_filter *f)
{
    free(f->patterns);
    *f = (struct pl_filter){ 0 };
}

bool pl_filter_names(const struct pl_filter *f, struct pl_text instance)
{
    for (size_t i = 0; i < f->num; i++)
        if (pl_pattern_match(f->patterns[i], instance))
            return true;
    return false;
}

/* "*" alone fits no name at all. */
bool pl_filter_has_all_names(const struct pl_filter *f)
{
    return f->all || pl_filter_names(f, pl_text_of(""));
}

bool pl_filter_allows(const struct pl_filter *f, struct pl_text instance,
                      enum pl_show show)
{
    if (show == PL_HIDDEN)
        return false;
    if (f->all && show == PL_SHOWN)
        return true;
    for (size_t i = 0; i < f->num; i++) {
        if (pl_pattern_match(f->patterns[i], instance) &&
            (show == PL_SHOWN || pl_pattern_is_literal(f->patterns[i])))
            return true;
    }
    return false;
}
