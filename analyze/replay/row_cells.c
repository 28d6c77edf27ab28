/* Cells of a row. */
#include "analyze/replay/row_cells.h"
#include "format/base/array.h"

bool pl_row_cells_grow(struct pl_row_values *p, size_t more)
{
    size_t num = p->num_cells + more;

    return pl_array_reserve((void **)&p->cells, &p->cap_cells, num,
                            sizeof *p->cells) &&
           (!p->want_steps ||
            pl_array_reserve((void **)&p->steps, &p->cap_steps, num,
                             sizeof *p->steps));
}

enum pl_status pl_row_cells_add(struct pl_row_values *p,
                                const struct pl_cell_at *cell,
                                const struct pl_step_at *step)
{
    if (!pl_row_cells_reserve(p, 1))
        return PL_NOMEM;
    if (p->want_steps)
        p->steps[p->num_cells] = *step;
    p->cells[p->num_cells++] = *cell;
    return PL_OK;
}

struct pl_value pl_row_cells_value(const struct pl_row_values *p,
                                   const struct pl_planned_counter *c,
                                   const struct pl_step *step)
{
    struct pl_value v = { .cell = step->cell, .kind = PL_VALUE_NONE };

    if (!c->formula || !pl_cell_has_value(step->cell))
        return v;
    return pl_formula_value(c->formula, step, &p->calc);
}

/*
 * p->texts may still move, so until the row is complete v->integer says where
 * the text begins in it.  A byte becomes three at most, so only texts that
 * overlap in the block can exceed 'fits' in total, and then by any amount.
 */
enum pl_status pl_row_cells_text(struct pl_row_values *p,
                                 struct pl_sample_view *samples,
                                 const struct pl_counter_delta *pair,
                                 const struct pl_planned_counter *c,
                                 struct pl_value *v)
{
    size_t start = p->texts.len;
    bool fits =
        start / 3 + c->def.size <= pl_sample_view_now(samples)->block.len;

    if (!fits || !pl_counter_text(&samples->pages, &p->texts, &pair->now->view,
                                  &pair->newer->view, &c->def)) {
        *v = (struct pl_value){ .cell = PL_CELL_UNSUPPORTED };
        return PL_OK;
    }
    v->integer = start;
    v->text.n = p->texts.len - start;
    return p->texts.oom ? PL_NOMEM : PL_OK;
}

void pl_row_cells_place_texts(struct pl_row_values *p)
{
    for (size_t i = 0; p->texts.len && i < p->num_cells; i++) {
        struct pl_value *v = &p->cells[i].value;

        if (v->kind == PL_VALUE_TEXT)
            v->text.p = (const char *)p->texts.p + v->integer;
    }
}
