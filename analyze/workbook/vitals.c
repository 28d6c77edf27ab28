/* Statistics of vital series. */
#include "analyze/workbook/vitals.h"

#include "analyze/query/default_series.h"
#include "analyze/replay/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of many hosts, what all of them have. */
static bool is_common(const struct pl_default_series *v, unsigned counter,
                      const struct pl_group *g)
{
    return !counter && (v->instance || !g->instance);
}

static bool is_vital(const struct pl_default_series *v,
                     const struct pl_xlsx_column *c, uint32_t num_hosts)
{
    const char *name = c->group->object->counters[c->slot].name;
    unsigned counter = pl_default_series_find(v, c->group->object->name,
                                              c->group->instance, name);

    return !v->busiest && counter < v->in_sheet &&
           (num_hosts <= PL_XLSX_FEW_HOSTS || is_common(v, counter, c->group));
}

enum pl_status pl_xlsx_vitals_choose(struct pl_xlsx_vitals *v,
                                     const struct pl_xlsx_plan *plan,
                                     uint32_t num_columns, uint32_t num_hosts)
{
    v->num_columns = num_columns;
    v->places = calloc(num_columns + (size_t)1, sizeof *v->places);
    v->vitals = calloc(PL_XLSX_VITALS_MOST, sizeof *v->vitals);
    if (!v->places || !v->vitals)
        return PL_NOMEM;
    for (size_t k = 0; k < PL_NUM_VITALS; k++)
        for (uint32_t i = 0;
             i < plan->num_columns && v->num < PL_XLSX_VITALS_MOST; i++) {
            const struct pl_xlsx_column *c = &plan->columns[i];

            if (c->rest || !is_vital(&pl_vitals[k], c, num_hosts))
                continue;
            v->vitals[v->num++] =
                (struct pl_xlsx_vital){ .column = c, .chart = k };
            v->places[c->group->series[c->slot].column] = (uint32_t)v->num;
        }
    return PL_OK;
}

void pl_xlsx_vitals_release(struct pl_xlsx_vitals *v)
{
    for (size_t i = 0; i < v->num; i++)
        pl_percentiles_release(&v->vitals[i].values);
    free(v->vitals);
    free(v->places);
    *v = (struct pl_xlsx_vitals){ 0 };
}

static enum pl_status add(struct pl_xlsx_vital *v, const struct pl_row *row,
                          const struct pl_cell_at *at)
{
    double value, weight = pl_row_weight(row, at);

    if (!pl_value_number(&at->value, &value))
        return PL_OK;
    v->max = v->weight > 0 ? fmax(v->max, value) : value;
    v->sum += value * weight;
    v->weight += weight;
    return pl_percentiles_add(&v->values, value);
}

enum pl_status pl_xlsx_vitals_add(struct pl_xlsx_vitals *v,
                                  const struct pl_row *row)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        uint32_t column = at->group->series[at->slot].column;

        if (column < v->num_columns && v->places[column])
            s = add(&v->vitals[v->places[column] - 1], row, at);
    }
    return s;
}
