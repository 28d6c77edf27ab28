/* Finds episodes, and folds them. */
#include "analyze/diagnose/findings.h"

#include "analyze/diagnose/usual.h"
#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rise has ended when this part of it is lost again. */
#define RISE_LOST 0.25
/* The foot and the top of a rise leave out this part of it. */
#define RISE_EDGE 0.1

/* While episodes are found. */
struct episode_search {
    struct pl_findings *findings;
    struct pl_usual usual;
    float *inside; /* levels of an episode */
};

void pl_findings_release(struct pl_findings *f)
{
    free(f->episodes);
    free(f->findings);
    free(f->others);
    *f = (struct pl_findings){ 0 };
}

/* ---- levels -------------------------------------------------------------- */

/* The first level of 's' in this slice, or after it. */
static size_t first_from(const struct pl_level_series *s, uint32_t slice)
{
    size_t low = 0, high = s->num;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->levels[middle].slice < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copy the levels of the episode; how many. */
static size_t pick(const struct pl_episode *e, float *out)
{
    const struct pl_level_series *s = e->series;
    size_t n = 0;

    for (size_t i = first_from(s, e->first);
         i < s->num && s->levels[i].slice <= e->last; i++)
        out[n++] = s->levels[i].value;
    return n;
}

static double total_of(const float *values, size_t num)
{
    double sum = 0;

    for (size_t i = 0; i < num; i++)
        sum += (double)values[i];
    return sum;
}

static void measure(struct episode_search *f, struct pl_episode *e)
{
    const struct pl_rule *r = e->series->rule;
    size_t num = pick(e, f->inside);

    if (r->value == PL_RULE_COUNT)
        e->level = total_of(f->inside, num);
    pl_usual_sort(f->inside, num);
    if (r->value != PL_RULE_COUNT && r->value != PL_RULE_RISE)
        e->level = (double)f->inside[pl_usual_rank(r, num) - 1];
    e->has_rest = pl_usual_find(&f->usual, e, f->inside, num, &e->usual);
}

/* Counts are compared by slice. */
static bool is_unusual(const struct pl_episode *e)
{
    const struct pl_rule *r = e->series->rule;
    double level = e->level;

    if (!(r->usual > 0))
        return true;
    if (!e->has_rest)
        return false;
    if (r->value == PL_RULE_COUNT)
        level /= e->met;
    return isnan(e->usual) || (r->below ? level * r->usual <= e->usual
                                        : level >= e->usual * r->usual);
}

static double severity_of(const struct pl_episode *e)
{
    const struct pl_rule *r = e->series->rule;
    double times = r->below ? r->limit / fabs(e->level) : e->level / r->limit;
    double beyond = times > 1 ? 10 * log10(times) : 0;
    double lasting = 5 * log10(e->last - e->first + 1.0);

    return fmin(100, r->weight + fmin(beyond, 20) + fmin(lasting, 20));
}

/* ---- episodes ------------------------------------------------------------ */

/* The least severe ones go when there are too many. */
static int by_severity(const void *x, const void *y)
{
    const struct pl_episode *a = x, *b = y;

    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (pl_episode_begin(a) != pl_episode_begin(b))
        return pl_episode_begin(a) < pl_episode_begin(b) ? -1 : 1;
    if (a->series->rule != b->series->rule)
        return a->series->rule < b->series->rule ? -1 : 1;
    return pl_natural_compare(a->series->instance ? a->series->instance : "",
                              b->series->instance ? b->series->instance : "");
}

static void sort(struct pl_findings *f)
{
    if (f->num_episodes)
        qsort(f->episodes, f->num_episodes, sizeof *f->episodes, by_severity);
}

static enum pl_status add(struct episode_search *search, struct pl_episode *e)
{
    struct pl_findings *f = search->findings;

    if (e->last - e->first + 1 < e->series->rule->slices ||
        (e->series->rule->value != PL_RULE_RISE &&
         e->met < e->series->rule->slices))
        return PL_OK;
    measure(search, e);
    if (!is_unusual(e))
        return PL_OK;
    e->severity = severity_of(e);
    if (f->num_episodes == 2 * PL_EPISODES_MOST) {
        sort(f);
        f->num_episodes = PL_EPISODES_MOST;
    }
    if (!pl_array_grow((void **)&f->episodes, &f->cap_episodes, f->num_episodes,
                       sizeof *f->episodes))
        return PL_NOMEM;
    f->episodes[f->num_episodes++] = *e;
    return PL_OK;
}

static bool is_worse(const struct pl_rule *r, double a, double b)
{
    return r->below ? a < b : a > b;
}

static enum pl_status find_runs(struct episode_search *f,
                                const struct pl_level_series *s)
{
    struct pl_episode e = { .series = s };
    enum pl_status status = PL_OK;

    for (size_t i = 0; i < s->num && !status; i++) {
        const struct pl_slice_level *level = &s->levels[i];

        if (!pl_rule_is_met(s->rule, (double)level->value))
            continue;
        if (e.met && level->number > e.numbers[1] + PL_EPISODE_GAP + 1) {
            status = add(f, &e);
            e.met = 0;
        }
        if (!e.met || is_worse(s->rule, (double)level->value, e.level)) {
            e.peak = level->slice;
            e.level = (double)level->value;
        }
        if (!e.met) {
            e.first = level->slice;
            e.numbers[0] = level->number;
        }
        e.last = level->slice;
        e.numbers[1] = level->number;
        e.met++;
    }
    return !status && e.met ? add(f, &e) : status;
}

/* ---- rises --------------------------------------------------------------- */

struct rise {
    size_t low, high; /* indexes of levels */
};

static double at(const struct pl_level_series *s, size_t i)
{
    return (double)s->levels[i].value;
}

static enum pl_status add_rise(struct episode_search *f,
                               const struct pl_level_series *s, struct rise r)
{
    double height = at(s, r.high) - at(s, r.low);
    double foot = at(s, r.low) + RISE_EDGE * height;
    double top = at(s, r.high) - RISE_EDGE * height;
    struct pl_episode e = { .series = s, .level = height, .met = 1 };
    size_t last = r.low, first;

    if (!(height >= s->rule->limit))
        return PL_OK;
    while (at(s, last) < top)
        last++;
    for (first = last; first > r.low && at(s, first) > foot; first--)
        ;
    e.first = s->levels[first].slice;
    e.last = e.peak = s->levels[last].slice;
    e.numbers[0] = s->levels[first].number;
    e.numbers[1] = s->levels[last].number;
    return add(f, &e);
}

static enum pl_status find_rises(struct episode_search *f,
                                 const struct pl_level_series *s)
{
    struct rise r = { 0, 0 };
    enum pl_status status = PL_OK;

    for (size_t i = 1; i < s->num && !status; i++) {
        double height = at(s, r.high) - at(s, r.low);
        double lost = at(s, r.high) - at(s, i);

        if (height >= s->rule->limit && lost > RISE_LOST * height) {
            status = add_rise(f, s, r);
            r = (struct rise){ i, i };
        } else if (at(s, i) <= at(s, r.low)) {
            r = (struct rise){ i, i };
        } else if (lost < 0) {
            r.high = i;
        }
    }
    return !status && s->num ? add_rise(f, s, r) : status;
}

static enum pl_status find_all(struct pl_findings *f, const struct pl_levels *l)
{
    struct episode_search search = {
        .findings = f, .inside = malloc((l->kept + 1) * sizeof(float))
    };
    enum pl_status s = pl_usual_begin(&search.usual, l);

    if (!search.inside)
        s = PL_NOMEM;
    for (size_t i = 0; i < l->num && !s; i++)
        s = l->series[i].rule->value == PL_RULE_RISE
                ? find_rises(&search, &l->series[i])
                : find_runs(&search, &l->series[i]);
    pl_usual_end(&search.usual);
    free(search.inside);
    sort(f);
    return s;
}

/* ---- folding ------------------------------------------------------------- */

/* At least half of e's time is within x and its surroundings. */
static bool is_within(const struct pl_episode *e, const struct pl_episode *x)
{
    int64_t begin = (int64_t)x->first - PL_FOLD_SLACK;
    int64_t end = (int64_t)x->last + PL_FOLD_SLACK + 1;
    int64_t first = e->first, last = (int64_t)e->last + 1;
    int64_t common;

    begin = begin > first ? begin : first;
    end = end < last ? end : last;
    common = end - begin;
    return e->series->slicing == x->series->slicing && common > 0 &&
           2 * common >= last - first;
}

static size_t root_of(const struct pl_findings *f, size_t i)
{
    while (f->episodes[i].into != i)
        i = f->episodes[i].into;
    return i;
}

/* What explains the topic of others takes them in, however severe they are. */
static void fold_explained(struct pl_findings *f, size_t i)
{
    struct pl_episode *e = &f->episodes[i];

    for (size_t k = 0; k < f->num_episodes; k++) {
        const struct pl_episode *x = &f->episodes[k];

        if (k == i ||
            !pl_rule_explains(x->series->rule, e->series->rule->topic) ||
            !is_within(e, x) || !is_within(x, e) || root_of(f, k) == i)
            continue;
        e->into = k;
        return;
    }
}

/* Two control groups or two processes have nothing to do with each other. */
static bool are_apart(const struct pl_level_series *a,
                      const struct pl_level_series *b)
{
    return a->rule == b->rule && a != b &&
           (a->rule->processes == PL_RULE_MEMBERS ||
            a->rule->processes == PL_RULE_ITSELF);
}

static void fold_topic(struct pl_findings *f, size_t i)
{
    struct pl_episode *e = &f->episodes[i];

    for (size_t k = 0; k < i && e->into == i; k++)
        if (f->episodes[k].into == k &&
            !are_apart(f->episodes[k].series, e->series) &&
            !strcmp(f->episodes[k].series->rule->topic,
                    e->series->rule->topic) &&
            is_within(e, &f->episodes[k]))
            e->into = k;
}

static void fold(struct pl_findings *f)
{
    for (size_t i = 0; i < f->num_episodes; i++)
        f->episodes[i].into = i;
    for (size_t i = 0; i < f->num_episodes; i++)
        fold_explained(f, i);
    for (size_t i = 0; i < f->num_episodes; i++)
        if (f->episodes[i].into == i)
            fold_topic(f, i);
}

static int by_finding(const void *x, const void *y)
{
    const struct pl_finding *a = x, *b = y;

    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    return by_severity(a->head, b->head);
}

/* The episodes that are folded into number 'root', in order. */
static void take_folded(struct pl_findings *f, size_t root,
                        const struct pl_episode **others)
{
    struct pl_finding *found = &f->findings[f->num++];

    *found = (struct pl_finding){ &f->episodes[root],
                                  f->episodes[root].severity, others, 0 };
    for (size_t i = 0; i < f->num_episodes; i++) {
        if (i == root || root_of(f, i) != root)
            continue;
        others[found->num_others++] = &f->episodes[i];
        found->severity = fmax(found->severity, f->episodes[i].severity);
    }
}

enum pl_status pl_findings_make(struct pl_findings *f,
                                const struct pl_levels *l)
{
    const struct pl_episode **others;
    enum pl_status s;

    f->levels = l;
    s = find_all(f, l);
    if (s || !f->num_episodes)
        return s;
    if (f->num_episodes > PL_EPISODES_MOST)
        f->num_episodes = PL_EPISODES_MOST;
    f->findings = calloc(f->num_episodes, sizeof *f->findings);
    f->others = others = calloc(f->num_episodes, sizeof(void *));
    if (!f->findings || !others)
        return PL_NOMEM;
    fold(f);
    for (size_t i = 0; i < f->num_episodes; i++)
        if (f->episodes[i].into == i) {
            take_folded(f, i, others);
            others += f->findings[f->num - 1].num_others;
        }
    qsort(f->findings, f->num, sizeof *f->findings, by_finding);
    return PL_OK;
}

/* There is room: no episode is in two findings. */
void pl_findings_split(struct pl_findings *f, size_t i, const bool *apart)
{
    struct pl_finding *from = &f->findings[i];
    size_t kept = 0;

    from->severity = from->head->severity;
    for (size_t k = 0; k < from->num_others; k++) {
        const struct pl_episode *e = from->others[k];

        if (apart[k]) {
            f->findings[f->num++] =
                (struct pl_finding){ .head = e, .severity = e->severity };
            continue;
        }
        from->severity = fmax(from->severity, e->severity);
        from->others[kept++] = e;
    }
    from->num_others = kept;
    qsort(from, f->num - i, sizeof *from, by_finding);
}
