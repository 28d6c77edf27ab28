/* Choosing from samples. */
#include "analyze/pick.h"

#include "analyze/plan.h"
#include "analyze/sample.h"
#include "format/subset.h"
#include "format/winperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct identity {
    uint64_t part[PL_MAX_IDENTITY];
};

struct identities {
    struct identity *p;
    size_t num, cap;
};

/* An object and what its definitions mean. */
struct pl_picked_object {
    uint32_t title_index;
    uint64_t titles_version;
    struct pl_buf definitions;
    uint32_t stated_counters; /* which need not be as many */
    bool wanted;              /* a path fits it */
    bool every;               /* and all of its instances */
    bool *counters, *identity_only;
    size_t num_counters;
    size_t *paths; /* those that fit it */
    size_t num_paths;
    struct pl_counter_def identity[PL_MAX_IDENTITY];
    size_t num_identity;
    struct identities chosen; /* in the last sample, by name */

    /* of the sample being looked at */
    struct pl_object view;
    bool there, is_parent;
    bool *instances;
    size_t cap_instances;
};

/* ---- what a path fits -------------------------------------------------------- */

static bool fits(struct pl_text pattern, const char *text, size_t n)
{
    return !pattern.p || pl_pattern_match(pattern, (struct pl_text){ text, n });
}

/* Hosts of equal names get numbers when read, so a number may mean any. */
static bool fits_host(const struct pl_pick *p, struct pl_text pattern)
{
    return (pattern.p && memchr(pattern.p, '#', pattern.n)) ||
           fits(pattern, p->host, strlen(p->host));
}

static bool fits_total(const struct pl_path *path)
{
    return fits(path->instance, "_Total", strlen("_Total"));
}

static bool title_fits(const struct pl_pick *p, struct pl_text pattern,
                       uint32_t index)
{
    char number[16];
    struct pl_text name = pl_title_or_number(p->titles, index, number);

    return fits(pattern, name.p, name.n);
}

/* ---- objects ------------------------------------------------------------------ */

static void release_object(struct pl_picked_object *o)
{
    pl_buf_release(&o->definitions);
    free(o->counters);
    free(o->identity_only);
    free(o->paths);
    free(o->chosen.p);
    free(o->instances);
}

static enum pl_status need_title(struct pl_pick *p, uint32_t index)
{
    size_t at = 0, end = p->num_needed;

    while (at < end) {
        size_t middle = at + (end - at) / 2;

        if (p->needed[middle] < index)
            at = middle + 1;
        else
            end = middle;
    }
    if (at < p->num_needed && p->needed[at] == index)
        return PL_OK;
    if (!pl_array_grow((void **)&p->needed, &p->cap_needed, p->num_needed,
                       sizeof *p->needed))
        return PL_NOMEM;
    memmove(&p->needed[at + 1], &p->needed[at],
            (p->num_needed - at) * sizeof *p->needed);
    p->needed[at] = index;
    p->num_needed++;
    p->grown = true;
    return PL_OK;
}

/* Note the titles of 'o' and of those of its counters that are kept. */
static enum pl_status need_titles(struct pl_pick *p, const struct pl_object *o,
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

/* Does path 'k' fit a counter of 'o'?  Its counters are then chosen. */
static bool choose_counters(const struct pl_pick *p, size_t k,
                            struct pl_picked_object *o,
                            const struct pl_counter_def *defs)
{
    const struct pl_path *path = &p->paths->paths[k];
    bool any = false;

    if (!fits_host(p, path->host) ||
        !title_fits(p, path->object, o->title_index))
        return false;
    for (size_t i = 0; i < o->num_counters; i++)
        if (title_fits(p, path->counter, defs[i].title_index))
            any = o->counters[i] = true;
    return any;
}

/* The counters without which the chosen ones would not look the same. */
static void add_companions(struct pl_picked_object *o,
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
        if (i && o->counters[i - 1] && pl_type_is_base(defs[i].type))
            o->counters[i] = true;
    }
}

/* Is a _Total derived of a counter that is chosen? */
static bool derives_total(const struct pl_picked_object *o,
                          const struct pl_object_facts *facts,
                          const struct pl_counter_def *defs)
{
    for (size_t i = 0; i < o->num_counters; i++) {
        const struct pl_counter_facts *f =
            pl_counter_facts_of(facts, defs[i].title_index);

        if (o->counters[i] && f && f->total_rule != PL_TOTAL_NONE)
            return true;
    }
    return false;
}

static enum pl_status plan(struct pl_pick *p, struct pl_picked_object *o,
                           const struct pl_object *view,
                           struct pl_counter_def *defs)
{
    const struct pl_object_facts *facts =
        pl_titles_facts(p->titles, view->title_index);
    struct pl_object walk = *view;
    bool total;

    while (o->num_counters < view->num_counters &&
           !pl_counter_next(&walk, &defs[o->num_counters]))
        o->num_counters++;
    for (size_t k = 0; k < p->paths->num; k++)
        if (choose_counters(p, k, o, defs))
            o->paths[o->num_paths++] = k;
    o->wanted = o->num_paths > 0;
    add_companions(o, facts, defs);
    total = derives_total(o, facts, defs);
    for (size_t i = 0; i < o->num_paths; i++) {
        const struct pl_path *path = &p->paths->paths[o->paths[i]];

        if (!path->instance.p || (total && fits_total(path)))
            o->every = p->matched[o->paths[i]] = true;
    }
    return o->wanted ? need_titles(p, view, o->counters) : PL_OK;
}

/* The entry of an object, made anew if it is not what it was. */
static enum pl_status find_object(struct pl_pick *p,
                                  const struct pl_object *view,
                                  struct pl_picked_object **out)
{
    struct pl_picked_object *o = NULL, *grown;
    struct identities chosen = { 0 };
    struct pl_counter_def *defs;
    size_t num = view->num_counters;
    enum pl_status s = PL_NOMEM;

    for (size_t i = 0; i < p->num_objects && !o; i++)
        if (p->objects[i].title_index == view->title_index)
            o = &p->objects[i];
    if (o && o->titles_version == p->titles_version &&
        o->stated_counters == view->num_counters &&
        o->definitions.len == view->definitions_len &&
        !memcmp(o->definitions.p, view->definitions, o->definitions.len)) {
        *out = o;
        return PL_OK;
    }
    if (!o) {
        grown = realloc(p->objects, (p->num_objects + 1) * sizeof *grown);
        if (!grown)
            return PL_NOMEM;
        p->objects = grown;
        o = &grown[p->num_objects++];
    } else {
        chosen = o->chosen;
        o->chosen.p = NULL;
        release_object(o);
    }
    *out = o;
    *o = (struct pl_picked_object){ .title_index = view->title_index,
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
        o->titles_version = 0; /* half made: never to be used */
    return s;
}

/* ---- instances ----------------------------------------------------------------- */

/* Names in a row, those of one stem behind one another. */
struct spelled {
    const char *name; /* at first an offset */
    size_t at, len, stem_len, place;
};

/* "a#1#2" and "a" have the stem "a": they may get each other's numbers. */
static size_t stem_of(const char *name, size_t len)
{
    for (;;) {
        size_t n = len;

        while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
            n--;
        if (n == len || !n || name[n - 1] != '#')
            return len;
        len = n - 1;
    }
}

static int by_stem(const void *a, const void *b)
{
    const struct spelled *x = a, *y = b;
    size_t n = x->stem_len < y->stem_len ? x->stem_len : y->stem_len;
    int order = memcmp(x->name, y->name, n);

    if (order)
        return order;
    return x->stem_len < y->stem_len ? -1 : x->stem_len > y->stem_len;
}

/* Does a path fit 'name', or, as one of 'count', 'name' with a number? */
static bool name_is_wanted(struct pl_pick *p, const struct pl_picked_object *o,
                           const struct spelled *n, size_t count)
{
    bool wanted = false;

    for (size_t i = 0; i < o->num_paths; i++) {
        struct pl_text pattern = p->paths->paths[o->paths[i]].instance;
        bool fit = fits(pattern, n->name, n->len);

        for (size_t k = 1; k < count && !fit; k++) {
            char number[24];

            pl_buf_clear(&p->name);
            pl_buf_bytes(&p->name, n->name, n->len);
            snprintf(number, sizeof number, "#%zu", k);
            pl_buf_bytes(&p->name, number, strlen(number));
            fit = !p->name.oom &&
                  fits(pattern, (const char *)p->name.p, p->name.len);
        }
        if (fit)
            wanted = p->matched[o->paths[i]] = true;
    }
    return wanted;
}

static void choose_stem(struct pl_pick *p, const struct pl_picked_object *o,
                        const struct spelled *names, size_t num,
                        bool *instances)
{
    bool any = false;

    for (size_t i = 0; i < num; i++)
        any |= name_is_wanted(p, o, &names[i], num);
    for (size_t i = 0; i < num; i++)
        instances[names[i].place] = any;
}

/* Spell the names of all instances; *num of them. */
static enum pl_status spell_all(struct pl_pick *p, const struct pl_block *block,
                                const struct pl_object *view,
                                struct pl_buf *text, struct spelled **names,
                                size_t *num)
{
    struct pl_object walk = *view;
    struct pl_instance i;
    size_t cap = 0;

    pl_parents_forget(&p->parents);
    while (!pl_instance_next(&walk, &i)) {
        if (!pl_array_grow((void **)names, &cap, *num, sizeof **names) ||
            pl_instance_spell(&p->parents, &p->pages, &p->name, block, &walk,
                              &i))
            return PL_NOMEM;
        (*names)[*num] = (struct spelled){
            .at = text->len,
            .len = p->name.len,
            .stem_len = stem_of((const char *)p->name.p, p->name.len),
            .place = *num,
        };
        ++*num;
        pl_buf_bytes(text, p->name.p, p->name.len);
    }
    pl_buf_u8(text, 0); /* so that there are bytes to point to */
    if (text->oom)
        return PL_NOMEM;
    for (size_t k = 0; k < *num; k++)
        (*names)[k].name = (const char *)text->p + (*names)[k].at;
    return PL_OK;
}

/* Choose by name; 'instances' has room for all. */
static enum pl_status choose_names(struct pl_pick *p,
                                   const struct pl_picked_object *o,
                                   const struct pl_block *block,
                                   const struct pl_object *view,
                                   bool *instances)
{
    struct spelled *names = NULL;
    struct pl_buf text = { 0 };
    size_t num = 0, first = 0;
    enum pl_status s = spell_all(p, block, view, &text, &names, &num);

    if (!s && num)
        qsort(names, num, sizeof *names, by_stem);
    for (size_t i = 1; !s && i <= num; i++)
        if (i == num || by_stem(&names[first], &names[i])) {
            choose_stem(p, o, names + first, i - first, instances);
            first = i;
        }
    free(names);
    pl_buf_release(&text);
    return s;
}

/* ---- identities ---------------------------------------------------------------- */

static struct identity identity_of(const struct pl_picked_object *o,
                                   const struct pl_object *view,
                                   const struct pl_instance *i)
{
    struct identity id = { { 0 } };

    for (size_t k = 0; k < o->num_identity; k++)
        pl_counter_get(view, i, &o->identity[k], &id.part[k]);
    return id;
}

static int by_identity(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct identity));
}

/* Add the identities of the instances that are chosen. */
static enum pl_status add_identities(const struct pl_picked_object *o,
                                     const struct pl_object *view,
                                     const bool *instances,
                                     struct identities *ids)
{
    struct pl_object walk = *view;
    struct pl_instance i;

    for (size_t k = 0; !pl_instance_next(&walk, &i); k++) {
        if (!instances[k])
            continue;
        if (!pl_array_grow((void **)&ids->p, &ids->cap, ids->num,
                           sizeof *ids->p))
            return PL_NOMEM;
        ids->p[ids->num++] = identity_of(o, view, &i);
    }
    return PL_OK;
}

/* Those chosen by name in 'next'.  An object that has changed tells nothing. */
static enum pl_status add_next(struct pl_pick *p, struct pl_picked_object *o,
                               const struct pl_buf *next,
                               struct identities *ids)
{
    struct pl_block block;
    struct pl_object view;
    enum pl_status s = PL_OK;

    if (pl_block_parse(&block, next->p, next->len))
        return PL_OK;
    while (!pl_object_next(&block, &view)) {
        bool *instances;

        if (view.title_index != o->title_index || view.num_instances <= 0)
            continue;
        if (o->definitions.len != view.definitions_len ||
            memcmp(o->definitions.p, view.definitions, o->definitions.len) != 0)
            continue;
        instances = calloc((size_t)view.num_instances, sizeof *instances);
        s = instances ? choose_names(p, o, &block, &view, instances) : PL_NOMEM;
        if (!s)
            s = add_identities(o, &view, instances, ids);
        free(instances);
        break;
    }
    return s;
}

/* Choose what a chosen one was called before, or will be called. */
static enum pl_status choose_identities(struct pl_pick *p,
                                        struct pl_picked_object *o,
                                        const struct pl_buf *next)
{
    struct identities around = o->chosen;
    struct pl_object walk = o->view;
    struct pl_instance i;
    enum pl_status s = PL_OK;

    o->chosen = (struct identities){ 0 };
    if (next)
        s = add_next(p, o, next, &around);
    if (!s)
        s = add_identities(o, &o->view, o->instances, &o->chosen);
    if (!s && around.num)
        qsort(around.p, around.num, sizeof *around.p, by_identity);
    for (size_t k = 0; !s && around.num && !pl_instance_next(&walk, &i); k++) {
        struct identity id = identity_of(o, &o->view, &i);

        o->instances[k] = o->instances[k] || bsearch(&id, around.p, around.num,
                                                     sizeof id, by_identity);
    }
    free(around.p);
    return s;
}

/* ---- blocks -------------------------------------------------------------------- */

static bool all_matched(const struct pl_pick *p,
                        const struct pl_picked_object *o)
{
    for (size_t i = 0; i < o->num_paths; i++)
        if (!p->matched[o->paths[i]])
            return false;
    return true;
}

static enum pl_status choose_instances(struct pl_pick *p,
                                       struct pl_picked_object *o,
                                       const struct pl_block *block,
                                       const struct pl_buf *next)
{
    size_t num = o->view.num_instances > 0 ? (size_t)o->view.num_instances : 0;
    enum pl_status s;

    if (num > o->cap_instances) {
        free(o->instances);
        o->instances = malloc(num * sizeof *o->instances);
        o->cap_instances = o->instances ? num : 0;
        if (!o->instances)
            return PL_NOMEM;
    }
    if (!num || (o->every && all_matched(p, o)))
        return PL_OK;
    memset(o->instances, 0, num * sizeof *o->instances);
    s = choose_names(p, o, block, &o->view, o->instances);
    if (!s && o->num_identity)
        s = choose_identities(p, o, next);
    return s;
}

/* An object without instances has the name "". */
static bool is_single(const struct pl_picked_object *o)
{
    return o->view.num_instances == PERF_NO_INSTANCES;
}

static bool single_is_wanted(struct pl_pick *p,
                             const struct pl_picked_object *o)
{
    struct spelled none = { .name = "" };

    return name_is_wanted(p, o, &none, 1);
}

/* Note the objects whose instances are parents of kept ones. */
static void mark_parents(struct pl_pick *p, const struct pl_picked_object *o)
{
    struct pl_object walk = o->view;
    struct pl_instance i;
    uint32_t last = 0;

    while (!pl_instance_next(&walk, &i)) {
        if (i.parent_object == last)
            continue;
        last = i.parent_object;
        for (size_t k = 0; k < p->num_objects; k++)
            if (p->objects[k].title_index == last)
                p->objects[k].is_parent = true;
    }
}

/* Look at all objects: which are there, and what is chosen of them. */
static enum pl_status look(struct pl_pick *p, const struct pl_block *block,
                           const struct pl_buf *next)
{
    struct pl_block walk = *block;
    struct pl_object view;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_objects; i++)
        p->objects[i].there = p->objects[i].is_parent = false;
    while (!s && !pl_object_next(&walk, &view)) {
        struct pl_picked_object *o;

        s = find_object(p, &view, &o);
        if (s || o->there)
            continue; /* the same object twice: the first one counts */
        o->there = true;
        o->view = view;
        if (o->wanted && !is_single(o))
            s = choose_instances(p, o, block, next);
    }
    for (size_t i = 0; !s && i < p->num_objects; i++)
        if (p->objects[i].there && p->objects[i].wanted)
            mark_parents(p, &p->objects[i]);
    return s;
}

/* Add what is chosen of one object; *added: there was something. */
static enum pl_status put_object(struct pl_pick *p, struct pl_buf *out,
                                 const struct pl_block *block,
                                 struct pl_picked_object *o, bool *added)
{
    bool wanted = o->wanted && (!is_single(o) || single_is_wanted(p, o));
    const bool *counters = wanted ? o->counters : o->identity_only;
    const bool *instances = !wanted || is_single(o) || o->every || o->is_parent
                                ? NULL
                                : o->instances;
    enum pl_status s;

    *added = wanted || o->is_parent;
    if (!*added)
        return PL_OK;
    s = need_titles(p, &o->view, counters);
    if (!s)
        s = pl_subset_object(out, block, &o->view, counters, instances);
    if (s == PL_CORRUPT) {
        pl_subset_whole(out, block, &o->view);
        s = PL_OK;
    }
    return s;
}

enum pl_status pl_pick_block(struct pl_pick *p, const struct pl_buf *bytes,
                             const struct pl_buf *next, struct pl_buf *out)
{
    struct pl_block block, walk;
    struct pl_object view;
    uint32_t num = 0;
    enum pl_status s;

    pl_buf_clear(out);
    if (pl_block_parse(&block, bytes->p, bytes->len)) {
        pl_buf_bytes(out, bytes->p, bytes->len);
        return out->oom ? PL_NOMEM : PL_OK;
    }
    walk = block;
    pl_subset_begin(out, &block);
    s = look(p, &block, next);
    while (!s && !pl_object_next(&walk, &view)) {
        bool added = false;

        for (size_t i = 0; i < p->num_objects && !s; i++)
            if (p->objects[i].there && p->objects[i].view.at == view.at)
                s = put_object(p, out, &block, &p->objects[i], &added);
        num += added;
    }
    pl_subset_end(out, &block, num);
    return !s && out->oom ? PL_NOMEM : s;
}

/* ---- sessions ------------------------------------------------------------------ */

enum pl_status pl_pick_host(struct pl_pick *p, struct pl_text host)
{
    char *name = strndup(host.n ? host.p : "", host.n);

    if (!name)
        return PL_NOMEM;
    free(p->host);
    p->host = name;
    p->titles_version++;
    p->num_needed = 0;
    p->grown = true;
    return PL_OK;
}

enum pl_status pl_pick_set_titles(struct pl_pick *p,
                                  const struct pl_buf *payload)
{
    enum pl_status s = p->titles ? PL_OK : pl_titles_new(&p->titles);

    if (!s)
        s = pl_titles_parse(p->titles, payload->p, payload->len);
    p->titles_version++;
    p->grown = true;
    return s == PL_CORRUPT ? PL_OK : s;
}

void pl_pick_titles(struct pl_pick *p, struct pl_buf *out)
{
    pl_buf_clear(out);
    pl_titles_write_some(p->titles, p->needed, p->num_needed, out);
    p->grown = false;
}

void pl_pick_release(struct pl_pick *p)
{
    for (size_t i = 0; i < p->num_objects; i++)
        release_object(&p->objects[i]);
    free(p->objects);
    free(p->needed);
    free(p->matched);
    free(p->host);
    pl_titles_free(p->titles);
    pl_buf_release(&p->name);
    pl_parents_release(&p->parents);
    pl_codepages_release(&p->pages);
    p->num_objects = 0;
}
