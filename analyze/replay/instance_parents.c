/* Names of parent instances. */
#include "analyze/replay/instance_parents.h"

#include "analyze/replay/sample_view.h"
#include "format/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pl_instance_parents_release(struct pl_instance_parents *p)
{
    free(p->objects);
    free(p->instances);
    pl_buf_release(&p->names);
    *p = (struct pl_instance_parents){ 0 };
}

void pl_instance_parents_forget(struct pl_instance_parents *p)
{
    p->indexed = false;
    p->num_objects = p->num_instances = 0;
    pl_buf_clear(&p->names);
}

static int by_title(const void *a, const void *b)
{
    const struct pl_parent_object *x = a, *y = b;

    if (x->title_index != y->title_index)
        return x->title_index < y->title_index ? -1 : 1;
    return (x->view.at > y->view.at) - (x->view.at < y->view.at);
}

static int by_name(const void *a, const void *b)
{
    const struct pl_parent *x = a, *y = b;
    int order = strcmp(x->sorted_by, y->sorted_by);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
    const struct pl_parent *x = a, *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static enum pl_status index_objects(struct pl_instance_parents *p,
                                    const struct pl_block *block)
{
    struct pl_block walk = *block;
    struct pl_object o;

    while (!pl_object_next(&walk, &o)) {
        if (!pl_array_grow((void **)&p->objects, &p->cap_objects,
                           p->num_objects, sizeof *p->objects))
            return PL_NOMEM;
        p->objects[p->num_objects++] =
            (struct pl_parent_object){ .title_index = o.title_index,
                                       .view = o };
    }
    if (p->num_objects)
        qsort(p->objects, p->num_objects, sizeof *p->objects, by_title);
    p->indexed = true;
    return PL_OK;
}

/* The first object with that title; NULL: there is none. */
static struct pl_parent_object *find_object(const struct pl_instance_parents *p,
                                            uint32_t title_index)
{
    size_t from = 0, to = p->num_objects;

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (p->objects[mid].title_index < title_index)
            from = mid + 1;
        else
            to = mid;
    }
    return from < p->num_objects && p->objects[from].title_index == title_index
               ? &p->objects[from]
               : NULL;
}

enum pl_status pl_instance_parents_object(struct pl_instance_parents *p,
                                          const struct pl_block *block,
                                          uint32_t title_index,
                                          const struct pl_object **out)
{
    const struct pl_parent_object *o;
    enum pl_status s = p->indexed ? PL_OK : index_objects(p, block);

    if (s)
        return s;
    o = find_object(p, title_index);
    *out = o ? &o->view : NULL;
    return PL_OK;
}

/*
 * Number those of equal names in their order, as their own paths are numbered.
 */
static void number_equals(struct pl_instance_parents *p, struct pl_parent *of,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        of[i].sorted_by = (const char *)p->names.p + of[i].at;
    qsort(of, n, sizeof *of, by_name);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(of[i].sorted_by, of[i - 1].sorted_by))
            of[i].number = of[i - 1].number + 1;
    qsort(of, n, sizeof *of, by_place);
}

static enum pl_status name_instances(struct pl_instance_parents *p,
                                     struct pl_codepages *pages,
                                     struct pl_parent_object *o)
{
    struct pl_object walk = o->view;
    struct pl_instance i;

    o->first = p->num_instances;
    while (!pl_instance_next(&walk, &i)) {
        if (!pl_array_grow((void **)&p->instances, &p->cap_instances,
                           p->num_instances, sizeof *p->instances))
            return PL_NOMEM;
        p->instances[p->num_instances] =
            (struct pl_parent){ .at = p->names.len, .place = o->num };
        pl_instance_name(pages, &p->names, &walk, &i);
        pl_buf_u8(&p->names, 0);
        p->num_instances++;
        o->num++;
    }
    if (p->names.oom)
        return PL_NOMEM;
    if (o->num)
        number_equals(p, &p->instances[o->first], o->num);
    o->named = true;
    return PL_OK;
}

enum pl_status pl_instance_parents_name(struct pl_instance_parents *p,
                                        struct pl_codepages *pages,
                                        const struct pl_block *block,
                                        uint32_t title_index, uint32_t n,
                                        struct pl_buf *out)
{
    struct pl_parent_object *o;
    const struct pl_parent *parent;
    const char *name;
    char number[16];
    enum pl_status s = p->indexed ? PL_OK : index_objects(p, block);

    if (s)
        return s;
    o = find_object(p, title_index);
    if (o && !o->named)
        s = name_instances(p, pages, o);
    if (s || !o || n >= o->num)
        return s;
    parent = &p->instances[o->first + n];
    name = (const char *)p->names.p + parent->at;
    pl_buf_string(out, name);
    if (parent->number) {
        snprintf(number, sizeof number, "#%" PRIu32, parent->number);
        pl_buf_string(out, number);
    }
    return out->oom ? PL_NOMEM : PL_OK;
}
