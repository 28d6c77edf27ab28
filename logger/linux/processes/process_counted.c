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
static size_t place_for(const struct pl_counted *set, const uint64_t *values)
{
    size_t best = 0;

    for (size_t i = 0; i < PL_COUNTED_WAYS; i++) {
        if (is_of(&set[i], values))
            return i;
        if (set[i].tick < set[best].tick)
            best = i;
    }
    return best;
}

void pl_process_counted_put(struct pl_process_counted *c, uint64_t tick,
                            const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    const size_t set = set_of(values), place = place_for(c->sets[set], values);
    struct pl_counted *one = &c->sets[set][place];

    c->pids[set][place] = (uint32_t)values[PL_P_PID];
    one->tick = tick;
    memcpy(one->values, values, sizeof one->values);
}

void pl_process_counted_undo(struct pl_process_counted *c, uint64_t tick)
{
    for (size_t set = 0; set < PL_COUNTED_SETS; set++)
        for (size_t i = 0; i < PL_COUNTED_WAYS; i++)
            if (c->pids[set][i] && c->sets[set][i].tick == tick)
                c->sets[set][i].tick = 0;
}

const uint64_t *
pl_process_counted_find(const struct pl_process_counted *c, uint64_t tick,
                        const uint64_t values[PL_NUM_PROCESS_FIELDS])
{
    const size_t set = set_of(values);
    const struct pl_counted *one = c->sets[set];

    for (size_t i = 0; i < PL_COUNTED_WAYS; i++)
        if (c->pids[set][i] == values[PL_P_PID] && is_of(&one[i], values))
            return one[i].tick < tick ? one[i].values : NULL;
    return NULL;
}
