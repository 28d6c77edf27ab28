/* The fast path: which counters and objects may take it. */
#include "analyze/replay/quick.h"

#include "analyze/replay/counter_plan.h"

#include <stdlib.h>

/* ---- counters ------------------------------------------------------------ */

enum pl_quick_way pl_quick_way_of(const struct pl_formula *f, bool has_base)
{
    if (f->reads != PL_READS_COUNT)
        return PL_QUICK_NOT;
    switch ((enum pl_divisor)f->divisor) {
    case PL_BY_NOTHING:
        return f->needs_two ? PL_QUICK_DELTA : PL_QUICK_NOW;
    case PL_BY_CLOCK:
        return PL_QUICK_DELTA;
    case PL_BY_BASE:
        return has_base ? PL_QUICK_DELTA : PL_QUICK_NOT;
    default:
        return PL_QUICK_NOT;
    }
}

static void reach(uint64_t *len, const struct pl_counter_def *def)
{
    uint64_t end = (uint64_t)def->offset + def->size;

    if (end > *len)
        *len = end;
}

static void prepare(struct pl_counter_plan *p, size_t k)
{
    const struct pl_planned_counter *c = &p->counters[k];
    struct pl_quick *q = &p->quick[k];
    const struct pl_formula *f = c->formula;

    *q = (struct pl_quick){ .slot = c->slot, .way = PL_QUICK_NOT };
    if (!f || c->adds_values || !pl_is_number(&c->def) ||
        (f->needs_base && !pl_is_number(&c->base)))
        return;
    q->way = (uint8_t)pl_quick_way_of(f, c->has_base);
    if (q->way == PL_QUICK_NOT)
        return;
    q->older_mask = q->way == PL_QUICK_DELTA ? UINT64_MAX : 0;
    q->clock = (uint8_t)f->clock;
    p->quick_clocks |= 1u << f->clock;
    q->shape = f->shape;
    q->offset = c->def.offset;
    q->size = (uint8_t)c->def.size;
    reach(&p->quick_len, &c->def);
    if (!f->needs_base)
        return;
    q->base_offset = c->base.offset;
    q->base_size = (uint8_t)c->base.size;
    reach(&p->quick_len, &c->base);
}

enum pl_status pl_quick_prepare(struct pl_counter_plan *p)
{
    p->quick = malloc((p->num_counters + 1) * sizeof *p->quick);
    if (!p->quick)
        return PL_NOMEM;
    for (size_t k = 0; k < p->num_counters; k++)
        prepare(p, k);
    if (p->has_flags)
        reach(&p->quick_len, &p->flags);
    return PL_OK;
}

/* ---- objects ------------------------------------------------------------- */

/* How far a clock advanced; false: the general path has to decide. */
static bool clock_step(int64_t from, int64_t to, int64_t old_freq, int64_t freq,
                       struct pl_quick_clock *out)
{
    if (old_freq != freq || freq <= 0 || to <= from ||
        (uint64_t)to - (uint64_t)from > INT64_MAX)
        return false;
    *out = pl_quick_clock_of(to - from, freq);
    return true;
}

static bool uses(const struct pl_counter_plan *plan, enum pl_clock clock)
{
    return plan->quick_clocks >> clock & 1;
}

void pl_quick_look(const struct pl_row_values *p,
                   struct pl_sample_view *samples,
                   const struct pl_counter_delta *pair,
                   struct pl_quick_object *quick)
{
    const struct pl_block *now = &pl_sample_view_now(samples)->block;
    const struct pl_block *was = &pl_sample_view_older(samples)->block;
    const struct pl_object *o = &pair->now->view, *older;
    struct pl_quick_object look = { .usable = true };

    *quick = (struct pl_quick_object){ .usable = false };
    if (p->why_unpaired != PL_CELL_GOOD || p->clock_stepped || !pair->was ||
        pair->plan != pair->older_plan || o->big_endian ||
        pair->was->view.big_endian || now->perf_freq != was->perf_freq)
        return;
    older = &pair->was->view;
    if (pl_counter_delta_has_own_clock(p, pair->now) ||
        pl_counter_delta_has_own_clock(p, pair->was))
        return;
    if (uses(pair->plan, PL_CLOCK_TICK) &&
        !clock_step(was->perf_time, now->perf_time, was->perf_freq,
                    now->perf_freq, &look.clocks[PL_CLOCK_TICK]))
        return;
    if (uses(pair->plan, PL_CLOCK_100NS) &&
        !clock_step(was->perf_time_100ns, now->perf_time_100ns, PL_FREQ_100NS,
                    PL_FREQ_100NS, &look.clocks[PL_CLOCK_100NS]))
        return;
    if (uses(pair->plan, PL_CLOCK_OBJECT) &&
        !clock_step(older->perf_time, o->perf_time, older->perf_freq,
                    o->perf_freq, &look.clocks[PL_CLOCK_OBJECT]))
        return;
    *quick = look;
}

bool pl_quick_step_of(const struct pl_quick_object *quick,
                      const struct pl_quick *q,
                      const struct pl_counter_delta *pair, struct pl_step *step)
{
    const struct pl_quick_clock *clock = &quick->clocks[q->clock];
    uint64_t n, base;

    if (!pl_quick_step(q, pl_counter_delta_bytes_of(pair), &n, &base))
        return false;
    *step =
        (struct pl_step){ n, base, clock->clock, clock->freq, PL_CELL_GOOD };
    return true;
}
