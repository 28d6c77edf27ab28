/* Reduces samples to what is selected. */
#include "analyze/copy/block_filter.h"

#include "analyze/copy/object_filter.h"
#include "format/block/block_subset.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KNOWN = 2 * PL_MAX_OBJECTS };

/* ---- blocks -------------------------------------------------------------- */

/* Note the objects whose instances are parents of kept ones. */
static void mark_parents(struct pl_block_filter *p,
                         const struct pl_object_filter_object *o)
{
    struct pl_object walk = o->view;
    struct pl_object_filter_object *parent;
    struct pl_instance i;
    uint32_t last = 0;

    while (!pl_instance_next(&walk, &i)) {
        if (i.parent_object == last)
            continue;
        last = i.parent_object;
        parent = pl_object_filter_of(p, last);
        if (parent)
            parent->is_parent = true;
    }
}

static bool is_there(const struct pl_block_filter *p, uint32_t title)
{
    const struct pl_object_filter_object *o = pl_object_filter_of(p, title);

    return o && o->there;
}

/* A sample never has as many objects as this, but a log of many samples may. */
static enum pl_status forget_objects(struct pl_block_filter *p)
{
    size_t kept = 0;

    if (p->num_objects <= MAX_KNOWN)
        return PL_OK;
    pl_u32_map_clear(&p->by_title);
    for (size_t i = 0; i < p->num_objects; i++) {
        struct pl_object_filter_object *o = &p->objects[i];

        if (!o->there) {
            pl_object_filter_release(o);
            continue;
        }
        if (pl_u32_map_add(&p->by_title, o->title_index, (uint32_t)kept))
            return PL_NOMEM;
        p->objects[kept++] = *o;
    }
    p->num_objects = kept;
    return PL_OK;
}

/* Find all objects of the sample, and what is selected of each. */
static enum pl_status look(struct pl_block_filter *p,
                           const struct pl_block *block,
                           const struct pl_buf *next)
{
    struct pl_block walk = *block;
    struct pl_object view;
    enum pl_status s = forget_objects(p);

    pl_instance_parents_forget(&p->parents);
    pl_instance_parents_forget(&p->next_parents);
    for (size_t i = 0; i < p->num_objects; i++)
        p->objects[i].there = p->objects[i].is_parent = false;
    while (!s && !pl_object_next(&walk, &view)) {
        struct pl_object_filter_object *o;

        if (is_there(p, view.title_index))
            continue; /* the same object twice: the first one is kept */
        s = pl_object_filter_find(p, &view, &o);
        if (s)
            break;
        o->there = true;
        o->view = view;
        if (o->wanted && !pl_object_filter_is_single(o))
            s = pl_object_filter_instances(p, o, block, next);
    }
    for (size_t i = 0; !s && i < p->num_objects; i++)
        if (p->objects[i].there && p->objects[i].wanted)
            mark_parents(p, &p->objects[i]);
    return s;
}

/* Add the selected part of one object; *added: there was some. */
static enum pl_status put_object(struct pl_block_filter *p, struct pl_buf *out,
                                 const struct pl_block *block,
                                 struct pl_object_filter_object *o, bool *added)
{
    bool wanted = o->wanted && (!pl_object_filter_is_single(o) ||
                                pl_object_filter_single(p, o));
    const bool *counters = wanted ? o->counters : o->identity_only;
    const bool *instances =
        !wanted || pl_object_filter_is_single(o) || o->every || o->is_parent
            ? NULL
            : o->instances;
    enum pl_status s;

    *added = wanted || o->is_parent;
    if (!*added)
        return PL_OK;
    s = pl_object_filter_need(p, &o->view, counters);
    if (!s)
        s = pl_block_subset_object(out, block, &o->view, counters, instances);
    if (s == PL_CORRUPT) {
        pl_block_subset_whole(out, block, &o->view);
        s = PL_OK;
    }
    return s;
}

enum pl_status pl_block_filter_block(struct pl_block_filter *p,
                                     const struct pl_buf *bytes,
                                     const struct pl_buf *next,
                                     struct pl_buf *out)
{
    struct pl_block block, walk;
    struct pl_object view;
    uint32_t num = 0;
    enum pl_status s;

    pl_buf_clear(out);
    if (pl_block_parse(&block, bytes->p, bytes->len)) {
        pl_buf_bytes(out, bytes->p, bytes->len);
        return out->oom ? PL_NOMEM : PL_OK;
    }
    walk = block;
    pl_block_subset_begin(out, &block);
    s = look(p, &block, next);
    while (!s && !pl_object_next(&walk, &view)) {
        struct pl_object_filter_object *o =
            pl_object_filter_of(p, view.title_index);
        bool added = false;

        if (o && o->there && o->view.at == view.at)
            s = put_object(p, out, &block, o, &added);
        num += added;
    }
    pl_block_subset_end(out, &block, num);
    return !s && out->oom ? PL_NOMEM : s;
}

/* ---- sessions ------------------------------------------------------------ */

enum pl_status pl_block_filter_host(struct pl_block_filter *p,
                                    struct pl_text host)
{
    char *name = pl_text_copy(host);

    if (!name)
        return PL_NOMEM;
    free(p->host);
    p->host = name;
    p->titles_version++;
    p->num_needed = 0;
    pl_u32_map_clear(&p->is_needed);
    p->grown = true;
    return PL_OK;
}

enum pl_status pl_block_filter_set_titles(struct pl_block_filter *p,
                                          struct pl_buf *payload)
{
    enum pl_status s = p->titles ? PL_OK : pl_titles_new(&p->titles);

    if (!s)
        s = pl_titles_take(p->titles, payload);
    p->titles_version++;
    p->grown = true;
    return s == PL_CORRUPT ? PL_OK : s;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void pl_block_filter_titles(struct pl_block_filter *p, struct pl_buf *out)
{
    pl_buf_clear(out);
    if (p->num_needed)
        qsort(p->needed, p->num_needed, sizeof *p->needed, by_number);
    pl_titles_write_some(p->titles, p->needed, p->num_needed, out);
    p->grown = false;
}

void pl_block_filter_release(struct pl_block_filter *p)
{
    for (size_t i = 0; i < p->num_objects; i++)
        pl_object_filter_release(&p->objects[i]);
    free(p->objects);
    pl_u32_map_release(&p->by_title);
    free(p->needed);
    pl_u32_map_release(&p->is_needed);
    free(p->matched);
    free(p->host);
    pl_titles_free(p->titles);
    pl_buf_release(&p->name);
    pl_instance_parents_release(&p->parents);
    pl_instance_parents_release(&p->next_parents);
    pl_codepages_release(&p->pages);
    p->num_objects = 0;
}
