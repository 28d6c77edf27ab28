/*                                               analyze/export/xlsx_book.h
 * Writes a workbook with libxlsxwriter; only this module and xlsx_charts.h use
 * that library.  Rows go through temporary files, one open per sheet, so memory
 * does not grow with them; cells must be written row by row and from left to
 * right.  After the first failure nothing is written; pl_xlsx_book_status
 * returns it.
 */
#ifndef PL_ANALYZE_EXPORT_XLSX_BOOK_H
#define PL_ANALYZE_EXPORT_XLSX_BOOK_H

#include "analyze/calc/calc.h"
#include "analyze/output/readable.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PL_XLSX_SUMMARY "Summary"
#define PL_XLSX_CHARTS "Charts"
#define PL_XLSX_CHART_DATA "Chart Data"

enum { PL_XLSX_ON_SUMMARY = -1 }; /* as a sheet number; objects count from 0 */

enum pl_xlsx_failure {
    PL_XLSX_FINE,
    PL_XLSX_TEMPORARY, /* temporary files cannot be made or are not complete */
    PL_XLSX_LIBRARY,   /* an error of the library */
    PL_XLSX_ABSENT,    /* the library is missing */
};

struct lxw_workbook;
struct lxw_worksheet;
struct lxw_format;

struct pl_xlsx_book {
    struct lxw_workbook *workbook;
    struct lxw_worksheet *charts; /* NULL: there are none */
    struct pl_xlsx_made {
        struct lxw_worksheet *sheet;
        const char *name; /* of the library */
        uint64_t cells;   /* cells written */
    } * all;              /* the summary, charts, then objects */
    size_t num_all, cap_all;
    struct lxw_format *time, *header, *wrapped, *title, *section, *link;
    struct lxw_format *figures[PL_NUM_UNITS][2]; /* fractions, whole ones */
    const char *path;
    const char *tmpdir;          /* folder of its temporary files */
    const char *tmpdir_variable; /* environment variable that sets the folder */
    bool oom;
    enum pl_xlsx_failure failure;
    int error; /* error code of the library */
};

struct pl_xlsx_frame {
    const char *name; /* allowed and unique */
    uint32_t rows;    /* below the header */
    uint32_t columns, fixed_columns;
    int fixed_width, width; /* of columns, in digits */
    bool is_table;          /* pl_xlsx_put_table will follow */
};

/* Most columns of a table: the library takes memory by their square. */
enum { PL_XLSX_TABLE_COLUMNS = 500, PL_XLSX_TABLE_HEADER = 255 };

/* A cell; rows and columns count from 0. */
struct pl_xlsx_at {
    long sheet;
    uint32_t row, column;
};

/*
 * 'path' is replaced, and must live as long as the book; 'cells' is the
 * expected number of cells.  PL_NOMEM; PL_IO: b->failure is the cause.
 */
enum pl_status pl_xlsx_book_open(struct pl_xlsx_book *b, const char *path,
                                 bool milliseconds, uint64_t cells);

/* The columns of the summary have these widths, in digits. */
void pl_xlsx_add_summary(struct pl_xlsx_book *b, const int *widths, int num);
void pl_xlsx_add_charts(struct pl_xlsx_book *b);
/* Say how many charts there are, each 'rows' high: two are printed on a page. */
void pl_xlsx_break_charts(struct pl_xlsx_book *b, uint32_t num, uint32_t rows);
/*
 * Add a sheet with a fixed header, also in print, and filters; and return its
 * number.
 */
long pl_xlsx_add_sheet(struct pl_xlsx_book *b,
                       const struct pl_xlsx_frame *frame);
/* Another width of its columns [first, end). */
void pl_xlsx_set_width(struct pl_xlsx_book *b, long sheet, uint32_t first,
                       uint32_t end, int width);

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

/* The format of whole figures of a unit, for an axis. */
const char *pl_xlsx_figure_format(enum pl_figure_unit unit);

/* Keep the result of a library call. */
void pl_xlsx_keep(struct pl_xlsx_book *b, int error);

/* PL_OK; PL_NOMEM; PL_IO: b->failure is the cause. */
enum pl_status pl_xlsx_book_status(struct pl_xlsx_book *b);
const char *pl_xlsx_failure_text(const struct pl_xlsx_book *b);

/*
 * Finish the file and check that no sheet in it lacks cells.  Returns as
 * pl_xlsx_book_status.
 */
enum pl_status pl_xlsx_book_close(struct pl_xlsx_book *b);

/* Drop what was not closed; keeps 'failure'. */
void pl_xlsx_book_release(struct pl_xlsx_book *b);

#endif
