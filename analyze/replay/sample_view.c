/* Parses blocks into named objects and instances. */
#include "analyze/replay/sample_view.h"

#include "analyze/replay/sample_instances.h"
#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PLANNED = 2 * PL_MAX_OBJECTS };
/*
 * What has no series is in no result.  Some names of such are kept, since
 * messages suggest near ones, but not all of a day of short processes.
 */
enum { MOST_NAMES = 10000 };

/* Changes in a row after which the layout of samples is no longer noted. */
enum { RESTLESS = 1 };

/* ---- plans and groups ------------------------------------------------------------ */

static struct pl_planned_object *find_planned(struct pl_sample_view *samples,
                                              uint32_t title)
{
    uint32_t at = pl_u32_map_get(&samples->by_title, title);
    size_t num = samples->num_planned;

    if (at != PL_NO_PLACE)
        return &samples->planned[at];
    if (!pl_array_grow((void **)&samples->planned, &samples->cap_planned, num,
                       sizeof *samples->planned) ||
        pl_u32_map_add(&samples->by_title, title, (uint32_t)num))
        return NULL;
    samples->planned[num] = (struct pl_planned_object){ .title_index = title };
    samples->num_planned++;
    return &samples->planned[num];
}

static void release_planned(struct pl_planned_object *p)
{
    for (size_t k = 0; k < 2; k++)
        if (p->plans[k]) {
            pl_counter_plan_release(p->plans[k]);
            free(p->plans[k]);
        }
}

/*
 * Two samples never have more objects than this, but a long log may: then the
 * plans of objects that the previous sample did not have are dropped.
 */
static enum pl_status forget_planned(struct pl_sample_view *samples)
{
    uint64_t newest = pl_sample_view_now(samples)->row;
    size_t kept = 0;

    if (samples->num_planned <= MAX_PLANNED)
        return PL_OK;
    pl_u32_map_clear(&samples->by_title);
    for (size_t i = 0; i < samples->num_planned; i++) {
        struct pl_planned_object *p = &samples->planned[i];

        if (p->row != newest) {
            release_planned(p);
            continue;
        }
        if (pl_u32_map_add(&samples->by_title, p->title_index, (uint32_t)kept))
            return PL_NOMEM;
        samples->planned[kept++] = *p;
    }
    samples->num_planned = kept;
    return PL_OK;
}

/* The plan for the object's definitions, made again if they have changed. */
static enum pl_status plan_object(struct pl_sample_view *samples,
                                  struct pl_planned_object *p,
                                  const struct pl_object *o)
{
    struct pl_counter_plan *now = p->plans[p->now], *other;
    enum pl_status s;

    if (now && now->names && p->titles_version == samples->titles_version &&
        pl_counter_plan_fits(now, o))
        return PL_OK;
    other = p->plans[!p->now];
    if (!other)
        other = p->plans[!p->now] = calloc(1, sizeof *other);
    if (!other)
        return PL_NOMEM;
    pl_counter_plan_release(other);
    s = pl_counter_plan_make(other, o, samples->titles, samples->registry);
    if (s)
        return s;
    p->now = !p->now;
    p->titles_version = samples->titles_version;
    p->wanted = pl_series_filter_has_object(
        &samples->choice, samples->host->name, other->names->name);
    p->sparse = samples->sparse.every > 1 &&
                !strcmp(other->names->name, samples->sparse.name);
    if (samples->choice.top)
        other->names->rank_slot =
            pl_series_filter_rank_slot(&samples->choice, other->names);
    return pl_counter_plan_link(other, now && now->names ? now : NULL);
}

/* ---- groups that nothing holds -------------------------------------------- */

/*
 * May a group be dropped that nothing holds any more?  Those that are added to a
 * sum of their key are not shown, and may be very many.
 */
static bool may_be_dropped(const struct pl_sample_view *samples,
                           const struct pl_group *g)
{
    if (g->derived)
        return false;
    return samples->forget || (g->other && g->other->gathered) ||
           (!g->series && samples->registry->num_groups > MOST_NAMES);
}

static void let_go(struct pl_sample_view *samples, struct pl_group *g)
{
    if (!--g->held && may_be_dropped(samples, g))
        pl_registry_drop(samples->registry, g);
}

/* ---- objects that few samples are read of -------------------------------- */

static bool is_due(const struct pl_sparse_object *s, uint64_t block)
{
    return s->every > 1 && block % s->every == 1;
}

/* True if the newer sample and the one before it have the same objects. */
static bool has_same_objects(const struct pl_sample_view *samples)
{
    return !is_due(&samples->sparse, samples->blocks) &&
           !is_due(&samples->sparse, samples->blocks - 1);
}

static void forget_groups(struct pl_sample_view *samples)
{
    struct pl_remembered_groups *r = &samples->remembered;

    for (size_t i = 0; i < r->num; i++) {
        let_go(samples, r->groups[i].group);
        let_go(samples, r->groups[i].plain);
    }
    r->num = 0;
}

/* Those of 'o', an object of the newer sample.  PL_NOMEM. */
static enum pl_status remember_groups(struct pl_sample_view *samples,
                                      const struct pl_sampled_object *o)
{
    struct pl_remembered_groups *r = &samples->remembered;
    const struct pl_sampled_instance *i =
        pl_sample_view_now(samples)->instances + o->first;

    forget_groups(samples); /* the sample holds those that are there again */
    if (!pl_array_reserve((void **)&r->groups, &r->cap, o->num,
                          sizeof *r->groups))
        return PL_NOMEM;
    for (; r->num < o->num; r->num++) {
        struct pl_group *g = i[r->num].group;
        struct pl_group *plain = g->numbered ? g->plain : g;

        r->groups[r->num] = (struct pl_remembered_group){ g, plain };
        g->held++;
        plain->held++;
    }
    return PL_OK;
}

/* ---- parsing a sample ---------------------------------------------------- */

const struct pl_sampled_object *pl_sample_object(const struct pl_sample *s,
                                                 uint32_t title)
{
    uint32_t at = s->there ? pl_u32_map_get(&s->by_title, title) : PL_NO_PLACE;

    return at == PL_NO_PLACE ? NULL : &s->objects[at];
}

/* Do equal bytes of titles mean equal names in both? */
static bool has_same_names(const struct pl_sampled_object *was,
                           const struct pl_sampled_object *o)
{
    return was->view.code_page == o->view.code_page &&
           was->view.big_endian == o->view.big_endian;
}

/*
 * One object of the newer sample, unless it is not wanted.  *whole becomes
 * false if a part of it is inconsistent.
 */
static enum pl_status read_object(struct pl_sample_view *samples,
                                  const struct pl_object *view, bool *whole)
{
    struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sample *older = pl_sample_view_older(samples);
    struct pl_planned_object *p = find_planned(samples, view->title_index);
    struct pl_sampled_object *o;
    const struct pl_sampled_object *was;
    enum pl_status s;

    if (!p || !pl_array_grow((void **)&now->objects, &now->cap_objects,
                             now->num_objects, sizeof *o))
        return PL_NOMEM;
    p->row = now->row;
    s = plan_object(samples, p, view);
    if (s || !p->wanted ||
        (p->sparse && !is_due(&samples->sparse, samples->blocks)))
        return s;
    s = pl_u32_map_add(&now->by_title, view->title_index,
                       (uint32_t)now->num_objects);
    if (s)
        return s;
    o = &now->objects[now->num_objects];
    *o = (struct pl_sampled_object){ .view = *view, .plan = p->plans[p->now] };
    *whole = *whole && !o->plan->incomplete;
    pl_block_signature_definitions(&samples->frame, view);
    was = pl_sample_object(older, view->title_index);
    if (was && !has_same_names(was, o))
        was = NULL;
    samples->same_order =
        samples->same_order && was && was == &older->objects[now->num_objects];
    s = pl_sample_instances_read(samples, o, was, whole);
    if (!s && p->sparse)
        s = remember_groups(samples, o);
    samples->same_order = samples->same_order && o->num == was->num;
    now->num_objects++;
    return s;
}

/*
 * Empty a sample.  Groups that nothing holds any more are dropped; another log
 * of the same host may still hold some.
 */
static void empty_sample(struct pl_sample_view *samples, struct pl_sample *s)
{
    for (size_t i = 0; i < s->num_instances; i++)
        let_go(samples, s->instances[i].group);
    s->num_objects = s->num_instances = 0;
    pl_u32_map_clear(&s->by_title);
    s->there = false;
}

/*
 * True if the next block has the layout of the newer one, and the same titles
 * and filter results.
 */
static bool has_same_layout(struct pl_sample_view *samples,
                            const struct pl_block *next)
{
    const struct pl_block *now = &pl_sample_view_now(samples)->block;

    return samples->frame_titles == samples->titles_version &&
           has_same_objects(samples) && now->len == next->len &&
           pl_block_signature_is_same(&samples->frame, now->bytes, next->bytes);
}

/*
 * Use the next block as the newer sample when both samples have its layout: the
 * older one's views then fit it but for clocks and identities.  The samples
 * exchange their row numbers, so that the groups' places stay valid.
 */
static void read_same_layout(struct pl_sample_view *samples,
                             const struct pl_block *next)
{
    struct pl_sample *was = pl_sample_view_now(samples);
    struct pl_sample *now = pl_sample_view_older(samples);
    uint64_t row = was->row;

    samples->newer = !samples->newer;
    was->row = now->row;
    now->row = row;
    now->block = *next;
    for (size_t k = 0; k < now->num_objects; k++) {
        struct pl_sampled_object *o = &now->objects[k];

        pl_object_read_clock(&o->view);
        for (size_t n = 0; n < o->num; n++) {
            struct pl_sampled_instance *i = &now->instances[o->first + n];

            i->paired = false;
            if (o->plan->num_identity)
                pl_sampled_identity_read(o->plan, &o->view, i);
        }
    }
}

/* Has the sample just read another layout than the one before, as it seems? */
static void note_change(struct pl_sample_view *samples)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sample *older = pl_sample_view_older(samples);

    if (samples->same_order && older->num_objects == now->num_objects &&
        older->block.len == now->block.len)
        samples->restless = 0;
    else if (samples->restless < RESTLESS)
        samples->restless++;
}

enum pl_status pl_sample_view_read(struct pl_sample_view *samples,
                                   const struct pl_buf *block)
{
    struct pl_sample *now;
    struct pl_block next, walk;
    struct pl_object view;
    bool whole = true, same;
    enum pl_status s = forget_planned(samples), parsed;

    if (s)
        return s;
    samples->registry->bytes += block->len;
    samples->serial = ++samples->registry->serial;
    samples->blocks++;
    parsed = pl_block_parse(&next, block->p, block->len);
    same = !parsed && has_same_layout(samples, &next);
    if (same && samples->same_layout &&
        pl_sample_view_older(samples)->block.bytes == next.bytes) {
        read_same_layout(samples, &next);
        return PL_OK;
    }
    samples->newer = !samples->newer;
    pl_instance_parents_forget(&samples->parents);
    now = pl_sample_view_now(samples);
    empty_sample(samples, now);
    now->there = true;
    now->row = ++samples->registry->row;
    samples->crowded = false;
    samples->same_order = true;
    now->block = walk = next;
    pl_block_signature_begin(&samples->frame, &next);
    samples->frame.known &= samples->restless < RESTLESS;
    samples->frame_titles = samples->titles_version;
    s = parsed;
    while (!s && !(s = pl_object_next(&walk, &view))) {
        pl_block_signature_header(&samples->frame, &view);
        if (pl_sample_object(now, view.title_index))
            continue; /* the same object twice: the first one is kept */
        s = read_object(samples, &view, &whole);
    }
    if (s == PL_NOMEM)
        return s;
    pl_block_signature_bytes(&samples->frame, walk.len - walk.rest.left,
                             walk.rest.left);
    samples->frame.known &=
        s == PL_END && whole && !samples->crowded && !samples->made_up;
    samples->same_layout = same && samples->frame.known;
    note_change(samples);
    samples->malformed += s != PL_END || !whole;
    samples->overfull += samples->crowded;
    return PL_OK;
}

void pl_sample_view_forget(struct pl_sample_view *samples)
{
    for (size_t i = 0; i < 2; i++) {
        samples->samples[i].there = false;
        samples->samples[i].row = ++samples->registry->row;
    }
    samples->frame.known = samples->same_layout = false;
}

void pl_sample_view_release(struct pl_sample_view *samples)
{
    for (size_t i = 0; i < samples->num_planned; i++)
        release_planned(&samples->planned[i]);
    pl_u32_map_release(&samples->by_title);
    for (size_t i = 0; i < 2; i++) {
        empty_sample(samples, &samples->samples[i]);
        free(samples->samples[i].objects);
        free(samples->samples[i].instances);
        pl_u32_map_release(&samples->samples[i].by_title);
    }
    forget_groups(samples);
    free(samples->remembered.groups);
    free(samples->planned);
    pl_block_signature_release(&samples->frame);
    pl_buf_release(&samples->name);
    pl_codepages_release(&samples->pages);
    pl_instance_parents_release(&samples->parents);
}
