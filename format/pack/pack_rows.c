/* The rows of a pack, and the order of its columns. */
#include "format/pack/pack.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

void pl_pack_rows_release(struct pl_pack_rows *r)
{
    free(r->rows);
    *r = (struct pl_pack_rows){ 0 };
}

void pl_pack_rows_clear(struct pl_pack_rows *r)
{
    r->num = 0;
    r->num_series = r->num_groups = 0;
}

enum pl_status pl_pack_rows_add(struct pl_pack_rows *r, uint64_t len,
                                uint64_t group, uint32_t birth)
{
    if (!len || len > PL_MAX_PAYLOAD / PL_PACK_WORD || group > r->num_groups ||
        r->num_series > UINT32_MAX / 2)
        return PL_CORRUPT;
    if (!pl_array_grow((void **)&r->rows, &r->cap, r->num, sizeof *r->rows))
        return PL_NOMEM;
    r->rows[r->num++] = (struct pl_pack_row){ r->num_series, (uint32_t)len,
                                              (uint32_t)group, birth };
    r->num_series += (uint32_t)len;
    r->num_groups += group == r->num_groups;
    return PL_OK;
}

void pl_pack_order_release(struct pl_pack_order *order)
{
    free(order->series);
    free(order->fields);
    *order = (struct pl_pack_order){ 0 };
}

/* Where each group's fields begin: as many as its longest row has words. */
static uint32_t *first_fields(const struct pl_pack_rows *r)
{
    uint32_t *first = calloc((size_t)r->num_groups + 1, sizeof *first);

    if (!first)
        return NULL;
    for (size_t i = 0; i < r->num; i++) {
        uint32_t *longest = &first[r->rows[i].group + 1];

        if (*longest < r->rows[i].len)
            *longest = r->rows[i].len;
    }
    for (uint32_t g = 0; g < r->num_groups; g++)
        first[g + 1] += first[g];
    return first;
}

/* Set where each field begins, as its end, and its distance. */
static void begin_fields(const struct pl_pack_rows *r, const uint32_t *first,
                         struct pl_pack_field *fields)
{
    uint32_t before = 0;

    for (size_t i = 0; i < r->num; i++)
        for (uint32_t k = 0; k < r->rows[i].len; k++)
            fields[first[r->rows[i].group] + k].end++;
    for (uint32_t g = 0; g < r->num_groups; g++)
        for (uint32_t f = first[g]; f < first[g + 1]; f++) {
            uint32_t here = fields[f].end;

            fields[f] = (struct pl_pack_field){ before, f - first[g] };
            before += here;
        }
}

/* Put the series into their fields, whose ends so move to their places. */
static void put_series(const struct pl_pack_rows *r, const uint32_t *first,
                       struct pl_pack_order *order)
{
    for (size_t i = 0; i < r->num; i++) {
        const struct pl_pack_row *row = &r->rows[i];
        struct pl_pack_field *fields = order->fields + first[row->group];
        uint32_t last = row->first + row->len - 1;

        for (uint32_t k = 0; k < row->len; k++)
            order->series[fields[k].end++] = last - k;
    }
}

enum pl_status pl_pack_rows_order(const struct pl_pack_rows *r,
                                  struct pl_pack_order *order)
{
    uint32_t *first = first_fields(r);
    size_t num = first ? first[r->num_groups] : 0;

    order->num_fields = num;
    if (!first ||
        !pl_array_reserve((void **)&order->series, &order->series_cap,
                          (size_t)r->num_series + 1, sizeof *order->series) ||
        !pl_array_reserve((void **)&order->fields, &order->fields_cap, num + 1,
                          sizeof *order->fields)) {
        free(first);
        return PL_NOMEM;
    }
    memset(order->fields, 0, num * sizeof *order->fields);
    begin_fields(r, first, order->fields);
    put_series(r, first, order);
    free(first);
    return PL_OK;
}
