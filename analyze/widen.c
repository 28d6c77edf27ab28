/* Rows of several widths, made even. */
#include "analyze/widen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* ---- getting wider -------------------------------------------------------------- */

/* The series of each column, to be freed; NULL: no memory. */
static struct pl_series **series_of(const struct pl_header *h)
{
    struct pl_series **list = malloc((h->num_columns + 1) * sizeof(void *));
    uint32_t num = 0;

    for (size_t i = 0; list && i < h->num_groups; i++)
        for (uint32_t k = 0; k < h->groups[i]->num_slots; k++) {
            struct pl_series *s = pl_group_series(h->groups[i], k);

            if (s && s->column == num && num < h->num_columns)
                list[num++] = s;
        }
    return list;
}

void pl_widths_begin(struct pl_widths *w, const struct pl_header *h)
{
    w->rows[0] = 0;
    w->num = 1;
    for (size_t i = 0; i < h->num_groups; i++)
        for (uint32_t k = 0; k < h->groups[i]->num_slots; k++) {
            struct pl_series *s = pl_group_series(h->groups[i], k);

            if (s)
                s->width = s->present ? 1 : 0;
        }
}

/* Cells of the row under way go where their columns have gone. */
static enum pl_status move_cells(struct pl_wide *wide,
                                 struct pl_series *const *old,
                                 uint32_t num_columns)
{
    struct pl_wide wider = { 0 };
    enum pl_status s = pl_wide_init(&wider, num_columns);

    if (s)
        return s;
    for (uint32_t i = 0; i < wide->num_columns; i++)
        wider.cells[old[i]->column] = wide->cells[i];
    pl_wide_release(wide);
    *wide = wider;
    return PL_OK;
}

enum pl_status pl_widths_add(struct pl_widths *w, struct pl_export *e,
                             struct pl_header *h, struct pl_wide *wide)
{
    struct pl_series **old, **all = NULL;
    enum pl_status s;

    if (w->num == PL_MAX_WIDTHS)
        return PL_END;
    old = series_of(h);
    free(h->groups);
    h->groups = NULL;
    s = old ? pl_registry_columns(&e->registry, &h->groups, &h->num_groups,
                                  &h->num_columns)
            : PL_NOMEM;
    if (!s)
        s = move_cells(wide, old, h->num_columns);
    all = s ? NULL : series_of(h);
    if (!s && !all)
        s = PL_NOMEM;
    w->rows[w->num++] = e->csv.rows;
    for (uint32_t i = 0; !s && i < h->num_columns; i++)
        if (!all[i]->width)
            all[i]->width = (uint8_t)w->num;
    free(old);
    free(all);
    return s;
}

/* ---- making even ------------------------------------------------------------------ */

/* What was written, line by line. */
struct lines {
    FILE *from;
    size_t at, len;
    char bytes[CHUNK];
};

/* True if there is a byte at hand, at l->bytes[l->at]. */
static bool fill(struct lines *l)
{
    if (l->at < l->len)
        return true;
    l->at = 0;
    l->len = fread(l->bytes, 1, sizeof l->bytes, l->from);
    return l->len != 0;
}

/*
 * Append what comes before the next 'end', which is passed over too, or before
 * the end of the line, which is not.
 */
static void copy_cell(struct lines *l, struct pl_buf *out, char end)
{
    while (fill(l)) {
        const char *p = l->bytes + l->at;
        size_t left = l->len - l->at, n = 0;

        while (n < left && p[n] != end && p[n] != '\n')
            n++;
        pl_buf_bytes(out, p, n);
        l->at += n;
        if (n == left)
            continue;
        l->at += p[n] == end;
        return;
    }
}

/* A line of 'width' becomes one that has a cell for each column. */
static void even_line(struct lines *l, struct pl_buf *out,
                      const struct pl_csv *csv, uint32_t num_first,
                      struct pl_series *const *all, uint32_t num_columns,
                      uint32_t width)
{
    const char separator = (char)csv->separator;

    for (uint32_t i = 0; i < num_first + num_columns; i++) {
        if (i)
            pl_buf_u8(out, csv->separator);
        if (i < num_first || all[i - num_first]->width <= width)
            copy_cell(l, out, separator);
        else if (csv->style.pdh)
            pl_buf_bytes(out, "\" \"", 3);
    }
    if (csv->style.pdh && out->len && out->p[out->len - 1] != '\r')
        pl_buf_u8(out, '\r');
    copy_cell(l, out, '\n');
    pl_buf_u8(out, '\n');
}

static enum pl_status even_lines(const struct pl_widths *w, struct pl_export *e,
                                 struct lines *l, struct pl_buf *out,
                                 struct pl_series *const *all,
                                 uint32_t num_columns)
{
    uint32_t num_first = 1 + e->plan->time.offset, width = 1;
    enum pl_status s = PL_OK;

    copy_cell(l, out, '\n'); /* the header of the first width */
    pl_buf_clear(out);
    for (uint64_t row = 0; !s && fill(l); row++) {
        while (width < w->num && w->rows[width] <= row)
            width++;
        even_line(l, out, &e->csv, num_first, all, num_columns, width);
        if (out->oom)
            return PL_NOMEM;
        if (out->len < CHUNK)
            continue;
        s = pl_output_write(&e->output, out->p, out->len);
        pl_buf_clear(out);
    }
    if (!s && ferror(l->from))
        s = PL_IO;
    return s ? s : pl_output_write(&e->output, out->p, out->len);
}

enum pl_status pl_widths_even(const struct pl_widths *w, struct pl_export *e,
                              const struct pl_header *h)
{
    const struct pl_columns columns = { 0, h->num_columns };
    struct pl_series **all;
    struct lines *l;
    struct pl_output before = { 0 };
    struct pl_buf out = { 0 };
    enum pl_status s;

    if (w->num < 2)
        return PL_OK;
    all = series_of(h);
    l = calloc(1, sizeof *l);
    s = all && l ? pl_output_rework(&e->output, &before, &l->from) : PL_NOMEM;
    if (!s)
        s = pl_export_start_csv(e);
    if (!s) {
        pl_wide_header(&e->csv, &e->plan->time, h->groups, h->num_groups,
                       &columns);
        s = pl_csv_flush(&e->csv);
    }
    if (!s)
        s = even_lines(w, e, l, &out, all, h->num_columns);
    pl_output_drop(&before, l ? l->from : NULL);
    pl_buf_release(&out);
    free(all);
    free(l);
    return s;
}
