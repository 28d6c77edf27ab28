/*
 * A workbook: a sheet per object, charts, and a summary.  Uses libxlsxwriter.
 */
#include "analyze/export/layouts.h"

#include "analyze/export/xlsx_book.h"
#include "analyze/export/xlsx_charts.h"
#include "analyze/export/xlsx_plan.h"
#include "analyze/export/xlsx_processes.h"
#include "analyze/export/xlsx_summary.h"
#include "format/base/zone.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_WIDTH = 20, TIME_WIDTH_MS = 24, VALUE_WIDTH = 16 };

struct workbook {
    struct pl_group **groups;
    size_t num_groups;
    uint32_t num_columns;
    struct pl_xlsx_plan plan;
    struct pl_xlsx_charts charts;
    struct pl_xlsx_book book;
    struct pl_wide wide;
    /* rows and times of each page, as far as written */
    struct pl_xlsx_span *spans;
    uint32_t num_first;            /* columns of times */
    uint32_t num_processes;        /* rows of their sheet; 0: there is none */
    uint64_t rows;                 /* rows written */
    uint64_t blanks[PL_NUM_CELLS]; /* blank cells by reason */
};

/* ---- before anything is written ------------------------------------------ */

static enum pl_status refuse(struct pl_query *e)
{
    e->code = PL_EXIT_FAILED;
    return PL_USAGE;
}

static enum pl_status say_misfit(struct pl_query *e,
                                 const struct pl_xlsx_misfit *m)
{
    if (m->sheet)
        pl_say("export: %" PRIu64 " columns on the sheet '%s', and a workbook "
               "takes %" PRIu64 "; choose counters with -c, or give --split",
               m->has, m->sheet, m->limit);
    else if (!strcmp(m->what, "rows"))
        pl_say("export: %" PRIu64 " rows, and a sheet takes %" PRIu64
               "; take --every, slices with --from and --to, or --split",
               m->has, m->limit);
    else if (e->plan->split_sheets)
        pl_say("export: %" PRIu64 " sheets or more, and a workbook takes "
               "%" PRIu64 "; choose counters with -c, or take --every",
               m->has, m->limit);
    else
        pl_say("export: more than %" PRIu64 " objects, and each would have "
               "its sheet; choose counters with -c",
               m->limit);
    return refuse(e);
}

static enum pl_status make_plan(struct pl_query *e, struct workbook *x)
{
    const char *taken[] = { PL_XLSX_SUMMARY, PL_XLSX_CHARTS, NULL, NULL };
    struct pl_xlsx_misfit misfit;
    enum pl_status s = pl_query_scan(e);

    if (!s)
        s = pl_registry_columns(&e->registry, &x->groups, &x->num_groups,
                                &x->num_columns);
    if (s)
        return s;
    if (!e->rows)
        return PL_END;
    if (pl_query_say_unmatched(e) && !x->num_columns)
        return PL_USAGE;
    x->num_processes = pl_xlsx_processes_count(x->groups, x->num_groups);
    if (x->num_processes)
        taken[2] = PL_XLSX_PROCESSES;
    pl_query_plan_offset(e);
    x->num_first = e->plan->time.offset ? 2 : 1;
    s = pl_xlsx_plan_make(&x->plan, x->groups, x->num_groups, taken,
                          &pl_xlsx_limits);
    if (s)
        return s;
    if (e->plan->split_sheets)
        s = pl_xlsx_plan_split(&x->plan, e->rows, x->num_first, taken,
                               &pl_xlsx_limits);
    if (s)
        return s;
    misfit =
        pl_xlsx_plan_check(&x->plan, e->rows, x->num_first, &pl_xlsx_limits);
    if (misfit.what)
        return say_misfit(e, &misfit);
    x->spans = calloc(x->plan.num_pages, sizeof *x->spans);
    s = x->spans ? pl_wide_init(&x->wide, x->num_columns) : PL_NOMEM;
    if (!s)
        s = pl_xlsx_charts_choose(&x->charts, &x->plan, e->plan->paths.num > 0);
    return s;
}

/* ---- sheets -------------------------------------------------------------- */

static void put_header(struct pl_query *e, struct workbook *x, size_t sheet)
{
    const struct pl_xlsx_sheet *s = &x->plan.sheets[sheet];
    struct pl_xlsx_at at = { (long)sheet, 0, 0 };
    struct pl_buf text = { 0 };
    char time[128];

    snprintf(time, sizeof time, "Time (%s)", pl_zone_name());
    pl_xlsx_put_header(&x->book, at, time, strlen(time));
    if (e->plan->time.offset) {
        at.column++;
        pl_xlsx_put_header(&x->book, at, "UTC Offset", 10);
    }
    for (uint32_t i = 0; i < s->num; i++) {
        const struct pl_xlsx_column *c = &x->plan.columns[s->first + i];

        at.column++;
        pl_buf_clear(&text);
        pl_series_path(&text, c->group, c->slot, true, false);
        pl_xlsx_put_header(&x->book, at, (const char *)text.p, text.len);
        x->book.oom |= text.oom;
    }
    pl_buf_release(&text);
}

/* The number of rows of a page. */
static uint32_t rows_on(const struct pl_query *e, const struct workbook *x,
                        uint32_t page)
{
    uint64_t left = e->rows - (page ? page * x->plan.page_rows : 0);

    return (uint32_t)(page + 1 < x->plan.num_pages ? x->plan.page_rows : left);
}

/* Create the sheets with their headers, before the first row. */
static void make_sheets(struct pl_query *e, struct workbook *x)
{
    bool ms = e->plan->time.milliseconds;

    for (size_t i = 0; i < x->plan.num_sheets; i++) {
        const struct pl_xlsx_frame frame = {
            .name = x->plan.sheets[i].name,
            .rows = rows_on(e, x, x->plan.sheets[i].page),
            .columns = x->num_first + x->plan.sheets[i].num,
            .fixed_columns = x->num_first,
            .fixed_width = ms ? TIME_WIDTH_MS : TIME_WIDTH,
            .width = VALUE_WIDTH,
        };

        pl_xlsx_add_sheet(&x->book, &frame);
        put_header(e, x, i);
    }
    if (x->num_processes)
        pl_xlsx_processes_add(&x->book, x->num_processes);
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct workbook *x = ctx;

    (void)e;
    for (size_t i = 0; i < row->num_cells; i++)
        if (!pl_cell_has_value(row->cells[i].value.cell))
            x->blanks[row->cells[i].value.cell]++;
    pl_wide_add(&x->wide, row);
    return PL_OK;
}

static void put_times(struct pl_query *e, struct workbook *x, size_t sheet,
                      uint32_t row, int64_t time_ns)
{
    struct pl_xlsx_at at = { (long)sheet, row, 0 };
    char offset[PL_TIME_TEXT];

    pl_xlsx_put_time(&x->book, at, time_ns);
    if (e->plan->time.offset) {
        at.column++;
        pl_xlsx_put_text(&x->book, at, offset,
                         pl_time_offset_text(time_ns, offset));
    }
}

/* Find the page of the next row. */
static uint32_t turn_page(struct workbook *x, int64_t time_ns)
{
    uint64_t last = x->plan.num_pages - 1, page = x->rows++ / x->plan.page_rows;
    struct pl_xlsx_span *span = &x->spans[page < last ? page : last];

    if (!span->rows++)
        *span = (struct pl_xlsx_span){ 1, x->num_first, time_ns, time_ns };
    span->last_ns = time_ns;
    return (uint32_t)(span - x->spans);
}

static enum pl_status end_row(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct workbook *x = ctx;
    uint32_t page = turn_page(x, time_ns), row = x->spans[page].rows;

    for (size_t n = 0; n < x->plan.num_sheets; n++) {
        const struct pl_xlsx_sheet *sheet = &x->plan.sheets[n];

        if (sheet->page != page)
            continue;
        put_times(e, x, n, row, time_ns);
        for (uint32_t i = 0; i < sheet->num; i++) {
            const struct pl_xlsx_column *c = &x->plan.columns[sheet->first + i];
            struct pl_value *v =
                &x->wide.cells[c->group->series[c->slot].column];
            const struct pl_xlsx_at at = { (long)n, row, x->num_first + i };

            pl_xlsx_put_value(&x->book, at, v, c->unit);
            *v = (struct pl_value){ 0 };
        }
    }
    return pl_xlsx_book_status(&x->book);
}

static enum pl_status write_book(struct pl_query *e, struct workbook *x)
{
    const struct pl_rows rows = { take_row, end_row, x };
    enum pl_status s;

    pl_xlsx_add_summary(&x->book);
    if (x->charts.num)
        pl_xlsx_add_charts(&x->book);
    make_sheets(e, x);
    s = pl_query_begin(e);
    if (!s)
        s = pl_query_rows(e, &rows);
    if (s)
        return s;
    if (x->wide.incomplete)
        pl_say("series that appeared while the log was being read are not in "
               "the workbook; export again to have them");
    if (x->num_processes)
        pl_xlsx_processes_put(&x->book, (long)x->plan.num_sheets, x->groups,
                              x->num_groups, x->num_processes);
    pl_xlsx_charts_draw(&x->charts, &x->book, &x->plan, x->spans);
    pl_xlsx_put_summary(&x->book, e, &x->plan, &x->charts, x->blanks);
    return pl_xlsx_book_close(&x->book);
}

static enum pl_status say_failure(struct pl_query *e, const struct workbook *x)
{
    if (x->book.failure == PL_XLSX_TEMPORARY)
        pl_say("%s: temporary files could not be written; make room in %s, or "
               "let %s name another folder",
               e->plan->output, x->book.tmpdir, x->book.tmpdir_variable);
    else if (x->book.failure == PL_XLSX_ABSENT)
        pl_say("%s: libxlsxwriter cannot be loaded; install it, or take CSV",
               e->plan->output);
    else
        pl_say("%s: the workbook could not be written: %s", e->plan->output,
               pl_xlsx_failure_text(&x->book));
    return refuse(e);
}

static enum pl_status run_xlsx(struct pl_query *e)
{
    struct workbook x = { 0 };
    enum pl_status s;

    if (!e->output.part) {
        pl_say("export: --xlsx writes a file; name it with -o FILE.xlsx");
        return refuse(e);
    }
    s = make_plan(e, &x);
    if (!s)
        s = pl_xlsx_book_open(
            &x.book, e->output.part, e->plan->time.milliseconds,
            e->rows * (x.plan.num_columns + (uint64_t)x.plan.num_sheets * 2));
    if (!s)
        s = write_book(e, &x);
    pl_xlsx_book_release(&x.book);
    if (s == PL_IO && x.book.failure)
        s = say_failure(e, &x);
    pl_xlsx_charts_release(&x.charts);
    pl_xlsx_plan_release(&x.plan);
    pl_wide_release(&x.wide);
    free(x.spans);
    free(x.groups);
    return s;
}

const struct pl_layout pl_layout_xlsx = {
    .name = "xlsx",
    .brief = true,
    .numbers_only = true,
    .reads_twice = true,
    .run = run_xlsx,
};
