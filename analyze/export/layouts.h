/*                                                   analyze/export/layouts.h
 * The layouts of export --layout, one row each: to add one, write a file with
 * its pl_layout_NAME and a row here.  --help, completion and messages follow.
 */
#ifndef PL_ANALYZE_EXPORT_LAYOUTS_H
#define PL_ANALYZE_EXPORT_LAYOUTS_H

#include "analyze/query/query.h"

/* clang-format off */
/* Name and help text, in the order of --help. */
#define PL_LAYOUTS(row)                                                        \
    row(wide, "a column per series (default)")                                 \
    row(long, "a line per value, with the reason for every blank")             \
    row(pdh, "wide as Windows writes and reads it")                            \
    row(table, "a folder with a sheet per object, a line per time and "        \
               "instance")
/* clang-format on */

#define PL_LAYOUT_DECLARE(name, help)                                          \
    extern const struct pl_layout pl_layout_##name;
PL_LAYOUTS(PL_LAYOUT_DECLARE)
#undef PL_LAYOUT_DECLARE

/* Parquet has an option of its own, as workbooks have (workbook/workbook.h). */
extern const struct pl_layout pl_layout_parquet;

#endif
