/* Tables of applications: which are known, and their shares of the limits. */
#include "logger/linux/published/published_parts.h"

#include "format/base/array.h"

#include <stdlib.h>

void pl_published_init(struct pl_published_list *l,
                       const struct pl_counter_filter *choice,
                       struct pl_publishers *publishers)
{
    *l = (struct pl_published_list){ .choice = choice,
                                     .publishers = publishers };
    l->last = &l->first;
}

static void free_table(struct pl_published *t)
{
    pl_published_free_objects(t);
    free(t->definitions);
    free(t);
}

void pl_published_release(struct pl_published_list *l)
{
    while (l->first) {
        struct pl_published *t = l->first;

        l->first = t->next;
        free_table(t);
    }
    pl_buf_release(&l->name);
    free(l->removed);
}

/* ---- known tables, and their shares ------------------------------------- */

static size_t memory_of(const struct pl_region_header *h)
{
    return h->def_len + sizeof(struct pl_published) +
           h->num_objects * (sizeof(struct pl_published_object) +
                             PL_REGION_MAX_NAME + PL_OF_USER_SIZE) +
           h->num_counters *
               (sizeof(struct pl_region_cell) + PL_SIZEOF_COUNTER);
}

/* Its titles are removed when titles are stored next; until then a reader has
 * some that no sample uses. */
static void give_titles(struct pl_published_list *l,
                        const struct pl_published *t)
{
    const uint32_t num = (t->titles.past - t->titles.first) / 2;

    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TITLES, num);
    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TEXTS,
                      pl_published_texts_size(t));
    if (t->has_titles && pl_array_grow((void **)&l->removed, &l->cap_removed,
                                       l->num_removed, sizeof *l->removed))
        l->removed[l->num_removed++] = t->titles;
}

/* Drop the oldest table without a region: of 'owner', or of any untrusted
 * publisher. */
static bool forget_table(struct pl_published_list *l,
                         const struct pl_publisher *owner)
{
    struct pl_published **at = &l->first, *t;

    while ((t = *at) && (t->num_regions ||
                         (owner ? t->owner != owner : !t->owner->untrusted)))
        at = &t->next;
    if (!t)
        return false;
    *at = t->next;
    if (!*at)
        l->last = at;
    for (struct pl_published *e = l->first; e; e = e->next)
        if (e->owner == t->owner)
            pl_published_find_namesakes(l, e);
    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TABLES,
                      memory_of(&t->header));
    give_titles(l, t);
    free_table(t);
    return true;
}

/* Tables without a region make room. */
static bool take(struct pl_published_list *l, struct pl_publisher *owner,
                 enum pl_limit share, size_t n)
{
    l->exceeded = share;
    if (!pl_publisher_may_ever_take(owner, share, n))
        return false;
    while (!pl_publisher_take(l->publishers, owner, share, n))
        if (!forget_table(l, owner) &&
            !(owner->untrusted && forget_table(l, NULL)))
            return false;
    return true;
}

static bool take_titles(struct pl_published_list *l, struct pl_published *t)
{
    const uint32_t num = (t->titles.past - t->titles.first) / 2;

    if (!take(l, t->owner, PL_SHARE_TITLES, num))
        return false;
    if (take(l, t->owner, PL_SHARE_TEXTS, pl_published_texts_size(t)))
        return true;
    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TITLES, num);
    return false;
}

/* Create the objects of a table; 'l' is unchanged if that fails. */
static enum pl_status fill_table(struct pl_published_list *l,
                                 struct pl_published *t)
{
    uint32_t titles = l->num_titles;
    enum pl_status s = PL_OK;

    t->objects = calloc(t->header.num_objects, sizeof *t->objects);
    s = t->objects ? PL_OK : PL_NOMEM;
    for (uint32_t k = 0; k < t->header.num_objects && !s; k++)
        s = pl_published_add_object(l, t, k);
    t->titles =
        (struct pl_title_range){ PL_PUBLISHED_TITLES + 2 * titles,
                                 PL_PUBLISHED_TITLES + 2 * l->num_titles };
    if (!s && !take_titles(l, t))
        s = PL_TOO_LARGE;
    if (s)
        l->num_titles = titles;
    return s;
}

static enum pl_status add_table(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions,
                                struct pl_publisher *owner, bool renamed,
                                struct pl_published **out)
{
    struct pl_published *t = calloc(1, sizeof *t);
    enum pl_status s;

    if (!t) {
        free(definitions);
        return PL_NOMEM;
    }
    t->header = *h;
    t->definitions = definitions;
    t->owner = owner;
    t->renamed = renamed;
    s = take(l, owner, PL_SHARE_TABLES, memory_of(h)) ? PL_OK : PL_TOO_LARGE;
    if (!s) {
        s = fill_table(l, t);
        if (s)
            pl_publisher_give(l->publishers, owner, PL_SHARE_TABLES,
                              memory_of(h));
    }
    if (s) {
        free_table(t);
        return s;
    }
    pl_published_find_namesakes(l, t);
    *l->last = t;
    l->last = &t->next;
    *out = t;
    return PL_OK;
}

/* Find a known table; one without regions only if its names still fit. */
static struct pl_published *find_table(const struct pl_published_list *l,
                                       const struct pl_region_header *h,
                                       const uint8_t *definitions,
                                       const struct pl_publisher *owner,
                                       bool *renamed)
{
    struct pl_published *kept[2] = { NULL, NULL };

    for (struct pl_published *t = l->first; t; t = t->next) {
        if (t->owner != owner ||
            !pl_region_is_same_table(&t->header, t->definitions, h,
                                     definitions))
            continue;
        if (t->num_regions && !t->displaced)
            return t;
        if (!t->num_regions)
            kept[t->renamed] = t;
    }
    *renamed = pl_published_must_be_renamed(l, h, definitions, owner);
    return kept[*renamed];
}

enum pl_status pl_published_get(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions,
                                struct pl_publisher *owner,
                                struct pl_published **out)
{
    bool renamed = false;
    struct pl_published *t = find_table(l, h, definitions, owner, &renamed);
    enum pl_status s = PL_OK;

    if (t)
        free(definitions);
    else
        s = add_table(l, h, definitions, owner, renamed, &t);
    if (s)
        return s;
    t->num_regions++;
    t->displaced = false;
    if (!owner->untrusted)
        pl_published_displace(l, t);
    *out = t;
    return PL_OK;
}

void pl_published_unref(struct pl_published *t)
{
    t->num_regions--;
}

/* ---- selection ---------------------------------------------------------- */

bool pl_published_fits(const struct pl_published_list *l,
                       const struct pl_counter_path *path)
{
    for (const struct pl_published *t = l->first; t; t = t->next)
        for (uint32_t k = 0; k < t->header.num_objects; k++) {
            const struct pl_published_object *o = &t->objects[k];
            const struct pl_region_counter *c = pl_published_counters(t, o);

            if (!pl_path_fits(l->choice, path, &o->def))
                continue;
            for (size_t i = 0; i < o->num_cells; i++)
                if (!path->counter.p ||
                    pl_pattern_match(path->counter,
                                     pl_text_of(pl_published_text(
                                         t, c[o->cells[i].counter].name))))
                    return true;
        }
    return false;
}

static bool is_chosen(struct pl_published_list *l,
                      const struct pl_published_object *o, const char *label,
                      struct pl_text name)
{
    if (!o->def.has_instances)
        return true;
    pl_buf_clear(&l->name);
    pl_buf_string(&l->name, label);
    if (o->layout->max_instances >= 0) {
        pl_buf_u8(&l->name, '/');
        pl_buf_bytes(&l->name, name.p, name.n);
    }
    return !l->name.oom &&
           pl_filter_allows(
               &o->filter,
               (struct pl_text){ (const char *)l->name.p, l->name.len },
               PL_SHOWN);
}

bool pl_published_takes_object(const void *taker, uint32_t object)
{
    const struct pl_published_taker *t = taker;

    return t->table->objects[object].num_cells;
}

bool pl_published_takes_instance(const void *taker, uint32_t object,
                                 struct pl_text name)
{
    const struct pl_published_taker *t = taker;
    struct pl_published_object *o = &t->table->objects[object];

    if (o->def.has_instances && pl_text_equal(name, pl_text_of("_Total")) &&
        !o->has_total) {
        o->has_total = true;
        o->titles_stored = false;
    }
    return is_chosen(t->list, o, t->label, name);
}
