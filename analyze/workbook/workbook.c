/*
 * A workbook: a sheet per object, charts, and a summary.  Uses libxlsxwriter.
 */
#include "analyze/workbook/workbook.h"

#include "analyze/workbook/book.h"
#include "analyze/workbook/charts.h"
#include "analyze/workbook/draw.h"
#include "analyze/workbook/long.h"
#include "analyze/workbook/processes.h"
#include "analyze/workbook/sheet_plan.h"
#include "analyze/workbook/summary.h"
#include "analyze/workbook/tables.h"
#include "analyze/workbook/wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the values are laid out. */
enum form {
    TABLES, /* a table per object */
    WIDE,   /* a column per series, a sheet per object */
    LONG,   /* one table, a row per value */
};

struct workbook {
    enum form form;
    struct pl_group **groups;
    size_t num_groups;
    uint32_t num_columns;
    struct pl_xlsx_plan objects;
    struct pl_xlsx_plan data;   /* unless wide: what charts show */
    struct pl_xlsx_plan values; /* sheets of the long form */
    struct pl_xlsx_charts charts;
    double *amounts; /* what each series did, by its column */
    struct pl_xlsx_book book;
    struct pl_xlsx_wide wide; /* of 'data', or of 'objects' */
    struct pl_xlsx_tables rows;
    struct pl_xlsx_long lines;
    const char *taken[5];   /* names of other sheets, ended by NULL */
    uint32_t num_processes; /* rows of their sheet; 0: there is none */
    long processes;         /* number of that */
    struct pl_xlsx_summary summary;
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
    if (!strcmp(m->what, "columns"))
        pl_say("export: %" PRIu64 " columns on the sheet '%s', and a workbook "
               "takes %" PRIu64 "; choose counters with -c, or give --split",
               m->has, m->sheet, m->limit);
    else if (!strcmp(m->what, "rows") && m->sheet)
        pl_say("export: %" PRIu64 " rows or more on the sheet '%s', and a "
               "sheet takes %" PRIu64
               "; take --every, slices with --from and --to, or --split",
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

/* Of a log that is all shown, the processes that did most are, too. */
static enum pl_status begin_summary(struct pl_query *e, struct workbook *x)
{
    enum pl_status s = pl_xlsx_summary_read(&x->summary, e);

    if (e->plan->replay.choice.brief && *x->summary.busiest.names)
        e->plan->replay.choice.processes = x->summary.busiest.names;
    return s;
}

static enum pl_status find_columns(struct pl_query *e, struct workbook *x)
{
    enum pl_status s = begin_summary(e, x);

    if (!s)
        s = pl_query_scan(e);
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
        x->taken[2] = PL_XLSX_PROCESSES;
    pl_query_plan_offset(e);
    return PL_OK;
}

/* What each series did in all, so that charts draw those that did most. */
static enum pl_status add_amounts(struct pl_query *e, void *ctx,
                                  const struct pl_row *row)
{
    struct workbook *x = ctx;

    (void)e;
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        uint32_t column = at->group->series[at->slot].column;
        double value;

        if (column < x->num_columns && pl_value_number(&at->value, &value))
            x->amounts[column] += fabs(value) * pl_row_weight(row, at);
    }
    return PL_OK;
}

/*
 * For an order of lines the key samples of a long log do: what a rate was
 * between two of them is what it was in all.
 */
static enum pl_status measure(struct pl_query *e, struct workbook *x)
{
    const struct pl_rows rows = { add_amounts, NULL, x };
    const bool key_rows = e->plan->replay.key_rows;
    enum pl_status s;

    x->amounts = calloc(x->num_columns + (size_t)1, sizeof *x->amounts);
    e->plan->replay.key_rows = x->summary.is_long;
    s = x->amounts ? pl_query_begin(e) : PL_NOMEM;
    if (!s)
        s = pl_query_rows(e, &rows);
    pl_query_stop(e);
    e->plan->replay.key_rows = key_rows;
    return s;
}

static enum pl_status choose_charts(struct pl_query *e, struct workbook *x)
{
    enum pl_status s =
        pl_xlsx_charts_choose(&x->charts, &x->objects, e->plan->paths.num > 0);

    if (!s && pl_xlsx_charts_are_crowded(&x->charts)) {
        s = measure(e, x);
        if (!s)
            s = pl_xlsx_charts_shorten(&x->charts, &x->objects, x->amounts);
    }
    if (!s && e->plan->replay.choice.processes)
        s = pl_xlsx_charts_complete(&x->charts, &x->objects);
    return s;
}

static enum pl_status check(struct pl_query *e, const struct pl_xlsx_plan *p,
                            uint32_t num_first)
{
    const struct pl_xlsx_misfit m =
        pl_xlsx_plan_check(p, e->rows, num_first, &pl_xlsx_limits);

    return m.what ? say_misfit(e, &m) : PL_OK;
}

static enum pl_status make_plan(struct pl_query *e, struct workbook *x)
{
    struct pl_xlsx_plan *written = x->form == WIDE ? &x->objects : &x->data;
    const uint32_t num_first = e->plan->time.offset ? 2 : 1;
    enum pl_status s = pl_xlsx_plan_make(&x->objects, x->groups, x->num_groups,
                                         x->taken, &pl_xlsx_limits);

    if (!s && x->form != LONG) /* first: such a plan has no columns */
        s = check(
            e,
            &(struct pl_xlsx_plan){ .wanted_sheets = x->objects.wanted_sheets },
            0);
    if (!s && x->form == WIDE && !e->plan->split_sheets)
        s = check(e, &x->objects, num_first);
    if (!s)
        s = choose_charts(e, x);
    if (!s)
        s = pl_xlsx_charts_data(&x->charts, &x->objects, written, x->taken);
    if (!s && e->plan->split_sheets)
        s = pl_xlsx_plan_split(written, e->rows, num_first, x->taken,
                               &pl_xlsx_limits);
    if (!s)
        s = check(e, written, num_first);
    if (s)
        return s;
    x->wide = (struct pl_xlsx_wide){ .plan = written,
                                     .book = &x->book,
                                     .num_first = num_first };
    return pl_xlsx_wide_init(&x->wide, x->num_columns);
}

static enum pl_status choose_vitals(struct pl_query *e, struct workbook *x)
{
    x->summary.num_series = x->num_columns;
    return pl_xlsx_vitals_choose(&x->summary.vitals, &x->objects,
                                 x->num_columns, e->registry.num_hosts);
}

/* ---- sheets -------------------------------------------------------------- */

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct workbook *x = ctx;
    enum pl_status s;

    for (size_t i = 0; i < row->num_cells; i++)
        if (!pl_cell_has_value(row->cells[i].value.cell))
            x->summary.blanks[row->cells[i].value.cell]++;
    pl_wide_add(&x->wide.wide, row);
    s = pl_xlsx_vitals_add(&x->summary.vitals, row);
    if (!s && x->form == TABLES)
        s = pl_xlsx_tables_take(&x->rows, e, row);
    if (!s && x->form == LONG)
        s = pl_xlsx_long_take(&x->lines, e, row);
    return s;
}

static enum pl_status end_row(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct workbook *x = ctx;
    enum pl_status s =
        x->form == TABLES ? pl_xlsx_tables_end_time(&x->rows, e) : PL_OK;

    if (s)
        return s;
    pl_xlsx_wide_end_row(&x->wide, e, time_ns);
    return pl_xlsx_book_status(&x->book);
}

static enum pl_status begin_tables(struct pl_query *e, struct workbook *x)
{
    enum pl_status s;

    x->rows = (struct pl_xlsx_tables){ .book = &x->book,
                                       .plan = &x->objects,
                                       .taken = x->taken,
                                       .limits = &pl_xlsx_limits };
    s = pl_xlsx_tables_find(&x->rows, e);
    if (!s)
        pl_xlsx_tables_begin(&x->rows, e);
    return s;
}

static enum pl_status begin_long(struct pl_query *e, struct workbook *x)
{
    x->lines = (struct pl_xlsx_long){ .book = &x->book,
                                      .plan = &x->values,
                                      .taken = x->taken,
                                      .limits = &pl_xlsx_limits };
    return pl_xlsx_long_begin(&x->lines, e);
}

/* Create the sheets with their headers, before the first row. */
static enum pl_status make_sheets(struct pl_query *e, struct workbook *x)
{
    enum pl_status s = PL_OK;

    pl_xlsx_summary_add(&x->book);
    if (x->charts.num)
        pl_xlsx_add_charts(&x->book);
    if (x->form == TABLES)
        s = begin_tables(e, x);
    else if (x->form == LONG)
        s = begin_long(e, x);
    else
        pl_xlsx_wide_begin(&x->wide, e);
    if (x->num_processes)
        x->processes = pl_xlsx_processes_add(&x->book, x->num_processes);
    if (x->form != WIDE) /* what charts show comes last */
        pl_xlsx_wide_begin(&x->wide, e);
    return s ? s : pl_xlsx_book_status(&x->book);
}

static enum pl_status write_rows(struct pl_query *e, struct workbook *x)
{
    const struct pl_rows rows = { take_row, end_row, x };
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = pl_query_rows(e, &rows);
    if (s == PL_USAGE && x->rows.misfit.what)
        return say_misfit(e, &x->rows.misfit);
    if (s == PL_USAGE && x->lines.misfit.what)
        return say_misfit(e, &x->lines.misfit);
    if (!s && (x->wide.wide.incomplete || x->rows.incomplete))
        pl_say("series that appeared while the log was being read are not in "
               "the workbook; export again to have them");
    return s;
}

static enum pl_status write_book(struct pl_query *e, struct workbook *x)
{
    enum pl_status s = make_sheets(e, x);

    if (!s)
        s = write_rows(e, x);
    if (s)
        return s;
    if (x->form == TABLES)
        pl_xlsx_tables_end(&x->rows);
    if (x->form == LONG)
        pl_xlsx_long_end(&x->lines);
    if (x->num_processes)
        pl_xlsx_processes_put(&x->book, x->processes, x->groups, x->num_groups,
                              x->num_processes);
    pl_xlsx_charts_draw(&x->charts, &x->book, x->wide.plan, x->wide.spans);
    pl_xlsx_summary_put(&x->summary, &x->book, &x->charts);
    return pl_xlsx_book_close(&x->book);
}

static enum pl_status say_failure(struct pl_query *e, const struct workbook *x)
{
    if (x->book.failure == PL_XLSX_TEMPORARY)
        pl_say("%s: temporary files could not be written; make room in %s, or "
               "let %s name another folder",
               e->plan->output, x->book.tmpdir, x->book.tmpdir_variable);
    else if (x->book.failure == PL_XLSX_FILES)
        pl_say(
            "%s: too many open files; raise the limit (ulimit -n): a workbook "
            "takes one for each sheet",
            e->plan->output);
    else if (x->book.failure == PL_XLSX_ABSENT)
        pl_say("%s: libxlsxwriter cannot be loaded; install it, or take CSV",
               e->plan->output);
    else
        pl_say("%s: the workbook could not be written: %s", e->plan->output,
               pl_xlsx_failure_text(&x->book));
    return refuse(e);
}

static void release(struct workbook *x)
{
    pl_xlsx_book_release(&x->book);
    pl_xlsx_wide_release(&x->wide);
    pl_xlsx_tables_release(&x->rows);
    pl_xlsx_charts_release(&x->charts);
    pl_xlsx_summary_release(&x->summary);
    pl_xlsx_plan_release(&x->objects);
    pl_xlsx_plan_release(&x->data);
    pl_xlsx_plan_release(&x->values);
    free(x->amounts);
    free(x->groups);
}

/* Cells there may be, with the names and times of each row. */
static uint64_t most_cells(const struct pl_query *e, const struct workbook *x)
{
    return e->rows * (x->num_columns + x->data.num_columns +
                      (uint64_t)x->num_groups * 8 + x->objects.num_sheets * 2);
}

static enum pl_status run_book(struct pl_query *e, enum form form)
{
    struct workbook x = { .form = form,
                          .taken = { PL_XLSX_SUMMARY, PL_XLSX_CHARTS },
                          .objects.num_pages = 1,
                          .data = { .num_pages = 1, .page_rows = UINT64_MAX },
                          .values = { .num_pages = 1 } };
    enum pl_status s;

    if (!e->output.part) {
        pl_say("export: --xlsx writes a file; name it with -o FILE.xlsx");
        return refuse(e);
    }
    s = find_columns(e, &x);
    if (!s)
        s = make_plan(e, &x);
    if (!s)
        s = choose_vitals(e, &x);
    if (!s)
        s = pl_xlsx_book_open(&x.book, e->output.part,
                              e->plan->time.milliseconds, most_cells(e, &x));
    if (!s)
        s = write_book(e, &x);
    if (s == PL_IO && x.book.failure)
        s = say_failure(e, &x);
    release(&x);
    return s;
}

static enum pl_status run_tables(struct pl_query *e)
{
    return run_book(e, TABLES);
}

static enum pl_status run_wide(struct pl_query *e)
{
    return run_book(e, WIDE);
}

static enum pl_status run_long(struct pl_query *e)
{
    return run_book(e, LONG);
}

#define FORM(function)                                                         \
    .name = "xlsx", .brief = true, .numbers_only = true, .reads_twice = true,  \
    .run = function

const struct pl_layout pl_layout_xlsx = { FORM(run_tables) },
                       pl_layout_xlsx_wide = { FORM(run_wide) },
                       pl_layout_xlsx_long = { FORM(run_long),
                                               .want_absent = true,
                                               .keeps_names = true };
