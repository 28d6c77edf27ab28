/* A hash table of numbers, open addressing, at most half full. */
#include "analyze/index_set.h"

#include "format/titles.h"

#include <stdlib.h>

enum { FIRST_CAP = 256 };

/* Where 'index' is or would be; there is always a free slot. */
static size_t slot_of(const uint32_t *slots, size_t cap, uint32_t index)
{
    size_t at = (index * UINT32_C(2654435761)) & (cap - 1);

    while (slots[at] && slots[at] != index)
        at = (at + 1) & (cap - 1);
    return at;
}

static enum pl_status grow(struct pl_index_set *s)
{
    size_t cap = s->cap ? 2 * s->cap : FIRST_CAP;
    uint32_t *slots = calloc(cap, sizeof *slots);

    if (!slots)
        return PL_NOMEM;
    for (size_t i = 0; i < s->cap; i++)
        if (s->slots[i])
            slots[slot_of(slots, cap, s->slots[i])] = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->cap = cap;
    return PL_OK;
}

enum pl_status pl_index_set_add(struct pl_index_set *s, uint32_t index)
{
    if (!index || s->num == PL_MAX_TITLES || pl_index_set_has(s, index))
        return PL_OK;
    if (2 * s->num >= s->cap && grow(s))
        return PL_NOMEM;
    s->slots[slot_of(s->slots, s->cap, index)] = index;
    s->num++;
    return PL_OK;
}

bool pl_index_set_has(const struct pl_index_set *s, uint32_t index)
{
    return s->cap && index && s->slots[slot_of(s->slots, s->cap, index)];
}

void pl_index_set_release(struct pl_index_set *s)
{
    free(s->slots);
    *s = (struct pl_index_set){ 0 };
}
