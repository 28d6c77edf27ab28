/* Writes the charts of a report, with their tables. */
#include "analyze/report/page.h"

#include "analyze/output/text_part.h"
#include "analyze/replay/group_identity.h"
#include "analyze/report/chart_form.h"
#include "analyze/report/page_frame.h"
#include "format/time/time_text.h"

#include <inttypes.h>
#include <string.h>

/* Colours of the style sheet; lines beyond are dashed. */
enum { COLOURS = 10 };

/* Bytes of the command lines of those without a curve: they may be many. */
enum { OTHERS_COMMAND = 100 };

/* ---- charts -------------------------------------------------------------- */

static void put_title(struct pl_html *h, const struct pl_chart *c)
{
    if (c->vital) {
        pl_html_string(h, c->vital->title);
        return;
    }
    pl_html_string(h, c->object->name);
    pl_html_put(h, ": ");
    pl_html_string(h, c->object->counters[c->slot].name);
}

/* The label that distinguishes a line in its chart. */
static void put_label(struct pl_html *h, const struct pl_report *r,
                      const struct pl_chart *c,
                      const struct pl_chart_line *line)
{
    const char *counter = c->object->counters[line->slot].name;
    const char *instance = line->group ? line->group->instance : NULL;
    bool both = c->instances > 1 && c->counters > 1;

    if (r->charts.num_axes > 1) {
        pl_html_string(h, c->host->name);
        pl_html_put(h, ": ");
    }
    if (!line->group)
        pl_html_format(h, "the %" PRIu32 " others together", c->others);
    else if (instance && (c->instances > 1 || c->counters == 1))
        pl_html_string(h, instance);
    else
        pl_html_string(h, counter);
    if (both) {
        pl_html_put(h, ", ");
        pl_html_string(h, counter);
    }
}

/*
 * The command line, at most so many bytes of it, and who runs it; nothing where
 * the log does not say.
 */
static void put_identity(struct pl_html *h, const struct pl_group *g,
                         size_t most)
{
    struct pl_text what = pl_group_identity_text(g, PL_COMMAND_LINE);

    if (!g->identity)
        return;
    if (!what.n)
        what = pl_group_identity_text(g, PL_EXECUTABLE);
    pl_html_put(h, "<span class=\"quiet identity\">");
    pl_html_text(h, pl_text_part(what, most));
    pl_html_put(h, what.n > most ? "\u2026 (" : " (");
    pl_html_text(h, pl_group_identity_text(g, PL_USER));
    pl_html_put(h, ", ");
    pl_html_text(
        h, pl_control_group_unit(pl_group_identity_text(g, PL_CONTROL_GROUP)));
    pl_html_put(h, ")</span>");
}

/* What the script makes of a line. */
static void put_classes(struct pl_html *h, const struct pl_report *r,
                        const struct pl_chart *c, uint32_t i)
{
    const struct pl_chart_line *line = &r->charts.lines[i];
    const struct {
        bool is;
        const char *name;
    } classes[] = {
        { pl_line_is_ranked(line), "ranked" },
        { pl_line_is_zero(line), "zero" },
        { pl_line_leads(&r->charts, c, i), "lead" },
        { pl_line_is_stacked(&r->charts, c, i), "stacked" },
    };
    const char *blank = "";

    pl_html_put(h, " class=\"");
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        if (!classes[k].is)
            continue;
        pl_html_format(h, "%s%s", blank, classes[k].name);
        blank = " ";
    }
    pl_html_put(h, "\"");
}

/* What a line was in all of the time. */
static void put_figures(struct pl_html *h, const struct pl_report *r,
                        const struct pl_chart_line *line, const char *unit)
{
    const struct pl_chart_point *all = &line->all;

    pl_html_put(h, "<td class=\"n\">");
    if (all->seconds > 0) {
        pl_page_figure(h, pl_chart_mean(all), unit);
        pl_html_put(h, "</td><td class=\"n\">");
        pl_page_figure(h, all->min, unit);
        pl_html_put(h, "</td><td class=\"n\">");
        pl_page_figure(h, all->max, unit);
        pl_html_put(h, "</td><td>");
        if (all->max > all->min)
            pl_report_put_time(h, r, line->peak_ns);
    } else {
        pl_html_put(h, "</td><td></td><td></td><td>");
    }
    pl_html_put(h, "</td>");
}

static void put_line(struct pl_html *h, const struct pl_report *r,
                     const struct pl_chart *c, uint32_t i, uint32_t part)
{
    const struct pl_chart_line *line = &r->charts.lines[c->first + i];
    const uint32_t colour = part + i; /* as the script begins */
    const bool ended = pl_line_ended(&r->charts, c, line);

    pl_html_put(h, "<tr");
    put_classes(h, r, c, c->first + i);
    if (part)
        pl_html_format(h, " data-part=\"%" PRIu32 "\"", part);
    if (ended)
        pl_html_format(h, " data-ended=\"%.3f\"",
                       (double)line->last_ns / (double)PL_NS_PER_SEC);
    pl_html_format(h,
                   "><th scope=\"row\"><span class=\"swatch c%" PRIu32
                   "%s\"></span><span class=\"label\">",
                   colour % COLOURS, colour / COLOURS % 2 ? " dashed" : "");
    put_label(h, r, c, line);
    pl_html_put(h, "</span>");
    if (ended) {
        pl_html_put(h, " <span class=\"quiet ended\">ended ");
        pl_report_put_time(h, r, line->last_ns);
        pl_html_put(h, "</span>");
    }
    if (line->group)
        put_identity(h, line->group, SIZE_MAX);
    pl_html_put(h, "</th>");
    put_figures(h, r, line, pl_page_unit(c->object->counters[c->slot].name));
    pl_html_put(h, "</tr>\n");
}

/* Names of the instances without a line, for the script. */
static void put_others(struct pl_html *h, const struct pl_report *r,
                       const struct pl_chart *c, uint32_t part)
{
    if (!c->largest.num_named)
        return;
    pl_html_format(
        h, "<ul class=\"others\" data-part=\"%" PRIu32 "\" hidden>\n", part);
    for (uint32_t i = 0; i < c->largest.num_named; i++) {
        const struct pl_other_series *o =
            &r->charts.others[c->largest.named[i]];

        pl_html_put(h, "<li><span class=\"label\">");
        put_label(
            h, r, c,
            &(struct pl_chart_line){ .group = o->group, .slot = o->slot });
        pl_html_put(h, "</span>");
        put_identity(h, o->group, OTHERS_COMMAND);
        pl_html_put(h, "</li>\n");
    }
    pl_html_put(h, "</ul>\n");
}

/* Of all parts of a frame; sums show the others of those that have any. */
static void put_left_out(struct pl_html *h, const struct pl_chart *parts,
                         uint32_t num)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < num; i++)
        others += parts[i].added_up ? 0 : parts[i].others;
    if (!others)
        return;
    pl_html_format(h,
                   "<p class=\"quiet\">%" PRIu32
                   " more are not shown here%s; %s-c takes others.</p>\n",
                   others,
                   parts->vital && parts->vital->least
                       ? ""
                       : ", but where they are among the largest of a part of "
                         "the time that is zoomed to",
                   pl_chart_form_of(parts) == PL_FORM_HEAT
                       ? ""
                       : "--top takes more of them, ");
}

/* Hosts that a frame has no chart of. */
static void put_hosts_left_out(struct pl_html *h, const struct pl_charts *c,
                               const struct pl_chart *parts)
{
    for (size_t i = 0; i < c->num_missing; i++) {
        const struct pl_missing_chart *m = &c->missing[i];

        if (pl_charts_share(&m->chart, parts))
            pl_html_format(h,
                           "<p class=\"quiet\">%" PRIu32 " more host%s not in "
                           "this chart, as there are too many.</p>\n",
                           m->hosts, m->hosts == 1 ? " is" : "s are");
    }
}

/* For the script: what a frame holds, and how it is drawn. */
static void open_frame(struct pl_html *h, const struct pl_chart *parts,
                       uint32_t number, uint32_t num)
{
    static const char *const forms[] = {
        [PL_FORM_LINES] = "lines",
        [PL_FORM_STACK] = "stack",
        [PL_FORM_HEAT] = "heat",
    };

    pl_html_format(h,
                   "<section class=\"chart\" data-chart=\"%" PRIu32
                   "\" data-parts=\"%" PRIu32 "\" data-unit=\"%s\" "
                   "data-form=\"%s\"%s aria-labelledby=\"chart-%" PRIu32
                   "\">\n<h3 id=\"chart-%" PRIu32 "\">",
                   number, num,
                   pl_page_unit(parts->object->counters[parts->slot].name),
                   forms[pl_chart_form_of(parts)],
                   parts->vital && parts->vital->least ? " data-least" : "",
                   number, number);
    put_title(h, parts);
    pl_html_put(h, "</h3>\n<div class=\"plot\"></div>\n"
                   "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                   "aria-label=\"Table of ");
    put_title(h, parts);
    pl_html_put(h, "\"><table class=\"lines\"><thead><tr>"
                   "<th scope=\"col\">Series</th>"
                   "<th scope=\"col\" class=\"n\">Mean</th>"
                   "<th scope=\"col\" class=\"n\">Min</th>"
                   "<th scope=\"col\" class=\"n\">Max</th>"
                   "<th scope=\"col\">Time of max</th></tr></thead>\n"
                   "<tbody>\n");
}

/* Charts of hosts in one frame, with one table. */
static void put_frame(struct pl_html *h, const struct pl_report *r,
                      uint32_t first, uint32_t num)
{
    const struct pl_chart *parts = &r->charts.charts[first];
    open_frame(h, parts, first, num);
    for (uint32_t k = 0; k < num; k++) {
        for (uint32_t i = 0; i < parts[k].num; i++)
            put_line(h, r, &parts[k], i, k);
    }
    pl_html_put(h, "</tbody></table></div>\n");
    put_left_out(h, parts, num);
    put_hosts_left_out(h, &r->charts, parts);
    for (uint32_t k = 0; k < num; k++)
        put_others(h, r, &parts[k], k);
    pl_html_put(h, "</section>\n");
}

static void put_missing(struct pl_html *h, const struct pl_charts *c)
{
    enum { NAMED = 50 };

    if (!c->num_missing)
        return;
    pl_html_format(h,
                   "<p>%" PRIu64
                   " series have no chart, as there are too many; "
                   "choose fewer with -c%s: ",
                   c->left_out, c->num_axes > 1 ? ", or name fewer logs" : "");
    for (size_t i = 0; i < c->num_missing && i < NAMED; i++) {
        pl_html_put(h, i ? "; " : "");
        put_title(h, &c->missing[i].chart);
        if (c->num_axes > 1)
            pl_html_format(h, ", of %" PRIu32 " of %zu hosts",
                           c->missing[i].hosts, c->num_axes);
    }
    if (c->num_missing > NAMED)
        pl_html_format(h, "; and %zu more", c->num_missing - NAMED);
    pl_html_put(h, ".</p>\n");
}

bool pl_report_put_charts(struct pl_html *h, const struct pl_report *r)
{
    const struct pl_charts *all = &r->charts;

    for (uint32_t i = 0, end; i < all->num_charts; i = end) {
        end = i + 1;
        while (end < all->num_charts &&
               pl_charts_share(&all->charts[i], &all->charts[end]))
            end++;
        put_frame(h, r, i, end - i);
    }
    put_missing(h, all);
    return all->num_charts || all->num_missing;
}
