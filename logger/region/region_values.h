/*                                            logger/region/region_values.h
 * The counters of a published object in a block: the width and offset of each,
 * and the word of the region that it shows.
 */
#ifndef PL_REGION_CELLS_H
#define PL_REGION_CELLS_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "logger/region/region_validate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A recorded counter of a published object. */
struct pl_region_cell {
    uint32_t counter; /* place among the object's */
    uint32_t index;   /* title */
    uint32_t offset;  /* in the counter block */
    uint32_t word;
    uint16_t run; /* number of adjacent words from here, copied as is */
    uint8_t width;
    bool clamps;     /* in 4 bytes: at the largest value; else it wraps */
    bool since_boot; /* a time; converted to the object's clock */
};

/* Bytes of a value of a type without LARGE. */
enum pl_region_width {
    PL_REGION_WIDE,   /* 8, as its word has: nothing wraps or stops */
    PL_REGION_AS_TYPE /* 4, as Windows' own tools expect */
};

/* The cell of counter 'i' of the object's 'counters', without an offset. */
struct pl_region_cell
pl_region_cell_of(const struct pl_region_counter *counters, uint32_t i,
                  enum pl_region_width width);

/* Set the offsets; returns the end of the last cell. */
uint32_t pl_region_cells_place(struct pl_region_cell *cells, size_t num);

/* Assign titles from 'index' on, two each; a base has its counter's.  Returns
 * the index after the last. */
uint32_t pl_region_cells_number(struct pl_region_cell *cells, size_t num,
                                const struct pl_region_counter *counters,
                                uint32_t index);

/* Append their definitions; help texts are at index + 1. */
void pl_region_cells_define(struct pl_buf *b,
                            const struct pl_region_cell *cells, size_t num,
                            const struct pl_region_counter *counters);

/* Position of the counter with that id among the cells; 0 if it is missing. */
int32_t pl_region_cells_default(const struct pl_region_cell *cells, size_t num,
                                const struct pl_region_counter *counters,
                                uint32_t id);

/* Put a value into the counter block at 'p'. */
static inline void pl_region_cell_put(const struct pl_region_cell *cell,
                                      uint8_t *p, uint64_t v)
{
    if (cell->width == 8)
        pl_put_le64(p + cell->offset, v);
    else
        pl_put_le32(p + cell->offset,
                    cell->clamps && v > UINT32_MAX ? UINT32_MAX : (uint32_t)v);
}

#endif
