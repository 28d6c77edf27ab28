/*                                        analyze/replay/instance_parents.h
 * Names of the parents of instances: an instance refers to its parent by object
 * and position, and is displayed as "svchost#1/0".  Handles one block at a
 * time, in time linear in its size but for sorting.
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

/* All zero is a valid initial state; memory is kept from block to block. */
struct pl_instance_parents {
    bool indexed; /* the objects of this block are in 'objects' */
    struct pl_parent_object {
        uint32_t title_index;
        struct pl_object view;
        bool named;        /* its instances are in 'instances' */
        size_t first, num; /* its range of 'instances' */
    } * objects;           /* by title, then in the block's order */
    size_t num_objects, cap_objects;
    struct pl_parent {
        size_t at; /* its name in 'names', with a terminator */
        const char *sorted_by;
        size_t place;
        uint32_t number; /* among equal names: 0, 1, 2 ... */
    } * instances;
    size_t num_instances, cap_instances;
    struct pl_buf names;
};

void pl_instance_parents_release(struct pl_instance_parents *p);

/* Discard what is known of the current block, before the next one. */
void pl_instance_parents_forget(struct pl_instance_parents *p);

/*
 * Set *out to the first object of 'block' with that title, NULL: none; valid
 * until the block is forgotten.  PL_NOMEM.
 */
enum pl_status pl_instance_parents_object(struct pl_instance_parents *p,
                                          const struct pl_block *block,
                                          uint32_t title_index,
                                          const struct pl_object **out);

/*
 * Append the name of the n-th instance (from 0) of object 'title_index' of
 * 'block', with the "#1" that distinguishes it from others of its name; append
 * nothing if the block has no such instance.  PL_NOMEM.
 */
enum pl_status pl_instance_parents_name(struct pl_instance_parents *p,
                                        struct pl_codepages *pages,
                                        const struct pl_block *block,
                                        uint32_t title_index, uint32_t n,
                                        struct pl_buf *out);

#endif
