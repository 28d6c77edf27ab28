/* A hash table from numbers to numbers, open addressing. */
#include "analyze/replay/u32_map.h"

#include "format/base/file.h"
#include "format/record/record.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 64 };

/* The slot where 'index' is, or the free one where it would be. */
static struct pl_placed *slot_of(const struct pl_u32_map *m, uint32_t index)
{
    size_t at = (size_t)pl_hash(&index, sizeof index, m->seed);

    at &= m->cap - 1;
    while (m->slots[at].place != PL_NO_PLACE && m->slots[at].index != index)
        at = (at + 1) & (m->cap - 1);
    return &m->slots[at];
}

static enum pl_status grow(struct pl_u32_map *m)
{
    struct pl_u32_map old = *m;
    size_t cap = m->cap ? 2 * m->cap : FIRST_CAP;
    struct pl_placed *slots = malloc(cap * sizeof *slots);

    if (!slots)
        return PL_NOMEM;
    memset(slots, 0xFF, cap * sizeof *slots); /* PL_NO_PLACE */
    m->slots = slots;
    m->cap = cap;
    m->seed = pl_random();
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].place != PL_NO_PLACE)
            *slot_of(m, old.slots[i].index) = old.slots[i];
    free(old.slots);
    return PL_OK;
}

uint32_t pl_u32_map_get(const struct pl_u32_map *m, uint32_t index)
{
    return m->num ? slot_of(m, index)->place : PL_NO_PLACE;
}

enum pl_status pl_u32_map_add(struct pl_u32_map *m, uint32_t index,
                              uint32_t place)
{
    if (2 * m->num >= m->cap && grow(m))
        return PL_NOMEM;
    *slot_of(m, index) = (struct pl_placed){ index, place };
    m->num++;
    return PL_OK;
}

void pl_u32_map_clear(struct pl_u32_map *m)
{
    if (m->num)
        memset(m->slots, 0xFF, m->cap * sizeof *m->slots);
    m->num = 0;
}

void pl_u32_map_release(struct pl_u32_map *m)
{
    free(m->slots);
    *m = (struct pl_u32_map){ 0 };
}
