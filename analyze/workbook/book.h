/*                                                  analyze/workbook/book.h
 * Writes a workbook with libxlsxwriter, which only this module, cells.h,
 * formats.h and draw.h use.  Rows go through temporary files, one open per
 * sheet, so memory does not grow with them; cells must be written row by row and
 * from left to right.  After the first failure nothing is written; pl_xlsx_book_status
 * returns it.
 */
#ifndef PL_ANALYZE_WORKBOOK_BOOK_H
#define PL_ANALYZE_WORKBOOK_BOOK_H

#include "analyze/output/readable.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Widths of columns, in characters. */
enum {
    PL_XLSX_TIME_WIDTH = 20,
    PL_XLSX_TIME_WIDTH_MS = 24,
    PL_XLSX_NAME_WIDTH = 20,
};

#define PL_XLSX_SUMMARY "Summary"
#define PL_XLSX_CHARTS "Charts"
#define PL_XLSX_CHART_DATA "Chart Data"

enum { PL_XLSX_ON_SUMMARY = -1 }; /* as a sheet number; objects count from 0 */

enum pl_xlsx_failure {
    PL_XLSX_FINE,
    PL_XLSX_TEMPORARY, /* temporary files cannot be made or are not complete */
    PL_XLSX_FILES,     /* too many files are open */
    PL_XLSX_LIBRARY,   /* an error of the library */
    PL_XLSX_ABSENT,    /* the library is missing */
};

struct lxw_workbook;
struct lxw_worksheet;
struct lxw_format;

/* See library.h. */
struct pl_xlsx_silence {
    bool is_open;
    int kept, nowhere;
};

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
    struct pl_xlsx_silence silence;
    bool oom;
    enum pl_xlsx_failure failure;
    int error; /* error code of the library */
    int cause; /* errno of the call that failed in it; 0: none */
};

struct pl_xlsx_frame {
    const char *name; /* allowed and unique */
    uint32_t rows;    /* below the header */
    uint32_t columns, fixed_columns;
    int fixed_width, width; /* of columns, in digits */
    bool is_table;          /* pl_xlsx_put_table (cells.h) will follow */
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

/* The sheet of a number; NULL after a failure.  Count a cell that is written to
 * it: the end compares. */
struct lxw_worksheet *pl_xlsx_sheet_of(struct pl_xlsx_book *b, long number);
void pl_xlsx_count_cell(struct pl_xlsx_book *b, long number);

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
