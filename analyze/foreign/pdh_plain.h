/*                                              analyze/foreign/pdh_plain.h
 * Lines as programs write them: each cell in quotes that has none inside, or
 * without any, and nothing of a header.  Their cells are found without libcsv, as
 * it would find them, in a tenth of the time.
 */
#ifndef PL_ANALYZE_FOREIGN_PDH_PLAIN_H
#define PL_ANALYZE_FOREIGN_PDH_PLAIN_H

#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cells of a row that are needed; num 0: all of them. */
struct pl_pdh_wanted {
    size_t num;        /* of all cells of a usual row */
    size_t first, end; /* those needed of them, and the time */
};

/* Those that were found, as in struct pl_pdh_row. */
struct pl_pdh_plain {
    size_t num, first, quotes;
};

/*
 * Append the cells of the line, which ends as one, each with a NUL, and where they
 * begin.  Of a row that has as many cells as usual only wanted ones are.
 * False: it is no such line, and nothing is appended.
 */
bool pl_pdh_plain_cells(const uint8_t *p, size_t n, char delimiter,
                        const struct pl_pdh_wanted *wanted,
                        struct pl_buf *cells, struct pl_buf *places,
                        struct pl_pdh_plain *out);

#endif
