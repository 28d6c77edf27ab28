/* Ended processes that were counted before their final values were known. */
#include "logger/linux/processes/process_counted.h"

#include <string.h>

/* Numbers are given in ascending order: the remainder spreads them evenly. */
static size_t set_of(const uint64_t *values)
{
    return values[PL_P_PID] % PL_COUNTED_SETS;
}

static bool is_of(const struct pl_counted *one, const uint64_t *values)
{
    return one->tick && one->values[PL_P_PID] == values[PL_P_PID] &&
           one->values[PL_P_STARTED] == values[PL_P_STARTED];
}

/* It has a place. */
static const struct pl_counted *entry(const struct pl_process_counted *c,
                                      size_t set, size_t way)
{
    return &c->entries[c->at[set][way] - 1];
}

/* The process' own entry, else a free one, else the oldest.  Those that have a place
 * come first. */
static size_t way_for(const struct pl_process_counted *c, size_t set,
                      const uint64_t *values)
{
    uint64_t oldest = UINT64_MAX;
    size_t best = 0;

    for (size_t i = 0; i < PL_COUNTED_WAYS; i++) {
        if (!c->at[set][i])
            return oldest ? i : best;
        if (is_of(entry(c, set, i), values))
            return i;
        if (entry(c, set, i)->tick < oldest) {
            oldest = entry(c, set, i)->tick;
            best = i;
        }
    }
    return best;
}

void pl_process_counted_put(struct pl_process_counted *c, uint64_t tick,
                            const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    const size_t set = set_of(values), way = way_for(c, set, values);
    struct pl_counted *one;

    if (!c->at[set][way])
        c->at[set][way] = (uint16_t)++c->num_used;
    one = &c->entries[c->at[set][way] - 1];
    c->pids[set][way] = (uint32_t)values[PL_P_PID];
    one->tick = tick;
    memcpy(one->values, values, sizeof one->values);
}

void pl_process_counted_undo(struct pl_process_counted *c, uint64_t tick)
{
    for (size_t i = 0; i < c->num_used; i++)
        if (c->entries[i].tick == tick)
            c->entries[i].tick = 0;
}

const uint64_t *
pl_process_counted_find(const struct pl_process_counted *c, uint64_t tick,
                        const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    const size_t set = set_of(values);

    for (size_t i = 0; i < PL_COUNTED_WAYS; i++) {
        const struct pl_counted *one;

        if (c->pids[set][i] != values[PL_P_PID] || !c->at[set][i])
            continue;
        one = entry(c, set, i);
        if (is_of(one, values))
            return one->tick < tick ? one->values : NULL;
    }
    return NULL;
}
