/* The data of the charts, as JSON with numbers only. */
#include "analyze/report/page.h"

#include "analyze/output/number.h"
#include "analyze/report/chart_form.h"
#include "analyze/report/page_frame.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>

/* Digits of what is drawn and summed up; of the largest without a line. */
enum { FEW_DIGITS = 3 };

/* Many values have fewer digits: all of them together take about a megabyte. */
enum { DIGITS_LEAST = 3, ROOM = 1000000 };

/* No zone changes its offset twice within this time. */
#define ZONE_STEP (12 * 3600 * PL_NS_PER_SEC)

/* ---- numbers ------------------------------------------------------------- */

void pl_page_data_number(struct pl_html *h, double v, unsigned digits)
{
    char text[PL_NUMBER_TEXT];

    pl_html_bytes(h, text, pl_number_put_rounded(v, digits, text));
}

unsigned pl_report_digits(const struct pl_report *r)
{
    uint64_t values = 0;
    unsigned digits = PL_PAGE_DIGITS;

    for (uint32_t i = 0; i < r->charts.num_charts; i++) {
        const struct pl_chart *c = &r->charts.charts[i];
        const struct pl_axis *axis = pl_chart_axis(&r->charts, c);

        values += (uint64_t)c->num * axis->num * (axis->step_ns ? 3 : 1);
    }
    while (digits > DIGITS_LEAST && values * (digits + 2) > ROOM)
        digits--;
    return digits;
}

void pl_page_data_instant(struct pl_html *h, int64_t ns)
{
    int64_t ms = ns / PL_NS_PER_MS;

    pl_html_format(h, "%s%" PRId64, ms < 0 && ms > -1000 ? "-" : "", ms / 1000);
    ms = ms < 0 ? -(ms % 1000) : ms % 1000;
    if (ms)
        pl_html_format(h, ".%03" PRId64, ms);
}

/* ---- sequences ----------------------------------------------------------- */

/*
 * The points of an axis that hold rows, from left to right, with one added
 * where lines break.
 */
struct walk {
    const struct pl_axis *axis;
    size_t point, before; /* PL_AXIS_NONE: none yet */
    bool at_break;        /* a break precedes 'point' */
};

static void walk_start(struct walk *w, const struct pl_axis *axis)
{
    *w = (struct walk){ axis, PL_AXIS_NONE, PL_AXIS_NONE, false };
}

static bool walk_next(struct walk *w)
{
    size_t i = w->point == PL_AXIS_NONE ? 0 : w->point + 1;

    if (w->at_break) {
        w->at_break = false;
        return true;
    }
    while (i < w->axis->num && !w->axis->met[i])
        i++;
    if (i == w->axis->num)
        return false;
    w->before = w->point;
    w->point = i;
    w->at_break =
        w->before != PL_AXIS_NONE && pl_axis_is_broken(w->axis, w->before, i);
    return true;
}

static int64_t walk_time(const struct walk *w)
{
    int64_t before, now = pl_axis_time(w->axis, w->point);

    if (!w->at_break)
        return now;
    before = pl_axis_time(w->axis, w->before);
    return before + (int64_t)(((uint64_t)now - (uint64_t)before) / 2);
}

static void put_axis(struct pl_html *h, const struct pl_axis *axis)
{
    const char *comma = "";
    struct walk w;

    walk_start(&w, axis);
    pl_html_put(h, "[");
    while (walk_next(&w)) {
        pl_html_put(h, comma);
        pl_page_data_instant(h, walk_time(&w));
        comma = ",";
    }
    pl_html_put(h, "]");
}

static void put_values(struct pl_html *h, const struct pl_axis *axis,
                       const struct pl_chart_line *line,
                       enum pl_page_figure figure, unsigned digits)
{
    const char *comma = "";
    struct walk w;

    walk_start(&w, axis);
    pl_html_put(h, "[");
    while (walk_next(&w)) {
        const struct pl_chart_point *p = &line->points[w.point];

        pl_html_put(h, comma);
        if (w.at_break || p->seconds == 0)
            pl_html_put(h, "null");
        else
            pl_page_data_number(h,
                                figure == PL_PAGE_LEAST      ? p->min
                                : figure == PL_PAGE_GREATEST ? p->max
                                                             : pl_chart_mean(p),
                                digits);
        comma = ",";
    }
    pl_html_put(h, "]");
}

/*
 * A point that is a row has one value, a bucket three; colours are of means
 * only, with few digits.
 */
static void put_series_data(struct pl_html *h, const struct pl_chart *chart,
                            const struct pl_axis *axis,
                            const struct pl_chart_line *line, unsigned digits)
{
    const bool heat = pl_chart_form_of(chart) == PL_FORM_HEAT;
    const bool all = axis->step_ns && !heat;

    pl_html_put(h, "[");
    if (all) {
        put_values(h, axis, line, PL_PAGE_LEAST, digits);
        pl_html_put(h, ",");
    }
    put_values(h, axis, line, PL_PAGE_MEAN, heat ? FEW_DIGITS : digits);
    if (all) {
        pl_html_put(h, ",");
        put_values(h, axis, line, PL_PAGE_GREATEST, digits);
    }
    pl_html_put(h, "]");
}

/* Number and mean of each, after each other. */
static void put_largest_at(struct pl_html *h, const struct pl_report *r,
                           const struct pl_largest *l, size_t point)
{
    const char *comma = "";

    for (size_t i = 0; i < PL_LARGEST_AT_POINT; i++) {
        const struct pl_largest_one *one =
            &l->ones[point * PL_LARGEST_AT_POINT + i];

        if (one->series == PL_NO_OTHER)
            continue;
        pl_html_format(h, "%s%" PRIu32 ",", comma,
                       r->charts.others[one->series].number - 1);
        pl_page_data_number(h, one->value, FEW_DIGITS);
        comma = ",";
    }
}

/* Those that have no line, by point. */
static void put_largest(struct pl_html *h, const struct pl_report *r,
                        const struct pl_chart *chart)
{
    const char *comma = "";
    struct walk w;

    walk_start(&w, pl_chart_axis(&r->charts, chart));
    pl_html_put(h, ",\n\"others\":[");
    while (walk_next(&w)) {
        pl_html_put(h, comma);
        pl_html_put(h, "[");
        if (!w.at_break)
            put_largest_at(h, r, &chart->largest, w.point);
        pl_html_put(h, "]");
        comma = ",";
    }
    pl_html_put(h, "]");
}

static void put_chart_data(struct pl_html *h, const struct pl_report *r,
                           const struct pl_chart *chart, unsigned digits)
{
    pl_html_format(h, "{\"axis\":%" PRIu32 ",\"lines\":[", chart->host->rank);
    for (uint32_t i = 0; i < chart->num; i++) {
        pl_html_put(h, i ? ",\n" : "");
        put_series_data(h, chart, pl_chart_axis(&r->charts, chart),
                        &r->charts.lines[chart->first + i], digits);
    }
    pl_html_put(h, "]");
    if (pl_chart_ranks_others(chart))
        put_largest(h, r, chart);
    pl_html_put(h, "}");
}

/* ---- the rest ------------------------------------------------------------ */

static void put_mark_data(struct pl_html *h, const struct pl_facts *f)
{
    for (size_t i = 0; i < f->num_marks; i++) {
        pl_html_put(h, i ? ",[" : "[");
        pl_page_data_instant(h, f->marks[i].from_ns);
        pl_html_put(h, ",");
        pl_page_data_instant(h, f->marks[i].to_ns);
        pl_html_format(h, ",%d]", (int)f->marks[i].kind);
    }
}

static void put_host_data(struct pl_html *h, const struct pl_report *r,
                          uint32_t rank)
{
    size_t log = r->logs[rank];
    const struct pl_axis *axis = &r->charts.axes[rank];

    pl_html_put(h, "{\"x\":");
    put_axis(h, axis);
    pl_html_put(h, ",\"step\":");
    pl_page_data_number(h, (double)axis->step_ns / (double)PL_NS_PER_SEC,
                        PL_PAGE_DIGITS);
    pl_html_put(h, ",\"marks\":[");
    if (log != PL_NO_LOG)
        put_mark_data(h, &r->facts[log]);
    pl_html_put(h, "]}");
}

/* The first instant in (from, to] with the zone offset of 'to'. */
static int64_t find_change(int64_t from_ns, int64_t to_ns)
{
    int32_t offset = pl_zone_offset(to_ns);

    while (to_ns - from_ns > PL_NS_PER_SEC) {
        int64_t middle = from_ns + (to_ns - from_ns) / 2;

        if (pl_zone_offset(middle) == offset)
            to_ns = middle;
        else
            from_ns = middle;
    }
    return to_ns / PL_NS_PER_SEC * PL_NS_PER_SEC;
}

void pl_page_data_offsets(struct pl_html *h, int64_t from_ns, int64_t to_ns)
{
    int32_t offset = pl_zone_offset(from_ns), next;

    pl_html_put(h, "[[");
    pl_page_data_instant(h, from_ns);
    pl_html_format(h, ",%" PRId32 "]", offset);
    while (from_ns < to_ns) {
        uint64_t left = (uint64_t)to_ns - (uint64_t)from_ns;
        int64_t at = left > ZONE_STEP ? from_ns + ZONE_STEP : to_ns;

        next = pl_zone_offset(at);
        if (next != offset) {
            pl_html_put(h, ",[");
            pl_page_data_instant(h, find_change(from_ns, at));
            pl_html_format(h, ",%" PRId32 "]", next);
        }
        offset = next;
        from_ns = at;
    }
    pl_html_put(h, "]");
}

void pl_report_put_data(struct pl_html *h, const struct pl_report *r)
{
    const unsigned digits = pl_report_digits(r);

    pl_html_put(h, "{\"from\":");
    pl_page_data_instant(h, r->first_ns);
    pl_html_put(h, ",\"to\":");
    pl_page_data_instant(h, r->last_ns);
    pl_html_put(h, ",\"offsets\":");
    pl_page_data_offsets(h, r->first_ns, r->last_ns);
    pl_html_put(h, ",\n\"hosts\":[");
    for (size_t i = 0; i < r->charts.num_axes; i++) {
        pl_html_put(h, i ? ",\n" : "");
        put_host_data(h, r, (uint32_t)i);
    }
    pl_html_put(h, "],\n\"charts\":[");
    for (uint32_t i = 0; i < r->charts.num_charts; i++) {
        pl_html_put(h, i ? ",\n" : "");
        put_chart_data(h, r, &r->charts.charts[i], digits);
    }
    pl_html_put(h, "]}\n");
}
