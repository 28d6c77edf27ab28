/* Windows of time, and the sums and values gathered in them. */
#include "analyze/amounts/interval_sums.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR (3600 * PL_NS_PER_SEC)
#define LONGEST (3660 * 24 * HOUR)
/* No zone ever changed its offset by more than a day. */
#define LARGEST_MOVE (25 * HOUR)

/* ---- where windows end --------------------------------------------------- */

enum pl_status pl_parse_every(const char *text, struct pl_every *out)
{
    static const struct {
        const char *name;
        enum pl_every_way way;
    } ways[] = { { ":max", PL_EVERY_MAX },
                 { ":min", PL_EVERY_MIN },
                 { ":last", PL_EVERY_LAST } };
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    char duration[32];
    uint64_t ns;

    out->way = PL_EVERY_ALL;
    for (size_t i = 0; colon && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(colon, ways[i].name))
            out->way = ways[i].way;
    if ((colon && out->way == PL_EVERY_ALL) || n >= sizeof duration)
        return PL_USAGE;
    memcpy(duration, text, n);
    duration[n] = 0;
    if (pl_parse_duration(duration, &ns) || !ns || ns > (uint64_t)LONGEST)
        return PL_USAGE;
    out->ns = (int64_t)ns;
    return PL_OK;
}

/* The first multiple of 'step' that is not before 't'. */
static int64_t round_up(int64_t t, int64_t step)
{
    int64_t rest = t % step;

    if (rest > 0)
        return t + (step - rest);
    return t - rest;
}

static int64_t when_clocks_show(int64_t local_ns)
{
    struct pl_civil c = pl_civil_of(local_ns);

    return pl_zone_to_utc(&c);
}

/*
 * Instants come from logs: those near the limits of int64_t have a window of
 * their own.
 */
static bool is_sane(const struct pl_every *e, int64_t utc_ns)
{
    const int64_t margin = 2 * e->ns + 4 * LARGEST_MOVE;

    return utc_ns < INT64_MAX - margin && utc_ns > INT64_MIN + margin;
}

/* By the offset at that instant, unless the offset changes before the end. */
static int64_t end_in_zone(const struct pl_every *e, int64_t utc_ns,
                           int64_t offset_ns)
{
    int64_t local = round_up(utc_ns + offset_ns, e->ns);
    int64_t end = local - offset_ns;
    int64_t shown = when_clocks_show(local);

    if ((end - shown) % e->ns == 0)
        return end;
    return shown >= utc_ns ? shown : when_clocks_show(local + e->ns);
}

int64_t pl_every_end(const struct pl_every *e, int64_t utc_ns)
{
    int64_t offset, before;

    if (!is_sane(e, utc_ns))
        return utc_ns;
    if (e->ns < HOUR)
        return round_up(utc_ns, e->ns);
    offset = pl_zone_offset(utc_ns) * PL_NS_PER_SEC;
    before = pl_zone_offset(utc_ns - 1) * PL_NS_PER_SEC;
    if (offset != before && end_in_zone(e, utc_ns - 1, before) == utc_ns)
        return utc_ns; /* the offset change skipped a boundary */
    return end_in_zone(e, utc_ns, offset);
}

int64_t pl_every_start(const struct pl_every *e, int64_t end_ns)
{
    int64_t start, next;

    if (e->ns < HOUR || !is_sane(e, end_ns))
        return is_sane(e, end_ns) ? end_ns - e->ns : end_ns;
    start = pl_every_end(e, end_ns - 2 * e->ns - LARGEST_MOVE);
    while ((next = pl_every_end(e, start + 1)) < end_ns && next > start)
        start = next;
    return start;
}

/* ---- one series ---------------------------------------------------------- */

struct pl_sum {
    struct pl_group *group;
    uint32_t slot;
    uint32_t first;      /* number of its group in the window, from 1 */
    uint32_t type, size; /* of the newest definition */
    uint8_t why;         /* enum pl_cell: first cause of a blank */
    bool partial;
    bool is_mean;   /* each row's value is a mean over members */
    bool of_values; /* each row's value is a sum of values */
    bool has_value;
    int64_t until_ns;           /* by when the next sample is due */
    struct pl_row_clock lasted; /* all good pairs, as covered */
    union {
        struct pl_step step; /* PL_JOIN_SUM: of all good pairs */
        struct {
            double first, above, weight; /* and what came above the first */
        } mean;                          /* PL_JOIN_MEAN */
        struct pl_value value;           /* the value chosen; owns its text */
    };
};

struct pl_covered {
    struct pl_row_clock tick, hundred_ns;
    uint64_t length_ns;
};

/* True if a value of a row is kept, instead of one calculated at the end. */
static bool keeps_value(const struct pl_every *e, enum pl_join join)
{
    return e->way != PL_EVERY_ALL || join == PL_JOIN_LAST;
}

static void drop_value(const struct pl_every *e, struct pl_sum *sum,
                       enum pl_join join)
{
    if (sum->has_value && keeps_value(e, join) &&
        sum->value.kind == PL_VALUE_TEXT)
        free((char *)(uintptr_t)sum->value.text.p);
    sum->has_value = false;
}

static double number_of(const struct pl_value *v)
{
    return v->kind == PL_VALUE_DOUBLE ? v->number : (double)v->integer;
}

static bool replaces(const struct pl_every *e, const struct pl_value *old,
                     const struct pl_value *v)
{
    if (v->kind == PL_VALUE_TEXT || v->kind == PL_VALUE_HEX ||
        v->kind != old->kind)
        return true;
    if (e->way == PL_EVERY_MAX)
        return v->kind == PL_VALUE_INTEGER ? v->integer >= old->integer
                                           : v->number >= old->number;
    if (e->way == PL_EVERY_MIN)
        return v->kind == PL_VALUE_INTEGER ? v->integer <= old->integer
                                           : v->number <= old->number;
    return true;
}

static enum pl_status keep_value(const struct pl_every *e, struct pl_sum *sum,
                                 enum pl_join join, const struct pl_value *v)
{
    char *copy = NULL;

    if (sum->has_value && !replaces(e, &sum->value, v))
        return PL_OK;
    if (v->kind == PL_VALUE_TEXT) {
        copy = malloc(v->text.n + 1);
        if (!copy)
            return PL_NOMEM;
        memcpy(copy, v->text.n ? v->text.p : "", v->text.n);
    }
    drop_value(e, sum, join);
    sum->value = *v;
    if (copy)
        sum->value.text.p = copy;
    sum->has_value = true;
    return PL_OK;
}

/*
 * Sums differences from the first value, so that the mean of a constant is that
 * constant to the last digit.
 */
static void add_to_mean(struct pl_sum *sum, const struct pl_value *v,
                        double weight)
{
    double number = number_of(v);

    if (!sum->has_value) {
        sum->mean.first = number;
        sum->mean.above = sum->mean.weight = 0;
        sum->has_value = true;
    }
    sum->mean.above += (number - sum->mean.first) * weight;
    sum->mean.weight += weight;
}

/* Clocks that cannot be added up: begin again with this one. */
static void add_clock(struct pl_row_clock *sum, const struct pl_row_clock *c)
{
    if (sum->freq != c->freq || sum->ticks > INT64_MAX - c->ticks)
        *sum = *c;
    else
        sum->ticks += c->ticks;
}

/* Likewise; then the value is partial. */
static void add_step(struct pl_sum *sum, const struct pl_formula *f,
                     const struct pl_step *step, const struct pl_row_clock *c)
{
    if (sum->has_value && pl_step_add(f, &sum->step, step)) {
        add_clock(&sum->lasted, c);
        return;
    }
    sum->partial |= sum->has_value;
    sum->step = *step;
    sum->lasted = *c;
    sum->has_value = true;
}

/* A sum of values lasted as long as the row's pair. */
static void add_sum_of_values(struct pl_sum *sum, const struct pl_value *v,
                              double weight, const struct pl_row_clock *c)
{
    if (sum->has_value)
        add_clock(&sum->lasted, c);
    else
        sum->lasted = *c;
    add_to_mean(sum, v, weight);
}

static void note_failure(struct pl_sum *sum, enum pl_cell why)
{
    sum->partial = true;
    if (sum->why == PL_CELL_GOOD || why < sum->why)
        sum->why = (uint8_t)why;
}

static enum pl_join join_by(const struct pl_sum *sum,
                            const struct pl_formula *f)
{
    enum pl_join join = f ? pl_formula_join(f) : PL_JOIN_LAST;

    if (join == PL_JOIN_SUM && sum->of_values)
        return PL_JOIN_MEAN; /* over time */
    if (join == PL_JOIN_MEAN && sum->group->object->counters[sum->slot].is_code)
        return PL_JOIN_LAST;
    return join;
}

static enum pl_join join_of(const struct pl_sum *sum)
{
    struct pl_formula scratch;

    return join_by(sum, pl_formula_of(sum->type, sum->size, &scratch));
}

/* Is the row's value a sum of values?  Then its step is nothing. */
static bool is_of_values(const struct pl_group *g,
                         const struct pl_planned_counter *c)
{
    if (!g->derived)
        return false;
    return g->of_many ? !pl_formula_adds_steps(c->formula) : c->adds_values;
}

static enum pl_status add_value(const struct pl_interval_sums *s,
                                struct pl_sum *sum, const struct pl_row *row,
                                const struct pl_cell_at *cell,
                                const struct pl_step_at *at)
{
    const struct pl_planned_counter *c = at->counter;
    const struct pl_value *v = &cell->value;
    const bool of_values = is_of_values(cell->group, c);
    enum pl_join join;

    if (sum->has_value &&
        (sum->type != c->def.type || sum->size != c->def.size ||
         sum->of_values != of_values)) {
        drop_value(&s->every, sum, join_of(sum));
        sum->partial = true;
    }
    sum->type = c->def.type;
    sum->size = c->def.size;
    sum->of_values = of_values;
    sum->partial |= v->cell == PL_CELL_PARTIAL;
    join = join_by(sum, c->formula);
    if (keeps_value(&s->every, join))
        return keep_value(&s->every, sum, join, v);
    if (join == PL_JOIN_SUM)
        add_step(sum, c->formula, &at->step,
                 pl_row_clock(row, c->formula->clock));
    else if (sum->of_values)
        add_sum_of_values(sum, v, pl_row_weight(row, cell),
                          pl_row_clock(row, c->formula->clock));
    else
        add_to_mean(sum, v, pl_row_weight(row, cell));
    return PL_OK;
}

/* ---- the window ---------------------------------------------------------- */

static struct pl_sum *find_or_make(struct pl_interval_sums *s,
                                   struct pl_group *g, uint32_t slot)
{
    struct pl_series *series = &g->series[slot];

    if (series->sum)
        return &s->sums[series->sum - 1];
    if (s->num >= UINT32_MAX ||
        !pl_array_grow((void **)&s->sums, &s->cap, s->num, sizeof *s->sums))
        return NULL;
    s->sums[s->num] = (struct pl_sum){ .group = g, .slot = slot };
    series->sum = (uint32_t)++s->num;
    g->held++; /* it may vanish from the samples before the window ends */
    if (!g->sum)
        g->sum = ++s->met;
    s->sums[s->num - 1].first = g->sum;
    return &s->sums[s->num - 1];
}

/* Time to the next sample; without an interval, that of the last pair. */
static int64_t interval_of(const struct pl_row *row)
{
    uint64_t interval = row->interval_ns ? row->interval_ns : row->length_ns;

    return interval < (uint64_t)LONGEST ? (int64_t)interval : LONGEST;
}

static int64_t later(int64_t t, int64_t by)
{
    if (by > 0 && t > INT64_MAX - by)
        return INT64_MAX;
    return by < 0 && t < INT64_MIN - by ? INT64_MIN : t + by;
}

static enum pl_status add_cell(struct pl_interval_sums *s,
                               const struct pl_row *row,
                               const struct pl_cell_at *cell,
                               const struct pl_step_at *at)
{
    bool is_new = !cell->group->series[cell->slot].sum;
    struct pl_sum *sum = find_or_make(s, cell->group, cell->slot);
    int64_t interval = interval_of(row);
    int64_t from =
        cell->paired ? row->older_ns : later(row->time_ns, -interval);

    if (!sum)
        return PL_NOMEM;
    if (!at->counter || !pl_cell_has_value(cell->value.cell)) {
        note_failure(sum, cell->value.cell);
        return PL_OK;
    }
    sum->partial |= is_new ? from > s->start_ns : !cell->paired;
    sum->until_ns = later(row->time_ns, interval);
    /* a mean over members is taken over their time already */
    sum->is_mean = cell->group->derived && !cell->group->of_many &&
                   at->counter->total_rule == PL_TOTAL_MEAN;
    return add_value(s, sum, row, cell, at);
}

/* Count the row's pair of samples, whatever instances it has. */
static enum pl_status cover(struct pl_interval_sums *s,
                            const struct pl_row *row)
{
    size_t rank;

    if (!row->host)
        return PL_OK;
    rank = row->host->rank - s->first_rank;
    if (!pl_array_reserve((void **)&s->covered, &s->cap_covered, rank + 1,
                          sizeof *s->covered))
        return PL_NOMEM;
    while (s->num_covered <= rank)
        s->covered[s->num_covered++] = (struct pl_covered){ 0 };
    s->covered[rank].length_ns += row->length_ns;
    if (row->tick.ticks)
        add_clock(&s->covered[rank].tick, &row->tick);
    if (row->hundred_ns.ticks)
        add_clock(&s->covered[rank].hundred_ns, &row->hundred_ns);
    return PL_OK;
}

enum pl_status pl_interval_sums_add(struct pl_interval_sums *s,
                                    const struct pl_row *row)
{
    enum pl_status status = cover(s, row);

    if (!s->open) {
        s->end_ns = pl_every_end(&s->every, row->time_ns);
        s->start_ns = pl_every_start(&s->every, s->end_ns);
        s->open = true;
    }
    for (size_t i = 0; i < row->num_cells && !status; i++)
        status = add_cell(s, row, &row->cells[i], &row->steps[i]);
    return status;
}

/*
 * Extend the clock from the good pairs of the series to all pairs that the host
 * covers.  A series whose clock frequency is not that of the newest pairs is
 * left as it is.
 */
static void spread(const struct pl_interval_sums *s, const struct pl_sum *sum,
                   const struct pl_formula *f, struct pl_value *v)
{
    uint32_t rank = sum->group->host->rank - s->first_rank;
    const struct pl_row_clock *all;

    if (sum->is_mean || v->kind != PL_VALUE_DOUBLE || !pl_formula_adds_up(f) ||
        rank >= s->num_covered)
        return;
    all = f->clock == PL_CLOCK_100NS ? &s->covered[rank].hundred_ns
                                     : &s->covered[rank].tick;
    if (sum->lasted.freq == all->freq && sum->lasted.ticks > 0 &&
        sum->lasted.ticks < all->ticks)
        v->number *= (double)sum->lasted.ticks / (double)all->ticks;
}

static struct pl_value value_of(const struct pl_interval_sums *s,
                                const struct pl_sum *sum)
{
    struct pl_value v = { .cell = (enum pl_cell)sum->why };
    struct pl_formula scratch;
    const struct pl_formula *f;
    enum pl_join join;

    if (!sum->has_value)
        return v;
    f = pl_formula_of(sum->type, sum->size, &scratch);
    join = join_by(sum, f);
    if (keeps_value(&s->every, join))
        v = sum->value;
    else if (join == PL_JOIN_SUM) {
        v = pl_formula_uncapped(f, &sum->step, &s->calc);
        spread(s, sum, f, &v);
    } else {
        v = (struct pl_value){ .kind = PL_VALUE_DOUBLE,
                               .number = sum->mean.first +
                                         sum->mean.above / sum->mean.weight };
        if (!isfinite(v.number))
            v = (struct pl_value){ .cell = PL_CELL_UNSUPPORTED };
        else if (sum->of_values)
            spread(s, sum, f, &v);
    }
    pl_value_cap(&v, f, &s->calc);
    if ((sum->partial || sum->until_ns <= s->end_ns) &&
        pl_cell_has_value(v.cell))
        v.cell = PL_CELL_PARTIAL;
    return v;
}

/* By host and object; instances in the order in which they first appeared. */
static int by_place(const void *x, const void *y)
{
    const struct pl_sum *a = x, *b = y;
    uint32_t left[] = { a->group->host->rank, a->group->object->rank, a->first,
                        a->slot };
    uint32_t right[] = { b->group->host->rank, b->group->object->rank, b->first,
                         b->slot };

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static void sort(struct pl_interval_sums *s)
{
    for (size_t i = 1; i < s->num; i++)
        if (by_place(&s->sums[i - 1], &s->sums[i]) > 0) {
            qsort(s->sums, s->num, sizeof *s->sums, by_place);
            return;
        }
}

static void release_sum(struct pl_interval_sums *s, struct pl_sum *sum)
{
    struct pl_group *g = sum->group;

    drop_value(&s->every, sum, join_of(sum));
    g->series[sum->slot].sum = 0;
    g->sum = 0;
    if (!--g->held && s->forget && !g->derived)
        pl_registry_drop(s->registry, g);
}

static uint64_t length_covered(const struct pl_interval_sums *s,
                               const struct pl_host *host)
{
    const uint32_t rank = host->rank - s->first_rank;

    return rank < s->num_covered ? s->covered[rank].length_ns : 0;
}

enum pl_status pl_interval_sums_close(
    struct pl_interval_sums *s,
    enum pl_status (*take)(void *ctx, const struct pl_row *row), void *ctx)
{
    struct pl_cell_at cells[64];
    struct pl_row row = { .time_ns = s->end_ns, .cells = cells };
    enum pl_status status = PL_OK;

    sort(s);
    for (size_t i = 0; i < s->num && !status; i++) {
        const struct pl_sum *sum = &s->sums[i];

        cells[row.num_cells++] = (struct pl_cell_at){ sum->group, sum->slot,
                                                      false, value_of(s, sum) };
        if (row.num_cells < sizeof cells / sizeof *cells && i + 1 < s->num &&
            sum[1].group->host == sum->group->host)
            continue;
        row.length_ns = length_covered(s, sum->group->host);
        status = take(ctx, &row);
        row.num_cells = 0;
    }
    return status;
}

struct pl_value pl_interval_sums_value(const struct pl_interval_sums *s,
                                       const struct pl_group *g, uint32_t slot)
{
    const uint32_t at = g->series[slot].sum;

    return at ? value_of(s, &s->sums[at - 1])
              : (struct pl_value){ .cell = PL_CELL_ABSENT };
}

bool pl_interval_sums_alone(const struct pl_group *g)
{
    uint32_t sums = 0;

    for (uint32_t i = 0; g->sum && i < g->num_slots; i++)
        sums += g->series[i].sum != 0;
    return sums && sums == g->held && !g->derived;
}

void pl_interval_sums_leave_out(struct pl_interval_sums *s, struct pl_group *g)
{
    for (uint32_t i = 0; i < g->num_slots; i++) {
        const uint32_t at = g->series[i].sum;
        struct pl_sum *sum, *last;

        if (!at)
            continue;
        sum = &s->sums[at - 1];
        last = &s->sums[s->num - 1];
        drop_value(&s->every, sum, join_of(sum));
        g->series[i].sum = 0;
        *sum = *last; /* the last one takes its place */
        if (sum != last)
            sum->group->series[sum->slot].sum = at;
        s->num--;
    }
    pl_registry_drop(s->registry, g);
}

void pl_interval_sums_clear(struct pl_interval_sums *s)
{
    for (size_t i = 0; i < s->num; i++)
        release_sum(s, &s->sums[i]);
    s->num = s->num_covered = s->met = 0;
    s->open = false;
}

void pl_interval_sums_release(struct pl_interval_sums *s)
{
    pl_interval_sums_clear(s);
    free(s->sums);
    free(s->covered);
    s->sums = NULL;
    s->covered = NULL;
    s->cap = s->cap_covered = 0;
}
