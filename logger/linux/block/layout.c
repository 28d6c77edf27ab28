/* Selects the recorded counters of an object and places them in the block. */
#include "logger/linux/block/layout.h"

#include "format/base/array.h"
#include "format/block/winperf.h"

#include <stdlib.h>
#include <string.h>

/* ---- requested counters ------------------------------------------------- */

/* Counters that every object needs: identity and Data Flags. */
static bool is_indispensable(const struct pl_object_def *def, uint32_t index)
{
    for (size_t i = 0; i < PL_MAX_IDENTITY && def->identity[i]; i++)
        if (def->identity[i] == index)
            return true;
    return def->flags_counter == index;
}

static enum pl_status list_candidates(struct pl_object_layout *l)
{
    const struct pl_table *tables = l->def->tables;
    size_t n = 0;

    for (size_t t = 0; t < PL_MAX_TABLES && tables[t].rows; t++)
        n += tables[t].num;
    /* One spare entry: a base is tried before its numerator is counted. */
    l->candidates = calloc(n + 1, sizeof *l->candidates);
    l->cells = calloc(n + 1, sizeof *l->cells);
    l->copies = calloc(n + 1, sizeof *l->copies);
    l->copies_4 = calloc(n + 1, sizeof *l->copies_4);
    l->sums = calloc(n + 1, sizeof *l->sums);
    l->computed = calloc(n + 1, sizeof *l->computed);
    if (!l->candidates || !l->cells || !l->copies || !l->copies_4 || !l->sums ||
        !l->computed)
        return PL_NOMEM;
    for (size_t t = 0; t < PL_MAX_TABLES && tables[t].rows; t++)
        for (size_t i = 0; i < tables[t].num; i++)
            l->candidates[l->num_candidates++].row = &tables[t].rows[i];
    return PL_OK;
}

/* Bases are not requested: they follow their numerators. */
static void ask(struct pl_object_layout *l,
                const struct pl_counter_filter *choice)
{
    bool any = pl_counter_filter_brings(choice, l->def);

    for (size_t i = 0; i < l->num_candidates; i++) {
        struct pl_candidate *c = &l->candidates[i];

        if (c->row->name)
            c->want = pl_counter_filter_wants(choice, l->def, c->row->name);
        any = any || c->want;
    }
    for (size_t i = 0; any && i < l->num_candidates; i++) {
        struct pl_candidate *c = &l->candidates[i];

        if (c->row->name && is_indispensable(l->def, c->row->index))
            c->want = PL_NAMED;
    }
}

/* ---- available counters ------------------------------------------------- */

static struct pl_field *field_at(const struct pl_object_layout *l,
                                 const struct pl_place *place)
{
    return &l->sources[place->source]->fields[place->field];
}

static bool is_costly(const struct pl_object_layout *l, const struct pl_expr *e)
{
    for (size_t i = 0; i < e->num_terms; i++)
        for (unsigned f = 0; f < e->terms[i].num_factors; f++)
            if (field_at(l, &e->terms[i].factors[f])->costly)
                return true;
    return false;
}

/* Mark the fields as wanted in their sources. */
static void claim_fields(struct pl_object_layout *l,
                         struct pl_layout_cell *cell, const struct pl_expr *e)
{
    cell->group = PL_NO_GROUP;
    for (size_t i = 0; i < e->num_terms; i++) {
        for (unsigned f = 0; f < e->terms[i].num_factors; f++) {
            const struct pl_place *place = &e->terms[i].factors[f];
            struct pl_field *field = field_at(l, place);

            field->wanted = true;
            field->widen = field->widen || cell->convert->widen;
            l->used[place->source] = true;
            if (field->group != PL_NO_GROUP)
                cell->group = field->group;
        }
    }
}

static enum pl_status keep_terms(struct pl_object_layout *l,
                                 struct pl_layout_cell *cell,
                                 const struct pl_expr *e)
{
    if (!pl_array_reserve((void **)&l->terms, &l->cap_terms,
                          l->num_terms + e->num_terms, sizeof *l->terms))
        return PL_NOMEM;
    memcpy(l->terms + l->num_terms, e->terms, e->num_terms * sizeof *e->terms);
    cell->first_term = (uint32_t)l->num_terms;
    cell->num_terms = (uint8_t)e->num_terms;
    l->num_terms += e->num_terms;
    return PL_OK;
}

/*
 * PL_OK if the row is recorded: 'cell' is complete except for its offset.
 * PL_END if it is not recorded; PL_NOMEM.
 */
static enum pl_status make_cell(struct pl_object_layout *l,
                                const struct pl_machine *m,
                                const struct pl_counter *row, enum pl_want want,
                                struct pl_layout_cell *cell)
{
    struct pl_expr e;

    if (want == PL_UNWANTED ||
        pl_expr_compile(&e, row->from, l->sources, l->num_sources))
        return PL_END;
    if (want == PL_WANTED && is_costly(l, &e))
        return PL_END;
    cell->row = cell->titled = row;
    cell->convert = &m->units[row->unit];
    cell->width = (uint8_t)pl_counter_width(row->type);
    claim_fields(l, cell, &e);
    return keep_terms(l, cell, &e);
}

/* A numerator and its base are recorded together or not at all. */
static enum pl_status choose_cells(struct pl_object_layout *l,
                                   const struct pl_machine *m)
{
    l->num_cells = l->num_terms = 0;
    for (size_t i = 0; i < l->num_candidates; i++) {
        const struct pl_candidate *c = &l->candidates[i];
        struct pl_layout_cell *cell = &l->cells[l->num_cells];
        bool has_base = i + 1 < l->num_candidates && !c[1].row->name;
        enum pl_status s = make_cell(l, m, c->row, c->want, cell);

        if (!s && has_base)
            s = make_cell(l, m, c[1].row, PL_NAMED, cell + 1);
        if (s == PL_NOMEM)
            return s;
        if (s)
            continue;
        if (has_base)
            cell[1].titled = c->row;
        l->num_cells += 1 + has_base;
    }
    return PL_OK;
}

/* Place every value at a multiple of its width, after the ByteLength. */
static void place_cells(struct pl_object_layout *l)
{
    uint32_t at = PL_SIZEOF_COUNTER_BLOCK;

    for (size_t i = 0; i < l->num_cells; i++) {
        struct pl_layout_cell *c = &l->cells[i];

        at = (at + c->width - 1) & ~(c->width - 1u);
        c->offset = at;
        at += c->width;
    }
    l->block_len = (at + 7) & ~7u;
}

/* True for fields in their own unit, not cut to 4 bytes, and nothing but their
 * sum. */
static bool is_plain(const struct pl_object_layout *l,
                     const struct pl_layout_cell *c)
{
    const struct pl_conversion *to = c->convert;
    bool is_plain =
        to->multiply == 1 && to->divide == 1 && !to->add && !to->wraps;

    for (size_t i = 0; i < c->num_terms; i++) {
        const struct pl_term *t = &l->terms[c->first_term + i];

        is_plain =
            is_plain && t->num_factors == 1 && t->number == 1 && !t->minus;
    }
    return is_plain;
}

static struct pl_place place_of(const struct pl_object_layout *l,
                                const struct pl_layout_cell *c, size_t term)
{
    return l->terms[c->first_term + term].factors[0];
}

static void divide_cell(struct pl_object_layout *l, size_t i)
{
    const struct pl_layout_cell *c = &l->cells[i];
    bool plain = is_plain(l, c);

    if (plain && c->num_terms == 1 && c->width == 8)
        l->copies[l->num_copies++] =
            (struct pl_layout_copy){ c->offset, place_of(l, c, 0) };
    else if (plain && c->num_terms == 1)
        l->copies_4[l->num_copies_4++] =
            (struct pl_layout_copy){ c->offset, place_of(l, c, 0) };
    else if (plain && c->num_terms == 2 && c->width == 8)
        l->sums[l->num_sums++] =
            (struct pl_layout_sum){ c->offset,
                                    { place_of(l, c, 0), place_of(l, c, 1) } };
    else
        l->computed[l->num_computed++] = (uint16_t)i;
}

/* What each cell needs is found out here, not for each row. */
static void divide_cells(struct pl_object_layout *l)
{
    l->num_copies = l->num_copies_4 = l->num_sums = l->num_computed = 0;
    for (size_t i = 0; i < l->num_cells; i++)
        divide_cell(l, i);
}

/* ---- header and definitions --------------------------------------------- */

/* A position, not a title index; 0 if the default is not recorded. */
static int32_t default_counter(const struct pl_object_layout *l)
{
    for (size_t i = 0; i < l->num_cells; i++)
        if (l->cells[i].row->index == l->def->default_counter)
            return (int32_t)i;
    return 0;
}

static void prepare_definitions(struct pl_object_layout *l)
{
    const struct pl_object_def *def = l->def;
    struct pl_object o = {
        .title_index = def->index,
        .help_index = def->index + 1,
        .detail_level = (uint32_t)def->level,
        .default_counter = default_counter(l),
    };
    size_t at;

    pl_buf_clear(&l->prepared);
    at = pl_put_object(&l->prepared, &o);
    for (size_t i = 0; i < l->num_cells; i++) {
        const struct pl_layout_cell *c = &l->cells[i];
        struct pl_counter_def d = {
            .title_index = c->row->index,
            .help_index = pl_help_index(def, c->row->index),
            .scale = c->row->scale,
            .detail_level = (uint32_t)c->titled->level,
            .type = c->row->type,
            .size = c->width,
            .offset = c->offset,
        };

        pl_put_counter(&l->prepared, &d);
    }
    pl_put_definitions_close(&l->prepared, at, (uint32_t)l->num_cells);
}

static uint32_t generations(const struct pl_object_layout *l)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < l->num_sources; i++)
        sum += l->sources[i]->generation;
    return sum;
}

static enum pl_status build(struct pl_object_layout *l,
                            const struct pl_machine *m)
{
    uint32_t generation = generations(l);

    l->labelled = false;
    if (choose_cells(l, m))
        return PL_NOMEM;
    if (l->num_cells && l->def->has_instances)
        l->used[0] = true;
    place_cells(l);
    divide_cells(l);
    prepare_definitions(l);
    if (l->prepared.oom)
        return PL_NOMEM;
    l->built_for = generation;
    return PL_OK;
}

enum pl_status pl_object_layout_refresh(struct pl_object_layout *l,
                                        const struct pl_machine *m,
                                        bool *changed)
{
    *changed = l->built_for != generations(l);
    return *changed ? build(l, m) : PL_OK;
}

enum pl_status pl_object_layout_init(struct pl_object_layout *l,
                                     struct pl_machine *m,
                                     const struct pl_object_def *def,
                                     const struct pl_counter_filter *choice)
{
    struct pl_counter_filter mine = *choice;
    enum pl_status s = PL_OK;

    *l = (struct pl_object_layout){ .def = def };
    mine.num_instances = PL_ON_REQUEST - 1;
    if (!pl_counter_filter_touches(&mine, def))
        return PL_OK;
    for (size_t i = 0; !s && i < PL_MAX_OBJECT_SOURCES && def->sources[i];
         i++) {
        s = pl_source_open(&l->sources[i], m, def->sources[i]);
        l->num_sources += !s;
    }
    mine.num_instances = l->num_sources ? l->sources[0]->num_known : 0;
    if (!s)
        s = pl_filter_init(&l->filter, &mine, def);
    if (!s)
        s = list_candidates(l);
    if (s)
        return s;
    if (def->has_instances)
        l->sources[0]->filter = &l->filter;
    ask(l, &mine);
    return build(l, m);
}

const char *pl_object_layout_none(const struct pl_object_layout *l)
{
    return l->num_sources && !l->sources[0]->num_known ? l->def->none : NULL;
}

void pl_object_layout_release(struct pl_object_layout *l)
{
    pl_filter_release(&l->filter);
    free(l->candidates);
    free(l->cells);
    free(l->copies);
    free(l->copies_4);
    free(l->sums);
    free(l->computed);
    free(l->terms);
    pl_buf_release(&l->prepared);
}

bool pl_object_layout_has(const struct pl_object_layout *l,
                          struct pl_text pattern)
{
    for (size_t i = 0; i < l->num_cells; i++)
        if (!pattern.p ||
            pl_pattern_match(pattern, pl_text_of(l->cells[i].titled->name)))
            return true;
    return false;
}
