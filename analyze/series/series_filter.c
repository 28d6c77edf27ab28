/* Choosing series. */
#include "analyze/series/series_filter.h"

#include <stdlib.h>
#include <string.h>

/* ---- series -------------------------------------------------------------- */

static bool part_fits(struct pl_text pattern, const char *name)
{
    return !pattern.p || pl_pattern_match(pattern, pl_text_of(name));
}

bool pl_series_filter_has_object(const struct pl_series_filter *c,
                                 const char *host, const char *object)
{
    if (!c->paths || !c->paths->num)
        return true;
    for (size_t i = 0; i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->host, host) && part_fits(p->object, object))
            return true;
    }
    return false;
}

bool pl_series_filter_has_counter(const struct pl_series_filter *c,
                                  const char *object, const char *counter)
{
    for (size_t i = 0; c->paths && i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->object, object) && part_fits(p->counter, counter))
            return true;
    }
    return !c->paths || !c->paths->num;
}

static bool is_crowded(const char *object)
{
    return !strcmp(object, "Process") || !strcmp(object, "Thread");
}

static bool fits_all(struct pl_text pattern)
{
    return !pattern.p || (pattern.n == 1 && *pattern.p == '*');
}

bool pl_series_filter_has_everywhere(const struct pl_series_filter *c,
                                     const char *object, const char *counter)
{
    size_t fitting = 0, everywhere = 0;

    if (!c->paths || !c->paths->num)
        return !c->brief || !is_crowded(object);
    for (size_t i = 0; i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (!part_fits(p->object, object) || !part_fits(p->counter, counter))
            continue;
        fitting++;
        if (!fits_all(p->host) || !fits_all(p->instance))
            continue;
        everywhere++;
        if (c->matched && !c->outside)
            c->matched[i] = true;
    }
    /* Each of the others is still to be matched. */
    return everywhere && (!c->matched || everywhere == fitting);
}

bool pl_series_filter_has_instance(const struct pl_series_filter *c,
                                   const char *host, const char *object,
                                   const char *instance)
{
    for (size_t i = 0; c->paths && i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->host, host) && part_fits(p->object, object) &&
            part_fits(p->instance, instance ? instance : ""))
            return true;
    }
    return !c->paths || !c->paths->num;
}

bool pl_series_filter_needs(const struct pl_series_filter *c,
                            const char *object, const char *counter)
{
    if (!c->needed ||
        (strcmp(object, "Process") != 0 && strcmp(object, "Process V2") != 0))
        return false;
    for (size_t i = 0; c->needed[i]; i++)
        if (!strcmp(counter, c->needed[i]))
            return true;
    return false;
}

static bool is_named(const struct pl_series_filter *c, const char *object,
                     const char *instance)
{
    if (!c->processes || strcmp(object, "Process") != 0)
        return false;
    for (size_t i = 0; c->processes[i]; i++)
        if (!strcmp(c->processes[i], instance))
            return true;
    return false;
}

bool pl_series_filter_has(const struct pl_series_filter *c, const char *host,
                          const char *object, const char *instance,
                          const char *counter)
{
    struct pl_counter_path_walk walk;
    bool has = false;
    size_t i;

    if (!c->paths || !c->paths->num)
        return !c->brief || !is_crowded(object) || !instance ||
               !strcmp(instance, "_Total") || is_named(c, object, instance);
    pl_counter_path_walk_start(&walk, object, instance ? instance : "",
                               counter);
    while ((i = pl_counter_path_walk_next(&walk, c->paths)) != SIZE_MAX) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (!part_fits(p->host, host) || !part_fits(p->object, object) ||
            !part_fits(p->instance, instance ? instance : "") ||
            !part_fits(p->counter, counter))
            continue;
        has = true;
        if (!c->matched || c->outside)
            break;
        c->matched[i] = true;
    }
    return has;
}

static bool has_counter(const struct pl_series_filter *c, const char *object,
                        const char *counter)
{
    for (size_t i = 0; i < c->paths->num; i++) {
        const struct pl_counter_path *p = &c->paths->paths[i];

        if (part_fits(p->object, object) && part_fits(p->counter, counter))
            return true;
    }
    return false;
}

/* PL_NO_SLOT: there are several, or none. */
static uint32_t only_counter(const struct pl_series_filter *c,
                             const struct pl_object_names *o)
{
    uint32_t only = PL_NO_SLOT;

    if (!c->paths || !c->paths->num)
        return PL_NO_SLOT;
    for (uint32_t i = 0; i < o->num_counters; i++) {
        if (!has_counter(c, o->name, o->counters[i].name))
            continue;
        if (only != PL_NO_SLOT)
            return PL_NO_SLOT;
        only = i;
    }
    return only;
}

uint32_t pl_series_filter_rank_slot(const struct pl_series_filter *c,
                                    const struct pl_object_names *o)
{
    struct pl_text wanted = c->top ? c->top->counter : (struct pl_text){ 0 };
    uint32_t only;

    for (uint32_t i = 0; wanted.n && i < o->num_counters; i++)
        if (pl_pattern_match(wanted, pl_text_of(o->counters[i].name)))
            return i;
    only = only_counter(c, o);
    if (only != PL_NO_SLOT)
        return only;
    if (o->default_slot < o->num_counters)
        return o->default_slot;
    return o->num_counters ? 0 : PL_NO_SLOT;
}

bool pl_time_range_is_behind(const struct pl_time_range *w, int64_t time_ns,
                             uint64_t interval_ns)
{
    if (w->has_to && time_ns > w->to_ns)
        return true;
    return w->has_unit && time_ns > w->unit_to_ns &&
           (uint64_t)time_ns - (uint64_t)w->unit_from_ns >= interval_ns;
}
