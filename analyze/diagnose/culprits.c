/* Reads processes around an episode, and ranks them. */
#include "analyze/diagnose/culprits.h"

#include "analyze/replay/group_identity.h"
#include "analyze/amounts/interval_sums.h"
#include "analyze/amounts/ranking.h"
#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARENT "Creating Process ID"
#define NUMBER "ID Process"

/* A quarter stays one, however its sums were rounded. */
#define ROUNDED (1 - 1e-9)

static const char *const objects[] = { "Process", "Process V2" };
enum {
    OBJECTS = sizeof objects / sizeof *objects,
    PARTS = 4, /* of a program's: a process that did one of these stands out */
};

struct person {
    struct pl_group *group;
    double value;
    double number, parent; /* NAN: not known */
    bool born;             /* after the first row */
    size_t num;            /* processes of its program that it stands for */
    const struct pl_group *user_of; /* which has the user of all that have one;
                                     * NULL: they have several */
};

struct search {
    const struct pl_culprit_source *from;
    const struct pl_episode *e;
    struct pl_registry registry;
    struct pl_counter_path_list paths;
    struct person *people;
    size_t num, cap;
    double sign;  /* of what a window's values count */
    double total; /* bytes of memory; NAN: not known */
    uint64_t rows;
};

void pl_culprits_release(struct pl_culprits *c)
{
    for (size_t i = 0; i < c->num; i++) {
        free(c->list[i].name);
        free(c->list[i].user);
        free(c->list[i].command);
    }
    free(c->apart);
    *c = (struct pl_culprits){ 0 };
}

/* ---- counters ------------------------------------------------------------ */

static enum pl_status add_path(struct search *s, const char *begin,
                               const char *counter, size_t n)
{
    struct pl_buf path = { 0 };
    const char *why;
    enum pl_status status = PL_NOMEM;

    pl_buf_string(&path, begin);
    pl_buf_bytes(&path, counter, n);
    pl_buf_u8(&path, '\0');
    if (!path.oom)
        status =
            pl_counter_path_list_add(&s->paths, (const char *)path.p, &why);
    pl_buf_release(&path);
    return status;
}

static enum pl_status add_counter(struct search *s, const char *counter,
                                  size_t n)
{
    enum pl_status status = add_path(s, "\\Process(*)\\", counter, n);

    return status ? status : add_path(s, "\\Process V2(*)\\", counter, n);
}

/* The counters of "A + B"; *rest is what follows the first. */
static struct pl_text next_counter(const char **rest)
{
    const char *at = *rest, *plus = strstr(at, " + ");
    struct pl_text t = { at, plus ? (size_t)(plus - at) : strlen(at) };

    *rest = plus ? plus + strlen(" + ") : NULL;
    return t;
}

static enum pl_status choose_counters(struct search *s)
{
    const char *rest = s->e->series->rule->ranked_by;
    enum pl_status status = add_counter(s, NUMBER, strlen(NUMBER));

    if (!status)
        status = add_counter(s, PARENT, strlen(PARENT));
    if (!status)
        status = add_path(s, "\\Memory\\Total Bytes", "", 0);
    while (rest && !status) {
        struct pl_text t = next_counter(&rest);

        status = add_counter(s, t.p, t.n);
    }
    return status;
}

static bool is_ranked_by(const struct search *s, const char *counter)
{
    const char *rest = s->e->series->rule->ranked_by;

    while (rest)
        if (pl_pattern_match(next_counter(&rest), pl_text_of(counter)))
            return true;
    return false;
}

/* ---- processes ----------------------------------------------------------- */

static bool is_process(const struct pl_group *g)
{
    bool is = false;

    for (size_t i = 0; i < OBJECTS; i++)
        is |= !strcmp(g->object->name, objects[i]);
    return is && g->instance && !pl_ranking_excludes(objects[0], g->instance);
}

/* The process of a group, whose first series has its index. */
static struct person *person_of(struct search *s, struct pl_group *g)
{
    uint32_t *index = &g->series[0].column;

    if (*index < s->num)
        return &s->people[*index];
    if (s->num >= PL_NO_COLUMN ||
        !pl_array_grow((void **)&s->people, &s->cap, s->num, sizeof *s->people))
        return NULL;
    *index = (uint32_t)s->num;
    s->people[s->num] = (struct person){ .group = g,
                                         .number = NAN,
                                         .parent = NAN,
                                         .born = s->rows > 0,
                                         .num = 1,
                                         .user_of = g };
    return &s->people[s->num++];
}

static enum pl_status note_cell(struct search *s, const struct pl_cell_at *cell)
{
    struct pl_group *g = cell->group;
    const char *counter = g->object->counters[cell->slot].name;
    struct person *p;
    double v;

    if (!pl_value_number(&cell->value, &v))
        return PL_OK;
    if (!strcmp(counter, "Total Bytes") && !strcmp(g->object->name, "Memory"))
        s->total = v;
    if (!is_process(g))
        return PL_OK;
    p = person_of(s, g);
    if (!p)
        return PL_NOMEM;
    if (!strcmp(counter, NUMBER))
        p->number = v;
    else if (!strcmp(counter, PARENT))
        p->parent = v;
    return PL_OK;
}

/* A cell of a whole window's row. */
static enum pl_status take_window(void *ctx, const struct pl_row *row)
{
    struct search *s = ctx;

    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *cell = &row->cells[i];
        struct pl_group *g = cell->group;
        struct person *p;
        double v;

        if (!is_process(g) || !pl_value_number(&cell->value, &v) ||
            !is_ranked_by(s, g->object->counters[cell->slot].name))
            continue;
        p = person_of(s, g);
        if (!p)
            return PL_NOMEM;
        p->value += s->sign * v;
    }
    return PL_OK;
}

/* ---- windows ------------------------------------------------------------- */

static enum pl_status take_process_row(struct search *s,
                                       const struct pl_row *row,
                                       struct pl_interval_sums *sums)
{
    enum pl_status status = PL_OK;

    for (size_t i = 0; i < row->num_cells && !status; i++)
        status = note_cell(s, &row->cells[i]);
    if (!status && s->e->series->rule->ranked_by)
        status = pl_interval_sums_add(sums, row);
    s->rows++;
    return status;
}

/* Where samples are not in order, others than the episode's may be among them. */
static enum pl_status read_rows(struct search *s, struct pl_replay *r,
                                bool in_order, struct pl_interval_sums *sums)
{
    enum pl_status status = PL_OK;
    struct pl_row row;
    int64_t time_ns;

    s->rows = 0;
    for (size_t i = 0;
         i < PL_CULPRIT_ROWS && s->rows < PL_CULPRIT_SAMPLES && !status; i++) {
        status = pl_replay_peek(r, &time_ns);
        if (!status)
            status = pl_replay_row(r, &row);
        if (!status &&
            (in_order ||
             pl_slicings_have(s->from->slicings, s->e->series->slicing, &row)))
            status = take_process_row(s, &row, sums);
    }
    return status == PL_END ? PL_OK : status;
}

/* Slices 'first' to 'last'. */
static enum pl_status read_window(struct search *s, int64_t first, int64_t last)
{
    const struct pl_slicing *c = s->e->series->slicing;
    struct pl_replay_options o = *s->from->options;
    struct pl_interval_sums sums = { .calc = o.calc,
                                     .registry = &s->registry,
                                     .open = true };
    const bool in_order = pl_slicings_are_in_order(s->from->slicings, c);
    struct pl_replay *r;
    enum pl_status status;

    if (c->is_mixed)
        return PL_OK;
    first = first > 0 ? first : 0;
    o = (struct pl_replay_options){ .registry = &s->registry,
                                    .choice.paths = &s->paths,
                                    .calc = o.calc,
                                    .reader = o.reader,
                                    .want_steps = true,
                                    .keep = true,
                                    .identities = true };
    o.window = (struct pl_time_range){
        .has_from = true,
        .has_to = true,
        .from_ns = sums.start_ns = pl_slice_time(c, (uint32_t)first) - 1,
        .to_ns = sums.end_ns = pl_slice_time(c, (uint32_t)last + 1) - 1,
        .ends = in_order
    };
    status = pl_replay_start(&r, s->from->log, &o);
    if (status)
        return status;
    status = read_rows(s, r, in_order, &sums);
    if (!status)
        status = pl_interval_sums_close(&sums, take_window, s);
    pl_interval_sums_release(&sums);
    pl_replay_stop(r);
    return status;
}

static enum pl_status read_episode(struct search *s)
{
    const struct pl_episode *e = s->e;
    enum pl_status status;

    s->sign = 1;
    if (e->series->rule->processes != PL_RULE_GROWTH)
        return read_window(s, (int64_t)e->peak - 1, (int64_t)e->peak + 1);
    s->sign = -1;
    status = read_window(s, e->first, e->first);
    s->sign = 1;
    return status ? status : read_window(s, e->last, e->last);
}

/* ---- ranking ------------------------------------------------------------- */

static int by_number(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* How often 'v' is in the sorted 'values'. */
static size_t count_of(const double *values, size_t num, double v)
{
    const double *at;
    size_t n = 0;

    at = num ? bsearch(&v, values, num, sizeof *values, by_number) : NULL;
    if (!at)
        return 0;
    while (at > values && at[-1] >= v)
        at--;
    for (; at < values + num && *at <= v; at++)
        n++;
    return n;
}

/* Each process' value becomes the number of those it started. */
static enum pl_status count_starts(struct search *s)
{
    double *parents = malloc((s->num + 1) * sizeof *parents);
    size_t num = 0;

    if (!parents)
        return PL_NOMEM;
    for (size_t i = 0; i < s->num; i++)
        if (s->people[i].born && !isnan(s->people[i].parent))
            parents[num++] = s->people[i].parent;
    if (num)
        qsort(parents, num, sizeof *parents, by_number);
    for (size_t i = 0; i < s->num; i++)
        s->people[i].value =
            isnan(s->people[i].number)
                ? 0
                : (double)count_of(parents, num, s->people[i].number);
    free(parents);
    return PL_OK;
}

/* Is it in the control group 'name' or below? */
static bool is_member(const struct pl_group *g, const char *name)
{
    struct pl_text t = pl_group_identity_text(g, PL_CONTROL_GROUP);
    size_t n = strlen(name);

    return t.n >= n && !memcmp(t.p, name, n) && (t.n == n || t.p[n] == '/');
}

/* Leave only those that can have to do with it. */
static void leave_out_others(struct search *s)
{
    const struct pl_level_series *of = s->e->series;
    const char *name = of->instance ? of->instance : "";
    size_t kept = 0;

    for (size_t i = 0; i < s->num; i++) {
        struct person p = s->people[i];

        if (of->rule->processes == PL_RULE_ITSELF)
            p.value = !strcmp(p.group->instance, name);
        else if (of->rule->processes == PL_RULE_MEMBERS &&
                 !is_member(p.group, name))
            continue;
        if (p.value > 0)
            s->people[kept++] = p;
    }
    s->num = kept;
}

static int people_by_value(const void *x, const void *y)
{
    const struct person *a = x, *b = y;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return pl_natural_compare(a->group->instance, b->group->instance);
}

static int by_program(const void *x, const void *y)
{
    const struct person *a = x, *b = y;
    const int order =
        pl_text_compare(pl_group_program(a->group), pl_group_program(b->group));

    return order ? order : people_by_value(x, y);
}

/* One that has the user of all those that have a user; NULL: they have several. */
static const struct pl_group *find_user(const struct person *people, size_t num)
{
    const struct pl_group *found = people[0].group;
    struct pl_text user = { 0 };

    for (size_t i = 0; i < num; i++) {
        struct pl_text t = pl_group_identity_text(people[i].group, PL_USER);

        if (t.n && user.n && !pl_text_equal(t, user))
            return NULL;
        if (!t.n || user.n)
            continue;
        user = t;
        found = people[i].group;
    }
    return found;
}

/* One for the 'num' processes of a program, that which did most of them first. */
static struct person sum_of_people(const struct person *people, size_t num)
{
    struct person all = people[0];

    for (size_t i = 1; i < num; i++)
        all.value += people[i].value;
    all.num = num;
    all.user_of = find_user(people, num);
    return all;
}

/* Put one in the place of the processes of a program of which none stands out. */
static void sum_programs(struct search *s)
{
    size_t kept = 0;

    if (s->num)
        qsort(s->people, s->num, sizeof *s->people, by_program);
    for (size_t i = 0, num; i < s->num; i += num) {
        struct pl_text name = pl_group_program(s->people[i].group);
        struct person all;

        for (num = 1; i + num < s->num; num++)
            if (!pl_text_equal(name,
                               pl_group_program(s->people[i + num].group)))
                break;
        all = sum_of_people(&s->people[i], num);
        if (s->people[i].value < all.value / PARTS * ROUNDED)
            s->people[kept++] = all;
        else
            for (size_t k = 0; k < num; k++)
                s->people[kept++] = s->people[i + k];
    }
    s->num = kept;
}

static char *identity(const struct pl_group *g, enum pl_identity_column column)
{
    return pl_text_copy(pl_group_identity_text(g, column));
}

static enum pl_status add_culprit(struct pl_culprits *c, const struct person *p,
                                  double sum)
{
    struct pl_culprit *to = &c->list[c->num++];

    to->num = p->num;
    to->value = p->value;
    to->share = p->value / sum;
    to->name = p->num > 1 ? pl_text_copy(pl_group_program(p->group))
                          : strdup(p->group->instance);
    to->user = p->user_of ? identity(p->user_of, PL_USER) : strdup("");
    to->command = p->num > 1 ? strdup("") : identity(p->group, PL_COMMAND_LINE);
    return to->name && to->user && to->command ? PL_OK : PL_NOMEM;
}

/* True if one process did much more than each of the others. */
static bool stands_out(const struct pl_culprits *c)
{
    return c->list[0].share >= 1.0 / 3 &&
           (c->num == 1 || c->list[0].value >= 1.5 * c->list[1].value);
}

/*
 * A rise of memory in use, in per cent of all memory, is one of so many bytes:
 * half of these are the process', while others may have given some back.
 */
static bool explain_rise(const struct search *s, const struct pl_culprits *c)
{
    const struct pl_episode *e = s->e;
    const struct pl_culprit *first = &c->list[0];

    if (!c->num)
        return false;
    if (strcmp(e->series->counter, "% In Use") != 0 || isnan(s->total))
        return first->share >= 0.5;
    return (first->share >= 0.5 || stands_out(c)) &&
           first->value >= e->level / 100 * s->total / 2;
}

static enum pl_status rank(struct search *s, struct pl_culprits *c)
{
    enum pl_rule_processes which = s->e->series->rule->processes;
    enum pl_status status = PL_OK;
    double sum = 0;

    if (which == PL_RULE_STARTS)
        status = count_starts(s);
    leave_out_others(s);
    if (which == PL_RULE_MOST || which == PL_RULE_STARTS)
        sum_programs(s);
    if (s->num)
        qsort(s->people, s->num, sizeof *s->people, people_by_value);
    for (size_t i = 0; i < s->num; i++)
        sum += s->people[i].value;
    for (size_t i = 0; i < s->num && i < PL_CULPRITS_MOST && !status; i++)
        status = add_culprit(c, &s->people[i], sum);
    c->explain_rise = explain_rise(s, c);
    return status;
}

/* Is the instance a process that did some of it? */
static bool has_part(const struct search *s, const char *instance)
{
    for (size_t i = 0; i < s->num; i++)
        if (!strcmp(s->people[i].group->instance, instance))
            return true;
    return false;
}

static void end_search(struct search *s)
{
    free(s->people);
    pl_counter_path_list_release(&s->paths);
    pl_registry_release(&s->registry);
}

/*
 * Does a process do any of what the head is about while its own episode goes on?
 * It is asked at the end of that: as it began, it may have read its program.
 */
static enum pl_status look_at(const struct pl_culprit_source *from,
                              const struct pl_finding *f,
                              const struct pl_episode *own, bool *apart)
{
    struct search s = { .from = from, .e = f->head, .total = NAN, .sign = 1 };
    enum pl_status status = choose_counters(&s);

    if (!status)
        status = read_window(&s, (int64_t)own->last - 1, own->last);
    leave_out_others(&s);
    *apart = !status && s.rows && !has_part(&s, own->series->instance);
    end_search(&s);
    return status;
}

/* Of the most severe ones: each is read by itself. */
static enum pl_status find_apart(const struct pl_culprit_source *from,
                                 const struct pl_finding *f,
                                 struct pl_culprits *c)
{
    enum pl_status status = PL_OK;

    for (size_t i = 0, looked = 0;
         i < f->num_others && looked < PL_APART_MOST && !status; i++) {
        const struct pl_level_series *of = f->others[i]->series;
        bool apart = false;

        if (of->rule->processes != PL_RULE_ITSELF || !of->instance ||
            of->rule == f->head->series->rule)
            continue;
        looked++;
        status = look_at(from, f, f->others[i], &apart);
        if (!apart || status)
            continue;
        if (!c->apart)
            c->apart = calloc(f->num_others, sizeof *c->apart);
        if (!c->apart)
            return PL_NOMEM;
        c->apart[i] = true;
    }
    return status;
}

enum pl_status pl_culprits_find(struct pl_culprits *c,
                                const struct pl_culprit_source *from,
                                const struct pl_finding *f)
{
    const struct pl_rule *rule = f->head->series->rule;
    struct search s = { .from = from, .e = f->head, .total = NAN };
    enum pl_status status = PL_OK;

    if (rule->processes == PL_RULE_NOBODY)
        return PL_OK;
    status = choose_counters(&s);
    if (!status)
        status = read_episode(&s);
    if (!status)
        status = rank(&s, c);
    end_search(&s);
    if (!status && rule->ranked_by)
        status = find_apart(from, f, c);
    return status;
}
