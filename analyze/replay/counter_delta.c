/* Difference of one counter between two samples. */
#include "analyze/replay/counter_delta.h"

/* The clocks for a counter of 'o'; the caller fills in its value. */
static void read_clocks(const struct pl_row_values *p,
                        const struct pl_sample *s,
                        const struct pl_sampled_object *o,
                        const struct pl_planned_counter *c,
                        struct pl_reading *out)
{
    *out = (struct pl_reading){ .size = c->def.size,
                                .base_size = c->base.size,
                                .perf_time = s->block.perf_time,
                                .perf_freq = s->block.perf_freq,
                                .time_100ns = s->block.perf_time_100ns,
                                .object_time = o->view.perf_time,
                                .object_freq = o->view.perf_freq };
    if (pl_counter_delta_has_own_clock(p, o)) {
        out->perf_time = out->time_100ns = o->view.perf_time;
        out->perf_freq = o->view.perf_freq;
    }
}

static bool read_counter(const struct pl_row_values *p,
                         const struct pl_sample *s,
                         const struct pl_sampled_object *o,
                         const struct pl_sampled_instance *i,
                         const struct pl_planned_counter *c,
                         struct pl_reading *out)
{
    read_clocks(p, s, o, c, out);
    if (!pl_counter_get(&o->view, &i->view, &c->def, &out->value))
        return false;
    out->has_base =
        c->has_base && pl_counter_get(&o->view, &i->view, &c->base, &out->base);
    return true;
}

bool pl_counter_delta_is_born(const struct pl_row_values *p,
                              const struct pl_counter_delta *pair)
{
    const struct pl_counter_plan *plan = pair->plan;
    uint64_t stored;
    int64_t birth, then;

    if (!plan->has_birth || !pair->was || p->made_up ||
        p->why_unpaired != PL_CELL_GOOD || pair->newer->group->is_total ||
        pair->was->view.perf_freq != pair->now->view.perf_freq ||
        !pl_counter_get(&pair->now->view, &pair->newer->view, &plan->birth,
                        &stored) ||
        stored > INT64_MAX)
        return false;
    birth = (int64_t)stored;
    then = pair->was->view.perf_time;
    return birth >= then ||
           (uint64_t)then - (uint64_t)birth <= plan->birth_slack;
}

static bool is_flagged(const struct pl_counter_plan *plan,
                       const struct pl_sampled_object *o,
                       const struct pl_sampled_instance *i,
                       const struct pl_planned_counter *c)
{
    uint64_t flags;

    return plan->has_flags && c->flag_bit < 64 &&
           pl_counter_get(&o->view, &i->view, &plan->flags, &flags) &&
           (flags >> c->flag_bit & 1);
}

/*
 * The reading that 'newer' is compared with, in *room; *use stays NULL if there
 * is none.  Returns why it may not be used, or GOOD.
 */
static enum pl_cell
read_older(const struct pl_row_values *p, const struct pl_sample *older,
           const struct pl_counter_delta *pair,
           const struct pl_planned_counter *c, const struct pl_reading *newer,
           struct pl_reading *room, const struct pl_reading **use)
{
    const size_t at = pair->plan == pair->older_plan
                          ? (size_t)(c - pair->plan->counters)
                          : c->older;
    const struct pl_planned_counter *was;

    if (!pl_counter_delta_has_older(pair, c) || (pair->older && at == SIZE_MAX))
        return PL_CELL_GOOD;
    was = pair->older ? &pair->older_plan->counters[at] : NULL;
    if (was && is_flagged(pair->older_plan, pair->was, pair->older, was))
        return p->made_up ? PL_CELL_FIRST : PL_CELL_UNREADABLE;
    if (p->clock_stepped && c->formula->clock == PL_CLOCK_100NS)
        return PL_CELL_CLOCK_STEP;
    if (!was) { /* it was born later: all zeros then */
        read_clocks(p, older, pair->was, c, room);
        room->has_base = newer->has_base;
        *use = room;
    } else if (read_counter(p, older, pair->was, pair->older, was, room)) {
        *use = room;
    }
    return PL_CELL_GOOD;
}

void pl_counter_delta_step(const struct pl_row_values *p,
                           struct pl_sample_view *samples,
                           const struct pl_counter_delta *pair,
                           const struct pl_planned_counter *c,
                           struct pl_step *step)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sample *older = pl_sample_view_older(samples);
    const struct pl_formula *f = c->formula;
    struct pl_reading newer, before;
    const struct pl_reading *use = NULL;

    *step = (struct pl_step){ .cell = PL_CELL_UNSUPPORTED };
    if (!f)
        return;
    if (f->needs_two && (p->why_unpaired == PL_CELL_DAMAGED ||
                         p->why_unpaired == PL_CELL_GAP)) {
        step->cell = p->why_unpaired;
        return;
    }
    /* An imported item in error has no clock either, so it has no pair. */
    if (f->needs_two && !p->made_up &&
        (!pl_counter_delta_has_older(pair, c) ||
         p->why_unpaired != PL_CELL_GOOD)) {
        step->cell = PL_CELL_FIRST;
        return;
    }
    if (is_flagged(pair->plan, pair->now, pair->newer, c)) {
        step->cell = p->made_up ? PL_CELL_SOURCE_ERROR : PL_CELL_UNREADABLE;
        return;
    }
    if (f->kind == PL_VALUE_TEXT) {
        step->cell = PL_CELL_GOOD; /* there is nothing to calculate */
        return;
    }
    if (!read_counter(p, now, pair->now, pair->newer, c, &newer))
        return;
    if (f->needs_two && p->why_unpaired == PL_CELL_GOOD) {
        step->cell = read_older(p, older, pair, c, &newer, &before, &use);
        if (step->cell != PL_CELL_GOOD)
            return;
    }
    pl_step_make(f, use, &newer, &p->calc, step);
}
