/*                                               analyze/workbook/library.h
 * libxlsxwriter, loaded when the first workbook is made.  It depends on
 * OpenSSL: linked, both would be a quarter of a recorder's memory and most of
 * the time of each start.  Calls are made through the table 'pl_xlsx'.  On
 * Windows it is linked, without OpenSSL, and opens its files by calls of this
 * program.
 */
#ifndef PL_ANALYZE_WORKBOOK_LIBRARY_H
#define PL_ANALYZE_WORKBOOK_LIBRARY_H

#include "analyze/workbook/book.h"

#include <stdbool.h>
#include <xlsxwriter.h>

/* clang-format off */
#define PL_XLSX_CALLS(X)                                                       \
    X(chart_add_series) X(chart_axis_set_label_position) X(chart_axis_set_max) \
    X(chart_axis_set_min) X(chart_axis_set_name) X(chart_axis_set_num_format)  \
    X(chart_legend_set_position) X(chart_series_set_categories)                \
    X(chart_series_set_marker_type) X(chart_series_set_name)                   \
    X(chart_series_set_name_range) X(chart_series_set_values)                  \
    X(chart_title_set_name) X(format_set_align) X(format_set_bold)             \
    X(format_set_bottom) X(format_set_font_color) X(format_set_font_size)      \
    X(format_set_indent)                                                       \
    X(format_set_num_format) X(format_set_text_wrap)                           \
    X(format_set_underline) X(lxw_strerror)                                    \
    X(lxw_workbook_free) X(workbook_add_chart) X(workbook_add_format)          \
    X(workbook_add_worksheet) X(workbook_close) X(workbook_new_opt)            \
    X(worksheet_add_table) X(worksheet_autofilter)                             \
    X(worksheet_conditional_format_range) X(worksheet_fit_to_pages)            \
    X(worksheet_freeze_panes) X(worksheet_insert_chart_opt)                    \
    X(worksheet_repeat_columns) X(worksheet_repeat_rows)                       \
    X(worksheet_set_column) X(worksheet_set_footer)                            \
    X(worksheet_set_h_pagebreaks) X(worksheet_set_landscape)                   \
    X(worksheet_set_paper) X(worksheet_set_row) X(worksheet_write_number)      \
    X(worksheet_write_string) X(worksheet_write_url_opt)
/* clang-format on */

struct pl_xlsx_calls {
#define PL_XLSX_MEMBER(name) __typeof__(name) *name;
    PL_XLSX_CALLS(PL_XLSX_MEMBER)
#undef PL_XLSX_MEMBER
};

extern struct pl_xlsx_calls pl_xlsx;

/* Fill 'pl_xlsx'; false if the library, or one of its functions, is missing. */
bool pl_xlsx_library_load(void);

/*
 * The library prints lines of its own when it fails.  While it makes a sheet and
 * closes the workbook they lead nowhere; the files for that are open from the
 * beginning, as it may fail for want of more.  False: errno says why they are not.
 */
bool pl_xlsx_silence_open(struct pl_xlsx_silence *s);
void pl_xlsx_silence_close(struct pl_xlsx_silence *s);

/* workbook_add_worksheet() and workbook_close(), with the errno of their failure. */
lxw_worksheet *pl_xlsx_add(const struct pl_xlsx_silence *s,
                           lxw_workbook *workbook, const char *name);
lxw_error pl_xlsx_close(const struct pl_xlsx_silence *s,
                        lxw_workbook *workbook);

/*
 * The folder of its temporary files, for a message; *variable is the
 * environment variable that sets it.  Static.
 */
const char *pl_xlsx_folder(const char **variable);

#endif
