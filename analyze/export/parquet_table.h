/*                                            analyze/export/parquet_table.h
 * The rows of one object of one host for export --parquet: the columns, which
 * file they go to, and which of them are there already.
 */
#ifndef PL_ANALYZE_EXPORT_PARQUET_TABLE_H
#define PL_ANALYZE_EXPORT_PARQUET_TABLE_H

#include "analyze/export/parquet_folder.h"
#include "analyze/parquet/parquet_file.h"
#include "analyze/replay/group_identity.h"
#include "analyze/replay/replay.h"
#include "format/base/buf.h"

struct pl_parquet_table {
    const struct pl_object_names *object;
    struct pl_parquet_partition partition;
    struct pl_parquet *file; /* NULL: none has been begun */
    struct pl_parquet_span span;
    bool skips; /* the current sample is there already */
    /* by slot: the column in 'file', PL_NO_COLUMN: none; and its type */
    struct pl_parquet_slot {
        uint32_t column;
        bool typed, taken; /* taken: another column has the name */
        enum pl_parquet_type type;
        enum pl_value_kind usual; /* a kind that 'type' holds */
    } * slots;
    uint32_t num_slots, num_counters; /* columns of counters in 'file' */
    uint32_t time, host, instance, status;
    uint32_t identity[PL_NUM_IDENTITY_COLUMNS];
    bool identifies;
    size_t sample_row, sample_rows; /* rows of the sample before this one */
    size_t held;                    /* bytes in rows, about */
    struct pl_buf text;
};

/*
 * Begin a sample: a file of another day or session is finished.  PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_parquet_table_sample(struct pl_parquet_table *t,
                                       const struct pl_parquet_folder *folder,
                                       const struct pl_row *row);

/* A value that is not of the column's usual kind can be put into it. */
bool pl_parquet_table_holds(const struct pl_parquet_slot *slot,
                            const struct pl_value *v);

/* A cell's column is there, and has its type. */
static inline bool pl_parquet_table_suits(const struct pl_parquet_table *t,
                                          const struct pl_cell_at *cell)
{
    const struct pl_parquet_slot *slot;

    if (cell->slot >= t->num_slots)
        return false;
    slot = &t->slots[cell->slot];
    return slot->typed && (!t->file || slot->column != PL_NO_COLUMN) &&
           (cell->value.kind == slot->usual ||
            cell->value.kind == PL_VALUE_NONE ||
            pl_parquet_table_holds(slot, &cell->value));
}
/* Make room for it in the next file; what there is has been finished. */
enum pl_status pl_parquet_table_admit(struct pl_parquet_table *t,
                                      const struct pl_cell_at *cell);

/* A row of 'num' cells of one group.  PL_NOMEM, PL_IO. */
enum pl_status pl_parquet_table_row(struct pl_parquet_table *t,
                                    const struct pl_row *row,
                                    const struct pl_cell_at *cells, size_t num);

/* Write the rows held as a row group.  PL_IO, PL_NOMEM. */
enum pl_status pl_parquet_table_flush(struct pl_parquet_table *t);

/* Complete the file, if one was begun.  PL_IO, PL_NOMEM. */
enum pl_status pl_parquet_table_finish(struct pl_parquet_table *t);
void pl_parquet_table_release(struct pl_parquet_table *t);

#endif
