/* Pairs of samples to values. */
#include "analyze/pairing.h"

#include "format/cursor.h"

#include <stdlib.h>
#include <string.h>

/* Sums for a derived _Total. */
struct pl_total {
    struct pl_step step;
    enum pl_cell why; /* of the first member that was not good */
    uint32_t good, bad;
    bool partial;   /* a member could not be read */
    bool too_large; /* for 64 bits */
};

/* A counter that one is derived of. */
struct pl_counted {
    struct pl_quick quick; /* PL_WAY_GENERAL if there is no clock for it */
    uint32_t k;            /* in the plan */
    uint32_t busy;         /* the next one that does not rest; see rests */
};

/* True if a counter of an instance that does nothing adds nothing. */
static bool rests(const struct pl_counted *c)
{
    return c->quick.way == PL_WAY_DELTA;
}

/* ---- calculating --------------------------------------------------------------------- */

/*
 * Blocks made of single counters have the clock that most of these had; an
 * object with another one brings it along, whatever it is of.
 */
static bool has_own_clock(const struct pl_pairing *p,
                          const struct pl_sampled_object *o)
{
    return p->made_up && o->view.perf_freq;
}

static bool read_counter(const struct pl_pairing *p, const struct pl_sample *s,
                         const struct pl_sampled_object *o,
                         const struct pl_sampled_instance *i,
                         const struct pl_planned *c, struct pl_reading *out)
{
    *out = (struct pl_reading){ .size = c->def.size,
                                .perf_time = s->block.perf_time,
                                .perf_freq = s->block.perf_freq,
                                .time_100ns = s->block.perf_time_100ns,
                                .object_time = o->view.perf_time,
                                .object_freq = o->view.perf_freq };
    if (has_own_clock(p, o)) {
        out->perf_time = out->time_100ns = o->view.perf_time;
        out->perf_freq = o->view.perf_freq;
    }
    if (!pl_counter_get(&o->view, &i->view, &c->def, &out->value))
        return false;
    out->has_base =
        c->has_base && pl_counter_get(&o->view, &i->view, &c->base, &out->base);
    out->base_size = c->base.size;
    return true;
}

static bool is_flagged(const struct pl_object_plan *plan,
                       const struct pl_sampled_object *o,
                       const struct pl_sampled_instance *i,
                       const struct pl_planned *c)
{
    uint64_t flags;

    return plan->has_flags && c->flag_bit < 64 &&
           pl_counter_get(&o->view, &i->view, &plan->flags, &flags) &&
           (flags >> c->flag_bit & 1);
}

/* Where the older reading is to be found, for one instance. */
struct pair {
    const struct pl_sampled_object *now, *was;
    const struct pl_sampled_instance *newer, *older;
    const struct pl_object_plan *plan, *older_plan;
};

/* The step of one counter of one pair; step->cell says if it is good. */
static void make_step(const struct pl_pairing *p, struct pl_samples *samples,
                      const struct pair *pair, const struct pl_planned *c,
                      struct pl_step *step)
{
    const struct pl_sample *now = pl_samples_now(samples);
    const struct pl_sample *older = pl_samples_older(samples);
    const struct pl_formula *f = c->formula;
    struct pl_reading newer, before;
    const struct pl_reading *use = NULL;
    size_t older_at;

    *step = (struct pl_step){ .cell = PL_CELL_UNSUPPORTED };
    if (!f)
        return;
    if (f->needs_two && (p->why_unpaired == PL_CELL_DAMAGED ||
                         p->why_unpaired == PL_CELL_GAP)) {
        step->cell = p->why_unpaired;
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
    older_at = pair->plan == pair->older_plan
                   ? (size_t)(c - pair->plan->counters)
                   : c->older;
    if (f->needs_two && pair->older && older_at != SIZE_MAX &&
        p->why_unpaired == PL_CELL_GOOD) {
        const struct pl_planned *was = &pair->older_plan->counters[older_at];

        if (is_flagged(pair->older_plan, pair->was, pair->older, was)) {
            step->cell = p->made_up ? PL_CELL_FIRST : PL_CELL_UNREADABLE;
            return;
        }
        if (p->clock_stepped && f->clock == PL_CLOCK_100NS) {
            step->cell = PL_CELL_CLOCK_STEP;
            return;
        }
        if (read_counter(p, older, pair->was, pair->older, was, &before))
            use = &before;
    }
    pl_step_make(f, use, &newer, &p->calc, step);
}

/* ---- calculating quickly ------------------------------------------------------------- */

/*
 * Nearly all steps of nearly all rows are mere subtractions, which need no
 * more than the bytes of both counter blocks.  Whatever is odd, about the
 * object, the instance or the counter, is left to make_step.
 */
struct quick_object {
    bool usable;
    struct quick_clock {
        bool usable;
        int64_t clock, freq;   /* as in a step */
        double ticks, seconds; /* the same */
    } clocks[4];               /* by enum pl_clock */
};

static struct quick_clock clock_step(int64_t from, int64_t to, int64_t old_freq,
                                     int64_t freq)
{
    struct quick_clock c = { .usable = false };

    if (old_freq == freq && freq > 0 && to > from &&
        (uint64_t)to - (uint64_t)from <= INT64_MAX) {
        c = (struct quick_clock){ true, to - from, freq, 0, 0 };
        c.ticks = (double)c.clock;
        c.seconds = c.ticks / (double)freq;
    }
    return c;
}

static void look_at_object(const struct pl_pairing *p,
                           struct pl_samples *samples, const struct pair *pair,
                           struct quick_object *quick)
{
    const struct pl_block *now = &pl_samples_now(samples)->block;
    const struct pl_block *was = &pl_samples_older(samples)->block;
    const struct pl_object *o = &pair->now->view, *older;

    *quick = (struct quick_object){ .usable = false };
    if (p->why_unpaired != PL_CELL_GOOD || p->clock_stepped || !pair->was ||
        pair->plan != pair->older_plan || o->big_endian ||
        pair->was->view.big_endian || now->perf_freq != was->perf_freq)
        return;
    older = &pair->was->view;
    if (has_own_clock(p, pair->now) || has_own_clock(p, pair->was))
        return;
    quick->usable = true;
    quick->clocks[PL_CLOCK_NONE] = (struct quick_clock){ .usable = true };
    quick->clocks[PL_CLOCK_TICK] = clock_step(was->perf_time, now->perf_time,
                                              was->perf_freq, now->perf_freq);
    quick->clocks[PL_CLOCK_100NS] =
        clock_step(was->perf_time_100ns, now->perf_time_100ns, PL_FREQ_100NS,
                   PL_FREQ_100NS);
    quick->clocks[PL_CLOCK_OBJECT] = clock_step(older->perf_time, o->perf_time,
                                                older->perf_freq, o->perf_freq);
}

static inline uint64_t load(const uint8_t *p, unsigned size)
{
    return size == 8 ? pl_get_le64(p) : pl_get_le32(p);
}

/* 'quick_len' is what the plan's quick counters and its flags take. */
static inline bool has_flags(const struct pl_object_plan *plan,
                             const struct pl_sampled_instance *i)
{
    return plan->has_flags &&
           load(i->view.block + plan->flags.offset, plan->flags.size);
}

static inline bool is_quick(const struct quick_object *quick,
                            const struct pair *pair)
{
    const struct pl_object_plan *plan = pair->plan;

    return quick->usable && pair->older &&
           pair->newer->view.block_len >= plan->quick_len &&
           pair->older->view.block_len >= plan->quick_len &&
           !has_flags(plan, pair->newer) && !has_flags(plan, pair->older);
}

/* The counter blocks of a pair that is_quick. */
struct quick_pair {
    const uint8_t *now, *was;
};

static inline struct quick_pair quick_pair_of(const struct pair *pair)
{
    return (struct quick_pair){ pair->newer->view.block,
                                pair->older->view.block };
}

/*
 * What a subtraction gives; false: it takes more.  The numbers are handed out
 * one by one, as together in memory they would have to be waited for.
 */
static inline bool quick_step(const struct pl_quick *q, struct quick_pair pair,
                              uint64_t *n, uint64_t *base)
{
    uint64_t n0 = 0, base0;

    if (q->way == PL_WAY_GENERAL)
        return false;
    *n = load(pair.now + q->offset, q->size);
    if (q->way == PL_WAY_DELTA)
        n0 = load(pair.was + q->offset, q->size);
    if (*n < n0)
        return false;
    *n -= n0;
    *base = 0;
    if (!q->base_size)
        return true;
    *base = load(pair.now + q->base_offset, q->base_size);
    base0 = load(pair.was + q->base_offset, q->base_size);
    if (*base < base0)
        return false;
    *base -= base0;
    return true;
}

/* The whole step. */
static bool make_quick_step(const struct quick_object *quick,
                            const struct pl_quick *q, const struct pair *pair,
                            struct pl_step *step)
{
    const struct quick_clock *clock = &quick->clocks[q->clock];
    uint64_t n, base;

    if (!clock->usable || !quick_step(q, quick_pair_of(pair), &n, &base))
        return false;
    *step =
        (struct pl_step){ n, base, clock->clock, clock->freq, PL_CELL_GOOD };
    return true;
}

/* The value of such a step, for the shapes that nearly all have. */
static inline bool quick_value(const struct pl_pairing *p,
                               const struct pl_quick *q,
                               const struct quick_clock *clock, uint64_t n,
                               struct pl_value *v)
{
    double number;

    v->cell = PL_CELL_GOOD;
    v->kind = PL_VALUE_DOUBLE;
    switch ((enum pl_shape)q->shape) {
    case PL_SHAPE_COUNT:
        v->kind = PL_VALUE_INTEGER;
        v->integer = n;
        return true;
    case PL_SHAPE_PER_SECOND:
        v->number = (double)n / clock->seconds;
        return true;
    case PL_SHAPE_PERCENT:
        number = 100 * ((double)n / clock->ticks);
        v->number = p->calc.cap100 && number > 100 ? 100 : number;
        return true;
    case PL_SHAPE_OTHER:
        break;
    }
    return false;
}

/* Room for 'more' cells, and for their steps. */
static bool reserve_cells(struct pl_pairing *p, size_t more)
{
    size_t num = p->num_cells + more;

    return pl_array_reserve((void **)&p->cells, &p->cap_cells, num,
                            sizeof *p->cells) &&
           (!p->want_steps ||
            pl_array_reserve((void **)&p->steps, &p->cap_steps, num,
                             sizeof *p->steps));
}

static enum pl_status add_cell(struct pl_pairing *p, struct pl_group *g,
                               uint32_t slot, const struct pl_value *v,
                               const struct pl_step_at *step)
{
    if (!reserve_cells(p, 1))
        return PL_NOMEM;
    if (p->want_steps)
        p->steps[p->num_cells] = *step;
    p->cells[p->num_cells++] = (struct pl_cell_at){ g, slot, *v };
    return PL_OK;
}

static struct pl_value value_of(const struct pl_pairing *p,
                                const struct pl_planned *c,
                                const struct pl_step *step)
{
    struct pl_value v = { .cell = step->cell, .kind = PL_VALUE_NONE };

    if (!c->formula || !pl_cell_has_value(step->cell))
        return v;
    return pl_formula_value(c->formula, step, &p->calc);
}

/*
 * The text of a text counter.  p->texts may still move, so until the row is
 * complete v->integer says where in it the text begins.  A byte becomes three
 * at most, so only texts that overlap in the block can come to more in sum
 * than 'fits' allows, and then to any amount.
 */
static enum pl_status read_text(struct pl_pairing *p,
                                struct pl_samples *samples,
                                const struct pair *pair,
                                const struct pl_planned *c, struct pl_value *v)
{
    size_t start = p->texts.len;
    bool fits = start / 3 + c->def.size <= pl_samples_now(samples)->block.len;

    if (!fits || !pl_counter_text(&samples->pages, &p->texts, &pair->now->view,
                                  &pair->newer->view, &c->def)) {
        *v = (struct pl_value){ .cell = PL_CELL_UNSUPPORTED };
        return PL_OK;
    }
    v->integer = start;
    v->text.n = p->texts.len - start;
    return p->texts.oom ? PL_NOMEM : PL_OK;
}

static void place_texts(struct pl_pairing *p)
{
    for (size_t i = 0; p->texts.len && i < p->num_cells; i++) {
        struct pl_value *v = &p->cells[i].value;

        if (v->kind == PL_VALUE_TEXT)
            v->text.p = (const char *)p->texts.p + v->integer;
    }
}

static inline void add_good(struct pl_total *t, uint64_t n, uint64_t base)
{
    t->good++;
    t->step.n += n;
    t->step.base += base;
    t->too_large |= t->step.n < n || t->step.base < base;
}

static void add_to_total(struct pl_total *t, const struct pl_step *step)
{
    if (pl_cell_has_value(step->cell)) {
        if (!t->good) {
            t->step.clock = step->clock;
            t->step.freq = step->freq;
        }
        add_good(t, step->n, step->base);
        if (step->cell == PL_CELL_WRAPPED)
            t->step.cell = PL_CELL_WRAPPED;
        return;
    }
    t->partial |= step->cell == PL_CELL_UNREADABLE;
    if (!t->bad++)
        t->why = step->cell;
}

/* A mean over members is the formula over as many times the clock. */
static struct pl_step total_step(const struct pl_planned *c,
                                 const struct pl_total *t)
{
    struct pl_step step = t->step;

    if (!t->good)
        step.cell = t->bad ? t->why : PL_CELL_FIRST;
    else if (t->too_large)
        step.cell = PL_CELL_UNSUPPORTED;
    else if (c->total_rule != PL_TOTAL_MEAN ||
             c->formula->clock == PL_CLOCK_NONE)
        return step;
    else if (step.clock > INT64_MAX / (int64_t)t->good)
        step.cell = PL_CELL_UNSUPPORTED;
    else
        step.clock *= (int64_t)t->good;
    return step;
}

/* Without a clock, the mean is one of values. */
static struct pl_value total_value(const struct pl_pairing *p,
                                   const struct pl_planned *c,
                                   const struct pl_total *t,
                                   const struct pl_step *step)
{
    struct pl_value v = value_of(p, c, step);

    if (t->good && c->total_rule == PL_TOTAL_MEAN &&
        c->formula->clock == PL_CLOCK_NONE) {
        v.number = (v.kind == PL_VALUE_DOUBLE ? v.number : (double)v.integer) /
                   t->good;
        v.kind = PL_VALUE_DOUBLE;
    }
    /* what is known of a total some of whose members could not be read */
    if (t->partial && pl_cell_has_value(v.cell))
        v.cell = PL_CELL_PARTIAL;
    return v;
}

/* ---- one object of a row --------------------------------------------------------------- */

static bool has_own_total(const struct pl_sample *s,
                          const struct pl_sampled_object *o)
{
    for (size_t i = 0; i < o->num; i++) {
        const struct pl_group *g = s->instances[o->first + i].group;

        if (!g->instance || g->is_total)
            return true;
    }
    return false;
}

static bool derives_totals(const struct pl_object_plan *plan)
{
    for (size_t i = 0; i < plan->num_counters; i++)
        if (plan->counters[i].total_rule != PL_TOTAL_NONE)
            return true;
    return false;
}

/* The group of the derived _Total, NULL if there is none or none wanted. */
static enum pl_status total_group(struct pl_samples *samples,
                                  const struct pl_object_plan *plan,
                                  const struct pl_sampled_object *o,
                                  struct pl_group **out)
{
    struct pl_sample *now = pl_samples_now(samples);
    enum pl_status s;

    *out = NULL;
    if (o->view.num_instances < 0 || !derives_totals(plan) ||
        has_own_total(now, o))
        return PL_OK;
    pl_buf_clear(&samples->name);
    s = pl_samples_group(samples, plan, "_Total", now->row, out);
    if (s)
        return s;
    (*out)->derived = true;
    if (!(*out)->series)
        *out = NULL;
    return PL_OK;
}

/* What one row wants of an object's instances beyond their own series. */
struct wanted_totals {
    const struct pl_group *group; /* NULL: nothing */
    size_t num;                   /* of p->counted */
    uint32_t busy;                /* the first of those that does not rest */
    uint32_t idle; /* instances that did nothing, not yet in what rests */
};

/* Tell each counter, and the totals, which is the next one that is busy. */
static void link_busy(struct pl_pairing *p, struct wanted_totals *totals)
{
    totals->busy = (uint32_t)totals->num;
    for (size_t i = totals->num; i-- > 0;) {
        p->counted[i].busy = totals->busy;
        if (!rests(&p->counted[i]))
            totals->busy = (uint32_t)i;
    }
}

/* List the counters that _Total is made of. */
static enum pl_status list_counted(struct pl_pairing *p,
                                   const struct pl_object_plan *plan,
                                   const struct quick_object *quick,
                                   struct wanted_totals *totals)
{
    size_t num = plan->num_counters;

    totals->num = 0;
    if (!totals->group)
        return PL_OK;
    if (!pl_array_reserve((void **)&p->counted, &p->cap_counted, num,
                          sizeof *p->counted) ||
        !pl_array_reserve((void **)&p->totals, &p->cap_totals, num,
                          sizeof *p->totals))
        return PL_NOMEM;
    for (size_t k = 0; k < num; k++) {
        const struct pl_planned *c = &plan->counters[k];
        const struct quick_clock *clock = &quick->clocks[plan->quick[k].clock];
        struct pl_counted *counted = &p->counted[totals->num];

        if (c->total_rule == PL_TOTAL_NONE ||
            !pl_group_series(totals->group, c->slot))
            continue;
        *counted = (struct pl_counted){ plan->quick[k], (uint32_t)k, 0 };
        if (!clock->usable)
            counted->quick.way = PL_WAY_GENERAL;
        p->totals[totals->num++] =
            (struct pl_total){ .step = { .clock = clock->clock,
                                         .freq = clock->freq } };
    }
    link_busy(p, totals);
    return PL_OK;
}

/* One counter of an instance that only _Total is interested in. */
static inline void count_one(struct pl_pairing *p, struct pl_samples *samples,
                             const struct pair *pair, bool is_simple, size_t i)
{
    const struct pl_counted *c = &p->counted[i];
    uint64_t n, base;
    struct pl_step step;

    if (is_simple && quick_step(&c->quick, quick_pair_of(pair), &n, &base)) {
        add_good(&p->totals[i], n, base);
        return;
    }
    make_step(p, samples, pair, &pair->plan->counters[c->k], &step);
    add_to_total(&p->totals[i], &step);
}

/* An instance that did nothing, as most: only its levels count. */
static void count_idle(struct pl_pairing *p, struct pl_samples *samples,
                       const struct pair *pair, struct wanted_totals *totals)
{
    const uint8_t *now = pair->newer->view.block;

    totals->idle++;
    for (size_t i = totals->busy; i < totals->num; i = p->counted[i].busy) {
        const struct pl_quick *q = &p->counted[i].quick;

        if (q->way == PL_WAY_NOW)
            add_good(&p->totals[i], load(now + q->offset, q->size), 0);
        else
            count_one(p, samples, pair, true, i);
    }
}

static void count_instance(struct pl_pairing *p, struct pl_samples *samples,
                           const struct quick_object *quick,
                           const struct pair *pair,
                           struct wanted_totals *totals)
{
    bool is_simple = totals->num && is_quick(quick, pair);

    if (is_simple && !memcmp(pair->newer->view.block, pair->older->view.block,
                             pair->plan->quick_len)) {
        count_idle(p, samples, pair, totals);
        return;
    }
    for (size_t i = 0; i < totals->num; i++)
        count_one(p, samples, pair, is_simple, i);
}

/* A series occurs; the first time it gets its place in a log's own order. */
static void note_present(struct pl_samples *samples, const struct pl_group *g,
                         struct pl_series *series, const struct pl_planned *c)
{
    struct pl_listed *listed = g->listed ? &g->listed[c->slot] : NULL;

    series->present = true;
    if (!listed || listed->order)
        return;
    listed->order = ++samples->registry->order;
    listed->title = c->def.title_index;
}

/* The same counter in two objects of one name: the first one's value counts. */
static bool is_there_already(struct pl_samples *samples,
                             const struct pl_group *g, uint32_t slot)
{
    uint64_t row = pl_samples_now(samples)->row;

    if (!g->shared || !g->listed)
        return false;
    if (g->listed[slot].row == row)
        return true;
    g->listed[slot].row = row;
    return false;
}

static bool is_paired(const struct pl_pairing *p, const struct pair *pair)
{
    return pair->older && p->why_unpaired == PL_CELL_GOOD;
}

/* The cell of a step; there is room for it.  PL_NOMEM. */
static enum pl_status step_cell(struct pl_pairing *p,
                                struct pl_samples *samples,
                                const struct pair *pair,
                                const struct pl_planned *c,
                                const struct pl_step *step)
{
    struct pl_value v = value_of(p, c, step);

    if (v.kind == PL_VALUE_TEXT && read_text(p, samples, pair, c, &v))
        return PL_NOMEM;
    if (p->want_steps)
        p->steps[p->num_cells] =
            (struct pl_step_at){ c, *step, is_paired(p, pair) };
    p->cells[p->num_cells++] =
        (struct pl_cell_at){ pair->newer->group, c->slot, v };
    return PL_OK;
}

/*
 * One counter of an instance the quick way: into its cell, which there is room
 * for, if it has a series, and into 'total', if it has one.  False: nothing
 * has been done.
 */
static inline bool quick_cell(struct pl_pairing *p,
                              const struct quick_object *quick,
                              const struct pl_quick *q, struct quick_pair pair,
                              struct pl_group *g, struct pl_series *series,
                              struct pl_total *total)
{
    const struct quick_clock *clock = &quick->clocks[q->clock];
    struct pl_cell_at *cell = &p->cells[p->num_cells];
    uint64_t n, base;

    if (!clock->usable || !quick_step(q, pair, &n, &base))
        return false;
    if (series) {
        if (!quick_value(p, q, clock, n, &cell->value))
            return false;
        cell->group = g;
        cell->slot = q->slot;
        p->num_cells++;
        series->present = true;
    }
    if (total)
        add_good(total, n, base);
    return true;
}

/* The same, whatever there is to look at. */
static enum pl_status
general_cell(struct pl_pairing *p, struct pl_samples *samples,
             const struct quick_object *quick, const struct pair *pair,
             size_t k, struct pl_series *series, struct pl_total *total)
{
    const struct pl_planned *c = &pair->plan->counters[k];
    struct pl_group *g = pair->newer->group;
    struct pl_step step;

    if (series && is_there_already(samples, g, c->slot))
        series = NULL;
    if (!series && !total)
        return PL_OK;
    if (series)
        note_present(samples, g, series, c);
    if (!is_quick(quick, pair) ||
        !make_quick_step(quick, &pair->plan->quick[k], pair, &step))
        make_step(p, samples, pair, c, &step);
    if (total)
        add_to_total(total, &step);
    return series ? step_cell(p, samples, pair, c, &step) : PL_OK;
}

static enum pl_status instance_cells(struct pl_pairing *p,
                                     struct pl_samples *samples,
                                     const struct quick_object *quick,
                                     const struct pair *pair,
                                     const struct wanted_totals *totals)
{
    const struct pl_object_plan *plan = pair->plan;
    struct pl_group *g = pair->newer->group;
    bool simple = !p->want_steps && !g->listed && is_quick(quick, pair);
    struct quick_pair blocks = { NULL, NULL };
    size_t next = 0; /* in p->counted */
    enum pl_status s = PL_OK;

    if (!reserve_cells(p, plan->num_counters))
        return PL_NOMEM;
    if (simple)
        blocks = quick_pair_of(pair);
    for (size_t k = 0; k < plan->num_counters && !s; k++) {
        const struct pl_quick *q = &plan->quick[k];
        struct pl_series *series = pl_group_series(g, q->slot);
        struct pl_total *total = NULL;

        if (next < totals->num && p->counted[next].k == k)
            total = &p->totals[next++];
        if (!series && !total)
            continue;
        if (!simple || !quick_cell(p, quick, q, blocks, g, series, total))
            s = general_cell(p, samples, quick, pair, k, series, total);
    }
    return s;
}

/* Names are all that is wanted: note which series there are. */
static void note_series(struct pl_samples *samples,
                        const struct pl_object_plan *plan, struct pl_group *g)
{
    if (g->noted == plan->serial)
        return;
    g->noted = plan->serial;
    for (size_t k = 0; g->series && k < plan->num_counters; k++) {
        struct pl_series *series = pl_group_series(g, plan->counters[k].slot);

        if (series)
            note_present(samples, g, series, &plan->counters[k]);
    }
}

static enum pl_status total_cells(struct pl_pairing *p,
                                  const struct pl_object_plan *plan,
                                  struct pl_group *total,
                                  const struct wanted_totals *totals,
                                  bool paired)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < totals->num && !s; i++) {
        const struct pl_planned *c = &plan->counters[p->counted[i].k];
        struct pl_step_at at = { .counter = c, .paired = paired };
        struct pl_value v;

        if (!c->formula)
            continue;
        pl_group_series(total, c->slot)->present = true;
        if (p->names_only)
            continue;
        if (rests(&p->counted[i]))
            p->totals[i].good += totals->idle;
        at.step = total_step(c, &p->totals[i]);
        v = total_value(p, c, &p->totals[i], &at.step);
        s = add_cell(p, total, c->slot, &v, &at);
    }
    return s;
}

static enum pl_status object_cells(struct pl_pairing *p,
                                   struct pl_samples *samples,
                                   const struct pl_sampled_object *o)
{
    struct pl_sample *now = pl_samples_now(samples);
    struct pl_sample *older = pl_samples_older(samples);
    struct pair pair = { .now = o,
                         .was = pl_sample_object(older, o->view.title_index),
                         .plan = o->plan };
    struct wanted_totals totals = { 0 };
    struct quick_object quick;
    struct pl_group *total;
    enum pl_status s;

    if (pair.was)
        pair.older_plan = pair.was->plan;
    p->match.ready = false;
    s = total_group(samples, pair.plan, o, &total);
    totals.group = total;
    look_at_object(p, samples, &pair, &quick);
    if (!s)
        s = list_counted(p, pair.plan, &quick, &totals);
    if (s)
        return s;
    for (size_t i = 0; i < o->num && !s; i++) {
        struct pl_sampled_instance *older_i = NULL;

        pair.newer = &now->instances[o->first + i];
        if (p->names_only) {
            note_series(samples, pair.plan, pair.newer->group);
            continue;
        }
        if (older->there)
            s = pl_match_find(&p->match, older, pair.was, pair.plan, pair.newer,
                              &older_i);
        if (older_i)
            older_i->paired = true;
        pair.older = older_i;
        if (!s && pair.newer->group->series)
            s = instance_cells(p, samples, &quick, &pair, &totals);
        else if (!s)
            count_instance(p, samples, &quick, &pair, &totals);
    }
    if (!s && total && o->num)
        s = total_cells(p, pair.plan, total, &totals,
                        pair.was && p->why_unpaired == PL_CELL_GOOD);
    return s;
}

/* Note which slots are in a plan. */
static enum pl_status list_slots(struct pl_pairing *p,
                                 const struct pl_object_plan *plan)
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

/* Tell of wanted series of 'g' that have gone: all but those 'still' there. */
static enum pl_status group_absent(struct pl_pairing *p, struct pl_group *g,
                                   const bool *still)
{
    const struct pl_value v = { .cell = PL_CELL_ABSENT };
    enum pl_status s = PL_OK;

    for (uint32_t slot = 0; !s && slot < g->num_slots; slot++) {
        struct pl_series *series = pl_group_series(g, slot);

        if (!series || !series->present || (still && still[slot]))
            continue;
        series->present = false;
        s = add_cell(p, g, slot, &v, &(struct pl_step_at){ 0 });
    }
    return s;
}

/* The same where another object of that name still has the instance. */
static enum pl_status shared_absent(struct pl_pairing *p,
                                    const struct pl_object_plan *was,
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
        s = add_cell(p, g, slot, &v, &(struct pl_step_at){ 0 });
    }
    return s;
}

/* Series of the older sample that have gone are told once. */
static enum pl_status absent_cells(struct pl_pairing *p,
                                   struct pl_samples *samples)
{
    const struct pl_sample *now = pl_samples_now(samples);
    const struct pl_sample *older = pl_samples_older(samples);
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

            if (o->group->shared && o->group->row == now->row) {
                if (!o->paired)
                    s = shared_absent(p, was->plan, o->group, now->row);
            } else if (o->group->row != now->row) {
                if (!o->paired) /* under another name it is still there */
                    s = group_absent(p, o->group, NULL);
            } else if (changed && o->group->object == is->plan->names) {
                s = group_absent(p, o->group, p->in_plan);
            }
        }
    }
    return s;
}

enum pl_status pl_pairing_row(struct pl_pairing *p, struct pl_samples *samples)
{
    const struct pl_sample *now = pl_samples_now(samples);
    enum pl_status s = PL_OK;

    p->num_cells = 0;
    pl_buf_clear(&p->texts);
    for (size_t i = 0; i < now->num_objects && !s; i++)
        s = object_cells(p, samples, &now->objects[i]);
    if (!s && p->want_absent)
        s = absent_cells(p, samples);
    place_texts(p);
    return s;
}

void pl_pairing_release(struct pl_pairing *p)
{
    free(p->cells);
    free(p->steps);
    pl_buf_release(&p->texts);
    free(p->totals);
    free(p->counted);
    free(p->in_plan);
    pl_match_release(&p->match);
}
