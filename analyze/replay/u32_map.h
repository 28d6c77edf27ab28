/*                                                 analyze/replay/u32_map.h
 * Where something stands in an array, by a number that somebody else chose:
 * the objects of a block by their title indexes.  No choice of numbers makes
 * it slow, since where they go is different in every run.
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

/* The place of 'index', PL_NO_PLACE if it has none. */
uint32_t pl_u32_map_get(const struct pl_u32_map *m, uint32_t index);

/* Give 'index', which has none yet, a place below PL_NO_PLACE.  PL_NOMEM. */
enum pl_status pl_u32_map_add(struct pl_u32_map *m, uint32_t index,
                              uint32_t place);

void pl_u32_map_clear(struct pl_u32_map *m);
void pl_u32_map_release(struct pl_u32_map *m);

#endif
