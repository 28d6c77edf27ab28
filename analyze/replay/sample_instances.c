/* Finds the group of each instance. */
#include "analyze/replay/sample_instances.h"

#include "analyze/replay/sample_series.h"
#include "format/base/array.h"

#include <string.h>

/* How many of the older instances in a row are looked past as having gone. */
enum { MOST_GONE = 2 };

/* ---- names and groups ----------------------------------------------------- */

/* "#n" and a NUL.  Names get other numbers often, and printing takes longest. */
static void put_number(struct pl_buf *name, uint32_t n)
{
    char text[12], *p = text + sizeof text;

    *--p = 0;
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    *--p = '#';
    pl_buf_bytes(name, p, (size_t)(text + sizeof text - p));
}

/*
 * As pl_sample_view_group; 'known': the group called 'name' without a number,
 * NULL if it has to be looked up.
 */
static enum pl_status take_group(struct pl_sample_view *samples,
                                 const struct pl_counter_plan *plan,
                                 const char *name, struct pl_group *known,
                                 uint64_t row, struct pl_group **out)
{
    size_t len = samples->name.len;
    struct pl_group *g = known, *plain = NULL;
    uint32_t n;
    bool made;

    for (n = 0;; n++) {
        if (n) {
            samples->name.len = len;
            put_number(&samples->name, n);
            if (samples->name.oom)
                return PL_NOMEM;
            name = (const char *)samples->name.p;
        }
        if (n || !g)
            g = pl_registry_group(samples->registry, samples->host, plan->names,
                                  name, &made);
        if (!g)
            return PL_NOMEM;
        if (g->place.row != row && g->total_of != samples->serial)
            break;
        if (samples->made_up && g->place.title != plan->title_index) {
            g->shared = true;
            break;
        }
        if (!n) {
            plain = g;
            if (plain->numbers.row == row)
                n = plain->numbers.last; /* lower numbers are taken */
        }
    }
    if (plain) {
        plain->numbers.row = row;
        plain->numbers.last = n;
    }
    g->numbered = len != samples->name.len;
    g->plain = plain;
    g->numbers.own = n;
    if (g->num_slots < plan->names->num_counters) {
        enum pl_status s = pl_sample_series_choose(samples, g);

        if (s)
            return s;
    }
    *out = g;
    return PL_OK;
}

enum pl_status pl_sample_view_group(struct pl_sample_view *samples,
                                    const struct pl_counter_plan *plan,
                                    const char *name, uint64_t row,
                                    struct pl_group **out)
{
    return take_group(samples, plan, name, NULL, row, out);
}

enum pl_status pl_instance_spell(struct pl_instance_parents *parents,
                                 struct pl_codepages *pages,
                                 struct pl_buf *name,
                                 const struct pl_block *block,
                                 const struct pl_object *o,
                                 const struct pl_instance *i)
{
    enum pl_status s = PL_OK;

    pl_buf_clear(name);
    if (i->parent_object) {
        s = pl_instance_parents_name(parents, pages, block, i->parent_object,
                                     i->parent_instance, name);
        pl_buf_u8(name, '/');
    }
    pl_instance_name(pages, name, o, i);
    pl_buf_u8(name, 0);
    if (s || name->oom)
        return PL_NOMEM;
    name->len--;
    return PL_OK;
}

/* The group of an instance whose name must be spelled out. */
static enum pl_status find_group(struct pl_sample_view *samples,
                                 const struct pl_sampled_object *o,
                                 const struct pl_instance *view,
                                 struct pl_group **out)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    const char *name = NULL;
    enum pl_status s = PL_OK;

    pl_buf_clear(&samples->name);
    if (view->name) {
        s = pl_instance_spell(&samples->parents, &samples->pages,
                              &samples->name, &now->block, &o->view, view);
        name = (const char *)samples->name.p;
    }
    return s ? s : pl_sample_view_group(samples, o->plan, name, now->row, out);
}

/* Another session may be of another host, or name the object differently. */
static bool is_of_object(const struct pl_sample_view *samples,
                         const struct pl_sampled_object *o,
                         const struct pl_group *g)
{
    return g->host == samples->host && g->object == o->plan->names &&
           g->num_slots >= o->plan->names->num_counters;
}

/* Is the instance surely called 'name', which is not empty? */
static bool is_called(const struct pl_object *o, const struct pl_instance *view,
                      const char *name)
{
    size_t at = 0;

    if (o->code_page || o->big_endian || !*name)
        return false;
    for (; at + 2 <= view->name_len; at += 2, name++) {
        const uint16_t c = pl_get_le16(view->name + at);

        if (!c || c > 0x7F || c != (uint8_t)*name)
            return !c && !*name;
    }
    return at == view->name_len && !*name;
}

/* Is the instance surely called what 'plain' is? */
static bool is_named_like(const struct pl_sample_view *samples,
                          const struct pl_sampled_object *o,
                          const struct pl_instance *view,
                          const struct pl_group *plain)
{
    return !samples->made_up && is_of_object(samples, o, plain) &&
           plain->instance && is_called(&o->view, view, plain->instance);
}

/* Its group then.  That may have a number, if 'plain' is taken. */
static enum pl_status find_number(struct pl_sample_view *samples,
                                  const struct pl_sampled_object *o,
                                  struct pl_group *plain, struct pl_group **out)
{
    pl_buf_clear(&samples->name);
    pl_buf_bytes(&samples->name, plain->instance, strlen(plain->instance) + 1);
    if (samples->name.oom)
        return PL_NOMEM;
    samples->name.len--;
    return take_group(samples, o->plan, plain->instance, plain,
                      pl_sample_view_now(samples)->row, out);
}

/*
 * The same as find_group for an instance that is stored as one of group 'g' was in
 * the older sample.  Where one of equal names has gone, or one more has come, it has
 * the same name with another number, so its group without one need not be searched.
 */
static enum pl_status find_like(struct pl_sample_view *samples,
                                const struct pl_sampled_object *o,
                                const struct pl_instance *view,
                                struct pl_group *g, struct pl_group **out)
{
    struct pl_group *plain = g->numbered ? g->plain : g;

    return is_named_like(samples, o, view, plain)
               ? find_number(samples, o, plain, out)
               : find_group(samples, o, view, out);
}

/*
 * Names equal to others get numbers in the order of the instances.  True if this
 * one would get the number that it had: the one before it was the last.
 */
static bool has_same_number(const struct pl_group *g, uint64_t row)
{
    const struct pl_group_numbers *n = &g->plain->numbers;

    return g->plain->place.row == row &&
           g->numbers.own == (n->row == row ? n->last : 0) + 1;
}

static void keep_number(struct pl_group *g, uint64_t row)
{
    g->plain->numbers.row = row;
    g->plain->numbers.last = g->numbers.own;
}

/*
 * An instance nearly always follows the same instance as in the older sample;
 * then its group is found without spelling its name.  'view' is stored as the
 * older one, 'g' is the group of that.
 */
static bool keeps_group(const struct pl_sample_view *samples,
                        const struct pl_sampled_object *o,
                        const struct pl_instance *view, struct pl_group *g)
{
    const uint64_t row = samples->samples[samples->newer].row;

    if (!is_of_object(samples, o, g) || view->parent_object)
        return false;
    if (g->place.row == row &&
        (!g->shared || g->place.title != o->plan->title_index))
        return false;
    if (!g->numbered)
        return true;
    if (samples->made_up || !has_same_number(g, row))
        return false;
    keep_number(g, row);
    return true;
}

/* ---- one instance --------------------------------------------------------- */

/*
 * Note where a group stands in this sample, and its place in the previous one.
 */
static void place_group(struct pl_group *g, uint64_t row, size_t index,
                        uint32_t title)
{
    g->place.title = title;
    if (g->place.row == row)
        return; /* in another object of that name */
    g->place.older_row = g->place.row;
    g->place.older_index = g->place.index;
    g->place.row = row;
    g->place.index = (uint32_t)index;
}

/*
 * A sum has no identity but its name: Windows gives Process(_Total) a start
 * that is the object's clock, so a different one in each sample.
 */
static inline void read_identity(const struct pl_counter_plan *plan,
                                 const struct pl_object *o,
                                 struct pl_sampled_instance *i)
{
    memset(i->identity, 0, sizeof i->identity);
    if (!plan->num_identity || i->group->is_total) {
        i->identity[0] = (uint64_t)(uintptr_t)i->group;
        return;
    }
    if (!o->big_endian && plan->identity_len &&
        i->view.block_len >= plan->identity_len) {
        for (size_t k = 0; k < plan->num_identity; k++)
            i->identity[k] =
                pl_quick_load(i->view.block + plan->identity[k].offset,
                              plan->identity[k].size);
        return;
    }
    for (size_t k = 0; k < plan->num_identity; k++)
        pl_counter_get(o, &i->view, &plan->identity[k], &i->identity[k]);
}

void pl_sampled_identity_read(const struct pl_counter_plan *plan,
                              const struct pl_object *o,
                              struct pl_sampled_instance *i)
{
    read_identity(plan, o, i);
}

/* An object of the newer sample, and its counterpart in the older one. */
struct counterpart {
    const struct pl_sample *older;
    const struct pl_sampled_object *was; /* NULL: nothing comparable */
    size_t expected;                     /* the older instance expected next */
    size_t remembered;                   /* the same of remembered groups */
};

/*
 * The older instance that is expected next, or 'later' instances after it; NULL:
 * none.
 */
static const struct pl_sampled_instance *expected(const struct counterpart *c,
                                                  size_t later)
{
    const size_t at = c->expected + later;

    return c->was && at < c->was->num ? &c->older->instances[c->was->first + at]
                                      : NULL;
}

/*
 * The group of an instance that the older sample does not have; that of a sparse
 * object mostly has the one that is expected.
 */
static enum pl_status find_new(struct pl_sample_view *samples,
                               const struct pl_sampled_object *o,
                               const struct pl_instance *view,
                               struct counterpart *c, struct pl_group **g)
{
    const struct pl_remembered_groups *r = &samples->remembered;

    for (size_t at = c->remembered;
         at < r->num && at <= c->remembered + MOST_GONE; at++) {
        struct pl_group *plain = r->groups[at].plain;

        if (view->parent_object || !is_named_like(samples, o, view, plain))
            continue;
        c->remembered = at + 1;
        return find_number(samples, o, plain, g);
    }
    return find_group(samples, o, view, g);
}

/* The next instance and its group. */
static enum pl_status
next_instance(struct pl_sample_view *samples, const struct pl_sampled_object *o,
              struct pl_object *walk, struct counterpart *c,
              struct pl_instance *view, struct pl_group **g)
{
    enum pl_status s;

    for (size_t later = 0; later <= MOST_GONE; later++) {
        const struct pl_sampled_instance *was = expected(c, later);

        if (!was || !pl_instance_next_like(walk, &was->view, view))
            continue;
        *g = was->group;
        return keeps_group(samples, o, view, was->group)
                   ? PL_OK
                   : find_like(samples, o, view, was->group, g);
    }
    s = pl_instance_next(walk, view);
    return s ? s : find_new(samples, o, view, c, g);
}

/* ---- all instances -------------------------------------------------------- */

/*
 * The fast path of read_instances: instances that follow each other as in the
 * older sample, are stored as there, and keep their groups, which hold nothing
 * else.  What read_instances does with each of them is done, as far as it is not
 * the same for all of them.  It ends at the first one of which any of this is
 * not so.  There is room for all of the older object's.
 */
static void read_run(struct pl_sample_view *samples,
                     struct pl_sampled_object *o, struct pl_object *walk,
                     struct counterpart *c)
{
    struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sampled_instance *was = expected(c, 0);
    const struct pl_sampled_instance *end =
        was ? was + (c->was->num - c->expected) : NULL;
    struct pl_sampled_instance *i = &now->instances[now->num_instances];
    const struct pl_host *host = samples->host;
    const struct pl_object_names *names = o->plan->names;
    const uint64_t row = now->row, older_row = c->older->row;
    const uint32_t num_slots = names->num_counters;
    const bool is_signed = samples->frame.known;
    uint32_t at = (uint32_t)now->num_instances;
    bool has_total = false;
    size_t num;

    for (; was < end; was++, i++, at++) {
        struct pl_group *g = was->group;

        if (g->place.row != older_row || g->shared || was->view.parent_object ||
            g->host != host || g->object != names || g->num_slots < num_slots ||
            (g->numbered && (samples->made_up || !has_same_number(g, row))) ||
            !pl_instance_next_like(walk, &was->view, &i->view))
            break;
        if (g->numbered)
            keep_number(g, row);
        if (is_signed)
            pl_block_signature_instance(&samples->frame, &now->block, &i->view);
        i->group = g;
        i->paired = false;
        has_total |= g->is_total;
        place_group(g, row, at, o->plan->title_index);
        g->held++;
        read_identity(o->plan, walk, i);
    }
    num = at - now->num_instances;
    now->num_instances += num;
    o->num += num;
    o->has_own_total |= has_total;
    c->expected += num;
}

enum pl_status pl_sample_instances_read(struct pl_sample_view *samples,
                                        struct pl_sampled_object *o,
                                        const struct pl_sampled_object *was,
                                        bool *whole)
{
    struct pl_sample *now = pl_sample_view_now(samples);
    struct counterpart c = { .older = pl_sample_view_older(samples),
                             .was = was };
    struct pl_object walk = o->view;
    enum pl_status s;

    o->first = now->num_instances;
    for (;;) {
        struct pl_sampled_instance *i;
        struct pl_group *g;

        if (!pl_array_reserve((void **)&now->instances, &now->cap_instances,
                              now->num_instances + 1 + (was ? was->num : 0),
                              sizeof *i))
            return PL_NOMEM;
        read_run(samples, o, &walk, &c);
        i = &now->instances[now->num_instances];
        s = next_instance(samples, o, &walk, &c, &i->view, &g);
        if (s == PL_NOMEM)
            return s;
        if (s)
            break;
        if (samples->frame.known)
            pl_block_signature_instance(&samples->frame, &now->block, &i->view);
        samples->frame.known &= !i->view.parent_object; /* which has a name */
        i->group = g;
        i->paired = false;
        o->has_own_total |= !g->instance || g->is_total;
        place_group(g, now->row, now->num_instances, o->plan->title_index);
        g->held++;
        if (g->shared)
            c.expected++;
        else if (g->place.older_row == c.older->row && c.was)
            c.expected = g->place.older_index - c.was->first + 1;
        read_identity(o->plan, &walk, i);
        now->num_instances++;
        o->num++;
        samples->same_order = samples->same_order && c.expected == o->num;
    }
    pl_block_signature_bytes(
        &samples->frame, walk.at + walk.len - walk.data.left, walk.data.left);
    *whole = *whole && s == PL_END;
    return PL_OK;
}
