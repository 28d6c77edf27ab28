/* A hash table of numbers, open addressing, at most half full. */
#include "analyze/blocks/title_set.h"

#include "format/base/file.h"
#include "format/record/record.h"
#include "format/block/titles.h"

#include <stdlib.h>

enum { FIRST_CAP = 256 };

/* The slot where 'index' is or would be; there is always a free slot. */
static uint32_t *slot_of(const struct pl_title_set *s, uint32_t index)
{
    size_t at = (size_t)pl_hash(&index, sizeof index, s->seed) & (s->cap - 1);

    while (s->slots[at] && s->slots[at] != index)
        at = (at + 1) & (s->cap - 1);
    return &s->slots[at];
}

static enum pl_status grow(struct pl_title_set *s)
{
    struct pl_title_set old = *s;
    size_t cap = s->cap ? 2 * s->cap : FIRST_CAP;
    uint32_t *slots = calloc(cap, sizeof *slots);

    if (!slots)
        return PL_NOMEM;
    s->slots = slots;
    s->cap = cap;
    s->seed = pl_random();
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i])
            *slot_of(s, old.slots[i]) = old.slots[i];
    free(old.slots);
    return PL_OK;
}

enum pl_status pl_title_set_add(struct pl_title_set *s, uint32_t index)
{
    if (!index || s->num == PL_MAX_TITLES || pl_title_set_has(s, index))
        return PL_OK;
    if (2 * s->num >= s->cap && grow(s))
        return PL_NOMEM;
    *slot_of(s, index) = index;
    s->num++;
    return PL_OK;
}

bool pl_title_set_has(const struct pl_title_set *s, uint32_t index)
{
    return s->cap && index && *slot_of(s, index);
}

void pl_title_set_release(struct pl_title_set *s)
{
    free(s->slots);
    *s = (struct pl_title_set){ 0 };
}
