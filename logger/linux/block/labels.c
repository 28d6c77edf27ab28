/* Fills the titles (names, help texts, facts) of a recorded object. */
#include "logger/linux/block/layout.h"

#include <stdlib.h>

static enum pl_status label(struct pl_titles *t, uint32_t index,
                            const char *name, uint32_t help_index,
                            const char *help)
{
    enum pl_status s = pl_titles_set(t, index, PL_TITLE_NAME,
                                     PL_LANGUAGE_ENGLISH, pl_text_of(name));

    if (s)
        return s;
    return pl_titles_set(t, help_index, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH,
                         pl_text_of(help));
}

/* A base shares the entry of its numerator. */
static size_t fill_counters(const struct pl_object_layout *l,
                            struct pl_counter_facts *out)
{
    size_t n = 0;

    for (size_t i = 0; i < l->num_cells; i++) {
        const struct pl_layout_cell *c = &l->cells[i];

        if (c->row->name)
            out[n++] = (struct pl_counter_facts){
                .index = c->row->index,
                .flag_bit = l->def->flags_counter ? c->group : PL_NO_FLAG,
                .total_rule = (uint8_t)c->row->total,
            };
    }
    return n;
}

static bool is_recorded(const struct pl_object_layout *l, uint32_t index)
{
    for (size_t i = 0; i < l->num_cells; i++)
        if (l->cells[i].row->index == index)
            return true;
    return false;
}

static enum pl_status label_facts(const struct pl_object_layout *l,
                                  struct pl_titles *t)
{
    struct pl_object_facts facts = { .flags_counter = l->def->flags_counter };
    struct pl_counter_facts *counters =
        calloc(l->num_cells + 1, sizeof *counters);
    enum pl_status s;

    if (!counters)
        return PL_NOMEM;
    for (size_t i = 0; i < PL_MAX_IDENTITY && l->def->identity[i]; i++)
        if (is_recorded(l, l->def->identity[i]))
            facts.identity[facts.num_identity++] = l->def->identity[i];
    facts.counters = counters;
    facts.num_counters = fill_counters(l, counters);
    s = pl_titles_set_facts(t, l->def->index, &facts);
    free(counters);
    return s;
}

/*
 * Birth times of /proc are ticks of 10 ms, rounded down, and an instance that
 * ends before a sample may be reported in a later one.  But where instances are
 * chosen by name, one that the older sample lacks may have had another name
 * then, and a thread that took another one's place by exec was another
 * instance: what they did until then is not of the time between the samples.
 */
static uint32_t birth_slack(const struct pl_object_layout *l)
{
    enum { ROUNDED_BY = 99999, REPORTED_BY = 50000000 }; /* 100 ns */

    return l->def->shows_ended && pl_filter_has_all_names(&l->filter)
               ? REPORTED_BY
               : ROUNDED_BY;
}

static enum pl_status label_birth(const struct pl_object_layout *l,
                                  struct pl_titles *t)
{
    struct pl_birth_facts birth = { .counter = l->def->birth,
                                    .slack = birth_slack(l) };
    uint32_t *zeros;
    enum pl_status s;

    if (!l->def->birth || !is_recorded(l, l->def->birth))
        return PL_OK;
    zeros = calloc(l->num_cells, sizeof *zeros);
    if (!zeros)
        return PL_NOMEM;
    for (size_t i = 0; i < l->num_cells; i++)
        if (l->cells[i].row->type & PERF_DELTA_COUNTER)
            zeros[birth.num_zeros++] = l->cells[i].row->index;
    birth.zeros = zeros;
    s = pl_titles_set_birth(t, l->def->index, &birth);
    free(zeros);
    return s;
}

enum pl_status pl_object_layout_label(const struct pl_object_layout *l,
                                      struct pl_titles *t)
{
    const struct pl_object_def *def = l->def;
    enum pl_status s =
        label(t, def->index, def->name, def->index + 1, def->help);

    for (size_t i = 0; i < l->num_cells && !s; i++) {
        const struct pl_counter *row = l->cells[i].row;

        if (row->name)
            s = label(t, row->index, row->name, pl_help_index(def, row->index),
                      row->help);
    }
    if (!s)
        s = label_facts(l, t);
    if (!s && def->some_left_out)
        s = pl_titles_set_left_out(t, def->index, PL_LEFT_OUT_OF_TOTAL);
    return s ? s : label_birth(l, t);
}
