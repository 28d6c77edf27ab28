/*                                                 analyze/workbook/cells.h
 * Writes cells of a workbook: row by row and from left to right (book.h).
 */
#ifndef PL_ANALYZE_WORKBOOK_CELLS_H
#define PL_ANALYZE_WORKBOOK_CELLS_H

#include "analyze/calc/calc.h"
#include "analyze/workbook/book.h"

/* Most columns of a table: the library takes memory by their square. */
enum { PL_XLSX_TABLE_COLUMNS = 500, PL_XLSX_TABLE_HEADER = 255 };

/* A cell; rows and columns count from 0. */
struct pl_xlsx_at {
    long sheet;
    uint32_t row, column;
};

/*
 * Make a table of a sheet's rows when all are written: a name for formulas and
 * pivot tables, bands and filters.  'headers' are the texts of its first row,
 * no two of one name; beyond PL_XLSX_TABLE_COLUMNS it only gets filters.
 */
void pl_xlsx_put_table(struct pl_xlsx_book *b, long sheet, const char *name,
                       const char *const *headers, uint32_t columns,
                       uint32_t rows);

/*
 * Untrusted text, not empty: it is made valid (pl_xlsx_text) and never becomes
 * a formula.
 */
void pl_xlsx_put_text(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      const char *text, size_t n);
void pl_xlsx_put_header(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                        const char *text, size_t n);
void pl_xlsx_put_title(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       const char *text, size_t n);
void pl_xlsx_put_section(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                         const char *text, size_t n);
/*
 * Text in as many lines as it needs; the row of 'at' is made high enough for
 * 'lines' of it, which LibreOffice does not do by itself.
 */
void pl_xlsx_put_wrapped(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                         const char *text, size_t n);
void pl_xlsx_set_lines(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       uint32_t lines);
/* The name of a sheet, which a click shows. */
void pl_xlsx_put_link(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      const char *sheet);
/* "Time (UTC)", also the title of a chart's axis. */
void pl_xlsx_time_header(char *out, size_t size);
/* The headers of times, and the cells of an instant: with 'offset' its offset
 * from UTC follows.  at->column is advanced past them. */
void pl_xlsx_put_time_headers(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                              bool offset);
void pl_xlsx_put_times(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                       bool offset, int64_t utc_ns);
/* An instant as a date in the zone in force. */
void pl_xlsx_put_time(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      int64_t utc_ns);
/* A number, shown with the digits that its unit deserves; a blank cell if there
 * is none. */
void pl_xlsx_put_value(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                       const struct pl_value *v, enum pl_figure_unit unit);

/*
 * Draw bars behind the numbers of a range that begins at 'at', from 0 to 'most';
 * 0: to the greatest of them.
 */
void pl_xlsx_put_bars(struct pl_xlsx_book *b, struct pl_xlsx_at at,
                      uint32_t rows, uint32_t columns, double most);

#endif
