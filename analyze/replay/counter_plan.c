/* Counter definitions, prepared for calculating. */
#include "analyze/replay/counter_plan.h"

#include "analyze/replay/quick.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pl_text pl_title_or_number(const struct pl_titles *titles,
                                  uint32_t index, char scratch[16])
{
    struct pl_text name = pl_titles_name(titles, index);

    if (name.n)
        return name;
    snprintf(scratch, 16, "#%" PRIu32, index);
    return pl_text_of(scratch);
}

void pl_counter_plan_release(struct pl_counter_plan *p)
{
    free(p->counters);
    free(p->quick);
    pl_buf_release(&p->definitions);
    *p = (struct pl_counter_plan){ 0 };
}

bool pl_counter_plan_fits(const struct pl_counter_plan *p,
                          const struct pl_object *o)
{
    return p->title_index == o->title_index &&
           p->stated_counters == o->num_counters &&
           p->definitions.len == o->definitions_len &&
           !memcmp(p->definitions.p, o->definitions, o->definitions_len);
}

static bool is_shown(const struct pl_formula *f)
{
    return !f || /* shown as 'unsupported' */
           (!f->is_base && f->kind != PL_VALUE_NONE);
}

/* What 'list' shows of a counter, from its first definition. */
static void note_definition(struct pl_counter_names *c,
                            const struct pl_counter_def *def)
{
    c->size = def->size;
    c->scale = def->scale;
    c->detail_level = def->detail_level;
}

/*
 * Only numbers have sums, and not all, whatever a log states of them.  Of what
 * is divided by a base, the sum over the sum of the bases is a mean already.  A
 * mean of differences would not add up to that of a longer time.
 */
static uint8_t total_rule(const struct pl_counter_facts *f,
                          const struct pl_formula *formula)
{
    if ((formula->traits & PL_FORMULA_NO_TOTAL) ||
        (formula->kind != PL_VALUE_INTEGER && formula->kind != PL_VALUE_DOUBLE))
        return PL_TOTAL_NONE;
    if (f->total_rule == PL_TOTAL_MEAN && formula->clock == PL_CLOCK_NONE) {
        if (formula->needs_base)
            return PL_TOTAL_SUM;
        if (formula->needs_two)
            return PL_TOTAL_NONE;
    }
    return f->total_rule;
}

/*
 * The mean of inverse timers is the formula over the time of all members, and
 * that of PRECISION timers, whose bases are times, the one over their bases.
 */
static bool adds_values(const struct pl_formula *f, uint8_t rule)
{
    return rule != PL_TOTAL_NONE && !pl_formula_adds_steps(f) &&
           (rule == PL_TOTAL_SUM || f->divisor == PL_BY_COMPONENTS ||
            f->divisor == PL_BY_START);
}

static enum pl_status add_counter(struct pl_counter_plan *p,
                                  const struct pl_counter_def *def,
                                  const struct pl_counter_def *next,
                                  const struct pl_object_facts *facts,
                                  const struct pl_titles *titles,
                                  const struct pl_registry *registry)
{
    struct pl_planned_counter *c = &p->counters[p->num_counters];
    const struct pl_counter_facts f =
        pl_counter_facts_of(facts, def->title_index);
    uint32_t num_known = p->names->num_counters;
    char number[16];

    *c = (struct pl_planned_counter){ .def = *def,
                                      .flag_bit = f.flag_bit,
                                      .older = SIZE_MAX };
    c->formula = pl_formula_of(def->type, def->size, &c->scratch);
    if (!is_shown(c->formula))
        return PL_OK;
    if (c->formula) {
        c->total_rule = total_rule(&f, c->formula);
        c->adds_values = adds_values(c->formula, c->total_rule);
    }
    c->has_base = next && pl_type_resolves_to_base(next->type, next->size);
    if (c->has_base)
        c->base = *next;
    c->slot =
        pl_object_slot(registry, p->names,
                       pl_title_or_number(titles, def->title_index, number),
                       pl_titles_help(titles, def->help_index), def->type);
    if (c->slot == PL_NO_SLOT && num_known == PL_MAX_SLOTS) {
        p->incomplete = true; /* more counters than an object may have */
        return PL_OK;
    }
    if (c->slot == PL_NO_SLOT)
        return PL_NOMEM;
    if (c->slot == num_known)
        note_definition(&p->names->counters[c->slot], def);
    if (c->slot >= p->num_slots)
        p->num_slots = c->slot + 1;
    p->has_totals |= c->total_rule != PL_TOTAL_NONE;
    p->num_counters++;
    return PL_OK;
}

static void find_special(struct pl_counter_plan *p,
                         const struct pl_counter_def *def,
                         const struct pl_object_facts *facts)
{
    for (size_t i = 0; i < facts->num_identity; i++)
        if (facts->identity[i] == def->title_index &&
            p->num_identity < PL_MAX_IDENTITY)
            p->identity[p->num_identity++] = *def;
    if (facts->flags_counter && facts->flags_counter == def->title_index) {
        p->flags = *def;
        p->has_flags = pl_is_number(def);
    }
}

/* What it takes to read the identity without looking at its definitions. */
static void measure_identity(struct pl_counter_plan *p)
{
    for (size_t k = 0; k < p->num_identity; k++) {
        const struct pl_counter_def *def = &p->identity[k];
        const uint64_t end = (uint64_t)def->offset + def->size;

        if (!pl_is_number(def)) {
            p->identity_len = 0;
            return;
        }
        if (end > p->identity_len)
            p->identity_len = end;
    }
}

/* Which counters are known to start at 0 at the start time in the identity. */
static void find_birth(struct pl_counter_plan *p,
                       const struct pl_titles *titles)
{
    struct pl_birth_facts birth;

    if (!pl_titles_birth(titles, p->title_index, &birth))
        return;
    for (size_t i = 0; i < p->num_identity; i++)
        if (p->identity[i].title_index == birth.counter) {
            p->birth = p->identity[i];
            p->birth_slack = birth.slack;
            p->has_birth = true;
        }
    for (size_t k = 0; p->has_birth && k < p->num_counters; k++)
        p->counters[k].starts_at_zero =
            pl_starts_at_zero(&birth, p->counters[k].def.title_index);
}

/* The object names its counter by its index among all definitions. */
static void find_default(struct pl_counter_plan *p, const struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;

    if (p->names->default_slot != PL_NO_SLOT || o->default_counter < 0)
        return;
    for (int32_t i = 0; !pl_counter_next(&walk, &def); i++) {
        if (i != o->default_counter)
            continue;
        for (size_t k = 0; k < p->num_counters; k++)
            if (p->counters[k].def.title_index == def.title_index &&
                p->counters[k].def.offset == def.offset)
                p->names->default_slot = p->counters[k].slot;
        return;
    }
}

enum pl_status pl_counter_plan_make(struct pl_counter_plan *p,
                                    const struct pl_object *o,
                                    const struct pl_titles *titles,
                                    struct pl_registry *registry)
{
    const struct pl_object_facts facts =
        pl_titles_facts(titles, o->title_index);
    struct pl_object walk = *o;
    struct pl_counter_def *defs;
    size_t num = 0;
    char number[16];
    enum pl_status s = PL_OK;

    *p = (struct pl_counter_plan){ .title_index = o->title_index,
                                   .serial = ++registry->plans,
                                   .stated_counters = o->num_counters };
    pl_buf_bytes(&p->definitions, o->definitions, o->definitions_len);
    p->names = pl_registry_object(
        registry, pl_title_or_number(titles, o->title_index, number),
        pl_titles_help(titles, o->help_index));
    defs = malloc((o->num_counters + 1) * sizeof *defs);
    p->counters = malloc((o->num_counters + 1) * sizeof *p->counters);
    if (p->definitions.oom || !p->names || !defs || !p->counters)
        s = PL_NOMEM;
    if (p->names)
        p->names->mark++; /* another set of definitions */
    while (!s && num < o->num_counters && !pl_counter_next(&walk, &defs[num]))
        num++;
    p->incomplete =
        pl_counter_next(&walk, &(struct pl_counter_def){ 0 }) != PL_END;
    for (size_t i = 0; !s && i < num; i++) {
        find_special(p, &defs[i], &facts);
        s = add_counter(p, &defs[i], i + 1 < num ? &defs[i + 1] : NULL, &facts,
                        titles, registry);
    }
    free(defs);
    if (!s)
        find_default(p, o);
    if (!s)
        s = pl_quick_prepare(p);
    if (!s && p->num_identity < facts.num_identity)
        p->num_identity = 0; /* an incomplete identity identifies nothing */
    measure_identity(p);
    if (!s)
        find_birth(p, titles);
    if (!s && pl_titles_left_out(titles, p->title_index) < 64)
        p->left_out = UINT64_C(1) << pl_titles_left_out(titles, p->title_index);
    if (s)
        pl_counter_plan_release(p);
    return s;
}

enum pl_status pl_counter_plan_link(struct pl_counter_plan *now,
                                    const struct pl_counter_plan *before)
{
    size_t num_slots = now->names->num_counters;
    size_t *by_slot = malloc((num_slots + 1) * sizeof *by_slot);

    if (!by_slot)
        return PL_NOMEM;
    memset(by_slot, 0xFF, num_slots * sizeof *by_slot); /* SIZE_MAX */
    if (before && before->names == now->names)
        for (size_t i = 0; i < before->num_counters; i++)
            by_slot[before->counters[i].slot] = i;
    for (size_t i = 0; i < now->num_counters; i++) {
        struct pl_planned_counter *c = &now->counters[i];
        size_t was = by_slot[c->slot];

        c->older = SIZE_MAX;
        if (was != SIZE_MAX && before->counters[was].def.type == c->def.type)
            c->older = was;
    }
    free(by_slot);
    return PL_OK;
}
