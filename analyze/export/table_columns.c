/* Counters of an object become columns. */
#include "analyze/export/table_columns.h"

#include <stdlib.h>
#include <string.h>

enum pl_status pl_table_columns_note(struct pl_table_columns *t,
                                     const struct pl_group *g)
{
    uint32_t num = g->object->num_counters;

    if (!t->columns) {
        t->object = g->object;
        t->columns = malloc((num + (size_t)1) * sizeof *t->columns);
        if (!t->columns)
            return PL_NOMEM;
        memset(t->columns, 0xFF, num * sizeof *t->columns); /* PL_NO_COLUMN */
        t->num_slots = num;
    }
    for (uint32_t k = 0; k < g->num_slots; k++) {
        const struct pl_series *s = pl_group_series(g, k);

        if (s && s->present)
            t->columns[k] = 0;
    }
    return PL_OK;
}

enum pl_status pl_table_columns_number(struct pl_table_columns *t)
{
    for (uint32_t k = 0; k < t->num_slots; k++)
        if (t->columns[k] != PL_NO_COLUMN)
            t->columns[k] = t->num++;
    t->cells = calloc((size_t)t->num + 1, sizeof *t->cells);
    return t->cells ? PL_OK : PL_NOMEM;
}

void pl_table_columns_release(struct pl_table_columns *t)
{
    free(t->columns);
    free(t->cells);
    *t = (struct pl_table_columns){ 0 };
}
