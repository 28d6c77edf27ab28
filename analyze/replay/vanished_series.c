/* Series that vanished. */
#include "analyze/replay/vanished_series.h"

#include "analyze/replay/row_cells.h"
#include "format/base/array.h"

#include <string.h>

/* Note which slots are in a plan. */
static enum pl_status list_slots(struct pl_row_values *p,
                                 const struct pl_counter_plan *plan)
{
    size_t num = plan->names->num_counters;

    if (!pl_array_reserve((void **)&p->in_plan, &p->cap_in_plan, num + 1,
                          sizeof *p->in_plan))
        return PL_NOMEM;
    memset(p->in_plan, 0, num * sizeof *p->in_plan);
    for (size_t i = 0; i < plan->num_counters; i++)
        p->in_plan[plan->counters[i].slot] = true;
    return PL_OK;
}

/*
 * Append cells for the wanted series of 'g' that vanished: all but those in
 * 'still'.
 */
static enum pl_status group_absent(struct pl_row_values *p, struct pl_group *g,
                                   const bool *still)
{
    const struct pl_value v = { .cell = PL_CELL_ABSENT };
    enum pl_status s = PL_OK;

    for (uint32_t slot = 0; !s && slot < g->num_slots; slot++) {
        struct pl_series *series = pl_group_series(g, slot);

        if (!series || !series->present || (still && still[slot]))
            continue;
        series->present = false;
        s = pl_row_cells_add(p, &(struct pl_cell_at){ g, slot, false, v },
                             &(struct pl_step_at){ 0 });
    }
    return s;
}

/* The same where another object of that name still has the instance. */
static enum pl_status shared_absent(struct pl_row_values *p,
                                    const struct pl_counter_plan *was,
                                    struct pl_group *g, uint64_t row)
{
    const struct pl_value v = { .cell = PL_CELL_ABSENT };
    enum pl_status s = PL_OK;

    for (size_t k = 0; !s && k < was->num_counters; k++) {
        uint32_t slot = was->counters[k].slot;
        struct pl_series *series = pl_group_series(g, slot);

        if (!series || !series->present ||
            (g->listed && g->listed[slot].row == row))
            continue;
        series->present = false;
        s = pl_row_cells_add(p, &(struct pl_cell_at){ g, slot, false, v },
                             &(struct pl_step_at){ 0 });
    }
    return s;
}

enum pl_status pl_vanished_series_cells(struct pl_row_values *p,
                                        struct pl_sample_view *samples)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sample *older = pl_sample_view_older(samples);
    enum pl_status s = PL_OK;

    for (size_t i = 0; older->there && !s && i < older->num_objects; i++) {
        const struct pl_sampled_object *was = &older->objects[i];
        const struct pl_sampled_object *is =
            pl_sample_object(now, was->view.title_index);
        bool changed = is && is->plan != was->plan;

        if (changed)
            s = list_slots(p, is->plan);
        for (size_t k = 0; !s && k < was->num; k++) {
            const struct pl_sampled_instance *o =
                &older->instances[was->first + k];

            if (o->group->shared && o->group->place.row == now->row) {
                if (!o->paired)
                    s = shared_absent(p, was->plan, o->group, now->row);
            } else if (o->group->place.row != now->row) {
                /* paired: it continues under another name */
                if (!o->paired || samples->names_end || was->plan->has_birth)
                    s = group_absent(p, o->group, NULL);
            } else if (changed && o->group->object == is->plan->names) {
                s = group_absent(p, o->group, p->in_plan);
            }
        }
    }
    return s;
}
