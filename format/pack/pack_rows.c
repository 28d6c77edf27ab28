/* The rows of a pack, and the order of its columns. */
#include "format/pack/pack.h"

#include "format/base/array.h"

#include <stdlib.h>

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

/* Where each group's places begin: a place for each distance from the end. */
static uint32_t *first_places(const struct pl_pack_rows *r)
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

/* Where the series of each place begin. */
static void sum_up(uint32_t *places, uint32_t num)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < num; i++) {
        uint32_t here = places[i];

        places[i] = before;
        before += here;
    }
}

enum pl_status pl_pack_rows_order(const struct pl_pack_rows *r, uint32_t *order)
{
    uint32_t *first = first_places(r);
    uint32_t num = first ? first[r->num_groups] : 0;
    uint32_t *places = calloc((size_t)num + 1, sizeof *places);

    if (!first || !places) {
        free(first);
        free(places);
        return PL_NOMEM;
    }
    for (size_t i = 0; i < r->num; i++)
        for (uint32_t k = 0; k < r->rows[i].len; k++)
            places[first[r->rows[i].group] + k]++;
    sum_up(places, num);
    for (size_t i = 0; i < r->num; i++) {
        const struct pl_pack_row *row = &r->rows[i];

        for (uint32_t k = 0; k < row->len; k++)
            order[places[first[row->group] + k]++] =
                row->first + row->len - 1 - k;
    }
    free(first);
    free(places);
    return PL_OK;
}
