/* Rows of fields in reused memory. */
#include "logger/linux/machine/rows.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

void pl_source_rows_release(struct pl_source_rows *r)
{
    free(r->row);
    free(r->values);
    pl_buf_release(&r->names);
    *r = (struct pl_source_rows){ 0 };
}

void pl_source_rows_clear(struct pl_source_rows *r)
{
    r->num = 0;
    pl_buf_clear(&r->names);
}

static bool grow(struct pl_source_rows *r)
{
    size_t cap = r->cap ? r->cap + r->cap / 2 : 4;

    if (!pl_array_resize((void **)&r->row, cap, sizeof *r->row) ||
        !pl_array_resize((void **)&r->values, cap * r->width,
                         sizeof *r->values))
        return false;
    r->cap = cap;
    return true;
}

uint64_t *pl_source_rows_add(struct pl_source_rows *r, struct pl_text name)
{
    struct pl_source_row row = { .name_at = r->names.len, .name_len = name.n };
    uint64_t *values;

    if (r->num == r->cap && !grow(r))
        return NULL;
    pl_buf_bytes(&r->names, name.p, name.n);
    if (r->names.oom)
        return NULL;
    values = pl_source_rows_values(r, r->num);
    memset(values, 0, r->width * sizeof *values);
    r->row[r->num++] = row;
    return values;
}

void pl_source_rows_drop(struct pl_source_rows *r)
{
    r->num--;
    r->names.len = r->row[r->num].name_at;
}

size_t pl_source_rows_find(const struct pl_source_rows *r, struct pl_text name,
                           size_t guess)
{
    if (guess < r->num && pl_text_equal(pl_source_rows_name(r, guess), name))
        return guess;
    for (size_t i = 0; i < r->num; i++)
        if (pl_text_equal(pl_source_rows_name(r, i), name))
            return i;
    return PL_NO_ROW;
}
