/* Titles and facts of published objects, for the log. */
#include "logger/linux/published/published_parts.h"

#include "format/block/winperf.h"
#include "logger/provider/types.h"

#include <stdlib.h>
#include <string.h>

size_t pl_published_texts_size(const struct pl_published *t)
{
    size_t sum = 0;

    for (uint32_t k = 0; k < t->header.num_objects; k++) {
        const struct pl_published_object *o = &t->objects[k];
        const struct pl_region_counter *c = pl_published_counters(t, o);

        sum += strlen(o->def.name) + strlen(o->def.help);
        for (size_t i = 0; i < o->num_cells; i++)
            sum += strlen(pl_published_text(t, c[o->cells[i].counter].name)) +
                   strlen(pl_published_text(t, c[o->cells[i].counter].help));
    }
    return sum;
}

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
    const struct pl_region_counter *c = pl_published_counters(t, o);
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
    const struct pl_region_counter *c = pl_published_counters(t, o);
    enum pl_status s;

    if (l->num_removed)
        pl_titles_remove(titles, l->removed, l->num_removed);
    l->num_removed = 0;
    t->has_titles = true;
    s = label(titles, o->def.index, o->def.name, o->def.help);
    if (!s)
        s = label(titles, PL_PUBLISHED_IDENTITY, PL_REGION_IDENTITY,
                  "Tells one occupant of a name from the next.");
    for (size_t i = 0; i < o->num_cells && !s; i++) {
        const struct pl_region_counter *counter = &c[o->cells[i].counter];

        if (!pl_type_is_base(counter->type))
            s = label(titles, o->cells[i].index,
                      pl_published_text(t, counter->name),
                      pl_published_text(t, counter->help));
    }
    if (!s)
        s = label_facts(t, o, titles);
    o->titles_stored = true;
    ++*generation;
    return s;
}
