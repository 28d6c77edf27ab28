/* Objects of a new table: their names, counters and prepared definitions. */
#include "logger/linux/published/published_parts.h"

#include "format/block/winperf.h"
#include "logger/provider/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* True for the names of perflog's own objects. */
static bool is_taken(const char *name)
{
    for (size_t i = 0; i < pl_num_objects; i++)
        if (!strcasecmp(pl_objects[i]->name, name))
            return true;
    return false;
}

/* A recorder adds a counter of that name; another would have the same path. */
static bool has_identity(const struct pl_published *t,
                         const struct pl_published_object *o)
{
    const struct pl_region_counter *c = pl_published_counters(t, o);

    for (uint32_t i = 0; i < o->layout->num_counters; i++)
        if (!strcasecmp(pl_published_text(t, c[i].name), PL_REGION_IDENTITY))
            return true;
    return false;
}

static bool rename_object(const struct pl_published *t,
                          struct pl_published_object *o)
{
    size_t size = strlen(o->def.name) + PL_OF_USER_SIZE;

    o->new_name = malloc(size);
    if (!o->new_name)
        return false;
    snprintf(o->new_name, size, "%s" PL_OF_USER "%u", o->def.name,
             (unsigned)t->owner->uid);
    o->def.name = o->new_name;
    return true;
}

/* The selected counters, each followed by its base. */
static void choose_cells(struct pl_published_list *l,
                         const struct pl_published *t,
                         struct pl_published_object *o)
{
    const struct pl_region_counter *c = pl_published_counters(t, o);
    bool above = false;

    for (uint32_t i = 0; i < o->layout->num_counters; i++) {
        const char *name = pl_published_text(t, c[i].name);
        bool base = pl_type_is_base(c[i].type);

        if (!base)
            above = pl_counter_filter_wants(l->choice, &o->def, name) !=
                    PL_UNWANTED;
        if (!above)
            continue;
        o->is_ratio = o->is_ratio || base;
        o->def.has_clock |= pl_prov_type_of(c[i].type)->since_boot;
        o->cells[o->num_cells++] = pl_region_cell_of(c, i, PL_REGION_WIDE);
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
    next = pl_region_cells_number(
        o->cells, o->num_cells, pl_published_counters(t, o), o->def.index + 2);
    l->num_titles = (next - PL_PUBLISHED_TITLES) / 2;
}

static void prepare(const struct pl_published *t, struct pl_published_object *o)
{
    const struct pl_region_counter *c = pl_published_counters(t, o);
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

/* In a recording of months, a publisher of ever new tables must not use up the
 * indexes of all. */
static uint32_t most_titles(const struct pl_publisher *who)
{
    return who->untrusted ? PL_UNTRUSTED_NUM_TITLES : PL_PUBLISHED_NUM_TITLES;
}

enum pl_status pl_published_add_object(struct pl_published_list *l,
                                       const struct pl_published *t, uint32_t k)
{
    struct pl_published_object *o = &t->objects[k];
    const struct pl_region_object *layout =
        &pl_region_objects(t->definitions)[k];

    o->layout = layout;
    o->namesake = o;
    o->def = (struct pl_object_def){
        .name = pl_published_text(t, layout->name),
        .help = pl_published_text(t, layout->help),
        .level = (enum pl_level)layout->detail,
        .has_instances =
            layout->max_instances >= 0 || (layout->flags & PL_PROV_PER_PROCESS),
    };
    if (is_taken(o->def.name) || has_identity(t, o))
        return PL_USAGE;
    o->name_hash = pl_published_name_hash(o->def.name);
    if (t->renamed && !rename_object(t, o))
        return PL_NOMEM;
    o->cells = calloc(layout->num_counters, sizeof *o->cells);
    if (!o->cells || pl_filter_init(&o->filter, l->choice, &o->def))
        return PL_NOMEM;
    choose_cells(l, t, o);
    if (!o->num_cells)
        return PL_OK;
    if (l->num_titles + 1 + o->num_cells > most_titles(t->owner)) {
        l->exceeded = PL_SHARE_TITLES;
        return PL_TOO_LARGE;
    }
    place_cells(o);
    number_cells(l, t, o);
    prepare(t, o);
    return o->prepared.oom ? PL_NOMEM : PL_OK;
}

void pl_published_free_objects(struct pl_published *t)
{
    for (uint32_t k = 0; t->objects && k < t->header.num_objects; k++) {
        pl_filter_release(&t->objects[k].filter);
        free(t->objects[k].cells);
        free(t->objects[k].new_name);
        pl_buf_release(&t->objects[k].prepared);
    }
    free(t->objects);
}
