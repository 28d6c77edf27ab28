/* Draws charts with libxlsxwriter. */
#include "analyze/workbook/draw.h"

#include "analyze/query/rows_csv.h"
#include "analyze/workbook/cells.h"
#include "analyze/workbook/formats.h"
#include "analyze/workbook/library.h"
#include "format/time/time_text.h"

#include <math.h>
#include <stdio.h>

/* Two fill a page in landscape; a row has 20 pixels. */
enum { WIDTH_PIXELS = 960, HEIGHT_PIXELS = 390, ROWS_PER_CHART = 20 };
enum { DEFAULT_WIDTH = 480, DEFAULT_HEIGHT = 288 }; /* of the library */

/* ---- lines --------------------------------------------------------------- */

static const struct pl_xlsx_sheet *sheet_with(const struct pl_xlsx_plan *plan,
                                              uint32_t column, uint32_t page)
{
    const struct pl_xlsx_sheet *s = plan->sheets;

    while (s->page != page || column < s->first || column >= s->first + s->num)
        s++;
    return s;
}

static void add_word(struct pl_buf *b, const char *word)
{
    if (b->len)
        pl_buf_u8(b, ' ');
    pl_buf_string(b, word);
}

/*
 * A name as text that begins with '=' would be read as a cell reference: then,
 * and where there is no short name, it refers to the header.
 */
static void name_line(lxw_chart_series *line, struct pl_xlsx_book *b,
                      const char *sheet, lxw_col_t at,
                      const struct pl_xlsx_column *c, struct pl_xlsx_labels l)
{
    enum { MOST = 100 };
    struct pl_buf whole = { 0 }, fit = { 0 };

    if (c->rest)
        pl_xlsx_rest_name(&whole, c);
    if (l.hosts && !c->rest)
        add_word(&whole, c->group->host->name);
    if (l.instances && c->group->instance && !c->rest)
        add_word(&whole, c->group->instance);
    if (l.counters || (!l.hosts && !l.instances))
        add_word(&whole, pl_xlsx_counter_name(c));
    pl_xlsx_text(&fit, (const char *)whole.p, whole.len, MOST);
    pl_buf_u8(&fit, 0);
    b->oom |= whole.oom || fit.oom;
    if (b->oom || fit.len == 1 || fit.p[0] == '=')
        pl_xlsx.chart_series_set_name_range(line, sheet, 0, at);
    else
        pl_xlsx.chart_series_set_name(line, (const char *)fit.p);
    pl_buf_release(&fit);
    pl_buf_release(&whole);
}

/* Do not let the library look for their cells: its rows are not in memory. */
static void leave_cells(lxw_chart_series *line)
{
    line->categories->ignore_cache = LXW_TRUE;
    line->values->ignore_cache = LXW_TRUE;
    line->title.range->ignore_cache = LXW_TRUE;
}

static void draw_line(lxw_chart *chart, struct pl_xlsx_book *b,
                      const struct pl_xlsx_sheet *s,
                      const struct pl_xlsx_plan *plan, uint32_t column,
                      struct pl_xlsx_labels labels,
                      const struct pl_xlsx_span *span)
{
    lxw_col_t at = (lxw_col_t)(span->num_first + column - s->first);
    lxw_chart_series *line = pl_xlsx.chart_add_series(chart, NULL, NULL);
    struct pl_buf name = { 0 };
    const char *sheet;

    pl_xlsx_quote(&name, s->name);
    pl_buf_u8(&name, 0);
    b->oom |= !line || name.oom;
    if (!b->oom) {
        sheet = (const char *)name.p;
        pl_xlsx.chart_series_set_categories(line, sheet, 1, 0, span->rows, 0);
        pl_xlsx.chart_series_set_values(line, sheet, 1, at, span->rows, at);
        name_line(line, b, sheet, at, &plan->columns[column], labels);
        leave_cells(line);
        if (span->rows > 1)
            pl_xlsx.chart_series_set_marker_type(line, LXW_CHART_MARKER_NONE);
    }
    pl_buf_release(&name);
}

static const char *const unit_titles[PL_NUM_UNITS] = {
    [PL_UNIT_PERCENT] = "%",
    [PL_UNIT_BYTES] = "bytes",
    [PL_UNIT_BYTES_PER_SECOND] = "bytes per second",
    [PL_UNIT_PER_SECOND] = "per second",
    [PL_UNIT_SECONDS] = "seconds",
    [PL_UNIT_DURATION] = "seconds",
};

static void set_axes(lxw_chart *chart, const struct pl_xlsx_span *span,
                     enum pl_figure_unit unit)
{
    double first = pl_time_serial(span->first_ns);
    double last = pl_time_serial(span->last_ns);
    char time[128];

    pl_xlsx_time_header(time, sizeof time);
    pl_xlsx.chart_axis_set_name(chart->x_axis, time);
    if (unit_titles[unit])
        pl_xlsx.chart_axis_set_name(chart->y_axis, unit_titles[unit]);
    if (unit == PL_UNIT_BYTES || unit == PL_UNIT_BYTES_PER_SECOND)
        pl_xlsx.chart_axis_set_num_format(chart->y_axis,
                                          pl_xlsx_figure_format(unit));
    pl_xlsx.chart_axis_set_num_format(chart->x_axis, floor(first) < floor(last)
                                                         ? "yyyy-mm-dd hh:mm"
                                                         : "hh:mm:ss");
    if (span->rows > 1) {
        pl_xlsx.chart_axis_set_min(chart->x_axis, first);
        pl_xlsx.chart_axis_set_max(chart->x_axis, last);
    }
    pl_xlsx.chart_axis_set_label_position(chart->x_axis,
                                          LXW_CHART_AXIS_LABEL_POSITION_LOW);
}

/* Pages are numbered as their sheets are. */
static void set_title(lxw_chart *chart, const char *title, uint32_t page,
                      struct pl_xlsx_book *b)
{
    struct pl_buf text = { 0 };
    char number[16];

    pl_buf_string(&text, title);
    if (page) {
        snprintf(number, sizeof number, " (%u)", page + 1);
        pl_buf_string(&text, number);
    }
    pl_buf_u8(&text, 0);
    b->oom |= text.oom;
    if (!text.oom)
        pl_xlsx.chart_title_set_name(chart, (const char *)text.p);
    pl_buf_release(&text);
}

static void draw_chart(const struct pl_xlsx_chart *c, uint32_t place,
                       struct pl_xlsx_book *b, const struct pl_xlsx_plan *plan,
                       uint32_t page, const struct pl_xlsx_span *span)
{
    lxw_chart_options size = { .x_scale = (double)WIDTH_PIXELS / DEFAULT_WIDTH,
                               .y_scale =
                                   (double)HEIGHT_PIXELS / DEFAULT_HEIGHT };
    lxw_chart *chart =
        pl_xlsx.workbook_add_chart(b->workbook, LXW_CHART_SCATTER_STRAIGHT);

    if (!chart) {
        b->oom = true;
        return;
    }
    set_title(chart, c->title, page, b);
    pl_xlsx.chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
    for (uint32_t i = 0; i < c->num; i++)
        draw_line(chart, b, sheet_with(plan, c->columns[i], page), plan,
                  c->columns[i], c->labels, span);
    set_axes(chart, span, plan->columns[c->columns[0]].unit);
    pl_xlsx_keep(b, (int)pl_xlsx.worksheet_insert_chart_opt(
                        b->charts, place * ROWS_PER_CHART, 0, chart, &size));
}

void pl_xlsx_charts_draw(const struct pl_xlsx_charts *c, struct pl_xlsx_book *b,
                         const struct pl_xlsx_plan *plan,
                         const struct pl_xlsx_span *spans)
{
    for (uint32_t page = 0; page < plan->num_pages; page++)
        for (uint32_t i = 0; i < c->num && !b->failure && !b->oom; i++)
            if (spans[page].rows)
                draw_chart(&c->charts[i], page * c->num + i, b, plan, page,
                           &spans[page]);
    pl_xlsx_break_charts(b, plan->num_pages * c->num, ROWS_PER_CHART);
}
