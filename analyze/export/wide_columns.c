/* Makes rows of several widths equally wide. */
#include "analyze/export/wide_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* ---- getting wider ------------------------------------------------------- */

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

void pl_wide_columns_begin(struct pl_wide_columns *w, const struct pl_header *h)
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

/* Move the cells of the current row to the new places of their columns. */
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

enum pl_status pl_wide_columns_add(struct pl_wide_columns *w,
                                   struct pl_query *e, struct pl_header *h,
                                   struct pl_wide *wide)
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

/* ---- equal widths -------------------------------------------------------- */

/* The written lines, read back. */
struct lines {
    FILE *from;
    size_t at, len;
    char bytes[CHUNK];
};

/* True if a byte is available at l->bytes[l->at]. */
static bool fill(struct lines *l)
{
    if (l->at < l->len)
        return true;
    l->at = 0;
    l->len = fread(l->bytes, 1, sizeof l->bytes, l->from);
    return l->len != 0;
}

/* Replace 'line' by the next one, its LF included. */
static void read_line(struct lines *l, struct pl_buf *line)
{
    const char *end = NULL;

    pl_buf_clear(line);
    while (!end && fill(l)) {
        const char *p = l->bytes + l->at;
        size_t n = l->len - l->at;

        end = memchr(p, '\n', n);
        if (end)
            n = (size_t)(end - p) + 1;
        pl_buf_bytes(line, p, n);
        l->at += n;
    }
}

/* The header of the first width: names in it may hold line ends, in quotes. */
static void skip_header(struct lines *l, struct pl_buf *line)
{
    bool is_quoted = false;

    do {
        read_line(l, line);
        for (size_t i = 0; i < line->len; i++)
            is_quoted ^= line->p[i] == '"';
    } while (is_quoted && line->len);
}

/* Copy 'cells' cells, then add 'blanks' blanks. */
struct run {
    uint32_t cells, blanks;
};

/* Plan how a row of 'width' gets all columns; returns the number of runs. */
static size_t plan_runs(struct run *runs, uint32_t num_first,
                        struct pl_series *const *all, uint32_t num_columns,
                        uint32_t width)
{
    size_t n = 0;

    runs[0] = (struct run){ num_first, 0 };
    for (uint32_t i = 0; i < num_columns; i++) {
        bool has = all[i]->width <= width;

        if (has && runs[n].blanks)
            runs[++n] = (struct run){ 0, 0 };
        runs[n].cells += has;
        runs[n].blanks += !has;
    }
    return n + 1;
}

/* Cells are parsed with a separator after each, the last one included. */
static void put_line(struct pl_buf *out, struct pl_buf *line,
                     const struct pl_csv *csv, const struct run *runs, size_t n)
{
    size_t end = csv->style.pdh ? 2 : 1; /* CR LF, LF */
    const uint8_t *p = line->p, *stop = p + line->len - end + 1;

    line->p[line->len - end] = csv->separator;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *q = p;

        for (uint32_t left = runs[i].cells; left && q < stop; q++)
            left -= *q == csv->separator;
        pl_buf_bytes(out, p, (size_t)(q - p));
        p = q;
        for (uint32_t k = 0; k < runs[i].blanks; k++) {
            if (csv->style.pdh)
                pl_buf_bytes(out, "\" \"", 3);
            pl_buf_u8(out, csv->separator);
        }
    }
    if (out->len)
        out->len--;
    pl_buf_bytes(out, &"\r\n"[2 - end], end);
}

/*
 * Widen the lines that are too narrow; the lines after them are copied
 * unchanged.
 */
static enum pl_status even_lines(const struct pl_wide_columns *w,
                                 struct pl_query *e, struct lines *l,
                                 struct run *runs, struct pl_series *const *all,
                                 uint32_t num_columns)
{
    struct pl_buf line = { 0 }, out = { 0 };
    uint32_t width = 0;
    size_t num_runs = 0;
    enum pl_status s = PL_OK;

    skip_header(l, &line);
    for (uint64_t row = 0; !s && row < w->rows[w->num - 1] && fill(l); row++) {
        if (!width || w->rows[width] <= row) {
            while (w->rows[width] <= row)
                width++;
            num_runs = plan_runs(runs, 1 + e->plan->time.offset, all,
                                 num_columns, width);
        }
        read_line(l, &line);
        if (!line.oom)
            put_line(&out, &line, &e->csv, runs, num_runs);
        if (line.oom || out.oom)
            s = PL_NOMEM;
        else if (out.len >= CHUNK) {
            s = pl_output_file_write(&e->output, out.p, out.len);
            pl_buf_clear(&out);
        }
    }
    if (!s)
        s = pl_output_file_write(&e->output, out.p, out.len);
    while (!s && fill(l)) {
        s = pl_output_file_write(&e->output, l->bytes + l->at, l->len - l->at);
        l->at = l->len;
    }
    pl_buf_release(&line);
    pl_buf_release(&out);
    return !s && ferror(l->from) ? PL_IO : s;
}

enum pl_status pl_wide_columns_even(const struct pl_wide_columns *w,
                                    struct pl_query *e,
                                    const struct pl_header *h)
{
    const struct pl_columns columns = { 0, h->num_columns };
    struct pl_series **all;
    struct lines *l;
    struct run *runs;
    struct pl_output_file before = { 0 };
    enum pl_status s;

    if (w->num < 2)
        return PL_OK;
    all = series_of(h);
    l = calloc(1, sizeof *l);
    runs = malloc((h->num_columns + 1) * sizeof *runs);
    s = all && l && runs ? pl_output_file_rework(&e->output, &before, &l->from)
                         : PL_NOMEM;
    if (!s)
        s = pl_query_start_csv(e);
    if (!s) {
        pl_wide_header(&e->csv, &e->plan->time, h->groups, h->num_groups,
                       &columns);
        s = pl_csv_flush(&e->csv);
    }
    if (!s)
        s = even_lines(w, e, l, runs, all, h->num_columns);
    pl_output_file_drop(&before, l ? l->from : NULL);
    free(runs);
    free(all);
    free(l);
    return s;
}
