/*                                           analyze/export/table_columns.h
 * The columns of a sheet that has a row per time and instance of one object: a
 * column for each of its counters that occurs.
 */
#ifndef PL_ANALYZE_EXPORT_TABLE_COLUMNS_H
#define PL_ANALYZE_EXPORT_TABLE_COLUMNS_H

#include "analyze/calc/calc.h"
#include "analyze/replay/row_values.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stdint.h>

/* All zero: no instance has been noted. */
struct pl_table_columns {
    const struct pl_object_names *object;
    uint32_t *columns; /* by slot; PL_NO_COLUMN: never seen */
    uint32_t num_slots, num;
    struct pl_value *cells; /* of the current row, by column */
};

/* Note an instance of the object; after all of them number the columns.
 * PL_NOMEM. */
enum pl_status pl_table_columns_note(struct pl_table_columns *t,
                                     const struct pl_group *g);
enum pl_status pl_table_columns_number(struct pl_table_columns *t);
void pl_table_columns_release(struct pl_table_columns *t);

/* The column of a slot; PL_NO_COLUMN: it appeared later, or never. */
static inline uint32_t pl_table_column(const struct pl_table_columns *t,
                                       uint32_t slot)
{
    return slot < t->num_slots ? t->columns[slot] : PL_NO_COLUMN;
}

#endif
