/*                                            analyze/replay/counter_plan.h
 * How to calculate an object's counters, prepared once per set of definitions
 * instead of once per value: which formula, which base, which flag says "not
 * readable", how _Total is made, which definitions an instance's identity is
 * made of.
 */
#ifndef PL_ANALYZE_REPLAY_COUNTER_PLAN_H
#define PL_ANALYZE_REPLAY_COUNTER_PLAN_H

#include "analyze/calc/calc.h"
#include "analyze/series/series_registry.h"
#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

struct pl_quick; /* for the fast path, see quick.h */

struct pl_planned_counter {
    struct pl_counter_def def, base;
    bool has_base;
    const struct pl_formula *formula; /* NULL: none for this type */
    struct pl_formula scratch;
    uint8_t flag_bit;    /* PL_NO_FLAG: always readable */
    uint8_t total_rule;  /* enum pl_total_rule */
    bool adds_values;    /* _Total is made of values, not of steps */
    bool starts_at_zero; /* it is 0 when its instance is born */
    uint32_t slot;       /* index in the object's names */
    /* the same counter in the previous plan; SIZE_MAX: none */
    size_t older;
};

/* True if pl_counter_get can read it from every block that is long enough. */
static inline bool pl_is_number(const struct pl_counter_def *def)
{
    return (def->size == 4 || def->size == 8) &&
           def->offset >= PL_SIZEOF_COUNTER_BLOCK;
}

/* A number of 4 or 8 bytes of a little-endian block that has it. */
static inline uint64_t pl_quick_load(const uint8_t *p, unsigned size)
{
    return size == 8 ? pl_get_le64(p) : pl_get_le32(p);
}

struct pl_counter_plan {
    uint32_t title_index;
    uint64_t serial; /* number of the plan in its registry, from 1 */
    struct pl_object_names *names;
    /* the definitions the plan was made from */
    struct pl_buf definitions;
    struct pl_planned_counter *counters; /* those that can be shown */
    /* one for each of 'counters', in the same order */
    struct pl_quick *quick;
    size_t num_counters;
    uint32_t stated_counters; /* NumCounters */
    uint64_t quick_len;       /* bytes of a counter block that 'quick' reads */
    uint32_t quick_clocks; /* clocks that 'quick' needs: 1 << enum pl_clock */
    uint32_t num_slots;    /* all slots of its counters are below this */
    bool has_totals;       /* some counter has a _Total rule */
    struct pl_counter_def identity[PL_MAX_IDENTITY];
    size_t num_identity;
    /* bytes of a counter block that 'identity' takes; 0: not only numbers */
    uint64_t identity_len;
    /* the counter of the identity that is a start time */
    struct pl_counter_def birth;
    uint32_t birth_slack; /* see pl_birth_facts */
    bool has_birth;
    struct pl_counter_def flags;
    bool has_flags;
    uint64_t
        /* mask of the flags: set in instances that are not in _Total */
        left_out;
    bool incomplete; /* some definitions are inconsistent and are left out */
};

/*
 * Make the plan of 'o'.  Counters without a title are called "#index"; bases
 * and labels are left out.  PL_NOMEM; the first inconsistent definition ends
 * the list.
 */
enum pl_status pl_counter_plan_make(struct pl_counter_plan *p,
                                    const struct pl_object *o,
                                    const struct pl_titles *titles,
                                    struct pl_registry *registry);
void pl_counter_plan_release(struct pl_counter_plan *p);

/* True if 'p' was made from the definitions that 'o' has. */
bool pl_counter_plan_fits(const struct pl_counter_plan *p,
                          const struct pl_object *o);

/* Link each counter of 'now' to the same counter of 'before' (NULL: none). */
enum pl_status pl_counter_plan_link(struct pl_counter_plan *now,
                                    const struct pl_counter_plan *before);

/* The name of title 'index', or "#index" in 'scratch'. */
struct pl_text pl_title_or_number(const struct pl_titles *titles,
                                  uint32_t index, char scratch[16]);

#endif
