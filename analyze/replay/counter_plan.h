/*                                            analyze/replay/counter_plan.h
 * What is to be done with an object's counters, worked out once per set of
 * definitions instead of once per value: which formula, which base, which
 * flag says "not readable", how _Total is made, which definitions an
 * instance's identity is made of.
 */
#ifndef PL_ANALYZE_REPLAY_COUNTER_PLAN_H
#define PL_ANALYZE_REPLAY_COUNTER_PLAN_H

#include "analyze/calc/calc.h"
#include "analyze/replay/series_registry.h"
#include "format/base/buf.h"
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
    bool starts_at_zero; /* it is 0 when its instance is born */
    uint32_t slot;       /* in the object's names */
    size_t older;        /* the same counter in the plan before; SIZE_MAX */
};

/* True if pl_counter_get reads it from every block that is long enough. */
static inline bool pl_is_number(const struct pl_counter_def *def)
{
    return (def->size == 4 || def->size == 8) &&
           def->offset >= PL_SIZEOF_COUNTER_BLOCK;
}

struct pl_counter_plan {
    uint32_t title_index;
    uint64_t serial; /* from 1, of its registry */
    struct pl_object_names *names;
    struct pl_buf definitions;           /* what the plan was made from */
    struct pl_planned_counter *counters; /* those that can be shown */
    struct pl_quick *quick;              /* as many, in the same order */
    size_t num_counters;
    uint32_t stated_counters; /* NumCounters */
    uint64_t quick_len;    /* bytes of a counter block that 'quick' looks at */
    uint32_t quick_clocks; /* of 'quick', a bit each: 1 << enum pl_clock */
    uint32_t num_slots;    /* all of its counters' slots are below */
    bool has_totals;       /* some counter has a rule for _Total */
    struct pl_counter_def identity[PL_MAX_IDENTITY];
    size_t num_identity;
    struct pl_counter_def birth; /* that of the identity with the time of it */
    uint32_t birth_slack;        /* see pl_birth_facts */
    bool has_birth;
    struct pl_counter_def flags;
    bool has_flags;
    uint64_t
        left_out;    /* of the flags: set in instances that are not in _Total */
    bool incomplete; /* some definitions do not add up and are left out */
};

/*
 * Make the plan of 'o'.  Counters without a title are called "#index"; bases
 * and labels are left out.  PL_NOMEM; definitions that do not add up end the
 * list.
 */
enum pl_status pl_counter_plan_make(struct pl_counter_plan *p,
                                    const struct pl_object *o,
                                    const struct pl_titles *titles,
                                    struct pl_registry *registry);
void pl_counter_plan_release(struct pl_counter_plan *p);

/* True if 'p' was made from the definitions 'o' has. */
bool pl_counter_plan_fits(const struct pl_counter_plan *p,
                          const struct pl_object *o);

/* Tell each counter of 'now' which one of 'before' (NULL: none) it was. */
enum pl_status pl_counter_plan_link(struct pl_counter_plan *now,
                                    const struct pl_counter_plan *before);

/* The name of title 'index', or "#index" in 'scratch'. */
struct pl_text pl_title_or_number(const struct pl_titles *titles,
                                  uint32_t index, char scratch[16]);

#endif
