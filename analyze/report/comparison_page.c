/* Writes the page of a comparison. */
#include "analyze/report/comparison_page.h"

#include "analyze/compare/compare_print.h"
#include "analyze/output/html.h"
#include "analyze/report/assets.h"
#include "analyze/report/page_frame.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const titles[PL_SIDES] = { "before", "after" };

/* The order of lines: what was before lies below. */
static const enum pl_compare_side sides[PL_SIDES] = { PL_BEFORE, PL_AFTER };

bool pl_comparison_page_can(void)
{
    return pl_report_assets.uplot_js.n > 0;
}

/* ---- times --------------------------------------------------------------- */

/* Curves are drawn at the times of the window after. */
static int64_t time_of(const struct pl_curves *c, enum pl_compare_side side,
                       size_t point)
{
    const int64_t first_ns = c->comparison->windows[side].first_ns;
    const uint64_t after_ns = point * c->step_ns;

    /* the last point may be behind the last instant there is */
    return after_ns > (uint64_t)INT64_MAX - (uint64_t)first_ns
               ? INT64_MAX
               : (int64_t)((uint64_t)first_ns + after_ns);
}

static void put_side_time(struct pl_html *h, int64_t ns)
{
    char text[PL_INSTANT_TEXT];

    pl_html_string(h, pl_zone_text(ns, text));
}

/* ---- markup -------------------------------------------------------------- */

static void put_window(struct pl_html *h, const struct pl_comparison *c,
                       enum pl_compare_side side)
{
    const struct pl_compared_window *w = &c->windows[side];

    pl_html_format(h, "<p>%s: ", side == PL_BEFORE ? "Before" : "After");
    pl_html_string(h, w->log);
    pl_html_put(h, ", ");
    put_side_time(h, w->first_ns);
    pl_html_put(h, " to ");
    put_side_time(h, w->last_ns);
    pl_html_put(h, " (");
    pl_html_string(h, pl_zone_name());
    pl_html_format(h, "), %" PRIu64 " sample%s</p>\n", w->rows,
                   pl_plural(w->rows));
}

static void put_comparison_header(struct pl_html *h,
                                  const struct pl_curves *curves)
{
    const struct pl_comparison *c = curves->comparison;

    pl_html_put(h, "<header>\n<h1>Before and after</h1>\n");
    put_window(h, c, PL_BEFORE);
    put_window(h, c, PL_AFTER);
    if (c->unusual)
        pl_html_format(h, "<p>%zu of %zu series differ%s by more than chance",
                       c->unusual, c->compared, c->unusual == 1 ? "s" : "");
    else
        pl_html_format(h, "<p>None of %zu series differs by more than chance",
                       c->compared);
    if (curves->num < c->unusual)
        pl_html_format(h, "; the %zu most unusual are drawn", curves->num);
    if (curves->num > c->unusual)
        pl_html_put(h, "; others that differ most are drawn as well");
    pl_html_put(h, ".</p>\n</header>\n");
}

/* What a curve is over the complete window; the script does so for parts. */
static struct pl_curve_point all_of(const struct pl_curves *c,
                                    enum pl_compare_side side, size_t series,
                                    size_t *peak)
{
    const struct pl_curve_point *points = pl_curve(c, side, series);
    struct pl_curve_point all = { 0 };

    for (size_t i = 0; i < c->num_points; i++) {
        const struct pl_curve_point *p = &points[i];

        if (p->weight == 0)
            continue;
        if (all.weight == 0 || p->min < all.min)
            all.min = p->min;
        if (all.weight == 0 || p->max > all.max) {
            all.max = p->max;
            *peak = i;
        }
        all.sum += p->sum;
        all.weight += p->weight;
    }
    return all;
}

static void put_curve(struct pl_html *h, const struct pl_curves *c,
                      enum pl_compare_side side, size_t series,
                      const char *unit)
{
    size_t peak = 0;
    struct pl_curve_point all = all_of(c, side, series, &peak);

    pl_html_format(h,
                   "<tr><th scope=\"row\"><span class=\"swatch c%d\"></span>"
                   "<span class=\"label\">%s</span></th><td class=\"n\">",
                   (int)side, titles[side]);
    if (all.weight > 0) {
        pl_page_figure(h, all.sum / all.weight, unit);
        pl_html_put(h, "</td><td class=\"n\">");
        pl_page_figure(h, all.min, unit);
        pl_html_put(h, "</td><td class=\"n\">");
        pl_page_figure(h, all.max, unit);
        pl_html_put(h, "</td><td>");
        if (all.max > all.min)
            put_side_time(h, time_of(c, PL_AFTER, peak));
    } else {
        pl_html_put(h, "</td><td class=\"n\"></td><td class=\"n\"></td><td>");
    }
    pl_html_put(h, "</td></tr>\n");
}

static void put_path(struct pl_html *h, const struct pl_compared *s)
{
    if (*s->host) {
        pl_html_put(h, "\\\\");
        pl_html_string(h, s->host);
    }
    pl_html_put(h, "\\");
    pl_html_string(h, s->object);
    if (*s->instance) {
        pl_html_put(h, "(");
        pl_html_string(h, s->instance);
        pl_html_put(h, ")");
    }
    pl_html_put(h, "\\");
    pl_html_string(h, s->counter);
}

static void put_compared_chart(struct pl_html *h, const struct pl_curves *c,
                               size_t series)
{
    const struct pl_compared *s = &c->comparison->series[series];
    const char *unit = pl_page_unit(s->counter);
    char change[PL_READABLE_TEXT];

    pl_html_format(h,
                   "<section class=\"chart\" data-chart=\"%zu\" "
                   "data-unit=\"%s\" aria-labelledby=\"chart-%zu\">\n"
                   "<h3 id=\"chart-%zu\">",
                   series, unit, series, series);
    put_path(h, s);
    pl_html_format(h, ": %s</h3>\n", pl_compared_change_text(s, change));
    pl_html_format(h, "<p class=\"quiet\">Delta %+.2f, chance %.2g: %s</p>\n",
                   s->test.delta, s->chance,
                   s->chance < PL_UNUSUAL ? "it differs by more than chance."
                                          : "it may differ by accident.");
    pl_html_put(h,
                "<div class=\"plot\"></div>\n<div class=\"scroll\"><table "
                "class=\"lines\"><thead><tr><th scope=\"col\">Window</th>"
                "<th scope=\"col\" class=\"n\">Mean</th>"
                "<th scope=\"col\" class=\"n\">Min</th>"
                "<th scope=\"col\" class=\"n\">Max</th>"
                "<th scope=\"col\">Time of max</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < PL_SIDES; i++)
        put_curve(h, c, sides[i], series, unit);
    pl_html_put(h, "</tbody></table></div>\n</section>\n");
}

/* ---- data, as in data.c -------------------------------------------------- */

static void put_points(struct pl_html *h, const struct pl_curves *c,
                       const struct pl_curve_point *points,
                       enum pl_page_figure figure)
{
    for (size_t i = 0; i < c->num_points; i++) {
        const struct pl_curve_point *p = &points[i];

        pl_html_put(h, i ? "," : "[");
        if (p->weight == 0)
            pl_html_put(h, "null");
        else
            pl_page_data_number(h,
                                figure == PL_PAGE_LEAST ? p->min
                                : figure == PL_PAGE_GREATEST
                                    ? p->max
                                    : p->sum / p->weight,
                                PL_PAGE_DIGITS);
    }
    pl_html_put(h, "]");
}

static void put_curves(struct pl_html *h, const struct pl_curves *c,
                       size_t series)
{
    pl_html_put(h, "{\"axis\":0,\"lines\":[");
    for (int i = 0; i < PL_SIDES; i++)
        for (enum pl_page_figure f = PL_PAGE_LEAST; f < PL_PAGE_FIGURES; f++) {
            pl_html_put(h, f ? "," : i ? ",\n[" : "[");
            put_points(h, c, pl_curve(c, sides[i], series), f);
            if (f == PL_PAGE_GREATEST)
                pl_html_put(h, "]");
        }
    pl_html_put(h, "]}");
}

static void put_data(struct pl_html *h, const struct pl_curves *c)
{
    int64_t from_ns = time_of(c, PL_AFTER, 0);
    int64_t to_ns = time_of(c, PL_AFTER, c->num_points - 1);

    pl_html_put(h, "{\"from\":");
    pl_page_data_instant(h, from_ns);
    pl_html_put(h, ",\"to\":");
    pl_page_data_instant(h, to_ns);
    pl_html_put(h, ",\"offsets\":");
    pl_page_data_offsets(h, from_ns, to_ns);
    pl_html_put(h, ",\n\"hosts\":[{\"x\":");
    for (size_t i = 0; i < c->num_points; i++) {
        pl_html_put(h, i ? "," : "[");
        pl_page_data_instant(h, time_of(c, PL_AFTER, i));
    }
    pl_html_put(h, "],\"step\":");
    pl_page_data_number(h, (double)c->step_ns / (double)PL_NS_PER_SEC,
                        PL_PAGE_DIGITS);
    /* what a point covers goes on so long after its time: rows are of the time
     * before them, and the point has those of half a step on either side */
    pl_html_put(h, ",\"ahead\":");
    pl_page_data_number(
        h, (double)(c->step_ns - c->interval_ns) / 2 / (double)PL_NS_PER_SEC,
        PL_PAGE_DIGITS);
    pl_html_put(h, ",\"marks\":[]}],\n\"charts\":[");
    for (size_t i = 0; i < c->num; i++) {
        pl_html_put(h, i ? ",\n" : "");
        put_curves(h, c, i);
    }
    pl_html_put(h, "]}\n");
}

/* ---- the page ------------------------------------------------------------ */

enum pl_status pl_comparison_put_page(struct pl_output_file *out,
                                      const struct pl_curves *curves)
{
    struct pl_html h = { .output = out };

    pl_page_open_head(&h);
    pl_html_put(&h, "Before and after");
    pl_page_close_head(&h);
    put_comparison_header(&h, curves);
    pl_page_open_main(&h);
    pl_page_toolbar(&h, NULL, 0);
    for (size_t i = 0; i < curves->num; i++)
        put_compared_chart(&h, curves, i);
    pl_page_close_main(&h, "Times are those of the window after; the window "
                           "before is drawn as if it had begun with it. ");
    put_data(&h, curves);
    pl_page_close(&h);
    return pl_html_finish(&h);
}
