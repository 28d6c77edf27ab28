/* Filters the objects of a query's result into a sample. */
#include "logger/windows/intake.h"

#include "format/base/array.h"
#include "format/block/block_subset.h"
#include "logger/windows/self.h"

#include <stdlib.h>

enum { NUM_LISTS = 2 };

void pl_intake_begin(struct pl_intake *t)
{
    t->num_objects = 0;
    t->instances = 0;
}

void pl_intake_release(struct pl_intake *t)
{
    free(t->objects);
    free(t->kept);
    *t = (struct pl_intake){ 0 };
}

static bool is_there(const struct pl_intake *t, uint32_t index)
{
    for (size_t i = 0; i < t->num_objects; i++)
        if (t->objects[i] == index)
            return true;
    return false;
}

static enum pl_status add_index(struct pl_intake *t, uint32_t index)
{
    if (!pl_array_grow((void **)&t->objects, &t->cap_objects, t->num_objects,
                       sizeof *t->objects))
        return PL_NOMEM;
    t->objects[t->num_objects++] = index;
    return PL_OK;
}

bool pl_intake_has(const struct pl_intake *t, struct pl_text name)
{
    const struct pl_title_text *lists = t->labels->names.lists;

    for (size_t i = 0; i < t->num_objects; i++)
        for (size_t l = 0; l < NUM_LISTS; l++)
            if (pl_text_equal(pl_title_text_find(&lists[l], t->objects[i]),
                              name))
                return true;
    return false;
}

/* True if instances of 'o' belong to those of 'index'; of Windows' objects all
 * belong to the same. */
static bool belongs_to(const struct pl_intake_from *from, struct pl_object o,
                       uint32_t index)
{
    struct pl_instance i;

    while (o.num_instances > 0 && !pl_instance_next(&o, &i)) {
        if (i.parent_object == index)
            return true;
        if (!from->ours)
            break;
    }
    return false;
}

/* True if an object that is named has 'index' for its parent. */
static bool is_parent(const struct pl_intake *t,
                      const struct pl_intake_from *from, uint32_t index)
{
    struct pl_block block;
    struct pl_object o;

    if (pl_block_parse(&block, from->block->p, from->block->len))
        return false;
    while (!pl_object_next(&block, &o))
        if (o.title_index != index &&
            pl_counter_filter_object(t->choice, &t->labels->names, o) &&
            belongs_to(from, o, index))
            return true;
    return false;
}

static bool is_wanted(const struct pl_intake *t,
                      const struct pl_intake_from *from,
                      const struct pl_object *o)
{
    return !from->by_paths ||
           pl_counter_filter_object(t->choice, &t->labels->names, *o) ||
           is_parent(t, from, o->title_index);
}

/* Add the counters that are named; what comes for its instances comes whole. */
static enum pl_status put_counters(struct pl_intake *t,
                                   const struct pl_intake_from *from,
                                   struct pl_buf *out,
                                   const struct pl_block *block,
                                   const struct pl_object *o)
{
    enum pl_status status = PL_CORRUPT;

    if (!pl_array_reserve((void **)&t->kept, &t->cap_kept, o->num_counters,
                          sizeof *t->kept))
        return PL_NOMEM;
    if (from->by_paths &&
        pl_counter_filter_object(t->choice, &t->labels->names, *o) &&
        !pl_counter_filter_keep(t->choice, &t->labels->names, t->labels->titles,
                                *o, t->kept))
        status = pl_block_subset_object(out, block, o, t->kept, NULL);
    if (status != PL_CORRUPT)
        return status;
    pl_block_subset_whole(out, block,
                          o); /* all of it, or nothing adds up in it */
    return PL_OK;
}

static bool is_ours(uint32_t index)
{
    return index >= PL_SELF_FIRST && index <= PL_SELF_LAST;
}

/* Does the object use a title index of perflog's own? */
static bool has_ours(struct pl_object o)
{
    struct pl_counter_def c;

    if (is_ours(o.title_index))
        return true;
    while (!pl_counter_next(&o, &c))
        if (is_ours(c.title_index))
            return true;
    return false;
}

static enum pl_status take_object(struct pl_intake *t,
                                  const struct pl_intake_from *from,
                                  struct pl_buf *out,
                                  const struct pl_block *block,
                                  const struct pl_object *o)
{
    enum pl_status status = add_index(t, o->title_index);

    if (status)
        return status;
    t->titles_taken = t->titles_taken || (!from->ours && has_ours(*o));
    status = put_counters(t, from, out, block, o);
    if (o->num_instances > 0)
        t->instances += (uint64_t)o->num_instances;
    return status ? status : pl_labels_object(t->labels, *o);
}

bool pl_intake_is_usual(const struct pl_block *block)
{
    return !block->big_endian && block->revision;
}

/* The first misfit in words, whichever walk has met it. */
static struct pl_misfit misfit_of(const struct pl_block *block,
                                  enum pl_status walk)
{
    struct pl_misfit m = block->misfit;

    if (walk == PL_UNSUPPORTED)
        return (
            struct pl_misfit){ 0, "its byte order or revision is another one" };
    if (!m.at)
        m.at = 1;
    if (!m.reason)
        m.reason = "it is no performance data";
    return m;
}

enum pl_status pl_intake_take(struct pl_intake *t,
                              const struct pl_intake_from *from,
                              struct pl_buf *out, struct pl_misfit *misfit)
{
    enum pl_status status = PL_OK, walk;
    struct pl_block block;
    struct pl_object o;

    *misfit = (struct pl_misfit){ 0 };
    if (!from->block->len)
        return PL_OK;
    walk = pl_block_parse(&block, from->block->p, from->block->len);
    if (!walk && !pl_intake_is_usual(&block))
        walk = PL_UNSUPPORTED;
    while (!walk && !status && !(walk = pl_object_next(&block, &o)))
        if (!is_there(t, o.title_index) && is_wanted(t, from, &o))
            status = take_object(t, from, out, &block, &o);
    if (walk && walk != PL_END)
        *misfit = misfit_of(&block, walk);
    return status;
}
