/* Writes rows of series. */
#include "analyze/workbook/wide.h"

#include "analyze/amounts/ranking.h"
#include "analyze/workbook/cells.h"
#include "analyze/workbook/charts.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_WIDTH = 16 };

/* The most series that share a column. */
static uint32_t most_rest(const struct pl_xlsx_plan *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->num_columns; i++)
        if (p->columns[i].rest && p->columns[i].rest->num > most)
            most = p->columns[i].rest->num;
    return most;
}

enum pl_status pl_xlsx_wide_init(struct pl_xlsx_wide *w, uint32_t num_columns)
{
    w->spans = calloc(w->plan->num_pages, sizeof *w->spans);
    w->numbers = calloc(w->plan->num_sheets + 1, sizeof *w->numbers);
    w->rest = malloc((most_rest(w->plan) + (size_t)1) * sizeof *w->rest);
    if (!w->spans || !w->numbers || !w->rest)
        return PL_NOMEM;
    return pl_wide_init(&w->wide, num_columns);
}

void pl_xlsx_wide_release(struct pl_xlsx_wide *w)
{
    pl_wide_release(&w->wide);
    free(w->spans);
    free(w->numbers);
    free(w->rest);
    w->spans = NULL;
    w->numbers = NULL;
    w->rest = NULL;
}

/* ---- headers ------------------------------------------------------------- */

static void name_column(struct pl_buf *out, const struct pl_xlsx_column *c)
{
    if (!c->rest) {
        pl_series_path(out, c->group, c->slot, true, false);
        return;
    }
    pl_buf_u8(out, '\\');
    pl_buf_string(out, c->group->object->name);
    pl_buf_u8(out, '\\');
    pl_buf_string(out, pl_xlsx_counter_name(c));
    pl_buf_bytes(out, ", ", 2);
    pl_xlsx_rest_name(out, c);
}

static void put_header(struct pl_xlsx_wide *w, const struct pl_query *e,
                       size_t sheet)
{
    const struct pl_xlsx_sheet *s = &w->plan->sheets[sheet];
    struct pl_xlsx_at at = { w->numbers[sheet], 0, 0 };
    struct pl_buf text = { 0 };

    pl_xlsx_put_time_headers(w->book, &at, e->plan->time.offset);
    for (uint32_t i = 0; i < s->num; i++, at.column++) {
        pl_buf_clear(&text);
        name_column(&text, &w->plan->columns[s->first + i]);
        pl_xlsx_put_header(w->book, at, (const char *)text.p, text.len);
        w->book->oom |= text.oom;
    }
    pl_buf_release(&text);
}

/* The number of rows of a page. */
static uint32_t rows_on(const struct pl_query *e, const struct pl_xlsx_plan *p,
                        uint32_t page)
{
    uint64_t left = e->rows - (page ? page * p->page_rows : 0);

    return (uint32_t)(page + 1 < p->num_pages ? p->page_rows : left);
}

void pl_xlsx_wide_begin(struct pl_xlsx_wide *w, const struct pl_query *e)
{
    bool ms = e->plan->time.milliseconds;

    for (size_t i = 0; i < w->plan->num_sheets; i++) {
        const struct pl_xlsx_frame frame = {
            .name = w->plan->sheets[i].name,
            .rows = rows_on(e, w->plan, w->plan->sheets[i].page),
            .columns = w->num_first + w->plan->sheets[i].num,
            .fixed_columns = w->num_first,
            .fixed_width = ms ? PL_XLSX_TIME_WIDTH_MS : PL_XLSX_TIME_WIDTH,
            .width = COLUMN_WIDTH,
        };

        w->numbers[i] = pl_xlsx_add_sheet(w->book, &frame);
        put_header(w, e, i);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return *a < *b ? -1 : *a > *b;
}

/* The least value that 'percent' of 'num' do not exceed. */
static double percentile(double *values, uint32_t num, uint32_t percent)
{
    uint64_t rank = ((uint64_t)num * percent + 99) / 100;

    qsort(values, num, sizeof *values, by_value);
    return values[rank - 1];
}

/* What the others leave of the first; a blank if that is one. */
static struct pl_value left_value(const struct pl_xlsx_wide *w,
                                  const struct pl_xlsx_rest *rest)
{
    struct pl_value v = { .kind = PL_VALUE_DOUBLE };
    double one;

    if (!pl_value_number(&w->wide.cells[rest->series[0]], &v.number))
        return (struct pl_value){ 0 };
    for (uint32_t i = 1; i < rest->num; i++)
        if (pl_value_number(&w->wide.cells[rest->series[i]], &one))
            v.number -= one;
    v.number = v.number > 0 ? v.number : 0;
    return v;
}

static struct pl_value rest_value(struct pl_xlsx_wide *w,
                                  const struct pl_xlsx_column *c)
{
    struct pl_value v = { .kind = PL_VALUE_DOUBLE };
    uint32_t num = 0;

    if (c->sum == PL_XLSX_LEFT)
        return left_value(w, c->rest);
    for (uint32_t i = 0; i < c->rest->num; i++)
        num +=
            pl_value_number(&w->wide.cells[c->rest->series[i]], &w->rest[num]);
    if (!num)
        return (struct pl_value){ 0 };
    if (c->sum == PL_XLSX_SUM)
        for (uint32_t i = 0; i < num; i++)
            v.number += w->rest[i];
    else
        v.number = percentile(w->rest, num, c->sum == PL_XLSX_MEDIAN ? 50 : 95);
    return v;
}

/* Find the page of the next row. */
static uint32_t turn_page(struct pl_xlsx_wide *w, int64_t time_ns)
{
    uint64_t last = w->plan->num_pages - 1;
    uint64_t page = w->rows++ / w->plan->page_rows;
    struct pl_xlsx_span *span = &w->spans[page < last ? page : last];

    if (!span->rows++)
        *span = (struct pl_xlsx_span){ 1, w->num_first, time_ns, time_ns };
    span->first_ns = time_ns < span->first_ns ? time_ns : span->first_ns;
    span->last_ns = time_ns > span->last_ns ? time_ns : span->last_ns;
    return (uint32_t)(span - w->spans);
}

static void put_cells(struct pl_xlsx_wide *w, const struct pl_xlsx_sheet *sheet,
                      struct pl_xlsx_at at)
{
    for (uint32_t i = 0; i < sheet->num; i++, at.column++) {
        const struct pl_xlsx_column *c = &w->plan->columns[sheet->first + i];
        const struct pl_value v =
            c->rest ? rest_value(w, c)
                    : w->wide.cells[c->group->series[c->slot].column];

        pl_xlsx_put_value(w->book, at, &v, c->unit);
    }
}

void pl_xlsx_wide_end_row(struct pl_xlsx_wide *w, const struct pl_query *e,
                          int64_t time_ns)
{
    uint32_t page = turn_page(w, time_ns), row = w->spans[page].rows;

    for (size_t n = 0; n < w->plan->num_sheets; n++) {
        struct pl_xlsx_at at = { w->numbers[n], row, 0 };

        if (w->plan->sheets[n].page != page)
            continue;
        pl_xlsx_put_times(w->book, &at, e->plan->time.offset, time_ns);
        put_cells(w, &w->plan->sheets[n], at);
    }
    /* all zero is a blank */
    memset(w->wide.cells, 0, w->wide.num_columns * sizeof *w->wide.cells);
}
