/* Which series of an instance are wanted. */
#include "analyze/replay/sample_series.h"

#include "format/base/array.h"

#include <string.h>

/* Fewest bytes of a series in a block, and series allowed without any bytes. */
enum { LEAST_SLOT = 4, FREE_SLOTS = 1 << 20 };

/* Decided once for each counter, as instances may be many. */
static enum pl_selection selection_of(const struct pl_sample_view *samples,
                                      const struct pl_object_names *o,
                                      uint32_t slot)
{
    const struct pl_series_filter *filter = &samples->choice;
    struct pl_counter_names *c = &o->counters[slot];
    enum pl_selection selection = c->selection;

    if (selection == PL_UNDECIDED)
        selection = pl_series_filter_has_everywhere(filter, o->name, c->name)
                        ? PL_EVERYWHERE
                    : pl_series_filter_has_counter(filter, o->name, c->name)
                        ? PL_SOMEWHERE
                        : PL_NOWHERE;
    if (!filter->outside) /* else it has to be asked again, to be recorded */
        c->selection = selection;
    return selection;
}

static bool is_selected(const struct pl_sample_view *samples,
                        const struct pl_group *g, uint32_t slot)
{
    switch (selection_of(samples, g->object, slot)) {
    case PL_UNDECIDED:
    case PL_NOWHERE:
        return false;
    case PL_SOMEWHERE:
        return pl_series_filter_has(&samples->choice, g->host->name,
                                    g->object->name, g->instance,
                                    g->object->counters[slot].name);
    case PL_EVERYWHERE:
        return true;
    }
    return false;
}

/* Does the user want this series, and can the output show it? */
static bool is_wanted(const struct pl_sample_view *samples,
                      const struct pl_group *g, uint32_t slot)
{
    const struct pl_counter_names *c = &g->object->counters[slot];
    struct pl_formula scratch;
    const struct pl_formula *f;

    if (!is_selected(samples, g, slot))
        return false;
    if (!samples->numbers_only)
        return true;
    f = pl_formula_of(c->type, sizeof(uint32_t), &scratch);
    return !f || (f->kind != PL_VALUE_HEX && f->kind != PL_VALUE_TEXT);
}

/*
 * The same, or is it needed for another one?  Where paths select a counter in all
 * instances or in none, the first one decides for all: processes come by
 * thousands, each with a hundred counters.
 */
static bool is_wanted_or_needed(const struct pl_sample_view *samples,
                                const struct pl_group *g, uint32_t slot)
{
    struct pl_counter_names *c = &g->object->counters[slot];
    bool wanted;

    if (c->wish != PL_WISH_UNDECIDED)
        return c->wish == PL_WISH_ALL;
    wanted = is_wanted(samples, g, slot) ||
             pl_series_filter_needs(&samples->choice, g->object->name, c->name);
    if (c->selection == PL_NOWHERE || c->selection == PL_EVERYWHERE)
        c->wish = wanted ? PL_WISH_ALL : PL_WISH_NONE;
    return wanted;
}

/* The counter that the instance is ranked by, shown or not. */
static uint32_t slot_to_rank_by(const struct pl_sample_view *samples,
                                const struct pl_group *g)
{
    const struct pl_series_filter *c = &samples->choice;

    if (!c->top || !pl_series_filter_has_instance(c, g->host->name,
                                                  g->object->name, g->instance))
        return PL_NO_SLOT;
    return g->object->rank_slot;
}

/*
 * A group has a series for every counter that its object ever had.  Blocks
 * could make far more of these than they have bytes; valid ones do not.
 */
static bool has_room(struct pl_sample_view *samples, uint32_t more)
{
    struct pl_registry *r = samples->registry;
    bool has = r->slots + more <= r->bytes / LEAST_SLOT + FREE_SLOTS;

    r->slots += has ? more : 0;
    samples->crowded |= !has;
    return has;
}

static bool grow_listed(struct pl_group *g, uint32_t num)
{
    uint32_t from = g->listed ? g->num_slots : 0;

    if (!pl_array_resize((void **)&g->listed, num, sizeof *g->listed))
        return false;
    memset(g->listed + from, 0, (num - from) * sizeof *g->listed);
    return true;
}

enum pl_status pl_sample_series_choose(struct pl_sample_view *samples,
                                       struct pl_group *g)
{
    const struct pl_object_names *o = g->object;
    bool any = g->series != NULL;
    uint32_t ranked = slot_to_rank_by(samples, g);

    if (!has_room(samples, o->num_counters - g->num_slots))
        return PL_OK;
    g->unrecorded |= samples->choice.outside;
    samples->registry->some_unrecorded |= samples->choice.outside;
    for (uint32_t i = g->num_slots; i < o->num_counters && !any; i++)
        any = i == ranked || is_wanted_or_needed(samples, g, i);
    if (any) {
        bool is_new = !g->series;

        if (!pl_array_resize((void **)&g->series, o->num_counters,
                             sizeof *g->series))
            return PL_NOMEM;
        if (is_new)
            memset(g->series, 0, g->num_slots * sizeof *g->series);
        if (samples->made_up && !grow_listed(g, o->num_counters))
            return PL_NOMEM;
        for (uint32_t i = g->num_slots; i < o->num_counters; i++) {
            bool wanted = is_wanted_or_needed(samples, g, i);

            g->series[i] = (struct pl_series){
                .column = PL_NO_COLUMN,
                .wanted = wanted || i == ranked,
                .ranked = !wanted && i == ranked,
            };
            o->counters[i].has_wanted |= g->series[i].wanted;
        }
    }
    g->num_slots = o->num_counters;
    return PL_OK;
}

static void record(const struct pl_sample_view *samples, struct pl_group *g)
{
    for (uint32_t i = 0; i < g->num_slots; i++)
        is_selected(samples, g, i);
    g->unrecorded = false;
}

void pl_sample_series_record(struct pl_sample_view *samples)
{
    const struct pl_sample *now = pl_sample_view_now(samples);

    for (size_t i = 0; i < now->num_instances; i++)
        if (now->instances[i].group->unrecorded)
            record(samples, now->instances[i].group);
}
