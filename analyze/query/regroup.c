/* Sums of processes with the same key. */
#include "analyze/query/regroup.h"

#include "analyze/replay/group_identity.h"
#include "analyze/replay/sample_view.h"
#include "analyze/amounts/ranking.h"
#include "format/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---------------------------------------------------------------- */

struct pl_regroup_key {
    const char *name, *title;
    const char *counters[4];
    bool identifies; /* it needs identities */
    bool is_long;    /* its texts are as long as command lines */
    bool needs_all;  /* it looks for other processes of the row: r->numbers */
    /* Sets the key of 'g', whose 'num' cells of the row are given. */
    void (*find)(struct pl_regroup *r, const struct pl_group *g,
                 const struct pl_cell_at *cells, size_t num);
};

/* "Process V2" of Windows has another name for the first. */
static const char own_id[] = "ID Process", own_id_v2[] = "Process ID",
                  parents_id[] = "Creating Process ID", users_id[] = "User ID";

static void find_name(struct pl_regroup *r, const struct pl_group *g,
                      const struct pl_cell_at *cells, size_t num)
{
    struct pl_text name = pl_group_program(g);

    (void)cells;
    (void)num;
    pl_buf_bytes(&r->text, name.p, name.n);
}

/* The value of a counter; false: the row has no such cell. */
static bool id_of(const char *counter, const struct pl_cell_at *cells,
                  size_t num, uint64_t *id)
{
    for (size_t i = 0; i < num; i++) {
        const struct pl_value *v = &cells[i].value;

        if (v->kind == PL_VALUE_INTEGER && pl_cell_has_value(v->cell) &&
            !strcmp(cells[i].group->object->counters[cells[i].slot].name,
                    counter)) {
            *id = v->integer;
            return true;
        }
    }
    return false;
}

/* Of each object, as both of a Windows log may be shown. */
static int by_id(const void *x, const void *y)
{
    const struct pl_regroup_number *a = x, *b = y;
    const uint32_t i = a->group->object->rank, k = b->group->object->rank;

    if (i != k)
        return i < k ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* The parent's instance name; its number if it is not in the row. */
static void find_parent(struct pl_regroup *r, const struct pl_group *g,
                        const struct pl_cell_at *cells, size_t num)
{
    struct pl_regroup_number *found = NULL, wanted = { .group = g };
    char unknown[24] = "?";
    const char *name;

    if (id_of(parents_id, cells, num, &wanted.id)) {
        snprintf(unknown, sizeof unknown, "?:%" PRIu64, wanted.id);
        if (r->num_numbers)
            found = bsearch(&wanted, r->numbers, r->num_numbers, sizeof wanted,
                            by_id);
    }
    name = found ? found->group->instance : unknown;
    pl_buf_string(&r->text, name);
}

/* The text, or "?" where it is not known. */
static void put_or_unknown(struct pl_regroup *r, struct pl_text t)
{
    t = t.n ? t : pl_text_of("?");
    pl_buf_bytes(&r->text, t.p, t.n);
}

/* The names of a host's users; NULL: out of memory. */
static struct pl_u32_map *users_of(struct pl_regroup *r,
                                   const struct pl_host *host)
{
    const size_t rank = host->rank;

    if (!pl_array_reserve((void **)&r->users, &r->cap_users, rank + 1,
                          sizeof *r->users))
        return NULL;
    while (r->num_users <= rank)
        r->users[r->num_users++] = (struct pl_u32_map){ 0 };
    return &r->users[rank];
}

static void note_user(struct pl_regroup *r, const struct pl_group *g,
                      struct pl_text name)
{
    struct pl_u32_map *users = users_of(r, g->host);
    const size_t place = r->user_names.len;
    uint32_t number;

    if (!users) {
        r->text.oom = true;
        return;
    }
    if (!pl_group_identity_user(g, &number) || place >= PL_NO_PLACE ||
        pl_u32_map_get(users, number) != PL_NO_PLACE)
        return;
    pl_buf_bytes(&r->user_names, name.p, name.n);
    pl_buf_u8(&r->user_names, 0);
    if (r->user_names.oom || pl_u32_map_add(users, number, (uint32_t)place))
        r->text.oom = true;
}

/* By the name that another process' identity gives the number, else as a number. */
static void find_numbered_user(struct pl_regroup *r, const struct pl_group *g,
                               const struct pl_cell_at *cells, size_t num)
{
    uint64_t pid, user;
    char number[24];
    uint32_t place;

    if (!id_of(own_id, cells, num, &pid) || !pid || /* 0: a sum of many */
        !id_of(users_id, cells, num, &user) || user > UINT32_MAX) {
        pl_buf_string(&r->text, "?");
        return;
    }
    place = g->host->rank < r->num_users
                ? pl_u32_map_get(&r->users[g->host->rank], (uint32_t)user)
                : PL_NO_PLACE;
    snprintf(number, sizeof number, "%" PRIu64, user);
    pl_buf_string(&r->text, place == PL_NO_PLACE
                                ? number
                                : (const char *)r->user_names.p + place);
}

/* True if the row says another user than the identity. */
static bool has_another_user(const struct pl_group *g,
                             const struct pl_cell_at *cells, size_t num)
{
    uint64_t user;
    uint32_t known;

    return id_of(users_id, cells, num, &user) &&
           pl_group_identity_user(g, &known) && user != known;
}

/*
 * What ended before its identity was read has the number of its user, and so has
 * what changed its user since then.
 */
static void find_user(struct pl_regroup *r, const struct pl_group *g,
                      const struct pl_cell_at *cells, size_t num)
{
    struct pl_text name = pl_group_identity_text(g, PL_USER);

    if (name.n)
        note_user(r, g, name);
    if (name.n && !has_another_user(g, cells, num))
        pl_buf_bytes(&r->text, name.p, name.n);
    else
        find_numbered_user(r, g, cells, num);
}

static void find_unit(struct pl_regroup *r, const struct pl_group *g,
                      const struct pl_cell_at *cells, size_t num)
{
    (void)cells;
    (void)num;
    put_or_unknown(
        r, pl_control_group_unit(pl_group_identity_text(g, PL_CONTROL_GROUP)));
}

/* Kernel threads, and most that ended before they were read, have a name only. */
static void find_command(struct pl_regroup *r, const struct pl_group *g,
                         const struct pl_cell_at *cells, size_t num)
{
    struct pl_text t = pl_group_identity_text(g, PL_COMMAND_LINE);

    if (t.n)
        pl_buf_bytes(&r->text, t.p, t.n);
    else
        find_name(r, g, cells, num);
}

static const struct pl_regroup_key keys[] = {
    { "name", "Program", .find = find_name },
    { "user",
      "User",
      { own_id, users_id },
      .identifies = true,
      .find = find_user },
    { "unit", "Unit", .identifies = true, .find = find_unit },
    { "command", "Command", .identifies = true, .is_long = true,
      .find = find_command },
    { "parent",
      "Parent",
      { own_id, own_id_v2, parents_id },
      .needs_all = true,
      .find = find_parent },
};

const struct pl_regroup_key *pl_regroup_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

const char *pl_regroup_title(const struct pl_regroup_key *k)
{
    return k->title;
}

bool pl_regroup_identifies(const struct pl_regroup_key *k)
{
    return k->identifies;
}

bool pl_regroup_is_long(const struct pl_regroup_key *k)
{
    return k->is_long;
}

const char *const *pl_regroup_counters(const struct pl_regroup_key *k)
{
    return k->counters;
}

/* ---- sums ---------------------------------------------------------------- */

struct pl_regroup_sums {
    struct pl_group *group;
    uint32_t num; /* number of 'slots' */
    bool any;     /* one of them has a value in this row */
    struct slot_sum {
        struct pl_step_at at; /* counter NULL: nothing */
        double values;        /* the sum, where steps have none */
        /* enum pl_cell reason of a member, if none was good */
        uint8_t why;
        bool good, paired, partial, of_values;
        bool known; /* had a value in some row */
    } * slots;
};

static bool can_sum(const struct pl_step_at *at)
{
    const struct pl_planned_counter *c = at->counter;

    return c && c->formula &&
           (c->total_rule == PL_TOTAL_SUM || pl_formula_adds_up(c->formula));
}

/* The instance named 'key', and its sums. */
static struct pl_regroup_sums *
sums_of(struct pl_regroup *r, const struct pl_group *like, const char *key)
{
    bool made;
    struct pl_group *g =
        pl_registry_sum(r->registry, like->host, like->object, key, &made);

    if (!g)
        return NULL;
    g->derived = true; /* derived: no sample holds it */
    if (g->gathered)
        return &r->sums[g->gathered - 1];
    if (r->num_sums >= UINT32_MAX ||
        !pl_array_grow((void **)&r->sums, &r->cap_sums, r->num_sums,
                       sizeof *r->sums))
        return NULL;
    r->sums[r->num_sums++] = (struct pl_regroup_sums){ .group = g };
    g->gathered = (uint32_t)r->num_sums;
    return &r->sums[g->gathered - 1];
}

/* Room for all counters that the object has so far.  False: out of memory. */
static bool grow(struct pl_regroup_sums *s)
{
    struct pl_group *g = s->group;
    uint32_t num = g->object->num_counters;

    if (s->num < num) {
        if (!pl_array_resize((void **)&s->slots, num, sizeof *s->slots))
            return false;
        memset(s->slots + s->num, 0, (num - s->num) * sizeof *s->slots);
        s->num = num;
    }
    if (g->num_slots < num) {
        if (!pl_array_resize((void **)&g->series, num, sizeof *g->series))
            return false;
        for (; g->num_slots < num; g->num_slots++)
            g->series[g->num_slots] =
                (struct pl_series){ .column = PL_NO_COLUMN };
    }
    return true;
}

/* False: the series is no longer wanted. */
static bool show(struct slot_sum *t, struct pl_series *s,
                 const struct pl_series *member)
{
    if (t->known && !s->wanted)
        return false;
    s->ranked = member->ranked && (s->ranked || !t->known);
    s->wanted = s->present = t->known = true;
    return true;
}

static void add_step(struct pl_step *sum, const struct pl_step *step)
{
    sum->n += step->n;
    sum->base += step->base;
    if (sum->n < step->n || sum->base < step->base)
        sum->cell = PL_CELL_UNSUPPORTED; /* too large */
}

static void add(const struct pl_regroup *r, struct slot_sum *t,
                const struct pl_cell_at *cell, const struct pl_step_at *at)
{
    const struct pl_formula *f = at->counter->formula;
    const struct pl_step *step = &at->step;

    t->paired |= cell->paired;
    t->partial |= step->cell == PL_CELL_UNREADABLE;
    if (!t->at.counter)
        t->at.counter = at->counter;
    if (!pl_cell_has_value(step->cell)) {
        if (!t->why || step->cell < t->why)
            t->why = (uint8_t)step->cell;
        return;
    }
    if (!t->good) {
        t->at = *at;
        t->of_values = !pl_formula_adds_steps(f);
        t->good = true;
    } else if (!t->of_values) {
        add_step(&t->at.step, step);
    }
    if (t->of_values)
        t->values += pl_formula_uncapped(f, step, &r->calc).number;
    if (step->cell == PL_CELL_WRAPPED && t->at.step.cell == PL_CELL_GOOD)
        t->at.step.cell = PL_CELL_WRAPPED;
}

static struct pl_value value_of(const struct pl_regroup *r,
                                const struct slot_sum *t)
{
    struct pl_value v = { .cell = (enum pl_cell)t->why };

    if (!t->good)
        return v;
    if (t->of_values)
        v = (struct pl_value){ .cell = t->at.step.cell,
                               .kind = PL_VALUE_DOUBLE,
                               .number = t->values };
    else
        v = pl_formula_uncapped(t->at.counter->formula, &t->at.step, &r->calc);
    pl_value_cap(&v, t->at.counter->formula, &r->calc);
    if (t->partial && pl_cell_has_value(v.cell))
        v.cell = PL_CELL_PARTIAL;
    return v;
}

/* ---- rows ---------------------------------------------------------------- */

static bool is_process(const struct pl_group *g)
{
    return g->instance &&
           (!strcmp(g->object->name, "Process") ||
            !strcmp(g->object->name, "Process V2")) &&
           !pl_ranking_excludes(g->object->name, g->instance);
}

static enum pl_status put(struct pl_regroup *r, const struct pl_cell_at *cell,
                          const struct pl_step_at *at)
{
    if (!pl_array_grow((void **)&r->cells, &r->cap_cells, r->num_cells,
                       sizeof *r->cells) ||
        !pl_array_grow((void **)&r->steps, &r->cap_steps, r->num_cells,
                       sizeof *r->steps))
        return PL_NOMEM;
    r->steps[r->num_cells] = *at;
    r->cells[r->num_cells++] = *cell;
    return PL_OK;
}

/* The sums of a row, those of one key after the other. */
static enum pl_status put_sums(struct pl_regroup *r)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < r->num_sums; i++) {
        struct pl_regroup_sums *k = &r->sums[i];

        if (!k->any)
            continue;
        for (uint32_t n = 0; n < k->num && !s; n++) {
            struct slot_sum *t = &k->slots[n];
            struct pl_cell_at cell = { k->group, n, t->paired, value_of(r, t) };

            if (t->at.counter)
                s = put(r, &cell, &t->at);
            *t = (struct slot_sum){ .known = t->known };
        }
        k->any = false;
    }
    return s;
}

/* End the name, changing it if it has a special meaning. */
static void keep_apart(struct pl_buf *name, const char *object)
{
    pl_buf_u8(name, 0);
    if (name->oom || (!pl_ranking_excludes(object, (const char *)name->p) &&
                      strcmp((const char *)name->p, "_Other") != 0))
        return;
    name->len--;
    pl_buf_bytes(name, "#1", 3);
}

/* The cells of one process; it is at cells[0]. */
static enum pl_status add_process(struct pl_regroup *r,
                                  const struct pl_cell_at *cells,
                                  const struct pl_step_at *steps, size_t num)
{
    struct pl_group *g = cells->group;
    struct pl_regroup_sums *sums;

    pl_buf_clear(&r->text);
    r->key->find(r, g, cells, num);
    keep_apart(&r->text, g->object->name);
    sums = r->text.oom ? NULL : sums_of(r, g, (const char *)r->text.p);
    if (!sums || !grow(sums))
        return PL_NOMEM;
    g->other = sums->group;
    r->met = true;
    for (size_t i = 0; i < num; i++) {
        uint32_t slot = cells[i].slot;

        if (!can_sum(&steps[i]) ||
            !show(&sums->slots[slot], &sums->group->series[slot],
                  &g->series[slot]))
            continue;
        add(r, &sums->slots[slot], &cells[i], &steps[i]);
        sums->any = r->summed = true;
    }
    return PL_OK;
}

/* The number of cells from 'i' on that belong to one instance. */
static size_t run_at(const struct pl_row *row, size_t i)
{
    size_t n = 1;

    while (i + n < row->num_cells &&
           row->cells[i + n].group == row->cells[i].group)
        n++;
    return n;
}

static enum pl_status note_numbers(struct pl_regroup *r,
                                   const struct pl_row *row)
{
    r->num_numbers = 0;
    for (size_t i = 0, n; i < row->num_cells; i += n) {
        const struct pl_cell_at *c = &row->cells[i];
        uint64_t id;

        n = run_at(row, i);
        if (!is_process(c->group) ||
            (!id_of(own_id, c, n, &id) && !id_of(own_id_v2, c, n, &id)) || !id)
            continue; /* 0 is a sum of processes that ended */
        if (!pl_array_grow((void **)&r->numbers, &r->cap_numbers,
                           r->num_numbers, sizeof *r->numbers))
            return PL_NOMEM;
        r->numbers[r->num_numbers++] =
            (struct pl_regroup_number){ id, c->group };
    }
    if (r->num_numbers)
        qsort(r->numbers, r->num_numbers, sizeof *r->numbers, by_id);
    return PL_OK;
}

/* True if the cell of a process is to be made part of a sum. */
static bool is_for_sum(const struct pl_regroup *r,
                       const struct pl_cell_at *cell,
                       const struct pl_step_at *at)
{
    const bool is_of_sheet = at->counter && at->counter->formula &&
                             at->counter->formula->type == PERF_DOUBLE_RAW;

    return is_process(cell->group) && !(is_of_sheet && r->keeps_sheets);
}

enum pl_status pl_regroup_row(struct pl_regroup *r, struct pl_row *row)
{
    enum pl_status s = r->key->needs_all ? note_numbers(r, row) : PL_OK;

    r->num_cells = 0;
    for (size_t i = 0, n; i < row->num_cells && !s; i += n) {
        n = run_at(row, i);
        if (is_for_sum(r, &row->cells[i], &row->steps[i])) {
            s = add_process(r, &row->cells[i], &row->steps[i], n);
            continue;
        }
        for (size_t k = i; k < i + n && !s; k++)
            s = put(r, &row->cells[k], &row->steps[k]);
    }
    if (!s)
        s = put_sums(r);
    row->cells = r->cells;
    row->steps = r->steps;
    row->num_cells = r->num_cells;
    return s;
}

void pl_regroup_release(struct pl_regroup *r)
{
    for (size_t i = 0; i < r->num_sums; i++)
        free(r->sums[i].slots);
    free(r->sums);
    free(r->cells);
    free(r->steps);
    free(r->numbers);
    for (size_t i = 0; i < r->num_users; i++)
        pl_u32_map_release(&r->users[i]);
    free(r->users);
    pl_buf_release(&r->user_names);
    pl_buf_release(&r->text);
    *r = (struct pl_regroup){ 0 };
}
