/*                                        analyze/replay/instance_parents.h
 * What the parents of instances are called: an instance names its parent by
 * object and position, and people want to read "svchost#1/0".  Works for one
 * block at a time, in time linear in its size but for sorting.
 */
#ifndef PL_ANALYZE_REPLAY_INSTANCE_PARENTS_H
#define PL_ANALYZE_REPLAY_INSTANCE_PARENTS_H

#include "format/base/buf.h"
#include "format/base/codepage.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is a fresh start; memory is kept from block to block. */
struct pl_instance_parents {
    bool indexed; /* the objects of this block are in 'objects' */
    struct pl_parent_object {
        uint32_t title_index;
        struct pl_object view;
        bool named;        /* its instances are in 'instances' */
        size_t first, num; /* these */
    } * objects;           /* by title, then in the block's order */
    size_t num_objects, cap_objects;
    struct pl_parent {
        size_t at; /* its name in 'names', with a terminator */
        const char *sorted_by;
        size_t place;
        uint32_t number; /* of equal names: 0, 1, 2 ... */
    } * instances;
    size_t num_instances, cap_instances;
    struct pl_buf names;
};

void pl_instance_parents_release(struct pl_instance_parents *p);

/* Another block is looked at from now on. */
void pl_instance_parents_forget(struct pl_instance_parents *p);

/*
 * The first object of 'block' with that title to *out, NULL if there is none;
 * valid until the block is forgotten.  PL_NOMEM.
 */
enum pl_status pl_instance_parents_object(struct pl_instance_parents *p,
                                          const struct pl_block *block,
                                          uint32_t title_index,
                                          const struct pl_object **out);

/*
 * Append the name of the n-th instance (from 0) of object 'title_index' of
 * 'block', with the "#1" that tells it from others of its name; nothing if
 * the block has no such instance.  PL_NOMEM.
 */
enum pl_status pl_instance_parents_name(struct pl_instance_parents *p,
                                        struct pl_codepages *pages,
                                        const struct pl_block *block,
                                        uint32_t title_index, uint32_t n,
                                        struct pl_buf *out);

#endif
