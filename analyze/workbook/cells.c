/* Writes cells with libxlsxwriter. */
#include "analyze/workbook/cells.h"

#include "analyze/query/rows_csv.h"
#include "analyze/workbook/library.h"
#include "analyze/workbook/sheet_plan.h"
#include "format/time/zone.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_HEIGHT = 15, BAR_COLOR = 0x9DC3E6, TABLE_STYLE = 1 };
/* 1900-03-01; Excel's earlier dates are off by one */
static const double first_date = 61;

/* ---- text ---------------------------------------------------------------- */

/* Spreadsheets read "_x0041_" as A; so an underscore before it is escaped. */
static bool looks_escaped(const uint8_t *p, size_t n)
{
    return n >= 7 && p[0] == '_' && p[1] == 'x' && isxdigit(p[2]) &&
           isxdigit(p[3]) && isxdigit(p[4]) && isxdigit(p[5]) && p[6] == '_';
}

/* Append a text, and no more of it than fits into a cell with its escapes. */
static void escape(struct pl_buf *cell, const struct pl_buf *text)
{
    static const char underscore[] = "_x005F";
    size_t units = 0, end = 0;

    for (size_t i = 0; i < text->len; i++) {
        const uint8_t *p = text->p + i;

        if (units < PL_XLSX_TEXT)
            end = cell->len; /* an ellipsis fits here */
        if (looks_escaped(p, text->len - i)) {
            pl_buf_bytes(cell, underscore, sizeof underscore - 1);
            units += sizeof underscore - 1;
        }
        pl_buf_u8(cell, *p);
        units += (*p & 0xC0) != 0x80; /* a character begins */
        units += *p >= 0xF0;          /* and is two, as it has 4 bytes */
    }
    if (units <= PL_XLSX_TEXT)
        return;
    cell->len = end;
    pl_buf_bytes(cell, PL_XLSX_ELLIPSIS, sizeof PL_XLSX_ELLIPSIS - 1);
}

/* The text of a cell, or a column's name, ended by NUL; false: no memory. */
static bool make_text(struct pl_xlsx_book *b, struct pl_buf *cell,
                      const char *text, size_t n)
{
    struct pl_buf fit = { 0 };

    pl_xlsx_text(&fit, text, n, PL_XLSX_TEXT);
    escape(cell, &fit);
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
    lxw_worksheet *w = pl_xlsx_sheet_of(b, sheet);
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
    lxw_worksheet *w = pl_xlsx_sheet_of(b, at.sheet);

    if (w)
        pl_xlsx_count_cell(b, at.sheet);
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
    lxw_worksheet *w = pl_xlsx_sheet_of(b, at.sheet);

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

    pl_buf_string(&url, "internal:");
    pl_xlsx_quote(&url, sheet);
    pl_buf_bytes(&url, "!A1", sizeof "!A1");
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

/* What is no number, as a sum beyond all of them, is blank as in CSV. */
static void put_number(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       double number, lxw_format *format)
{
    lxw_worksheet *w = isfinite(number) ? begin_cell(b, at) : NULL;

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
    lxw_worksheet *w = pl_xlsx_sheet_of(b, at.sheet);
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
