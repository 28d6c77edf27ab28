/* From samples to rows. */
#include "analyze/replay.h"

#include "analyze/plan.h"
#include "format/instant.h"
#include "format/utf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* One instance of one object in one sample. */
struct instance {
    struct pl_instance view;
    struct pl_group *group;
    uint64_t identity[PL_MAX_IDENTITY];
    bool paired; /* in the older sample: some newer one is the same */
};

/* One object in one sample. */
struct object {
    struct pl_object view;
    size_t plan;       /* which of the two the definitions had, see planned */
    size_t first, num; /* instances */
};

/* One sample, taken apart.  Views point into the reader's block. */
struct sample {
    bool there;
    uint64_t row; /* its number, for pl_group.row */
    struct pl_block block;
    struct object *objects;
    size_t num_objects, cap_objects;
    struct instance *instances;
    size_t num_instances, cap_instances;
};

/* Plans of an object: the definitions in force and those before. */
struct planned {
    uint32_t title_index;
    uint64_t titles_version;
    bool wanted;
    size_t now; /* index of the newer plan */
    struct pl_object_plan plans[2];
};

/* Sums for a derived _Total. */
struct total {
    struct pl_step step;
    enum pl_cell why; /* of the first member, if none was good */
    uint32_t members, good;
};

struct pl_replay {
    struct pl_replay_options options;
    struct pl_tape_reader tape;
    const struct pl_host *host;
    uint64_t titles_version;
    uint64_t interval_ns;
    bool foreign_clock; /* blocks were not made by our own sampler */

    struct planned *planned;
    size_t num_planned;

    struct sample samples[2];
    size_t newer;              /* index of the newer sample */
    enum pl_cell why_unpaired; /* GOOD: the older one is its neighbour */
    bool stepped;
    bool ready; /* the newer sample is a row not yet computed */
    bool ended; /* the last session was closed */
    int64_t time_ns;

    struct pl_cell_at *cells;
    size_t num_cells, cap_cells;
    struct total *totals;
    size_t cap_totals;
    uint32_t *identity_table; /* older instances by identity */
    size_t identity_cap;
    bool identity_ready;
    struct pl_buf name;
    struct pl_replay_losses losses;
};

int64_t pl_row_time(int64_t utc_ns, uint64_t interval_ns)
{
    int64_t interval = (int64_t)interval_ns, slack = interval / 10, rest;

    if (!interval) {
        interval = PL_NS_PER_MS;
        slack = 0;
    }
    if (slack > PL_NS_PER_MS)
        slack = PL_NS_PER_MS;
    rest = (utc_ns + slack) % interval;
    return utc_ns + slack - (rest < 0 ? rest + interval : rest);
}

/* ---- starting and stopping ------------------------------------------------------ */

enum pl_status pl_replay_start(struct pl_replay **out,
                               const struct pl_tape *tape,
                               const struct pl_replay_options *options)
{
    struct pl_replay *r = calloc(1, sizeof *r);
    enum pl_status s;

    if (!r)
        return PL_NOMEM;
    r->options = *options;
    r->why_unpaired = PL_CELL_FIRST;
    s = pl_tape_start(&r->tape, tape, &options->reader);
    if (!s && options->window.has_from)
        s = pl_reader_seek(r->tape.reader, options->window.from_ns);
    if (s) {
        int error = errno;

        pl_replay_stop(r);
        errno = error;
        return s;
    }
    *out = r;
    return PL_OK;
}

void pl_replay_stop(struct pl_replay *r)
{
    if (!r)
        return;
    pl_tape_stop(&r->tape);
    for (size_t i = 0; i < r->num_planned; i++) {
        pl_object_plan_release(&r->planned[i].plans[0]);
        pl_object_plan_release(&r->planned[i].plans[1]);
    }
    for (size_t i = 0; i < 2; i++) {
        free(r->samples[i].objects);
        free(r->samples[i].instances);
    }
    free(r->planned);
    free(r->cells);
    free(r->totals);
    free(r->identity_table);
    pl_buf_release(&r->name);
    free(r);
}

/* Room for one more in an array that doubles. */
static bool grow(void **array, size_t *cap, size_t num, size_t size)
{
    size_t more = *cap ? *cap * 2 : 64;
    void *p;

    if (num < *cap)
        return true;
    p = realloc(*array, more * size);
    if (!p)
        return false;
    *array = p;
    *cap = more;
    return true;
}

/* ---- plans and groups ------------------------------------------------------------ */

static struct planned *find_planned(struct pl_replay *r, uint32_t title)
{
    struct planned *grown;

    for (size_t i = 0; i < r->num_planned; i++)
        if (r->planned[i].title_index == title)
            return &r->planned[i];
    grown = realloc(r->planned, (r->num_planned + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    r->planned = grown;
    grown[r->num_planned] = (struct planned){ .title_index = title };
    return &grown[r->num_planned++];
}

/* The plan for the object's definitions, made anew if they have changed. */
static enum pl_status plan_object(struct pl_replay *r, struct planned *p,
                                  const struct pl_object *o)
{
    struct pl_object_plan *now = &p->plans[p->now], *other = &p->plans[!p->now];
    enum pl_status s;

    if (now->names && p->titles_version == r->titles_version &&
        pl_object_plan_fits(now, o))
        return PL_OK;
    pl_object_plan_release(other);
    s = pl_object_plan_make(other, o, pl_reader_titles(r->tape.reader),
                            r->options.registry);
    if (s)
        return s;
    p->now = !p->now;
    p->titles_version = r->titles_version;
    p->wanted = pl_choice_has_object(&r->options.choice, r->host->name,
                                     other->names->name);
    pl_object_plan_link(other, now->names ? now : NULL);
    return PL_OK;
}

/* Does the user want this series, and can the sheet show it? */
static bool is_wanted(const struct pl_replay *r, const struct pl_group *g,
                      uint32_t slot)
{
    const struct pl_counter_names *c = &g->object->counters[slot];
    struct pl_formula scratch;
    const struct pl_formula *f;

    if (!pl_choice_has(&r->options.choice, g->host->name, g->object->name,
                       g->instance, c->name))
        return false;
    if (!r->options.numbers_only)
        return true;
    f = pl_formula_of(c->type, sizeof(uint32_t), &scratch);
    return !f || f->kind != PL_VALUE_HEX;
}

/* Ask once per series whether it is wanted. */
static enum pl_status choose_series(const struct pl_replay *r,
                                    struct pl_group *g)
{
    const struct pl_object_names *o = g->object;
    bool any = g->series != NULL;
    struct pl_series *grown;

    for (uint32_t i = g->num_slots; i < o->num_counters && !any; i++)
        any = is_wanted(r, g, i);
    if (any) {
        grown = realloc(g->series, o->num_counters * sizeof *grown);
        if (!grown)
            return PL_NOMEM;
        if (!g->series)
            memset(grown, 0, g->num_slots * sizeof *grown);
        g->series = grown;
        for (uint32_t i = g->num_slots; i < o->num_counters; i++)
            grown[i] = (struct pl_series){
                .column = PL_NO_COLUMN,
                .wanted = is_wanted(r, g, i),
            };
    }
    g->num_slots = o->num_counters;
    return PL_OK;
}

/* The group of this name that no instance of this sample has taken yet. */
static enum pl_status find_group(struct pl_replay *r,
                                 const struct pl_object_plan *plan,
                                 const char *name, uint64_t row,
                                 struct pl_group **out)
{
    size_t len = r->name.len;
    struct pl_group *g;
    bool made;

    for (unsigned n = 0;; n++) {
        char number[16];

        if (n) {
            r->name.len = len;
            snprintf(number, sizeof number, "#%u", n);
            pl_buf_bytes(&r->name, number, strlen(number) + 1);
            if (r->name.oom)
                return PL_NOMEM;
            name = (const char *)r->name.p;
        }
        g = pl_registry_group(r->options.registry, r->host, plan->names, name,
                              &made);
        if (!g)
            return PL_NOMEM;
        if (g->row != row)
            break;
    }
    g->numbered = len != r->name.len;
    if (g->num_slots < plan->names->num_counters) {
        enum pl_status s = choose_series(r, g);

        if (s)
            return s;
    }
    *out = g;
    return PL_OK;
}

/* Note where a group stands in this sample, and where it stood before. */
static void place_group(struct pl_group *g, uint64_t row, size_t index)
{
    g->older_row = g->row;
    g->older_index = g->index;
    g->row = row;
    g->index = (uint32_t)index;
}

/* ---- taking a sample apart -------------------------------------------------------- */

/* The name of the n-th instance of the object with title index 'title'. */
static void put_parent_name(struct pl_replay *r, const struct pl_block *block,
                            uint32_t title, uint32_t n)
{
    struct pl_block walk = *block;
    struct pl_object o;
    struct pl_instance i;

    while (!pl_object_next(&walk, &o)) {
        if (o.title_index != title)
            continue;
        while (!pl_instance_next(&o, &i))
            if (!n--) {
                pl_utf16_to_utf8(&r->name, i.name, i.name_len, o.big_endian);
                break;
            }
        break;
    }
    pl_buf_u8(&r->name, '/');
}

/* "parent/name" of an instance in r->name, with a terminator not counted. */
static enum pl_status spell_name(struct pl_replay *r,
                                 const struct pl_block *block,
                                 const struct pl_object *o,
                                 const struct pl_instance *i)
{
    pl_buf_clear(&r->name);
    if (i->parent_object)
        put_parent_name(r, block, i->parent_object, i->parent_instance);
    if (i->unique_id != PERF_NO_UNIQUE_ID && !i->name_len) {
        char number[16];

        snprintf(number, sizeof number, "%" PRId32, i->unique_id);
        pl_buf_bytes(&r->name, number, strlen(number));
    } else if (o->code_page) {
        pl_buf_bytes(&r->name, i->name,
                     strnlen((const char *)i->name, i->name_len));
    } else {
        pl_utf16_to_utf8(&r->name, i->name, i->name_len, o->big_endian);
    }
    pl_buf_u8(&r->name, 0);
    if (r->name.oom)
        return PL_NOMEM;
    r->name.len--;
    return PL_OK;
}

static void read_identity(const struct pl_object_plan *plan,
                          const struct pl_object *o, struct instance *i)
{
    memset(i->identity, 0, sizeof i->identity);
    for (size_t k = 0; k < plan->num_identity; k++)
        pl_counter_get(o, &i->view, &plan->identity[k], &i->identity[k]);
}

/*
 * An instance nearly always stands right behind the one that it stood behind
 * before; then its group is known without spelling its name.
 */
static struct pl_group *
same_as_before(const struct sample *older, const struct object *was,
               size_t expected, const struct pl_instance *view, uint64_t row)
{
    const struct instance *i;

    if (!was || expected >= was->num)
        return NULL;
    i = &older->instances[was->first + expected];
    if (i->group->numbered || i->group->row == row || view->parent_object ||
        !view->definition || i->view.definition_len != view->definition_len ||
        memcmp(i->view.definition, view->definition, view->definition_len))
        return NULL;
    return i->group;
}

static enum pl_status read_instances(struct pl_replay *r, struct sample *now,
                                     const struct sample *older,
                                     struct object *o, const struct object *was,
                                     const struct pl_object_plan *plan)
{
    struct pl_object walk = o->view;
    struct pl_instance view;
    size_t expected = 0;
    enum pl_status s;

    o->first = now->num_instances;
    while (!(s = pl_instance_next(&walk, &view))) {
        struct instance *i;
        struct pl_group *g;

        if (!grow((void **)&now->instances, &now->cap_instances,
                  now->num_instances, sizeof *i))
            return PL_NOMEM;
        g = same_as_before(older, was, expected, &view, now->row);
        if (!g) {
            const char *name = NULL;

            if (view.name) {
                s = spell_name(r, &now->block, &walk, &view);
                name = (const char *)r->name.p;
            } else {
                pl_buf_clear(&r->name);
            }
            if (!s)
                s = find_group(r, plan, name, now->row, &g);
            if (s)
                return s;
        }
        i = &now->instances[now->num_instances];
        *i = (struct instance){ .view = view, .group = g };
        place_group(g, now->row, now->num_instances);
        if (g->older_row == older->row && was)
            expected = g->older_index - was->first + 1;
        read_identity(plan, &walk, i);
        now->num_instances++;
        o->num++;
    }
    if (s != PL_END)
        r->losses.malformed++;
    return PL_OK;
}

static const struct object *find_object(const struct sample *s, uint32_t title)
{
    for (size_t i = 0; s->there && i < s->num_objects; i++)
        if (s->objects[i].view.title_index == title)
            return &s->objects[i];
    return NULL;
}

/* Take the block apart into the newer sample. */
static enum pl_status read_block(struct pl_replay *r, const struct pl_buf *b)
{
    struct sample *now = &r->samples[r->newer];
    const struct sample *older = &r->samples[!r->newer];
    struct pl_block walk;
    struct pl_object view;
    enum pl_status s;

    now->num_objects = now->num_instances = 0;
    now->there = true;
    now->row = ++r->options.registry->row;
    s = pl_block_parse(&now->block, b->p, b->len);
    if (s) {
        r->losses.malformed++;
        return PL_OK;
    }
    walk = now->block;
    while (!(s = pl_object_next(&walk, &view))) {
        struct planned *p = find_planned(r, view.title_index);
        struct object *o;

        if (!p || !grow((void **)&now->objects, &now->cap_objects,
                        now->num_objects, sizeof *o))
            return PL_NOMEM;
        if (find_object(now, view.title_index))
            continue; /* the same object twice: the first one counts */
        s = plan_object(r, p, &view);
        if (s)
            return s;
        if (!p->wanted)
            continue;
        o = &now->objects[now->num_objects];
        *o = (struct object){ .view = view, .plan = p->now };
        s = read_instances(r, now, older, o,
                           find_object(older, view.title_index),
                           &p->plans[p->now]);
        if (s)
            return s;
        now->num_objects++;
    }
    if (s != PL_END)
        r->losses.malformed++;
    return PL_OK;
}

/* ---- what lies between two samples ------------------------------------------------- */

/* The stronger reason for having no pair stays. */
static void unpair(struct pl_replay *r, enum pl_cell why)
{
    if (r->why_unpaired == PL_CELL_GOOD || why < r->why_unpaired)
        r->why_unpaired = why;
}

static enum pl_status begin_session(struct pl_replay *r)
{
    const struct pl_session *s = pl_reader_session(r->tape.reader);
    static const char own[] = "little linux";

    unpair(r, PL_CELL_FIRST);
    r->ended = false;
    r->titles_version++;
    r->interval_ns = s->interval_ns;
    r->foreign_clock = s->provider.n < sizeof own - 1 ||
                       memcmp(s->provider.p, own, sizeof own - 1) != 0;
    if (!pl_reader_has_session(r->tape.reader))
        r->losses.sessions_without_name++;
    r->host = pl_registry_host(r->options.registry, s->host, s->machine_hash);
    return r->host ? PL_OK : PL_NOMEM;
}

static bool loses_samples(uint32_t cause)
{
    return cause != PL_GAP_LATE && cause != PL_GAP_SUSPEND &&
           cause != PL_GAP_SYNC_FAILED;
}

/* Everything but samples. */
static enum pl_status take_note(struct pl_replay *r, const struct pl_item *item)
{
    switch (item->kind) {
    case PL_ITEM_SESSION:
        return begin_session(r);
    case PL_ITEM_TITLES:
        r->titles_version++;
        break;
    case PL_ITEM_GAPS:
        if (loses_samples(item->gaps.cause))
            unpair(r, PL_CELL_GAP);
        break;
    case PL_ITEM_HOLE:
        unpair(r, PL_CELL_GAP);
        break;
    case PL_ITEM_DAMAGED:
        r->losses.damaged_ranges++;
        r->losses.damaged_bytes += item->len;
        unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_UNREACHABLE:
        r->losses.unreachable++;
        r->losses.too_large += item->too_large;
        unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_TOO_NEW:
        r->losses.too_new++;
        unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_ENDS:
        r->ended = item->ends.reason != PL_END_ROTATED;
        break;
    default:
        break;
    }
    return PL_OK;
}

static bool is_before(const struct pl_window *w, int64_t t)
{
    return w->has_from && t <= w->from_ns;
}

/* Groups of the older sample that the newer one has not were told: free. */
static void drop_departed(struct pl_replay *r)
{
    struct sample *now = &r->samples[r->newer];
    struct sample *older = &r->samples[!r->newer];

    for (size_t i = 0; older->there && i < older->num_instances; i++)
        if (older->instances[i].group->row != now->row)
            pl_registry_drop(r->options.registry, older->instances[i].group);
    older->there = false;
}

/*
 * Forget the older sample, take the newer one in its place, and take 'item'
 * apart as the newer.  A sample before the window only serves as older one.
 */
static enum pl_status take_sample(struct pl_replay *r,
                                  const struct pl_item *item)
{
    enum pl_status s;

    if (!r->host) { /* a sample whose session was never told */
        s = begin_session(r);
        if (s)
            return s;
    }
    if (r->options.want_absent)
        drop_departed(r);
    r->newer = !r->newer;
    if (r->why_unpaired != PL_CELL_GOOD || !r->samples[!r->newer].there)
        unpair(r, PL_CELL_FIRST);
    r->time_ns = pl_row_time(item->record.utc_ns, r->interval_ns);
    r->stepped = item->record.flags & PL_FLAG_CLOCK_STEPPED;
    s = read_block(r, item->block);
    if (s)
        return s;
    if (is_before(&r->options.window, r->time_ns))
        r->why_unpaired = PL_CELL_GOOD;
    else
        r->ready = true;
    return PL_OK;
}

enum pl_status pl_replay_peek(struct pl_replay *r, int64_t *time_ns)
{
    const struct pl_window *w = &r->options.window;
    struct pl_item item;

    while (!r->ready) {
        enum pl_status s = pl_tape_next(&r->tape, &item);

        if (!s && item.kind == PL_ITEM_SAMPLE) {
            /* Clocks may step back, so rows behind the window are passed. */
            s = take_sample(r, &item);
            if (!s && r->ready && w->has_to && r->time_ns > w->to_ns) {
                r->ready = false;
                r->why_unpaired = PL_CELL_GOOD;
            }
        } else if (!s) {
            s = take_note(r, &item);
        }
        if (s)
            return s;
    }
    *time_ns = r->time_ns;
    return PL_OK;
}

/* ---- pairing ------------------------------------------------------------------------ */

static bool same_identity(const struct instance *a, const struct instance *b)
{
    return !memcmp(a->identity, b->identity, sizeof a->identity);
}

static size_t identity_slot(const struct instance *i, size_t cap)
{
    uint64_t h = 0;

    for (size_t k = 0; k < PL_MAX_IDENTITY; k++)
        h = (h ^ i->identity[k]) * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (cap - 1);
}

/* Enter the older object's instances into the table; on first need only. */
static enum pl_status fill_identity_table(struct pl_replay *r,
                                          const struct sample *older,
                                          const struct object *was)
{
    size_t cap = 64;

    while (cap < was->num * 2)
        cap *= 2;
    if (cap > r->identity_cap) {
        uint32_t *grown = realloc(r->identity_table, cap * sizeof *grown);

        if (!grown)
            return PL_NOMEM;
        r->identity_table = grown;
        r->identity_cap = cap;
    }
    memset(r->identity_table, 0xFF,
           r->identity_cap * sizeof *r->identity_table);
    for (size_t i = 0; i < was->num; i++) {
        const struct instance *older_i = &older->instances[was->first + i];
        size_t at = identity_slot(older_i, r->identity_cap);

        while (r->identity_table[at] != UINT32_MAX)
            at = (at + 1) & (r->identity_cap - 1);
        r->identity_table[at] = (uint32_t)(was->first + i);
    }
    r->identity_ready = true;
    return PL_OK;
}

/* The instance of the older sample that 'i' was; NULL: it is new. */
static enum pl_status find_older(struct pl_replay *r, struct sample *older,
                                 const struct object *was,
                                 const struct pl_object_plan *plan,
                                 const struct instance *i,
                                 struct instance **out)
{
    struct instance *same_name = NULL;
    enum pl_status s;

    *out = NULL;
    if (!was)
        return PL_OK;
    if (i->group->older_row == older->row &&
        i->group->older_index < older->num_instances)
        same_name = &older->instances[i->group->older_index];
    if (!plan->num_identity) {
        *out = same_name;
        return PL_OK;
    }
    if (same_name && same_identity(same_name, i)) {
        *out = same_name;
        return PL_OK;
    }
    if (!r->identity_ready) {
        s = fill_identity_table(r, older, was);
        if (s)
            return s;
    }
    for (size_t at = identity_slot(i, r->identity_cap);
         r->identity_table[at] != UINT32_MAX;
         at = (at + 1) & (r->identity_cap - 1)) {
        struct instance *o = &older->instances[r->identity_table[at]];

        if (!o->paired && same_identity(o, i)) {
            *out = o;
            break;
        }
    }
    return PL_OK;
}

/* ---- calculating --------------------------------------------------------------------- */

static bool read_counter(const struct sample *s, const struct object *o,
                         const struct instance *i, const struct pl_planned *c,
                         struct pl_reading *out)
{
    *out = (struct pl_reading){ .size = c->def.size,
                                .perf_time = s->block.perf_time,
                                .perf_freq = s->block.perf_freq,
                                .time_100ns = s->block.perf_time_100ns,
                                .object_time = o->view.perf_time,
                                .object_freq = o->view.perf_freq };
    if (!pl_counter_get(&o->view, &i->view, &c->def, &out->value))
        return false;
    out->has_base =
        c->has_base && pl_counter_get(&o->view, &i->view, &c->base, &out->base);
    out->base_size = c->base.size;
    return true;
}

static bool is_flagged(const struct pl_object_plan *plan,
                       const struct object *o, const struct instance *i,
                       const struct pl_planned *c)
{
    uint64_t flags;

    return plan->has_flags && c->flag_bit < 64 &&
           pl_counter_get(&o->view, &i->view, &plan->flags, &flags) &&
           (flags >> c->flag_bit & 1);
}

/* Where the older reading is to be found, for one instance. */
struct pair {
    const struct object *now, *was;
    const struct instance *newer, *older;
    const struct pl_object_plan *plan, *older_plan;
};

/* The step of one counter of one pair; step->cell says if it is good. */
static void make_step(const struct pl_replay *r, const struct pair *p,
                      const struct pl_planned *c, struct pl_step *step)
{
    const struct sample *now = &r->samples[r->newer];
    const struct sample *older = &r->samples[!r->newer];
    const struct pl_formula *f = c->formula;
    struct pl_reading newer, before;
    const struct pl_reading *use = NULL;
    size_t older_at;

    *step = (struct pl_step){ .cell = PL_CELL_UNSUPPORTED };
    if (!f)
        return;
    if (f->needs_two && (r->why_unpaired == PL_CELL_DAMAGED ||
                         r->why_unpaired == PL_CELL_GAP)) {
        step->cell = r->why_unpaired;
        return;
    }
    if (is_flagged(p->plan, p->now, p->newer, c)) {
        step->cell = PL_CELL_UNREADABLE;
        return;
    }
    if (!read_counter(now, p->now, p->newer, c, &newer))
        return;
    older_at =
        p->plan == p->older_plan ? (size_t)(c - p->plan->counters) : c->older;
    if (f->needs_two && p->older && older_at != SIZE_MAX &&
        r->why_unpaired == PL_CELL_GOOD) {
        const struct pl_planned *was = &p->older_plan->counters[older_at];

        if (is_flagged(p->older_plan, p->was, p->older, was)) {
            step->cell = PL_CELL_UNREADABLE;
            return;
        }
        if (r->stepped && r->foreign_clock && f->clock == PL_CLOCK_100NS) {
            step->cell = PL_CELL_CLOCK_STEP;
            return;
        }
        if (read_counter(older, p->was, p->older, was, &before))
            use = &before;
    }
    pl_step_make(f, use, &newer, &r->options.calc, step);
}

static enum pl_status add_cell(struct pl_replay *r, struct pl_group *g,
                               uint32_t slot, const struct pl_value *v)
{
    if (!grow((void **)&r->cells, &r->cap_cells, r->num_cells,
              sizeof *r->cells))
        return PL_NOMEM;
    r->cells[r->num_cells++] = (struct pl_cell_at){ g, slot, *v };
    return PL_OK;
}

static struct pl_value value_of(const struct pl_replay *r,
                                const struct pl_planned *c,
                                const struct pl_step *step)
{
    struct pl_value v = { .cell = step->cell, .kind = PL_VALUE_NONE };

    if (!c->formula || !pl_cell_has_value(step->cell))
        return v;
    return pl_formula_value(c->formula, step, &r->options.calc);
}

static void add_to_total(struct total *t, const struct pl_step *step)
{
    t->members++;
    if (!pl_cell_has_value(step->cell)) {
        if (t->members == 1)
            t->why = step->cell;
        return;
    }
    if (!t->good++) {
        t->step = *step;
        t->step.cell = PL_CELL_GOOD;
        return;
    }
    t->step.n += step->n;
    t->step.base += step->base;
}

/* A mean over members is the formula over as many times the clock. */
static struct pl_value total_value(const struct pl_replay *r,
                                   const struct pl_planned *c,
                                   const struct total *t)
{
    struct pl_step step = t->step;
    struct pl_value v;
    bool mean = c->total_rule == PL_TOTAL_MEAN;

    if (!t->good) {
        step.cell = t->members ? t->why : PL_CELL_FIRST;
        return value_of(r, c, &step);
    }
    if (mean && c->formula->clock != PL_CLOCK_NONE) {
        if (step.clock > INT64_MAX / (int64_t)t->good)
            step.cell = PL_CELL_UNSUPPORTED;
        else
            step.clock *= (int64_t)t->good;
        return value_of(r, c, &step);
    }
    v = value_of(r, c, &step);
    if (mean) {
        v.number = (v.kind == PL_VALUE_DOUBLE ? v.number : (double)v.integer) /
                   t->good;
        v.kind = PL_VALUE_DOUBLE;
    }
    return v;
}

/* ---- one object of a row --------------------------------------------------------------- */

static bool has_own_total(const struct sample *s, const struct object *o)
{
    for (size_t i = 0; i < o->num; i++) {
        const char *name = s->instances[o->first + i].group->instance;

        if (!name || !strcmp(name, "_Total"))
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
static enum pl_status total_group(struct pl_replay *r,
                                  const struct pl_object_plan *plan,
                                  const struct object *o, struct pl_group **out)
{
    struct sample *now = &r->samples[r->newer];
    enum pl_status s;

    *out = NULL;
    if (o->view.num_instances < 0 || !derives_totals(plan) ||
        has_own_total(now, o))
        return PL_OK;
    pl_buf_clear(&r->name);
    s = find_group(r, plan, "_Total", now->row, out);
    if (s)
        return s;
    if (!(*out)->series)
        *out = NULL;
    return PL_OK;
}

static enum pl_status instance_cells(struct pl_replay *r, const struct pair *p,
                                     const struct pl_group *total)
{
    const struct pl_object_plan *plan = p->plan;
    struct pl_group *g = p->newer->group;

    for (size_t k = 0; k < plan->num_counters; k++) {
        const struct pl_planned *c = &plan->counters[k];
        struct pl_series *series = pl_group_series(g, c->slot);
        bool counts = total && c->total_rule != PL_TOTAL_NONE &&
                      pl_group_series(total, c->slot);
        struct pl_step step;

        if (!series && !counts)
            continue;
        if (series)
            series->present = true;
        if (r->options.names_only)
            continue;
        make_step(r, p, c, &step);
        if (counts)
            add_to_total(&r->totals[k], &step);
        if (series) {
            struct pl_value v = value_of(r, c, &step);
            enum pl_status s = add_cell(r, g, c->slot, &v);

            if (s)
                return s;
        }
    }
    return PL_OK;
}

static enum pl_status total_cells(struct pl_replay *r,
                                  const struct pl_object_plan *plan,
                                  struct pl_group *total)
{
    for (size_t k = 0; k < plan->num_counters; k++) {
        const struct pl_planned *c = &plan->counters[k];
        struct pl_series *series = pl_group_series(total, c->slot);
        struct pl_value v;
        enum pl_status s;

        if (!series || c->total_rule == PL_TOTAL_NONE || !c->formula)
            continue;
        series->present = true;
        if (r->options.names_only)
            continue;
        v = total_value(r, c, &r->totals[k]);
        s = add_cell(r, total, c->slot, &v);
        if (s)
            return s;
    }
    return PL_OK;
}

static const struct planned *planned_of(const struct pl_replay *r,
                                        uint32_t title)
{
    for (size_t i = 0; i < r->num_planned; i++)
        if (r->planned[i].title_index == title)
            return &r->planned[i];
    return NULL;
}

static enum pl_status clear_totals(struct pl_replay *r, size_t num)
{
    if (num > r->cap_totals) {
        struct total *grown = realloc(r->totals, num * sizeof *grown);

        if (!grown)
            return PL_NOMEM;
        r->totals = grown;
        r->cap_totals = num;
    }
    memset(r->totals, 0, num * sizeof *r->totals);
    return PL_OK;
}

static enum pl_status object_cells(struct pl_replay *r, const struct object *o)
{
    struct sample *now = &r->samples[r->newer];
    struct sample *older = &r->samples[!r->newer];
    const struct planned *planned = planned_of(r, o->view.title_index);
    struct pair p = { .now = o,
                      .was = find_object(older, o->view.title_index),
                      .plan = &planned->plans[o->plan] };
    struct pl_group *total;
    enum pl_status s;

    if (p.was)
        p.older_plan = &planned->plans[p.was->plan];
    r->identity_ready = false;
    s = total_group(r, p.plan, o, &total);
    if (!s && total)
        s = clear_totals(r, p.plan->num_counters);
    if (s)
        return s;
    for (size_t i = 0; i < o->num && !s; i++) {
        struct instance *older_i = NULL;

        p.newer = &now->instances[o->first + i];
        if (!r->options.names_only && older->there)
            s = find_older(r, older, p.was, p.plan, p.newer, &older_i);
        if (older_i)
            older_i->paired = true;
        p.older = older_i;
        if (!s)
            s = instance_cells(r, &p, total);
    }
    if (!s && total && o->num)
        s = total_cells(r, p.plan, total);
    return s;
}

/* Series of the older sample that have gone: told once, then forgotten. */
static enum pl_status absent_cells(struct pl_replay *r)
{
    struct sample *now = &r->samples[r->newer];
    struct sample *older = &r->samples[!r->newer];

    for (size_t i = 0; older->there && i < older->num_instances; i++) {
        struct instance *o = &older->instances[i];
        struct pl_group *g = o->group;
        struct pl_value v = { .cell = PL_CELL_ABSENT };

        if (g->row == now->row)
            continue;
        for (uint32_t slot = 0; !o->paired && slot < g->num_slots; slot++) {
            enum pl_status s;

            if (!pl_group_series(g, slot) || !g->series[slot].present)
                continue;
            s = add_cell(r, g, slot, &v);
            if (s)
                return s;
        }
    }
    return PL_OK;
}

enum pl_status pl_replay_row(struct pl_replay *r, struct pl_row *row)
{
    const struct sample *now = &r->samples[r->newer];
    enum pl_status s = PL_OK;

    r->num_cells = 0;
    for (size_t i = 0; i < now->num_objects && !s; i++)
        s = object_cells(r, &now->objects[i]);
    if (!s && r->options.want_absent)
        s = absent_cells(r);
    r->ready = false;
    r->why_unpaired = PL_CELL_GOOD;
    *row = (struct pl_row){ .time_ns = r->time_ns,
                            .cells = r->cells,
                            .num_cells = r->num_cells };
    return s;
}

/* ---- questions ------------------------------------------------------------------------- */

const struct pl_replay_losses *pl_replay_losses(const struct pl_replay *r)
{
    return &r->losses;
}

const char *pl_replay_path(const struct pl_replay *r)
{
    return pl_tape_path(&r->tape);
}

uint64_t pl_replay_position(const struct pl_replay *r)
{
    return r->tape.bytes_before + pl_reader_position(r->tape.reader);
}

uint64_t pl_replay_interval(const struct pl_replay *r)
{
    return r->interval_ns;
}

bool pl_replay_has_ended(struct pl_replay *r)
{
    /* A recorder that was killed wrote no end, and holds no lock. */
    return r->ended || (!r->tape.rotated && !pl_reader_is_live(r->tape.reader));
}
