/* Which instances of an object are selected. */
#include "analyze/copy/object_filter.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- instances ----------------------------------------------------------- */

/* Sorted names, those of one stem adjacent. */
struct spelled {
    const char *name; /* at first an offset */
    size_t at, len, stem_len, place;
    /* at the first of equal names: how many numbers they may get */
    size_t numbers;
};

/* The length of "a#1" without a "#12" after it, 'len' if none is. */
static size_t without_number(const char *name, size_t len)
{
    size_t n = len;

    while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n == len || !n || name[n - 1] != '#' ? len : n - 1;
}

/* "a#1#2" and "a" have the stem "a": they may get each other's numbers. */
static size_t stem_of(const char *name, size_t len)
{
    size_t n = without_number(name, len);

    while (n != len) {
        len = n;
        n = without_number(name, len);
    }
    return len;
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

static bool is_same(const struct spelled *a, const struct spelled *b)
{
    return a->len == b->len && !memcmp(a->name, b->name, a->len);
}

static int by_name(const void *a, const void *b)
{
    const struct spelled *x = a, *y = b;
    size_t n = x->len < y->len ? x->len : y->len;
    int order = by_stem(a, b);

    if (!order)
        order = memcmp(x->name, y->name, n);
    return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* Does a path match 'n', or 'n' with one of the numbers it may get? */
static bool name_is_wanted(struct pl_block_filter *p,
                           const struct pl_object_filter_object *o,
                           const struct spelled *n)
{
    bool wanted = false;

    for (size_t i = 0, past; i < o->num_paths; i = past) {
        struct pl_text pattern = o->paths[i].instance;
        bool fit = pl_object_filter_fits(pattern, n->name, n->len);
        bool numbered =
            pl_pattern_may_begin(pattern, (struct pl_text){ n->name, n->len });

        for (size_t k = 1; numbered && k <= n->numbers && !fit; k++) {
            char number[24];

            pl_buf_clear(&p->name);
            pl_buf_bytes(&p->name, n->name, n->len);
            snprintf(number, sizeof number, "#%zu", k);
            pl_buf_string(&p->name, number);
            fit = !p->name.oom &&
                  pl_object_filter_fits(pattern, (const char *)p->name.p,
                                        p->name.len);
        }
        past = o->paths[i].past;
        wanted |= fit;
        for (; fit && i < past; i++)
            p->matched[o->paths[i].place] = true;
    }
    return wanted;
}

/* The first whose name is the first 'len' bytes of 'n'; NULL: none. */
static struct spelled *first_called(struct spelled *names, size_t num,
                                    const struct spelled *n, size_t len)
{
    struct spelled key = { .name = n->name, .len = len };
    size_t from = 0, to = num;

    key.stem_len = n->stem_len;
    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (by_name(&names[mid], &key) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from < num && is_same(&names[from], &key) ? &names[from] : NULL;
}

/*
 * Equal names get free numbers: the highest one is at most the number of
 * instances with this name plus those whose own name ends in such a number.
 */
static void count_numbers(struct spelled *names, size_t num)
{
    struct spelled *first = names;

    for (size_t i = 0; i < num; i++) {
        if (!is_same(first, &names[i]))
            first = &names[i];
        names[i].numbers = 0;
        first->numbers += num > 1;
    }
    for (size_t i = 0; i < num; i++) {
        size_t len = without_number(names[i].name, names[i].len);

        if (!names[i].numbers || len == names[i].len)
            continue;
        first = first_called(names, num, &names[i], len);
        if (first)
            first->numbers++;
    }
}

static void choose_stem(struct pl_block_filter *p,
                        const struct pl_object_filter_object *o,
                        struct spelled *names, size_t num, bool *instances)
{
    bool any = false;

    count_numbers(names, num);
    for (size_t i = 0; i < num; i++)
        if (names[i].numbers || num == 1)
            any |= name_is_wanted(p, o, &names[i]);
    for (size_t i = 0; i < num; i++)
        instances[names[i].place] = any;
}

/* Spell the names of all instances; *num of them. */
static enum pl_status
spell_all(struct pl_block_filter *p, struct pl_instance_parents *parents,
          const struct pl_block *block, const struct pl_object *view,
          struct pl_buf *text, struct spelled **names, size_t *num)
{
    struct pl_object walk = *view;
    struct pl_instance i;
    size_t cap = 0;

    while (!pl_instance_next(&walk, &i)) {
        if (!pl_array_grow((void **)names, &cap, *num, sizeof **names) ||
            pl_instance_spell(parents, &p->pages, &p->name, block, &walk, &i))
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
    pl_buf_u8(text, 0); /* so that the buffer is never empty */
    if (text->oom)
        return PL_NOMEM;
    for (size_t k = 0; k < *num; k++)
        (*names)[k].name = (const char *)text->p + (*names)[k].at;
    return PL_OK;
}

/* Select by name; 'instances' has room for all. */
static enum pl_status choose_names(struct pl_block_filter *p,
                                   struct pl_instance_parents *parents,
                                   const struct pl_object_filter_object *o,
                                   const struct pl_block *block,
                                   const struct pl_object *view,
                                   bool *instances)
{
    struct spelled *names = NULL;
    struct pl_buf text = { 0 };
    size_t num = 0, first = 0;
    enum pl_status s = spell_all(p, parents, block, view, &text, &names, &num);

    if (!s && num)
        qsort(names, num, sizeof *names, by_name);
    for (size_t i = 1; !s && i <= num; i++)
        if (i == num || by_stem(&names[first], &names[i])) {
            choose_stem(p, o, names + first, i - first, instances);
            first = i;
        }
    free(names);
    pl_buf_release(&text);
    return s;
}

/* ---- identities ---------------------------------------------------------- */

static struct pl_identity identity_of(const struct pl_object_filter_object *o,
                                      const struct pl_object *view,
                                      const struct pl_instance *i)
{
    struct pl_identity id = { { 0 } };

    for (size_t k = 0; k < o->num_identity; k++)
        pl_counter_get(view, i, &o->identity[k], &id.part[k]);
    return id;
}

static int by_identity(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct pl_identity));
}

/* Add the identities of the instances that are selected. */
static enum pl_status add_identities(const struct pl_object_filter_object *o,
                                     const struct pl_object *view,
                                     const bool *instances,
                                     struct pl_identities *ids)
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

/*
 * Add those selected by name in 'next'.  An object with other definitions is
 * ignored.
 */
static enum pl_status add_next(struct pl_block_filter *p,
                               struct pl_object_filter_object *o,
                               const struct pl_buf *next,
                               struct pl_identities *ids)
{
    const struct pl_object *view;
    struct pl_block block;
    bool *instances;
    enum pl_status s;

    if (pl_block_parse(&block, next->p, next->len))
        return PL_OK;
    s = pl_instance_parents_object(&p->next_parents, &block, o->title_index,
                                   &view);
    if (s || !view || view->num_instances <= 0 ||
        o->definitions.len != view->definitions_len ||
        memcmp(o->definitions.p, view->definitions, o->definitions.len) != 0)
        return s;
    instances = calloc((size_t)view->num_instances, sizeof *instances);
    s = instances
            ? choose_names(p, &p->next_parents, o, &block, view, instances)
            : PL_NOMEM;
    if (!s)
        s = add_identities(o, view, instances, ids);
    free(instances);
    return s;
}

/* Select instances that had or will have a selected name. */
static enum pl_status choose_identities(struct pl_block_filter *p,
                                        struct pl_object_filter_object *o,
                                        const struct pl_buf *next)
{
    struct pl_identities around = o->chosen;
    struct pl_object walk = o->view;
    struct pl_instance i;
    enum pl_status s = PL_OK;

    o->chosen = (struct pl_identities){ 0 };
    if (next)
        s = add_next(p, o, next, &around);
    if (!s)
        s = add_identities(o, &o->view, o->instances, &o->chosen);
    if (!s && around.num)
        qsort(around.p, around.num, sizeof *around.p, by_identity);
    for (size_t k = 0; !s && around.num && !pl_instance_next(&walk, &i); k++) {
        struct pl_identity id = identity_of(o, &o->view, &i);

        o->instances[k] = o->instances[k] || bsearch(&id, around.p, around.num,
                                                     sizeof id, by_identity);
    }
    free(around.p);
    return s;
}

/* ---- all of it ----------------------------------------------------------- */

static bool all_matched(const struct pl_block_filter *p,
                        const struct pl_object_filter_object *o)
{
    for (size_t i = 0; i < o->num_paths; i++)
        if (!p->matched[o->paths[i].place])
            return false;
    return true;
}

enum pl_status pl_object_filter_instances(struct pl_block_filter *p,
                                          struct pl_object_filter_object *o,
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
    s = choose_names(p, &p->parents, o, block, &o->view, o->instances);
    if (!s && o->num_identity)
        s = choose_identities(p, o, next);
    return s;
}

/* An object without instances has the name "". */
bool pl_object_filter_is_single(const struct pl_object_filter_object *o)
{
    return o->view.num_instances == PERF_NO_INSTANCES;
}

bool pl_object_filter_single(struct pl_block_filter *p,
                             const struct pl_object_filter_object *o)
{
    struct spelled none = { .name = "" };

    return name_is_wanted(p, o, &none);
}
