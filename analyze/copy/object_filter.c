/* Selects among an object's counters. */
#include "analyze/copy/object_filter.h"

#include "analyze/replay/counter_plan.h"
#include "analyze/replay/sample_view.h"
#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- what a path matches
 * --------------------------------------------------------
 */

bool pl_object_filter_fits(struct pl_text pattern, const char *text, size_t n)
{
    return !pattern.p || pl_pattern_match(pattern, (struct pl_text){ text, n });
}

/*
 * Hosts of equal names get numbers when read, so a path's number may mean any
 * of them.
 */
static bool fits_host(const struct pl_block_filter *p, struct pl_text pattern)
{
    return (pattern.p && memchr(pattern.p, '#', pattern.n)) ||
           pl_object_filter_fits(pattern, p->host, strlen(p->host));
}

static bool fits_total(const struct pl_counter_path *path)
{
    return pl_object_filter_fits(path->instance, "_Total", strlen("_Total"));
}

static bool title_fits(const struct pl_block_filter *p, struct pl_text pattern,
                       uint32_t index)
{
    char number[16];
    struct pl_text name = pl_title_or_number(p->titles, index, number);

    return pl_object_filter_fits(pattern, name.p, name.n);
}

/* ---- objects ------------------------------------------------------------- */

void pl_object_filter_release(struct pl_object_filter_object *o)
{
    pl_buf_release(&o->definitions);
    free(o->counters);
    free(o->identity_only);
    free(o->paths);
    free(o->chosen.p);
    free(o->instances);
}

static enum pl_status need_title(struct pl_block_filter *p, uint32_t index)
{
    if (pl_u32_map_get(&p->is_needed, index) != PL_NO_PLACE)
        return PL_OK;
    if (!pl_array_grow((void **)&p->needed, &p->cap_needed, p->num_needed,
                       sizeof *p->needed) ||
        pl_u32_map_add(&p->is_needed, index, (uint32_t)p->num_needed))
        return PL_NOMEM;
    p->needed[p->num_needed++] = index;
    p->grown = true;
    return PL_OK;
}

/* Note the titles of 'o' and of those of its counters that are kept. */
enum pl_status pl_object_filter_need(struct pl_block_filter *p,
                                     const struct pl_object *o,
                                     const bool *counters)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;
    enum pl_status s = need_title(p, o->title_index);

    if (!s)
        s = need_title(p, o->help_index);
    for (size_t i = 0; !s && !pl_counter_next(&walk, &def); i++) {
        if (!counters[i])
            continue;
        s = need_title(p, def.title_index);
        if (!s)
            s = need_title(p, def.help_index);
    }
    return s;
}

/* Does path 'k' match a counter of 'o'?  Then select the matching counters. */
static bool choose_counters(const struct pl_block_filter *p, size_t k,
                            struct pl_object_filter_object *o,
                            const struct pl_counter_def *defs)
{
    const struct pl_counter_path *path = &p->paths->paths[k];
    bool any = false;

    if (!fits_host(p, path->host) ||
        !title_fits(p, path->object, o->title_index))
        return false;
    for (size_t i = 0; i < o->num_counters; i++)
        if (title_fits(p, path->counter, defs[i].title_index))
            any = o->counters[i] = true;
    return any;
}

/* Add the counters that the display of the selected ones depends on. */
static void add_companions(struct pl_object_filter_object *o,
                           const struct pl_object_facts *facts,
                           const struct pl_counter_def *defs)
{
    for (size_t i = 0; i < o->num_counters; i++) {
        uint32_t title = defs[i].title_index;

        for (size_t k = 0; k < facts->num_identity; k++)
            if (facts->identity[k] == title) {
                o->identity_only[i] = o->counters[i] = true;
                if (o->num_identity < PL_MAX_IDENTITY)
                    o->identity[o->num_identity++] = defs[i];
            }
        if (facts->flags_counter && facts->flags_counter == title)
            o->counters[i] = true;
        if (i && o->counters[i - 1] &&
            pl_type_resolves_to_base(defs[i].type, defs[i].size))
            o->counters[i] = true;
    }
}

/* Is a _Total derived of a selected counter? */
static bool derives_total(const struct pl_object_filter_object *o,
                          const struct pl_object_facts *facts,
                          const struct pl_counter_def *defs)
{
    for (size_t i = 0; i < o->num_counters; i++) {
        const struct pl_counter_facts f =
            pl_counter_facts_of(facts, defs[i].title_index);

        if (o->counters[i] && f.total_rule != PL_TOTAL_NONE)
            return true;
    }
    return false;
}

/* A part left out is not an empty one. */
static int compare_parts(struct pl_text a, struct pl_text b)
{
    if (!a.p || !b.p)
        return (a.p != NULL) - (b.p != NULL);
    return pl_text_compare(a, b);
}

static int by_instance(const void *a, const void *b)
{
    const struct pl_matching_path *x = a, *y = b;

    return compare_parts(x->instance, y->instance);
}

/* Paths of an instance's many counters have equal instances, which are compared
 * with each name only once. */
static void join_alike(struct pl_object_filter_object *o)
{
    if (o->num_paths)
        qsort(o->paths, o->num_paths, sizeof *o->paths, by_instance);
    for (size_t i = 0, n; i < o->num_paths; i = n) {
        for (n = i + 1; n < o->num_paths; n++)
            if (by_instance(&o->paths[i], &o->paths[n]))
                break;
        o->paths[i].past = n;
    }
}

static enum pl_status plan(struct pl_block_filter *p,
                           struct pl_object_filter_object *o,
                           const struct pl_object *view,
                           struct pl_counter_def *defs)
{
    const struct pl_object_facts facts =
        pl_titles_facts(p->titles, view->title_index);
    struct pl_object walk = *view;
    bool total;

    while (o->num_counters < view->num_counters &&
           !pl_counter_next(&walk, &defs[o->num_counters]))
        o->num_counters++;
    for (size_t k = 0; k < p->paths->num; k++)
        if (choose_counters(p, k, o, defs))
            o->paths[o->num_paths++] = (struct pl_matching_path){
                .place = k, .instance = p->paths->paths[k].instance
            };
    join_alike(o);
    o->wanted = o->num_paths > 0;
    add_companions(o, &facts, defs);
    total = derives_total(o, &facts, defs);
    for (size_t i = 0; i < o->num_paths; i++) {
        const struct pl_counter_path *path =
            &p->paths->paths[o->paths[i].place];

        if (!path->instance.p || (total && fits_total(path)))
            o->every = p->matched[o->paths[i].place] = true;
    }
    return o->wanted ? pl_object_filter_need(p, view, o->counters) : PL_OK;
}

struct pl_object_filter_object *
pl_object_filter_of(const struct pl_block_filter *p, uint32_t title)
{
    uint32_t at = pl_u32_map_get(&p->by_title, title);

    return at == PL_NO_PLACE ? NULL : &p->objects[at];
}

/* The entry of an object, made again if it has changed. */
enum pl_status pl_object_filter_find(struct pl_block_filter *p,
                                     const struct pl_object *view,
                                     struct pl_object_filter_object **out)
{
    struct pl_object_filter_object *o =
        pl_object_filter_of(p, view->title_index);
    struct pl_identities chosen = { 0 };
    struct pl_counter_def *defs;
    size_t num = view->num_counters;
    enum pl_status s = PL_NOMEM;

    if (o && o->titles_version == p->titles_version &&
        o->stated_counters == view->num_counters &&
        o->definitions.len == view->definitions_len &&
        !memcmp(o->definitions.p, view->definitions, o->definitions.len)) {
        *out = o;
        return PL_OK;
    }
    if (!o) {
        if (!pl_array_grow((void **)&p->objects, &p->cap_objects,
                           p->num_objects, sizeof *p->objects) ||
            pl_u32_map_add(&p->by_title, view->title_index,
                           (uint32_t)p->num_objects))
            return PL_NOMEM;
        o = &p->objects[p->num_objects++];
    } else {
        chosen = o->chosen;
        o->chosen.p = NULL;
        pl_object_filter_release(o);
    }
    *out = o;
    *o =
        (struct pl_object_filter_object){ .title_index = view->title_index,
                                          .titles_version = p->titles_version,
                                          .stated_counters = view->num_counters,
                                          .chosen = chosen };
    pl_buf_bytes(&o->definitions, view->definitions, view->definitions_len);
    o->counters = calloc(num + 1, sizeof *o->counters);
    o->identity_only = calloc(num + 1, sizeof *o->identity_only);
    o->paths = calloc(p->paths->num + 1, sizeof *o->paths);
    defs = malloc((num + 1) * sizeof *defs);
    if (!o->definitions.oom && o->counters && o->identity_only && o->paths &&
        defs)
        s = plan(p, o, view, defs);
    free(defs);
    if (s)
        o->titles_version = 0; /* incomplete: must not be used */
    return s;
}
