/* Tables of applications as objects: their titles, names and limits. */
#include "logger/linux/published/published.h"

#include "format/base/array.h"
#include "format/log/record.h"
#include "format/block/winperf.h"
#include "logger/linux/machine/machine.h"
#include "logger/provider/types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define APART " of user "
enum { APART_ROOM = sizeof APART "4294967295" };

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
    for (uint32_t k = 0; t->objects && k < t->header.num_objects; k++) {
        pl_filter_release(&t->objects[k].filter);
        free(t->objects[k].cells);
        free(t->objects[k].apart_name);
        pl_buf_release(&t->objects[k].prepared);
    }
    free(t->objects);
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
    free(l->gone);
}

/* ---- a new table -------------------------------------------------------- */

static const char *text_of(const struct pl_published *t, uint32_t at)
{
    return pl_region_text(&t->header, t->definitions, at);
}

static const struct pl_region_counter *
counters_of(const struct pl_published *t, const struct pl_published_object *o)
{
    return pl_region_counters(&t->header, t->definitions) +
           o->layout->first_counter;
}

/* True for the names of perflog's own objects. */
static bool is_taken(const char *name)
{
    for (size_t i = 0; i < pl_num_objects; i++)
        if (!strcasecmp(pl_objects[i].name, name))
            return true;
    return false;
}

/* A hash that ignores the case of letters. */
static uint64_t hash_of(const char *name)
{
    char lower[PL_REGION_MAX_NAME];
    size_t n = strlen(name);

    for (size_t i = 0; i < n; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    return pl_hash(lower, n, 0);
}

static bool name_apart(const struct pl_published *t,
                       struct pl_published_object *o)
{
    size_t size = strlen(o->def.name) + APART_ROOM;

    o->apart_name = malloc(size);
    if (!o->apart_name)
        return false;
    snprintf(o->apart_name, size, "%s" APART "%u", o->def.name,
             (unsigned)t->owner->uid);
    o->def.name = o->apart_name;
    return true;
}

/* The selected counters, each followed by its base. */
static void choose_cells(struct pl_published_list *l,
                         const struct pl_published *t,
                         struct pl_published_object *o)
{
    const struct pl_region_counter *c = counters_of(t, o);
    bool above = false;

    for (uint32_t i = 0; i < o->layout->num_counters; i++) {
        const char *name = text_of(t, c[i].name);
        bool base = pl_type_is_base(c[i].type);

        if (!base)
            above = pl_counter_filter_wants(l->choice, &o->def, name) !=
                    PL_UNWANTED;
        if (!above)
            continue;
        o->is_ratio = o->is_ratio || base;
        o->def.has_clock |= pl_prov_type_of(c[i].type)->since_boot;
        o->cells[o->num_cells++] = pl_region_cell_of(c, i);
    }
}

static void place_cells(struct pl_published_object *o)
{
    uint32_t at = pl_region_cells_place(o->cells, o->num_cells);
    uint32_t filled = o->cells[0].offset;

    for (size_t i = 0; i < o->num_cells; i++)
        filled += o->cells[i].width;
    o->identity_at = (at + 7) & ~7u;
    o->block_len = o->identity_at + 8;
    o->is_dense = filled == o->identity_at;
}

/* Assign title indexes; a base has that of its counter. */
static void number_cells(struct pl_published_list *l,
                         const struct pl_published *t,
                         struct pl_published_object *o)
{
    uint32_t next;

    o->def.index = PL_PUBLISHED_TITLES + 2 * l->num_titles;
    next = pl_region_cells_number(o->cells, o->num_cells, counters_of(t, o),
                                  o->def.index + 2);
    l->num_titles = (next - PL_PUBLISHED_TITLES) / 2;
}

static void prepare(const struct pl_published *t, struct pl_published_object *o)
{
    const struct pl_region_counter *c = counters_of(t, o);
    struct pl_object head = { .title_index = o->def.index,
                              .help_index = o->def.index + 1,
                              .detail_level = (uint32_t)o->def.level };
    struct pl_counter_def identity = {
        .title_index = PL_PUBLISHED_IDENTITY,
        .help_index = PL_PUBLISHED_IDENTITY + 1,
        .detail_level = PERF_DETAIL_WIZARD,
        .type = PERF_COUNTER_LARGE_RAWCOUNT_HEX,
        .size = 8,
        .offset = o->identity_at,
    };
    size_t at;

    head.default_counter = pl_region_cells_default(o->cells, o->num_cells, c,
                                                   o->layout->default_counter);
    at = pl_put_object(&o->prepared, &head);
    pl_region_cells_define(&o->prepared, o->cells, o->num_cells, c);
    pl_put_counter(&o->prepared, &identity);
    pl_put_definitions_close(&o->prepared, at, (uint32_t)o->num_cells + 1);
}

static enum pl_status add_object(struct pl_published_list *l,
                                 const struct pl_published *t, uint32_t k)
{
    struct pl_published_object *o = &t->objects[k];
    const struct pl_region_object *layout =
        &pl_region_objects(t->definitions)[k];

    o->layout = layout;
    o->namesake = o;
    o->def = (struct pl_object_def){
        .name = text_of(t, layout->name),
        .help = text_of(t, layout->help),
        .level = (enum pl_level)layout->detail,
        .has_instances =
            layout->max_instances >= 0 || (layout->flags & PL_PROV_PER_PROCESS),
    };
    if (is_taken(o->def.name))
        return PL_USAGE;
    o->name_hash = hash_of(o->def.name);
    if (t->apart && !name_apart(t, o))
        return PL_NOMEM;
    o->cells = calloc(layout->num_counters, sizeof *o->cells);
    if (!o->cells || pl_filter_init(&o->filter, l->choice, &o->def))
        return PL_NOMEM;
    choose_cells(l, t, o);
    if (!o->num_cells)
        return PL_OK;
    if (l->num_titles + 1 + o->num_cells > PL_PUBLISHED_NUM_TITLES)
        return PL_TOO_LARGE;
    place_cells(o);
    number_cells(l, t, o);
    prepare(t, o);
    return o->prepared.oom ? PL_NOMEM : PL_OK;
}

static struct pl_published_object *
first_called(const struct pl_published *t, uint32_t num,
             const struct pl_published_object *o)
{
    for (uint32_t i = 0; i < num; i++)
        if (t->objects[i].name_hash == o->name_hash &&
            !strcmp(t->objects[i].def.name, o->def.name))
            return t->objects[i].namesake;
    return NULL;
}

/* Search the publisher's earlier tables for objects of the same name. */
static void find_namesakes(const struct pl_published_list *l,
                           const struct pl_published *t)
{
    for (uint32_t k = 0; k < t->header.num_objects; k++) {
        struct pl_published_object *o = &t->objects[k], *found = NULL;

        for (struct pl_published *e = l->first; e && e != t && !found;
             e = e->next)
            if (e->owner == t->owner)
                found = first_called(e, e->header.num_objects, o);
        if (!found)
            found = first_called(t, k, o);
        o->namesake = found ? found : o;
    }
}

/* ---- known tables, and their shares ------------------------------------- */

static size_t memory_of(const struct pl_region_header *h)
{
    return h->def_len + sizeof(struct pl_published) +
           h->num_objects * (sizeof(struct pl_published_object) +
                             PL_REGION_MAX_NAME + APART_ROOM) +
           h->num_counters *
               (sizeof(struct pl_region_cell) + PL_SIZEOF_COUNTER);
}

/* Bytes of the texts that become titles. */
static size_t texts_of(const struct pl_published *t)
{
    size_t sum = 0;

    for (uint32_t k = 0; k < t->header.num_objects; k++) {
        const struct pl_published_object *o = &t->objects[k];
        const struct pl_region_counter *c = counters_of(t, o);

        sum += strlen(o->def.name) + strlen(o->def.help);
        for (size_t i = 0; i < o->num_cells; i++)
            sum += strlen(text_of(t, c[o->cells[i].counter].name)) +
                   strlen(text_of(t, c[o->cells[i].counter].help));
    }
    return sum;
}

/* Its titles are removed when titles are stored next; until then a reader has
 * some that no sample uses. */
static void give_titles(struct pl_published_list *l,
                        const struct pl_published *t)
{
    const uint32_t num = (t->titles.past - t->titles.first) / 2;

    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TITLES, num);
    pl_publisher_give(l->publishers, t->owner, PL_SHARE_TEXTS, texts_of(t));
    if (t->has_titles && pl_array_grow((void **)&l->gone, &l->cap_gone,
                                       l->num_gone, sizeof *l->gone))
        l->gone[l->num_gone++] = t->titles;
}

/* Drop the oldest table without a region: of 'owner', or of any stranger. */
static bool forget_table(struct pl_published_list *l,
                         const struct pl_publisher *owner)
{
    struct pl_published **at = &l->first, *t;

    while ((t = *at) && (t->num_regions ||
                         (owner ? t->owner != owner : !t->owner->stranger)))
        at = &t->next;
    if (!t)
        return false;
    *at = t->next;
    if (!*at)
        l->last = at;
    for (struct pl_published *e = l->first; e; e = e->next)
        if (e->owner == t->owner)
            find_namesakes(l, e);
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
            !(owner->stranger && forget_table(l, NULL)))
            return false;
    return true;
}

static bool take_titles(struct pl_published_list *l, struct pl_published *t)
{
    const uint32_t num = (t->titles.past - t->titles.first) / 2;

    if (!take(l, t->owner, PL_SHARE_TITLES, num))
        return false;
    if (take(l, t->owner, PL_SHARE_TEXTS, texts_of(t)))
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
        s = add_object(l, t, k);
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
                                struct pl_publisher *owner, bool apart,
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
    t->apart = apart;
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
    find_namesakes(l, t);
    *l->last = t;
    l->last = &t->next;
    *out = t;
    return PL_OK;
}

static bool has_name(const struct pl_published *t, uint64_t hash)
{
    for (uint32_t k = 0; k < t->header.num_objects; k++)
        if (t->objects[k].name_hash == hash)
            return true;
    return false;
}

/* Does it look like another path: \Processor(_Total), or one made apart? */
static bool looks_like_another(const char *name)
{
    return strpbrk(name, "\\()") || strstr(name, APART) || *name == ' ' ||
           name[strlen(name) - 1] == ' ';
}

/* Does the name belong to another publisher, or look as if it did? */
static bool is_anothers(const struct pl_published_list *l, const char *name,
                        const struct pl_publisher *who)
{
    uint64_t hash = hash_of(name);

    for (const struct pl_published *t = l->first; t; t = t->next)
        if (t->owner != who && t->num_regions && !t->apart && !t->displaced &&
            has_name(t, hash))
            return true;
    return looks_like_another(name);
}

static bool must_stand_apart(const struct pl_published_list *l,
                             const struct pl_region_header *h,
                             const uint8_t *definitions,
                             const struct pl_publisher *who)
{
    const struct pl_region_object *o = pl_region_objects(definitions);

    for (uint32_t k = 0; k < h->num_objects && who->stranger; k++)
        if (is_anothers(l, pl_region_text(h, definitions, o[k].name), who))
            return true;
    return false;
}

/* Names of the trusted publisher are taken from other tables that have them. */
static void displace(struct pl_published_list *l, const struct pl_published *by)
{
    for (struct pl_published *t = l->first; t; t = t->next)
        for (uint32_t k = 0; k < by->header.num_objects; k++)
            if (t->owner != by->owner && !t->apart &&
                has_name(t, by->objects[k].name_hash))
                t->displaced = true;
}

/* Find a known table; one without regions only if its names still fit. */
static struct pl_published *find_table(const struct pl_published_list *l,
                                       const struct pl_region_header *h,
                                       const uint8_t *definitions,
                                       const struct pl_publisher *owner,
                                       bool *apart)
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
            kept[t->apart] = t;
    }
    *apart = must_stand_apart(l, h, definitions, owner);
    return kept[*apart];
}

enum pl_status pl_published_get(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions,
                                struct pl_publisher *owner,
                                struct pl_published **out)
{
    bool apart = false;
    struct pl_published *t = find_table(l, h, definitions, owner, &apart);
    enum pl_status s = PL_OK;

    if (t)
        free(definitions);
    else
        s = add_table(l, h, definitions, owner, apart, &t);
    if (s)
        return s;
    t->num_regions++;
    t->displaced = false;
    if (!owner->stranger)
        displace(l, t);
    *out = t;
    return PL_OK;
}

void pl_published_let_go(struct pl_published *t)
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
            const struct pl_region_counter *c = counters_of(t, o);

            if (!pl_path_fits(l->choice, path, &o->def))
                continue;
            for (size_t i = 0; i < o->num_cells; i++)
                if (!path->counter.p ||
                    pl_pattern_match(
                        path->counter,
                        pl_text_of(text_of(t, c[o->cells[i].counter].name))))
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
    pl_buf_bytes(&l->name, label, strlen(label));
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
        o->labelled = false;
    }
    return is_chosen(t->list, o, t->label, name);
}

/* ---- titles ------------------------------------------------------------- */

static enum pl_status label(struct pl_titles *t, uint32_t index,
                            const char *name, const char *help)
{
    enum pl_status s = pl_titles_set(t, index, PL_TITLE_NAME,
                                     PL_LANGUAGE_ENGLISH, pl_text_of(name));

    if (!s)
        s = pl_titles_set(t, index + 1, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH,
                          pl_text_of(help));
    return s;
}

static uint8_t total_rule(const struct pl_published_object *o, uint32_t type)
{
    return o->has_total || !o->def.has_instances ||
                   !pl_prov_type_of(type)->adds_up
               ? PL_TOTAL_NONE
               : PL_TOTAL_SUM;
}

static enum pl_status label_facts(const struct pl_published *t,
                                  const struct pl_published_object *o,
                                  struct pl_titles *titles)
{
    const struct pl_region_counter *c = counters_of(t, o);
    struct pl_counter_facts *counters = calloc(o->num_cells, sizeof *counters);
    struct pl_object_facts facts = { .identity = { PL_PUBLISHED_IDENTITY },
                                     .num_identity = 1,
                                     .counters = counters };
    enum pl_status s;

    if (!counters)
        return PL_NOMEM;
    for (size_t i = 0; i < o->num_cells; i++) {
        uint32_t type = c[o->cells[i].counter].type;

        if (!pl_type_is_base(type))
            counters[facts.num_counters++] = (struct pl_counter_facts){
                .index = o->cells[i].index,
                .flag_bit = PL_NO_FLAG,
                .total_rule = total_rule(o, type),
            };
    }
    s = pl_titles_set_facts(titles, o->def.index, &facts);
    free(counters);
    return s;
}

enum pl_status pl_published_label(struct pl_published_list *l,
                                  struct pl_published *t,
                                  struct pl_published_object *o,
                                  struct pl_titles *titles,
                                  uint32_t *generation)
{
    const struct pl_region_counter *c = counters_of(t, o);
    enum pl_status s;

    if (l->num_gone)
        pl_titles_remove(titles, l->gone, l->num_gone);
    l->num_gone = 0;
    t->has_titles = true;
    s = label(titles, o->def.index, o->def.name, o->def.help);
    if (!s)
        s = label(titles, PL_PUBLISHED_IDENTITY, "Identity",
                  "Tells one occupant of a name from the next.");
    for (size_t i = 0; i < o->num_cells && !s; i++) {
        const struct pl_region_counter *counter = &c[o->cells[i].counter];

        if (!pl_type_is_base(counter->type))
            s = label(titles, o->cells[i].index, text_of(t, counter->name),
                      text_of(t, counter->help));
    }
    if (!s)
        s = label_facts(t, o, titles);
    o->labelled = true;
    ++*generation;
    return s;
}
