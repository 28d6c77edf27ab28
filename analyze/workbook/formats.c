/* Makes the formats of cells. */
#include "analyze/workbook/formats.h"

#include "analyze/workbook/library.h"

#include <string.h>

enum { TITLE_SIZE = 14, SECTION_SIZE = 12, LINK_COLOR = 0x0563C1 };

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

const char *pl_xlsx_figure_format(enum pl_figure_unit unit)
{
    return figures[unit][1];
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

/* Formats that differ from a plain cell's.  PL_NOMEM. */
static enum pl_status add_texts(struct pl_xlsx_book *b)
{
    lxw_format **const all[] = { &b->time,  &b->header,  &b->wrapped,
                                 &b->title, &b->section, &b->link };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = pl_xlsx.workbook_add_format(b->workbook);
        if (!*all[i])
            return PL_NOMEM;
    }
    return PL_OK;
}

/* Where a cell's text stands, and in which letters. */
static void set_texts(struct pl_xlsx_book *b)
{
    pl_xlsx.format_set_bold(b->title);
    pl_xlsx.format_set_font_size(b->title, TITLE_SIZE);
    pl_xlsx.format_set_bold(b->section);
    pl_xlsx.format_set_font_size(b->section, SECTION_SIZE);
    pl_xlsx.format_set_font_color(b->link, LINK_COLOR);
    pl_xlsx.format_set_underline(b->link, LXW_UNDERLINE_SINGLE);
    pl_xlsx.format_set_align(b->time, LXW_ALIGN_LEFT);
    pl_xlsx.format_set_align(b->time, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_bold(b->header);
    pl_xlsx.format_set_text_wrap(b->header);
    pl_xlsx.format_set_align(b->header, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_text_wrap(b->wrapped);
    pl_xlsx.format_set_align(b->wrapped, LXW_ALIGN_VERTICAL_TOP);
    pl_xlsx.format_set_indent(b->wrapped, 1); /* off a number before it */
}

enum pl_status pl_xlsx_formats_add(struct pl_xlsx_book *b, bool milliseconds)
{
    if (add_texts(b))
        return PL_NOMEM;
    set_texts(b);
    pl_xlsx.format_set_num_format(b->time, milliseconds
                                               ? "yyyy-mm-dd hh:mm:ss.000"
                                               : "yyyy-mm-dd hh:mm:ss");
    return add_figures(b);
}
