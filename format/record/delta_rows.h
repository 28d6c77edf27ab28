/*                                                 format/record/delta_rows.h
 * Finds, among the instances of an older object, the one that predicts a new
 * instance best: the same one, by definition and identity (pl_default_facts),
 * wherever it is; else, of objects whose instances have an identity, one of the
 * same name but for the number at its end, as processes have: those that come
 * and go do much the same.  Such a one is used once, in order, as long as there
 * are others, so that a series of processes is predicted by the series before;
 * and only if the differences are shorter than the values.
 *
 * Instances mostly keep their order: at first only the next 64 are looked at.
 * Where that fails once, all of the object are put into a table, which costs
 * about 64 bytes each, and memory that is kept; of objects with more than
 * PL_MAX_DELTA_ROWS instances none.  Blocks may be malformed or made to
 * collide: a search looks at a bounded number of instances.
 */
#ifndef PL_FORMAT_RECORD_DELTA_ROWS_H
#define PL_FORMAT_RECORD_DELTA_ROWS_H

#include "format/base/status.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_DELTA_WORD = 8, /* bytes that are predicted together */
    PL_DELTA_LOOK_AHEAD = 64,
    PL_MAX_DELTA_ROWS = 65536,
};

struct pl_delta_row;
struct pl_delta_slot;

/* All zero at first; kept between objects. */
struct pl_delta_rows {
    struct pl_object next; /* of the older object: instances not yet passed */
    struct pl_object all;
    bool is_same_order; /* of bytes, in both objects */
    struct pl_counter_def identity[PL_MAX_IDENTITY]; /* of the new object */
    size_t num_identity;
    uint8_t *used; /* by position: what became of it */
    size_t used_cap;
    struct pl_delta_row *rows;
    size_t num, cap; /* 0: there is no table */
    struct pl_delta_slot *slots;
    size_t num_slots, slots_cap;
};

void pl_delta_rows_release(struct pl_delta_rows *r);

/* Begin with an object and its older state, no instance of which was visited.
 * PL_OK or PL_NOMEM. */
enum pl_status pl_delta_rows_begin(struct pl_delta_rows *r,
                                   const struct pl_object *older,
                                   const struct pl_object *now);

/*
 * Find the older instance that predicts 'now', and whose definition and counter
 * block are as long.  *is_found: there is one.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_delta_rows_find(struct pl_delta_rows *r,
                                  const struct pl_instance *now,
                                  struct pl_instance *found, bool *is_found);

#endif
