/* Makes objects with definitions and titles of a list. */
#include "analyze/foreign/blg_groups.h"

#include "format/record/record.h"

#include <stdlib.h>
#include <string.h>

/* head of a counter block: ByteLength, then 8-aligned */
enum { BLOCK_HEAD = 8 };

/* ---- reading samples ----------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static uint64_t mix_name(uint64_t h, const uint8_t *name, uint32_t len)
{
    return mix(h, pl_hash(name, len, h));
}

static uint64_t hash_instances(const struct pl_blg_list *l,
                               const struct pl_blg_entry *e,
                               const struct pl_blg_record *r, uint64_t seed)
{
    uint64_t h = mix(seed, r->kind);

    if (r->kind == PL_BLG_ITEM && e->instance != PL_BLG_NONE)
        return mix_name(h, l->wide.p + e->instance, e->instance_len);
    if (r->kind != PL_BLG_INSTANCES)
        return h;
    h = mix(h, r->num);
    for (uint32_t i = 0; i < r->num; i++) {
        uint32_t len;
        const uint8_t *name = pl_blg_item_name(r, i, &len);

        h = mix_name(h, name, len);
    }
    return h;
}

int64_t pl_blg_clock_of(const struct pl_blg_record *r)
{
    for (uint32_t i = 0; i < r->num && r->kind != PL_BLG_BLOCK; i++) {
        struct pl_blg_item item = pl_blg_item_at(r, i);

        if (pl_blg_is_good(item.status))
            return item.second;
    }
    return 0;
}

static bool has_items(const struct pl_blg_record *r)
{
    return r->kind == PL_BLG_ITEM || r->kind == PL_BLG_INSTANCES;
}

/* One more vote for 'value'; the one with more than half of them wins. */
static void vote(int64_t *leader, uint32_t *lead, int64_t value)
{
    if (!value)
        return;
    if (!*lead)
        *leader = value;
    if (*leader == value)
        ++*lead;
    else
        --*lead;
}

void pl_blg_vote(struct pl_blg_clocks *c, const struct pl_blg_entry *e,
                 const struct pl_blg_record *r)
{
    if (e->unusable || e->is_object || !e->formula || !has_items(r))
        return;
    if (e->formula->clock == PL_CLOCK_TICK)
        vote(&c->freq, &c->freqs, e->time_base);
    if (!e->second_is_clock)
        return;
    if (e->formula->clock == PL_CLOCK_TICK)
        vote(&c->tick, &c->ticks, pl_blg_clock_of(r));
    else if (e->formula->clock == PL_CLOCK_100NS)
        vote(&c->hundred_ns, &c->hundreds, pl_blg_clock_of(r));
}

static void watch_values(struct pl_blg_entry *e, const struct pl_blg_record *r)
{
    for (uint32_t i = 0; i < r->num; i++) {
        struct pl_blg_item item = pl_blg_item_at(r, i);

        if (!pl_blg_is_good(item.status))
            e->had_errors = true;
        else
            e->wide_values |= item.first < 0 || item.first > UINT32_MAX;
        /* an array must have one clock, too */
        if (e->second_is_clock && item.second != pl_blg_clock_of(r))
            e->had_errors = true;
    }
}

static void watch_clock(struct pl_blg_entry *e, const struct pl_blg_record *r,
                        const struct pl_blg_clocks *c)
{
    enum pl_clock kind = e->formula ? e->formula->clock : PL_CLOCK_NONE;
    int64_t clock = e->second_is_clock ? pl_blg_clock_of(r) : 0;

    if (kind == PL_CLOCK_OBJECT)
        e->own_clock = true;
    if (kind == PL_CLOCK_TICK && e->time_base != c->freq)
        e->own_clock = true;
    if (clock && kind == PL_CLOCK_TICK && clock != c->tick)
        e->own_clock = true;
    if (clock && kind == PL_CLOCK_100NS && clock != c->hundred_ns)
        e->own_clock = true;
    e->clocks_hash = mix(e->clocks_hash, (uint64_t)clock);
}

void pl_blg_watch(struct pl_blg_list *l, const struct pl_blg_record *records,
                  size_t num, size_t num_machines, uint64_t seed)
{
    static const struct pl_blg_record missing;
    struct pl_blg_clocks clocks[PL_BLG_MAX_MACHINES];

    memset(clocks, 0, (num_machines + !num_machines) * sizeof *clocks);

    for (size_t i = 0; i < l->num; i++) {
        struct pl_blg_entry *e = &l->entries[i];
        const struct pl_blg_record *r = i < num ? &records[i] : &missing;
        uint64_t instances;

        instances = hash_instances(l, e, r, seed);
        l->changes |= e->instances_hash && instances != e->last_instances;
        e->last_instances = instances;
        e->instances_hash = mix(e->instances_hash, instances);
        if (has_items(r))
            watch_values(e, r);
        pl_blg_vote(&clocks[e->machine_number], e, r);
    }
    for (size_t i = 0; i < num; i++)
        if (has_items(&records[i]))
            watch_clock(&l->entries[i], &records[i],
                        &clocks[l->entries[i].machine_number]);
}

/* ---- grouping ------------------------------------------------------------ */

static bool same_name(const struct pl_blg_list *l, uint32_t a, uint32_t b)
{
    return !strcmp(pl_blg_name(l, a), pl_blg_name(l, b));
}

static bool belongs(const struct pl_blg_list *l, const struct pl_blg_group *g,
                    const struct pl_blg_entry *e)
{
    const struct pl_blg_entry *first = &l->entries[g->first];

    if (g->num == PL_BLG_GROUP_COUNTERS || g->machine != e->machine_number ||
        first->instances_hash != e->instances_hash ||
        first->own_clock != e->own_clock || !same_name(l, g->object, e->object))
        return false;
    return !e->own_clock || (first->formula->clock == e->formula->clock &&
                             first->clocks_hash == e->clocks_hash &&
                             first->time_base == e->time_base);
}

/*
 * The groups that took an entry last, hashed by what their entries have in
 * common.
 */
struct recent {
    uint32_t *slots;
    size_t mask;
};

static uint32_t *slot_of(const struct recent *r, const struct pl_blg_list *l,
                         const struct pl_blg_entry *e)
{
    const char *name = pl_blg_name(l, e->object);
    uint64_t h = mix(e->instances_hash, e->machine_number);

    h = mix(h, pl_hash(name, strlen(name), e->own_clock));
    if (e->own_clock)
        h = mix(mix(h, e->clocks_hash), (uint64_t)e->time_base);
    return &r->slots[h & r->mask];
}

static void join(struct pl_blg_groups *g, struct pl_blg_list *l, uint32_t i,
                 uint32_t *slot)
{
    struct pl_blg_entry *e = &l->entries[i];
    struct pl_blg_group *to;

    if (*slot == PL_BLG_NONE || !belongs(l, &g->groups[*slot], e)) {
        *slot = (uint32_t)g->num;
        to = &g->groups[g->num++];
        *to = (struct pl_blg_group){ .machine = e->machine_number,
                                     .object = e->object,
                                     .own_clock = e->own_clock,
                                     .first = i };
    } else {
        to = &g->groups[*slot];
        g->places[to->last].next = i;
    }
    e->group = *slot;
    e->place = to->num++;
    to->last = i;
    to->has_flags |= e->had_errors;
    g->places[i].next = PL_BLG_NONE;
}

static enum pl_status assign(struct pl_blg_groups *g, struct pl_blg_list *l)
{
    struct recent recent = { .mask = 63 };

    while (recent.mask < l->num * 2)
        recent.mask = recent.mask * 2 + 1;
    recent.slots = malloc((recent.mask + 1) * sizeof *recent.slots);
    g->groups = calloc(l->num + 1, sizeof *g->groups);
    g->places = calloc(l->num + 1, sizeof *g->places);
    if (!recent.slots || !g->groups || !g->places) {
        free(recent.slots);
        return PL_NOMEM;
    }
    memset(recent.slots, 0xFF, (recent.mask + 1) * sizeof *recent.slots);
    for (uint32_t i = 0; i < l->num; i++) {
        struct pl_blg_entry *e = &l->entries[i];

        e->group = PL_BLG_NONE;
        if (!e->unusable && !e->is_object)
            join(g, l, i, slot_of(&recent, l, e));
    }
    free(recent.slots);
    return PL_OK;
}

/* ---- definitions and titles ---------------------------------------------- */

static const uint32_t dword_types[] = {
    PERF_COUNTER_COUNTER,
    PERF_SAMPLE_COUNTER,
    PERF_COUNTER_QUEUELEN_TYPE,
    PERF_COUNTER_DELTA,
};

/*
 * Counters with 32-bit values are stored in 32 bits, so that they wrap as
 * recorded.
 */
static bool is_wide(const struct pl_blg_entry *e)
{
    for (size_t i = 0; i < sizeof dword_types / sizeof *dword_types; i++)
        if (e->type == dword_types[i])
            return e->wide_values;
    return true;
}

static uint32_t next_title(uint32_t *last)
{
    return *last += 2;
}

static enum pl_status set_name(struct pl_titles *t, uint32_t index,
                               const char *name)
{
    return pl_titles_set(t, index, PL_TITLE_NAME, 0, pl_text_of(name));
}

static void put_definition(struct pl_blg_group *g, const struct pl_blg_entry *e,
                           uint32_t title, uint32_t type, uint32_t size,
                           uint32_t offset)
{
    struct pl_counter_def def = { .title_index = title,
                                  .scale = e->scale,
                                  .detail_level = PERF_DETAIL_NOVICE,
                                  .type = type,
                                  .size = size,
                                  .offset = offset };

    pl_put_counter(&g->head, &def);
}

/* The definitions of one entry, at the end of the counter block. */
static uint32_t define(struct pl_blg_groups *all, struct pl_blg_group *g,
                       const struct pl_blg_entry *e, uint32_t i, uint32_t title)
{
    struct pl_blg_place *p = &all->places[i];

    p->wide = is_wide(e);
    p->offset = g->block_len;
    put_definition(g, e, title, e->type, p->wide ? 8 : 4, p->offset);
    g->block_len += 8;
    if (!e->base_type)
        return 1;
    p->base_offset = g->block_len;
    put_definition(g, e, title, e->base_type, 8, p->base_offset);
    g->block_len += 8;
    return 2;
}

/* Set which flag bit means that a counter is not good. */
static enum pl_status set_facts(struct pl_blg_groups *all,
                                const struct pl_blg_list *l,
                                struct pl_blg_group *g,
                                const uint32_t *counter_titles,
                                struct pl_titles *titles)
{
    struct pl_counter_facts counters[PL_BLG_GROUP_COUNTERS];
    struct pl_object_facts facts = { .counters = counters };

    if (g->has_flags) {
        facts.flags_counter = g->flags_title;
        facts.num_counters = g->num;
        for (uint32_t i = g->first; i != PL_BLG_NONE; i = all->places[i].next)
            counters[l->entries[i].place] = (struct pl_counter_facts){
                .index = counter_titles[i],
                .flag_bit = (uint8_t)l->entries[i].place,
            };
    }
    return pl_titles_set_facts(titles, g->title_index, &facts);
}

static void define_group(struct pl_blg_groups *all, struct pl_blg_list *l,
                         struct pl_blg_group *g, const uint32_t *counter_titles)
{
    static const struct pl_blg_entry none;
    struct pl_object view = { .title_index = g->title_index,
                              .detail_level = PERF_DETAIL_NOVICE };
    size_t object = pl_put_object(&g->head, &view);
    uint32_t num = 0;

    g->block_len = BLOCK_HEAD;
    for (uint32_t i = g->first; i != PL_BLG_NONE; i = all->places[i].next)
        num += define(all, g, &l->entries[i], i, counter_titles[i]);
    if (g->has_flags) {
        g->flags_offset = g->block_len;
        put_definition(g, &none, g->flags_title, PERF_COUNTER_NODATA, 8,
                       g->flags_offset);
        g->block_len += 8;
        num++;
    }
    pl_put_definitions_close(&g->head, object, num);
}

/* Numbers for all names, in the order of the list. */
static void number_all(struct pl_blg_groups *g, const struct pl_blg_list *l,
                       uint32_t *counter_titles)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < l->num; i++) {
        uint32_t group = l->entries[i].group;

        if (group == PL_BLG_NONE)
            continue;
        if (g->groups[group].first == i)
            g->groups[group].title_index = next_title(&last);
        counter_titles[i] = next_title(&last);
    }
    for (size_t i = 0; i < g->num; i++)
        if (g->groups[i].has_flags)
            g->groups[i].flags_title = next_title(&last);
}

/* In the order of their numbers, which is fast. */
static enum pl_status name_all(struct pl_blg_groups *g,
                               const struct pl_blg_list *l,
                               const uint32_t *counter_titles,
                               struct pl_titles *titles)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < l->num && !s; i++) {
        const struct pl_blg_entry *e = &l->entries[i];
        struct pl_blg_group *group;

        if (e->group == PL_BLG_NONE)
            continue;
        group = &g->groups[e->group];
        if (group->first == i)
            s = set_name(titles, group->title_index, pl_blg_name(l, e->object));
        if (!s && group->first == i)
            s = set_facts(g, l, group, counter_titles, titles);
        if (!s)
            s = set_name(titles, counter_titles[i], pl_blg_name(l, e->counter));
    }
    for (size_t i = 0; i < g->num && !s; i++)
        if (g->groups[i].has_flags)
            s = set_name(titles, g->groups[i].flags_title, "Data Flags");
    return s;
}

enum pl_status pl_blg_groups_make(struct pl_blg_groups *g,
                                  struct pl_blg_list *l)
{
    uint32_t *counter_titles = calloc(l->num + 1, sizeof *counter_titles);
    struct pl_titles *titles = NULL;
    enum pl_status s = counter_titles ? pl_titles_new(&titles) : PL_NOMEM;

    *g = (struct pl_blg_groups){ 0 };
    if (!s)
        s = assign(g, l);
    if (!s) {
        number_all(g, l, counter_titles);
        s = name_all(g, l, counter_titles, titles);
    }
    for (size_t i = 0; i < g->num && !s; i++) {
        define_group(g, l, &g->groups[i], counter_titles);
        s = g->groups[i].head.oom ? PL_NOMEM : PL_OK;
    }
    if (!s)
        pl_titles_write(titles, &g->titles);
    if (g->titles.oom)
        s = PL_NOMEM;
    pl_titles_free(titles);
    free(counter_titles);
    return s;
}

void pl_blg_groups_release(struct pl_blg_groups *g)
{
    for (size_t i = 0; i < g->num; i++)
        pl_buf_release(&g->groups[i].head);
    free(g->groups);
    free(g->places);
    pl_buf_release(&g->titles);
    *g = (struct pl_blg_groups){ 0 };
}
