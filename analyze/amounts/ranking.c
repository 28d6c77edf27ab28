/* Ranks instances, and adds up the remaining ones. */
#include "analyze/amounts/ranking.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"
#include "format/time/time_text.h"
#include "format/block/counter_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the option ---------------------------------------------------------- */

static bool take_suffix(struct pl_text *t, const char *suffix)
{
    size_t n = strlen(suffix);

    if (t->n < n || memcmp(t->p + t->n - n, suffix, n) != 0)
        return false;
    t->n -= n;
    return true;
}

/* The optional suffix. */
static enum pl_ranking_way take_way(struct pl_text *t)
{
    static const struct {
        const char *name;
        enum pl_ranking_way way;
    } ways[] = { { ":max", PL_TOP_MAX }, { ":mean", PL_TOP_MEAN } };

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (take_suffix(t, ways[i].name))
            return ways[i].way;
    return PL_TOP_AMOUNT;
}

enum pl_status pl_parse_top(const char *text, struct pl_ranking *out)
{
    size_t digits = strspn(text, "0123456789");
    char number[16];

    *out = (struct pl_ranking){ .counter = pl_text_of(text + digits) };
    if (!digits || digits >= sizeof number)
        return PL_USAGE;
    memcpy(number, text, digits);
    number[digits] = 0;
    if (pl_parse_count(number, &out->num) || !out->num)
        return PL_USAGE;
    out->way = take_way(&out->counter);
    if (!out->counter.n)
        return PL_OK;
    if (*out->counter.p != ':' || out->counter.n == 1)
        return PL_USAGE;
    out->counter.p++;
    out->counter.n--;
    return PL_OK;
}

/* ---- measuring ----------------------------------------------------------- */

bool pl_ranking_excludes(const char *object, const char *instance)
{
    /* idle time of the machine; Linux has no such instance */
    static const struct {
        const char *object, *instance;
    } idle[] = { { "Process", "Idle" },
                 { "Process V2", "Idle:0" },
                 { "Thread", "Idle/*" } };

    if (!strcmp(instance, "_Total"))
        return true;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (!strcmp(object, idle[i].object) &&
            pl_pattern_match(pl_text_of(idle[i].instance),
                             pl_text_of(instance)))
            return true;
    return false;
}

/* What a value is times to be an amount. */
enum {
    AMOUNT_UNKNOWN, /* not looked up yet */
    AMOUNT_ITSELF,  /* nothing: a difference is an amount */
    AMOUNT_TIME,    /* the time that the cell covers */
    AMOUNT_CLOCK,   /* and above: how far the clock of its formula advanced */
};

static uint8_t amount_of(const struct pl_counter_names *c)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);

    if (!f || !f->needs_two)
        return AMOUNT_TIME;
    if (f->kind == PL_VALUE_INTEGER)
        return AMOUNT_ITSELF;
    return (uint8_t)(AMOUNT_CLOCK + f->clock);
}

/* The factor that makes an amount of a value. */
static double time_of(const struct pl_row *row, const struct pl_cell_at *cell)
{
    struct pl_counter_names *c = &cell->group->object->counters[cell->slot];
    const struct pl_row_clock *clock;

    if (c->amount == AMOUNT_UNKNOWN)
        c->amount = amount_of(c);
    if (c->amount == AMOUNT_ITSELF)
        return 1;
    if (c->amount >= AMOUNT_CLOCK && cell->paired) {
        clock = pl_row_clock(row, (enum pl_clock)(c->amount - AMOUNT_CLOCK));
        if (clock->ticks > 0 && clock->freq > 0)
            return (double)clock->ticks / (double)clock->freq;
    }
    return pl_row_weight(row, cell) / (double)PL_NS_PER_SEC;
}

void pl_score_add(struct pl_score *s, enum pl_ranking_way way,
                  const struct pl_row *row, const struct pl_cell_at *cell)
{
    double value, time;

    if (s->slot != cell->slot) /* its object is ranked by another counter now */
        *s = (struct pl_score){ .slot = cell->slot };
    if (!pl_value_number(&cell->value, &value))
        return;
    if (way == PL_TOP_MAX) {
        s->value = s->any ? fmax(s->value, value) : value;
    } else if (value != 0 || way == PL_TOP_MEAN) { /* most did nothing */
        time = time_of(row, cell);
        s->value += value * time;
        s->time += time;
    }
    s->any = true;
}

double pl_score_of(const struct pl_score *s, enum pl_ranking_way way)
{
    const double value =
        way == PL_TOP_MEAN && s->time > 0 ? s->value / s->time : s->value;

    return isnan(value) ? 0 : value; /* a sum beyond all numbers both ways */
}

void pl_measure_row(const struct pl_ranking *top, const struct pl_row *row)
{
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];

        if (pl_cell_has_value(at->value.cell) &&
            at->value.kind != PL_VALUE_NONE)
            at->group->series[at->slot].filled = true;
        if (top->num && at->slot == at->group->object->rank_slot)
            pl_score_add(&at->group->score, top->way, row, at);
    }
}

/* ---- selecting ----------------------------------------------------------- */

static bool is_shown(const struct pl_group *g)
{
    for (uint32_t k = 0; g->series && k < g->num_slots; k++)
        if (g->series[k].wanted && g->series[k].present)
            return true;
    return false;
}

static bool takes_part(const struct pl_group *g)
{
    return !g->other && g->instance &&
           !pl_ranking_excludes(g->object->name, g->instance) && is_shown(g);
}

/* Then its value is what counts. */
static void final_score(struct pl_group *g, enum pl_ranking_way way)
{
    g->score.any &= g->score.slot == g->object->rank_slot;
    g->score.value = g->score.any ? pl_score_of(&g->score, way) : 0;
}

static int by_score(const void *x, const void *y)
{
    const struct pl_group *a = *(struct pl_group *const *)x;
    const struct pl_group *b = *(struct pl_group *const *)y;
    int order = pl_group_compare_objects(a, b);

    if (order)
        return order;
    if (a->score.any != b->score.any)
        return a->score.any ? -1 : 1;
    if (a->score.value != b->score.value)
        return a->score.value > b->score.value ? -1 : 1;
    return pl_natural_compare(a->instance, b->instance);
}

static bool adds_up(const struct pl_counter_names *c)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);

    return f && pl_formula_adds_up(f);
}

/* A group whose name no instance has: _Other, else _Other#1 ... */
static struct pl_group *make_other(struct pl_registry *r,
                                   const struct pl_group *like)
{
    uint32_t num = like->object->num_counters;
    char name[24] = "_Other";
    struct pl_group *g;
    bool made;

    for (unsigned n = 1;; n++) {
        g = pl_registry_group(r, like->host, like->object, name, &made);
        if (!g || made)
            break;
        snprintf(name, sizeof name, "_Other#%u", n);
    }
    if (!g)
        return NULL;
    g->series = calloc((size_t)num + 1, sizeof *g->series);
    g->num_slots = num;
    g->derived = true;
    return g->series ? g : NULL;
}

static void join_other(struct pl_group *g, struct pl_group *other)
{
    g->other = other;
    for (uint32_t k = 0; k < g->num_slots; k++) {
        struct pl_series *s = &g->series[k];

        s->wanted = s->wanted && adds_up(&g->object->counters[k]);
        if (!s->wanted || !s->present)
            continue;
        other->series[k] = (struct pl_series){ .column = PL_NO_COLUMN,
                                               .wanted = true,
                                               .present = true };
    }
}

enum pl_status pl_ranking_choose(struct pl_registry *r,
                                 const struct pl_ranking *top)
{
    struct pl_group **list = malloc((r->num_groups + 1) * sizeof *list);
    struct pl_group *other = NULL;
    size_t num = 0, place = 0;
    enum pl_status s = PL_OK;

    if (!list)
        return PL_NOMEM;
    for (struct pl_group *g = r->groups; g; g = g->later)
        if (takes_part(g)) {
            final_score(g, top->way);
            list[num++] = g;
        }
    qsort(list, num, sizeof *list, by_score);
    for (size_t i = 0; i < num && !s; i++, place++) {
        if (!i || list[i]->host != list[i - 1]->host ||
            list[i]->object != list[i - 1]->object) {
            place = 0;
            other = NULL;
        }
        if (place < top->num)
            continue;
        if (!other)
            other = make_other(r, list[i]);
        if (other)
            join_other(list[i], other);
        else
            s = PL_NOMEM;
    }
    free(list);
    return s;
}

void pl_drop_empty(struct pl_registry *r)
{
    for (struct pl_group *g = r->groups; g; g = g->later)
        for (uint32_t k = 0; g->series && k < g->num_slots; k++)
            g->series[k].wanted &= g->series[k].filled;
}
