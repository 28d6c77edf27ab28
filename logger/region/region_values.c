/* Layout and definitions of a published object's counters in a block. */
#include "logger/region/region_values.h"

#include "format/block/winperf.h"
#include "logger/provider/types.h"

struct pl_region_cell
pl_region_cell_of(const struct pl_region_counter *counters, uint32_t i,
                  enum pl_region_width width)
{
    const struct pl_prov_type *type = pl_prov_type_of(counters[i].type);

    return (struct pl_region_cell){
        .counter = i,
        .word = counters[i].word,
        .width = width == PL_REGION_WIDE
                     ? sizeof(uint64_t)
                     : (uint8_t)pl_counter_width(counters[i].type),
        .clamps = type && type->clamps,
        .since_boot = type && type->since_boot,
    };
}

uint32_t pl_region_cells_place(struct pl_region_cell *cells, size_t num)
{
    uint32_t at = PL_SIZEOF_COUNTER_BLOCK;

    for (size_t i = 0; i < num; i++) {
        uint32_t width = cells[i].width;

        at = (at + width - 1) & ~(width - 1);
        cells[i].offset = at;
        at += width;
    }
    for (size_t i = num; i-- > 0;)
        if (cells[i].width == 8 && !cells[i].since_boot)
            cells[i].run = i + 1 < num && cells[i + 1].word == cells[i].word + 1
                               ? cells[i + 1].run + 1
                               : 1;
    return at;
}

uint32_t pl_region_cells_number(struct pl_region_cell *cells, size_t num,
                                const struct pl_region_counter *counters,
                                uint32_t index)
{
    for (size_t i = 0; i < num; i++) {
        if (pl_type_is_base(counters[cells[i].counter].type)) {
            cells[i].index = cells[i - 1].index;
        } else {
            cells[i].index = index;
            index += 2;
        }
    }
    return index;
}

void pl_region_cells_define(struct pl_buf *b,
                            const struct pl_region_cell *cells, size_t num,
                            const struct pl_region_counter *counters)
{
    for (size_t i = 0; i < num; i++) {
        const struct pl_region_cell *cell = &cells[i];
        const struct pl_region_counter *c = &counters[cell->counter];
        struct pl_counter_def d = {
            .title_index = cell->index,
            .help_index = cell->index + 1,
            .scale = c->scale,
            .detail_level = c->detail,
            .type = c->type,
            .size = cell->width,
            .offset = cell->offset,
        };

        pl_put_counter(b, &d);
    }
}

int32_t pl_region_cells_default(const struct pl_region_cell *cells, size_t num,
                                const struct pl_region_counter *counters,
                                uint32_t id)
{
    for (size_t i = 0; i < num; i++)
        if (counters[cells[i].counter].id == id)
            return (int32_t)i;
    return 0;
}
