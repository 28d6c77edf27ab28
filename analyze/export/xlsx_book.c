/* Writes sheets and cells with libxlsxwriter. */
#include "analyze/export/xlsx_book.h"

#include "analyze/query/rows_csv.h"
#include "analyze/export/xlsx_library.h"
#include "analyze/export/xlsx_parts.h"
#include "analyze/export/xlsx_plan.h"
#include "format/base/array.h"
#include "format/base/zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_HEIGHT = 64, TITLE_SIZE = 14, SECTION_SIZE = 12 };
enum { LINE_HEIGHT = 15 };
enum { BAR_COLOR = 0x9DC3E6, LINK_COLOR = 0x0563C1 };
/* A cell takes 55 bytes at most, and a plain archive parts up to 4 GiB. */
enum { PLAIN_ZIP_CELLS = 60000000 };
enum { COLUMNS_PER_PAGE = 12, CHARTS_PER_PAGE = 2 }; /* in print */
enum { MOST_BREAKS = 1000 };                         /* Excel's limit: 1023 */
enum { TABLE_STYLE = 1 };                            /* bands of grey */
enum { PAPER_LETTER = 1, PAPER_A4 = 9 };             /* numbers of Office */
static const char footer[] = "&L&A&RPage &P of &N";
/* 1900-03-01; Excel's earlier dates are off by one */
static const double first_date = 61;

/* What cells look like, fractions and whole numbers.  Prefixes are powers of
 * 1000: a comma behind the digits divides by that. */
static const char *const figures[PL_NUM_UNITS][2] = {
    [PL_UNIT_NUMBER] = { "#,##0.00", "#,##0" },
    [PL_UNIT_CODE] = { "0", "0" },
    [PL_UNIT_PERCENT] = { "0.0", "0.0" },
    [PL_UNIT_BYTES] = { "[>=1000000]#,##0.0,,\" MB\";"
                        "[>=1000]#,##0.0,\" kB\";0\" B\"",
                        "[>=1000000]#,##0.0,,\" MB\";"
                        "[>=1000]#,##0.0,\" kB\";0\" B\"" },
    [PL_UNIT_BYTES_PER_SECOND] = { "[>=1000000]#,##0.0,,\" MB/s\";"
                                   "[>=1000]#,##0.0,\" kB/s\";0\" B/s\"",
                                   "[>=1000000]#,##0.0,,\" MB/s\";"
                                   "[>=1000]#,##0.0,\" kB/s\";0\" B/s\"" },
    [PL_UNIT_PER_SECOND] = { "#,##0.0", "#,##0.0" },
    [PL_UNIT_SECONDS] = { "0.000000", "0.000000" },
    [PL_UNIT_DURATION] = { "#,##0.0", "#,##0" },
};

/* Where people print on Letter: CLDR, measurementData, paperSize. */
static const char letter_countries[][3] = { "BZ", "CA", "CL", "CO", "CR",
                                            "GT", "MX", "NI", "PA", "PH",
                                            "PR", "SV", "US", "VE" };

static void fail(struct pl_xlsx_book *b, enum pl_xlsx_failure failure)
{
    if (!b->failure)
        b->failure = failure;
}

void pl_xlsx_keep(struct pl_xlsx_book *b, int error)
{
    if (!error)
        return;
    if (error == LXW_ERROR_MEMORY_MALLOC_FAILED)
        b->oom = true;
    if (!b->error)
        b->error = error;
    fail(b, error == LXW_ERROR_CREATING_TMPFILE ||
                    error == LXW_ERROR_READING_TMPFILE
                ? PL_XLSX_TEMPORARY
                : PL_XLSX_LIBRARY);
}

const char *pl_xlsx_failure_text(const struct pl_xlsx_book *b)
{
    return pl_xlsx.lxw_strerror((lxw_error)b->error);
}

enum pl_status pl_xlsx_book_status(struct pl_xlsx_book *b)
{
    /* The library does not check its temporary files for errors. */
    for (size_t i = 0; i < b->num_all && !b->failure; i++)
        if (ferror(b->all[i].sheet->optimize_tmpfile))
            fail(b, PL_XLSX_TEMPORARY);
    if (b->oom)
        return PL_NOMEM;
    return b->failure ? PL_IO : PL_OK;
}

/* ---- the book ------------------------------------------------------------ */

const char *pl_xlsx_figure_format(enum pl_figure_unit unit)
{
    return figures[unit][1];
}

/* From the environment, as setlocale() would take LC_PAPER. */
static uint8_t paper(void)
{
    static const char *const variables[] = { "LC_ALL", "LC_PAPER", "LANG" };
    const char *locale = NULL, *country;

    for (size_t i = 0; i < 3 && (!locale || !*locale); i++)
        locale = getenv(variables[i]);
    country = locale ? strchr(locale, '_') : NULL;
    if (country)
        for (size_t i = 0;
             i < sizeof letter_countries / sizeof *letter_countries; i++)
            if (!strncmp(country + 1, letter_countries[i], 2))
                return PAPER_LETTER;
    return PAPER_A4;
}

/* Beside text of several lines a figure stands at its first one. */
static void set_figure(lxw_format *f, const char *format)
{
    pl_xlsx.format_set_num_format(f, format);
    pl_xlsx.format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
}

/* Formats of figures, one for each text.  PL_NOMEM. */
static enum pl_status add_figures(struct pl_xlsx_book *b)
{
    for (size_t i = 0; i < PL_NUM_UNITS; i++)
        for (size_t k = 0; k < 2; k++) {
            bool same = k && !strcmp(figures[i][0], figures[i][1]);
            lxw_format *f = same ? b->figures[i][0]
                                 : pl_xlsx.workbook_add_format(b->workbook);

            if (!f)
                return PL_NOMEM;
            if (!same)
                set_figure(f, figures[i][k]);
            b->figures[i][k] = f;
        }
    return PL_OK;
}

static enum pl_status add_formats(struct pl_xlsx_book *b)
{
    lxw_format **const all[] = { &b->time,  &b->header,  &b->wrapped,
                                 &b->title, &b->section, &b->link };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = pl_xlsx.workbook_add_format(b->workbook);
        if (!*all[i])
            return PL_NOMEM;
    }
    pl_xlsx.format_set_bold(b->title);
    pl_xlsx.format_set_font_size(b->title, TITLE_SIZE);
    pl_xlsx.format_set_bold(b->section);
    pl_xlsx.format_set_font_size(b->section, SECTION_SIZE);
    pl_xlsx.format_set_font_color(b->link, LINK_COLOR);
    pl_xlsx.format_set_underline(b->link, LXW_UNDERLINE_SINGLE);
    return PL_OK;
}

enum pl_status pl_xlsx_book_open(struct pl_xlsx_book *b, const char *path,
                                 bool milliseconds, uint64_t cells)
{
    lxw_workbook_options options = { .constant_memory = LXW_TRUE };

    b->path = path;
    b->tmpdir = pl_xlsx_folder(&b->tmpdir_variable);
    if (!pl_xlsx_library_load()) {
        fail(b, PL_XLSX_ABSENT);
        return PL_IO;
    }
    options.use_zip64 = cells > PLAIN_ZIP_CELLS;
    options.tmpdir = (char *)(uintptr_t)b->tmpdir;
    b->workbook = pl_xlsx.workbook_new_opt(path, &options);
    if (!b->workbook)
        return PL_NOMEM;
    if (add_formats(b))
        return PL_NOMEM;
    pl_xlsx.format_set_num_format(b->time, milliseconds
                                               ? "yyyy-mm-dd hh:mm:ss.000"
                                               : "yyyy-mm-dd hh:mm:ss");
    pl_xlsx.format_set_align(b->time, LXW_ALIGN_LEFT);
    pl_xlsx.format_set_align(b->time, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_bold(b->header);
    pl_xlsx.format_set_text_wrap(b->header);
    pl_xlsx.format_set_align(b->header, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_text_wrap(b->wrapped);
    pl_xlsx.format_set_align(b->wrapped, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_indent(b->wrapped, 1); /* off a number before it */
    return add_figures(b);
}

/* The next sheet; NULL if it failed. */
static lxw_worksheet *add(struct pl_xlsx_book *b, const char *name)
{
    lxw_worksheet *w;

    if (b->failure || b->oom)
        return NULL;
    if (!pl_array_grow((void **)&b->all, &b->cap_all, b->num_all,
                       sizeof *b->all)) {
        b->oom = true;
        return NULL;
    }
    w = pl_xlsx.workbook_add_worksheet(b->workbook, name);
    if (!w) {
        fail(b, PL_XLSX_TEMPORARY); /* names have been checked */
        return NULL;
    }
    b->all[b->num_all++] = (struct pl_xlsx_made){ .sheet = w, .name = w->name };
    pl_xlsx.worksheet_set_paper(w, paper());
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_footer(w, footer));
    return w;
}

void pl_xlsx_add_summary(struct pl_xlsx_book *b, const int *widths, int num)
{
    lxw_worksheet *w = add(b, PL_XLSX_SUMMARY);

    for (int i = 0; w && i < num; i++)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_column(
                            w, (lxw_col_t)i, (lxw_col_t)i, widths[i], NULL));
    if (!w)
        return;
    pl_xlsx.worksheet_set_landscape(w);
    pl_xlsx.worksheet_fit_to_pages(w, 1, 0);
}

void pl_xlsx_add_charts(struct pl_xlsx_book *b)
{
    b->charts = add(b, PL_XLSX_CHARTS);
    if (!b->charts)
        return;
    pl_xlsx.worksheet_set_landscape(b->charts); /* when printed */
    pl_xlsx.worksheet_fit_to_pages(b->charts, 1, 0);
}

void pl_xlsx_break_charts(struct pl_xlsx_book *b, uint32_t num, uint32_t rows)
{
    lxw_row_t breaks[MOST_BREAKS + 1] = { 0 };
    size_t n = 0;

    for (uint32_t i = CHARTS_PER_PAGE; i < num && n < MOST_BREAKS;
         i += CHARTS_PER_PAGE)
        breaks[n++] = i * rows;
    if (b->charts && n)
        pl_xlsx_keep(
            b, (int)pl_xlsx.worksheet_set_h_pagebreaks(b->charts, breaks));
}

/* A sheet too wide for a page is as many pages wide, each with its times. */
static void set_print(struct pl_xlsx_book *b, lxw_worksheet *w,
                      const struct pl_xlsx_frame *f)
{
    pl_xlsx.worksheet_set_landscape(w);
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_repeat_rows(w, 0, 0));
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_repeat_columns(
                        w, 0, (lxw_col_t)(f->fixed_columns - 1)));
    if (f->columns <= COLUMNS_PER_PAGE)
        pl_xlsx.worksheet_fit_to_pages(w, 1, 0);
}

/* The summary, and charts, come before sheets that have numbers. */
static size_t num_before(const struct pl_xlsx_book *b)
{
    return b->charts ? 2 : 1;
}

long pl_xlsx_add_sheet(struct pl_xlsx_book *b, const struct pl_xlsx_frame *f)
{
    lxw_col_t last = (lxw_col_t)(f->columns - 1);
    lxw_col_t fixed = (lxw_col_t)f->fixed_columns;
    lxw_worksheet *w = add(b, f->name);
    long number = (long)(b->num_all - num_before(b)) - 1;

    if (!w)
        return number;
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_column(
                        w, 0, (lxw_col_t)(fixed - 1), f->fixed_width, NULL));
    if (last >= fixed)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_column(w, fixed, last,
                                                          f->width, NULL));
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_row(w, 0, HEADER_HEIGHT, NULL));
    if (!f->is_table)
        pl_xlsx_keep(b,
                     (int)pl_xlsx.worksheet_autofilter(w, 0, 0, f->rows, last));
    pl_xlsx.worksheet_freeze_panes(w, 1, fixed);
    set_print(b, w, f);
    return number;
}

static lxw_worksheet *sheet_of(struct pl_xlsx_book *b, long number)
{
    size_t i =
        number == PL_XLSX_ON_SUMMARY ? 0 : num_before(b) + (size_t)number;

    return b->failure || b->oom || i >= b->num_all ? NULL : b->all[i].sheet;
}

void pl_xlsx_set_width(struct pl_xlsx_book *b, long sheet, uint32_t first,
                       uint32_t end, int width)
{
    lxw_worksheet *w = sheet_of(b, sheet);

    if (w && first < end)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_column(w, (lxw_col_t)first,
                                                          (lxw_col_t)(end - 1),
                                                          width, NULL));
}

/* ---- text ---------------------------------------------------------------- */

/* Spreadsheets read "_x0041_" as A; so an underscore before it is escaped. */
static bool looks_escaped(const uint8_t *p, size_t n)
{
    return n >= 7 && p[0] == '_' && p[1] == 'x' && isxdigit(p[2]) &&
           isxdigit(p[3]) && isxdigit(p[4]) && isxdigit(p[5]) && p[6] == '_';
}

/* The text of a cell, or a column's name, ended by NUL; false: no memory. */
static bool make_text(struct pl_xlsx_book *b, struct pl_buf *cell,
                      const char *text, size_t n)
{
    struct pl_buf fit = { 0 };

    pl_xlsx_text(&fit, text, n, PL_XLSX_TEXT);
    for (size_t i = 0; i < fit.len; i++) {
        if (looks_escaped(fit.p + i, fit.len - i))
            pl_buf_bytes(cell, "_x005F", 6);
        pl_buf_u8(cell, fit.p[i]);
    }
    pl_buf_u8(cell, 0);
    b->oom |= fit.oom || cell->oom;
    pl_buf_release(&fit);
    return !b->oom;
}

/* ---- tables -------------------------------------------------------------- */

/*
 * Names of columns are escaped as the cells of their headers are: after the
 * library has checked their lengths, which are those of what is meant.
 */
static void escape_columns(struct pl_xlsx_book *b, const lxw_table_obj *table)
{
    for (uint16_t i = 0; i < table->num_cols; i++) {
        lxw_table_column *c = table->columns[i];
        struct pl_buf text = { 0 };

        if (!make_text(b, &text, c->header, strlen(c->header))) {
            pl_buf_release(&text);
            return;
        }
        free((void *)(uintptr_t)c->header);
        c->header = (char *)text.p;
    }
}

/*
 * The library refuses tables of sheets whose rows are not in memory, because it
 * would write their headers.  These are there: it is called as if the table had
 * none, which writes no cell, and the table then has them again.
 */
static void put_table(struct pl_xlsx_book *b, lxw_worksheet *w,
                      const char *name, lxw_table_column **columns,
                      uint32_t num, uint32_t rows)
{
    lxw_table_options options = { .name = (char *)(uintptr_t)name,
                                  .no_header_row = LXW_TRUE,
                                  .columns = columns,
                                  .style_type = LXW_TABLE_STYLE_TYPE_LIGHT,
                                  .style_type_number = TABLE_STYLE };
    lxw_error error;

    w->optimize = LXW_FALSE;
    error = pl_xlsx.worksheet_add_table(w, 0, 0, rows, (lxw_col_t)(num - 1),
                                        &options);
    w->optimize = LXW_TRUE;
    pl_xlsx_keep(b, (int)error);
    if (error)
        return;
    STAILQ_FIRST(w->table_objs)->no_header_row = LXW_FALSE;
    STAILQ_FIRST(w->table_objs)->no_autofilter = LXW_FALSE;
    escape_columns(b, STAILQ_FIRST(w->table_objs));
}

void pl_xlsx_put_table(struct pl_xlsx_book *b, long sheet, const char *name,
                       const char *const *headers, uint32_t columns,
                       uint32_t rows)
{
    lxw_worksheet *w = sheet_of(b, sheet);
    lxw_table_column *all, **list;

    if (!w || !rows)
        return;
    if (columns > PL_XLSX_TABLE_COLUMNS) {
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_autofilter(
                            w, 0, 0, rows, (lxw_col_t)(columns - 1)));
        return;
    }
    all = calloc(columns, sizeof *all);
    list = calloc(columns + (size_t)1, sizeof *list);
    for (uint32_t i = 0; all && list && i < columns; i++) {
        all[i].header = (char *)(uintptr_t)headers[i];
        list[i] = &all[i];
    }
    if (all && list)
        put_table(b, w, name, list, columns, rows);
    else
        b->oom = true;
    free(list);
    free(all);
}

/* ---- cells --------------------------------------------------------------- */

/* The sheet of a cell that is about to be written; NULL after a failure. */
static lxw_worksheet *begin_cell(struct pl_xlsx_book *b, struct pl_xlsx_at at)
{
    lxw_worksheet *w = sheet_of(b, at.sheet);

    if (w)
        b->all[at.sheet == PL_XLSX_ON_SUMMARY
                   ? 0
                   : num_before(b) + (size_t)at.sheet]
            .cells++;
    return w;
}

static void put_text(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                     const char *text, size_t n, lxw_format *format)
{
    lxw_worksheet *w = begin_cell(b, at);
    struct pl_buf cell = { 0 };

    if (w && make_text(b, &cell, text, n))
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_write_string(
                            w, at.row, (lxw_col_t)at.column,
                            (const char *)cell.p, format));
    pl_buf_release(&cell);
}

void pl_xlsx_put_text(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      const char *text, size_t n)
{
    put_text(b, at, text, n, NULL);
}

void pl_xlsx_put_wrapped(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                         const char *text, size_t n)
{
    put_text(b, at, text, n, b->wrapped);
}

void pl_xlsx_set_lines(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       uint32_t lines)
{
    lxw_worksheet *w = sheet_of(b, at.sheet);

    if (w)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_row(
                            w, at.row, lines * LINE_HEIGHT, NULL));
}

void pl_xlsx_put_title(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       const char *text, size_t n)
{
    put_text(b, at, text, n, b->title);
}

void pl_xlsx_put_section(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                         const char *text, size_t n)
{
    put_text(b, at, text, n, b->section);
}

void pl_xlsx_put_link(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      const char *sheet)
{
    lxw_worksheet *w = begin_cell(b, at);
    struct pl_buf cell = { 0 }, url = { 0 };

    pl_buf_bytes(&url, "internal:'", strlen("internal:'"));
    for (const char *p = sheet; *p; p++) {
        if (*p == '\'')
            pl_buf_u8(&url, '\'');
        pl_buf_u8(&url, (uint8_t)*p);
    }
    pl_buf_bytes(&url, "'!A1", sizeof "'!A1");
    b->oom |= url.oom;
    if (w && make_text(b, &cell, sheet, strlen(sheet)))
        pl_xlsx_keep(b,
                     (int)pl_xlsx.worksheet_write_url_opt(
                         w, at.row, (lxw_col_t)at.column, (const char *)url.p,
                         b->link, (const char *)cell.p, NULL));
    pl_buf_release(&url);
    pl_buf_release(&cell);
}

void pl_xlsx_put_header(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                        const char *text, size_t n)
{
    put_text(b, at, text, n, b->header);
}

static void put_number(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       double number, lxw_format *format)
{
    lxw_worksheet *w = begin_cell(b, at);

    if (w)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_write_number(
                            w, at.row, (lxw_col_t)at.column, number, format));
}

void pl_xlsx_time_header(char *out, size_t size)
{
    snprintf(out, size, "Time (%s)", pl_zone_name());
}

void pl_xlsx_put_time_headers(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                              bool offset)
{
    char time[128];

    pl_xlsx_time_header(time, sizeof time);
    pl_xlsx_put_header(b, *at, time, strlen(time));
    at->column++;
    if (!offset)
        return;
    pl_xlsx_put_header(b, *at, "UTC Offset", strlen("UTC Offset"));
    at->column++;
}

void pl_xlsx_put_times(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                       bool offset, int64_t utc_ns)
{
    char text[PL_TIME_TEXT];

    pl_xlsx_put_time(b, *at, utc_ns);
    at->column++;
    if (!offset)
        return;
    pl_xlsx_put_text(b, *at, text, pl_time_offset_text(utc_ns, text));
    at->column++;
}

void pl_xlsx_put_time(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      int64_t utc_ns)
{
    const struct pl_time_format plain = { .style = PL_TIME_SPACE };
    double days = pl_time_serial(utc_ns);
    char text[PL_TIME_TEXT];

    if (days >= first_date)
        put_number(b, at, days, b->time);
    else
        pl_xlsx_put_text(b, at, text, pl_time_text(&plain, utc_ns, text));
}

void pl_xlsx_put_value(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       const struct pl_value *v, enum pl_figure_unit unit)
{
    if (v->kind == PL_VALUE_INTEGER)
        put_number(b, at, (double)v->integer, b->figures[unit][1]);
    else if (v->kind == PL_VALUE_DOUBLE)
        put_number(b, at, v->number, b->figures[unit][0]);
}

void pl_xlsx_put_bars(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      uint32_t rows, uint32_t columns, double most)
{
    lxw_worksheet *w = sheet_of(b, at.sheet);
    lxw_conditional_format bars = {
        .type = LXW_CONDITIONAL_DATA_BAR,
        .min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
        .max_rule_type = most > 0 ? LXW_CONDITIONAL_RULE_TYPE_NUMBER
                                  : LXW_CONDITIONAL_RULE_TYPE_MAXIMUM,
        .max_value = most,
        .bar_color = BAR_COLOR,
        .bar_solid = LXW_TRUE,
        .data_bar_2010 = LXW_TRUE,
    };

    if (w && rows && columns)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_conditional_format_range(
                            w, at.row, (lxw_col_t)at.column, at.row + rows - 1,
                            (lxw_col_t)(at.column + columns - 1), &bars));
}

/* ---- the end ------------------------------------------------------------- */

/* Write the rows that are still in memory. */
static void flush_rows(struct pl_xlsx_book *b)
{
    for (size_t i = 0; i < b->num_all && !b->failure; i++)
        if (fflush(b->all[i].sheet->optimize_tmpfile))
            fail(b, PL_XLSX_TEMPORARY);
}

/* Sheets are freed when the workbook is closed, so the file is checked. */
static bool is_whole(const struct pl_xlsx_book *b)
{
    uint64_t *cells = malloc((b->num_all + 1) * sizeof *cells);
    bool whole;

    for (size_t i = 0; cells && i < b->num_all; i++)
        cells[i] = b->all[i].cells;
    whole = cells && pl_xlsx_parts_are_whole(b->path, cells, b->num_all);
    free(cells);
    return whole;
}

enum pl_status pl_xlsx_book_close(struct pl_xlsx_book *b)
{
    enum pl_status s;

    flush_rows(b);
    s = pl_xlsx_book_status(b);
    if (s)
        return s;
    pl_xlsx_keep(b, (int)pl_xlsx.workbook_close(b->workbook));
    b->workbook = NULL;
    if (!b->failure && !is_whole(b))
        fail(b, PL_XLSX_TEMPORARY);
    b->num_all = 0;
    return pl_xlsx_book_status(b);
}

void pl_xlsx_book_release(struct pl_xlsx_book *b)
{
    if (b->workbook)
        pl_xlsx.lxw_workbook_free(b->workbook);
    free(b->all);
    b->workbook = NULL;
    b->all = NULL;
    b->num_all = 0;
}
