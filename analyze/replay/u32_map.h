/*                                                 analyze/replay/u32_map.h
 * Map from a number in a log to an index in an array, as from the title indexes
 * of a block's objects to its objects.  Hashing is seeded differently in every
 * run, so that no log can choose numbers that collide.
 */
#ifndef PL_ANALYZE_REPLAY_U32_MAP_H
#define PL_ANALYZE_REPLAY_U32_MAP_H

#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_NO_PLACE = UINT32_MAX };

/* All zero is empty. */
struct pl_u32_map {
    struct pl_placed {
        uint32_t index, place; /* PL_NO_PLACE: free */
    } * slots;
    size_t cap, num; /* at most half full */
    uint64_t seed;
};

/* The place of 'index', PL_NO_PLACE: none. */
uint32_t pl_u32_map_get(const struct pl_u32_map *m, uint32_t index);

/*
 * Add 'index', which must have no place yet, with a place below PL_NO_PLACE.
 * PL_NOMEM.
 */
enum pl_status pl_u32_map_add(struct pl_u32_map *m, uint32_t index,
                              uint32_t place);

void pl_u32_map_clear(struct pl_u32_map *m);
void pl_u32_map_release(struct pl_u32_map *m);

#endif
