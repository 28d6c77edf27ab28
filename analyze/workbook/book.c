/* Writes sheets with libxlsxwriter. */
#include "analyze/workbook/book.h"

#include "analyze/workbook/formats.h"
#include "analyze/workbook/library.h"
#include "analyze/workbook/parts.h"
#include "analyze/workbook/sheet_plan.h"
#include "format/base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_HEIGHT = 64 };
/* A cell takes 55 bytes at most, and a plain archive parts up to 4 GiB. */
enum { PLAIN_ZIP_CELLS = 60000000 };
enum { COLUMNS_PER_PAGE = 12, CHARTS_PER_PAGE = 2 }; /* in print */
enum { MOST_BREAKS = 1000 };                         /* Excel's limit: 1023 */
enum { PAPER_LETTER = 1, PAPER_A4 = 9 };             /* numbers of Office */
static const char footer[] = "&L&A&RPage &P of &N";

/* Where people print on Letter: CLDR, measurementData, paperSize. */
static const char letter_countries[][3] = { "BZ", "CA", "CL", "CO", "CR",
                                            "GT", "MX", "NI", "PA", "PH",
                                            "PR", "SV", "US", "VE" };

static void fail(struct pl_xlsx_book *b, enum pl_xlsx_failure failure)
{
    if (!b->failure)
        b->failure = b->cause == EMFILE ? PL_XLSX_FILES : failure;
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
    return b->cause ? strerror(b->cause)
                    : pl_xlsx.lxw_strerror((lxw_error)b->error);
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
    if (!pl_xlsx_silence_open(&b->silence)) {
        b->cause = errno;
        fail(b, PL_XLSX_LIBRARY);
        return PL_IO;
    }
    options.use_zip64 = cells > PLAIN_ZIP_CELLS;
    options.tmpdir = (char *)(uintptr_t)b->tmpdir;
    b->workbook = pl_xlsx.workbook_new_opt(path, &options);
    if (!b->workbook)
        return PL_NOMEM;
    return pl_xlsx_formats_add(b, milliseconds);
}

/* The library goes by a name's letters alone, and quotes no IPv4. */
static void quote_name(struct pl_xlsx_book *b, lxw_worksheet *w)
{
    struct pl_buf name = { 0 };

    pl_xlsx_quote(&name, w->name);
    pl_buf_u8(&name, 0);
    if (name.oom) {
        pl_buf_release(&name);
        b->oom = true;
        return;
    }
    free(w->quoted_name);
    w->quoted_name = (char *)name.p;
}

/* The next sheet; NULL if it failed. */
static lxw_worksheet *add_worksheet(struct pl_xlsx_book *b, const char *name)
{
    lxw_worksheet *w;

    if (b->failure || b->oom)
        return NULL;
    if (!pl_array_grow((void **)&b->all, &b->cap_all, b->num_all,
                       sizeof *b->all)) {
        b->oom = true;
        return NULL;
    }
    w = pl_xlsx_add(&b->silence, b->workbook, name);
    if (!w) {
        b->cause = errno;
        fail(b, PL_XLSX_TEMPORARY); /* names have been checked */
        return NULL;
    }
    b->all[b->num_all++] = (struct pl_xlsx_made){ .sheet = w, .name = w->name };
    quote_name(b, w);
    pl_xlsx.worksheet_set_paper(w, paper());
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_footer(w, footer));
    return w;
}

void pl_xlsx_add_summary(struct pl_xlsx_book *b, const int *widths, int num)
{
    lxw_worksheet *w = add_worksheet(b, PL_XLSX_SUMMARY);

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
    b->charts = add_worksheet(b, PL_XLSX_CHARTS);
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

/*
 * libxlsxwriter cuts the reference 'name'!$A:$C,'name'!$1:$1 off where it does
 * not fit, and spreadsheets refuse such a workbook.
 */
static bool may_repeat_both(const lxw_worksheet *w)
{
    return 2 * strlen(w->quoted_name) + sizeof "!$AAA:$AAA,!$1:$1" <=
           LXW_DEFINED_NAME_LENGTH;
}

/* A sheet too wide for a page is as many pages wide, each with its times. */
static void set_print(struct pl_xlsx_book *b, lxw_worksheet *w,
                      const struct pl_xlsx_frame *f)
{
    pl_xlsx.worksheet_set_landscape(w);
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_repeat_rows(w, 0, 0));
    if (may_repeat_both(w))
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
    lxw_worksheet *w = add_worksheet(b, f->name);
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

/* The place of a sheet in b->all. */
static size_t place(const struct pl_xlsx_book *b, long number)
{
    return number == PL_XLSX_ON_SUMMARY ? 0 : num_before(b) + (size_t)number;
}

lxw_worksheet *pl_xlsx_sheet_of(struct pl_xlsx_book *b, long number)
{
    size_t i = place(b, number);

    return b->failure || b->oom || i >= b->num_all ? NULL : b->all[i].sheet;
}

void pl_xlsx_count_cell(struct pl_xlsx_book *b, long number)
{
    b->all[place(b, number)].cells++;
}

void pl_xlsx_set_width(struct pl_xlsx_book *b, long sheet, uint32_t first,
                       uint32_t end, int width)
{
    lxw_worksheet *w = pl_xlsx_sheet_of(b, sheet);

    if (w && first < end)
        pl_xlsx_keep(b, (int)pl_xlsx.worksheet_set_column(w, (lxw_col_t)first,
                                                          (lxw_col_t)(end - 1),
                                                          width, NULL));
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
    int error;

    flush_rows(b);
    s = pl_xlsx_book_status(b);
    if (s)
        return s;
    error = (int)pl_xlsx_close(&b->silence, b->workbook);
    b->cause = errno;
    pl_xlsx_keep(b, error);
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
    pl_xlsx_silence_close(&b->silence);
    free(b->all);
    b->workbook = NULL;
    b->all = NULL;
    b->num_all = 0;
}
