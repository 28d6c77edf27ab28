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

/* The process' own entry, else a free one, else the oldest. */
static struct pl_counted *place_for(struct pl_counted *set,
                                    const uint64_t *values)
{
    struct pl_counted *best = set;

    for (size_t i = 0; i < PL_COUNTED_WAYS; i++) {
        if (is_of(&set[i], values))
            return &set[i];
        if (set[i].tick < best->tick)
            best = &set[i];
    }
    return best;
}

void pl_process_counted_put(struct pl_process_counted *c, uint64_t tick,
                            const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    struct pl_counted *one = place_for(c->sets[set_of(values)], values);

    c->has_any = true;
    one->tick = tick;
    memcpy(one->values, values, sizeof one->values);
}

void pl_process_counted_undo(struct pl_process_counted *c, uint64_t tick)
{
    for (size_t set = 0; c->has_any && set < PL_COUNTED_SETS; set++)
        for (size_t i = 0; i < PL_COUNTED_WAYS; i++)
            if (c->sets[set][i].tick == tick)
                c->sets[set][i].tick = 0;
}

const uint64_t *
pl_process_counted_find(const struct pl_process_counted *c, uint64_t tick,
                        const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    const struct pl_counted *set = c->sets[set_of(values)];

    for (size_t i = 0; c->has_any && i < PL_COUNTED_WAYS; i++)
        if (is_of(&set[i], values))
            return set[i].tick < tick ? set[i].values : NULL;
    return NULL;
}
