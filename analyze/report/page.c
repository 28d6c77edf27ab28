/* Writes the frame of a report, and its charts with their tables. */
#include "analyze/report/page.h"

#include "analyze/replay/group_identity.h"
#include "analyze/replay/ranking.h"
#include "analyze/report/page_frame.h"
#include "format/base/time_text.h"
#include "format/base/zone.h"

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
static void put_label(struct pl_html *h, const struct pl_chart *c,
                      const struct pl_chart_line *line)
{
    const char *counter = c->object->counters[line->slot].name;
    const char *instance = line->group ? line->group->instance : NULL;
    bool both = c->instances > 1 && c->counters > 1;

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

/* At most so many bytes, of whole characters. */
static struct pl_text part_of(struct pl_text text, size_t most)
{
    if (text.n <= most)
        return text;
    while (most && ((uint8_t)text.p[most] & 0xc0) == 0x80)
        most--;
    text.n = most;
    return text;
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
    pl_html_text(h, part_of(what, most));
    pl_html_put(h, what.n > most ? "\u2026 (" : " (");
    pl_html_text(h, pl_group_identity_text(g, PL_USER));
    pl_html_put(h, ", ");
    pl_html_text(
        h, pl_control_group_unit(pl_group_identity_text(g, PL_CONTROL_GROUP)));
    pl_html_put(h, ")</span>");
}

/* The script ranks it among the other instances. */
static bool is_ranked(const struct pl_chart_line *line)
{
    return line->group && line->group->instance &&
           !pl_ranking_excludes(line->group->object->name,
                                line->group->instance);
}

/* The script folds it away. */
static bool is_zero(const struct pl_chart_line *line)
{
    return line->all.seconds > 0 && line->all.min == 0 && line->all.max == 0;
}

static void put_line(struct pl_html *h, const struct pl_report *r,
                     const struct pl_chart *c, uint32_t i, const char *unit)
{
    const struct pl_chart_line *line = &r->charts.lines[c->first + i];
    const struct pl_chart_point *all = &line->all;
    static const char *const classes[2][2] = {
        { "", " class=\"zero\"" },
        { " class=\"ranked\"", " class=\"ranked zero\"" },
    };

    pl_html_format(h,
                   "<tr%s><th scope=\"row\"><span class=\"swatch c%" PRIu32
                   "%s\"></span><span class=\"label\">",
                   classes[is_ranked(line)][is_zero(line)], i % COLOURS,
                   i < COLOURS ? "" : " dashed");
    put_label(h, c, line);
    pl_html_put(h, "</span>");
    if (line->group)
        put_identity(h, line->group, SIZE_MAX);
    pl_html_put(h, "</th><td class=\"n\">");
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
    pl_html_put(h, "</td></tr>\n");
}

/* Names of the instances without a line, for the script. */
static void put_others(struct pl_html *h, const struct pl_report *r,
                       const struct pl_chart *c)
{
    if (!c->largest.num_named)
        return;
    pl_html_put(h, "<ul class=\"others\" hidden>\n");
    for (uint32_t i = 0; i < c->largest.num_named; i++) {
        const struct pl_other_series *o =
            &r->charts.others[c->largest.named[i]];

        pl_html_put(h, "<li><span class=\"label\">");
        put_label(
            h, c,
            &(struct pl_chart_line){ .group = o->group, .slot = o->slot });
        pl_html_put(h, "</span>");
        put_identity(h, o->group, OTHERS_COMMAND);
        pl_html_put(h, "</li>\n");
    }
    pl_html_put(h, "</ul>\n");
}

static void put_left_out(struct pl_html *h, const struct pl_chart *c)
{
    if (!c->others || c->added_up)
        return;
    pl_html_format(h,
                   "<p class=\"quiet\">%" PRIu32
                   " more are not shown here, but where they are among the "
                   "largest of a part of the time that is zoomed to; --top "
                   "takes more of them, -c others.</p>\n",
                   c->others);
}

static void put_chart(struct pl_html *h, const struct pl_report *r,
                      uint32_t number)
{
    const struct pl_chart *c = &r->charts.charts[number];
    const char *unit = pl_page_unit(c->object->counters[c->slot].name);

    pl_html_format(h,
                   "<section class=\"chart\" data-chart=\"%" PRIu32
                   "\" data-unit=\"%s\" aria-labelledby=\"chart-%" PRIu32
                   "\">\n<h3 id=\"chart-%" PRIu32 "\">",
                   number, unit, number, number);
    put_title(h, c);
    pl_html_put(h,
                "</h3>\n<div class=\"plot\"></div>\n"
                "<div class=\"scroll\"><table class=\"lines\"><thead><tr>"
                "<th scope=\"col\">Series</th>"
                "<th scope=\"col\" class=\"n\">Mean</th>"
                "<th scope=\"col\" class=\"n\">Min</th>"
                "<th scope=\"col\" class=\"n\">Max</th>"
                "<th scope=\"col\">Time of max</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < c->num; i++)
        put_line(h, r, c, i, unit);
    pl_html_put(h, "</tbody></table></div>\n");
    put_left_out(h, c);
    put_others(h, r, c);
    pl_html_put(h, "</section>\n");
}

/*
 * Write the charts of the hosts of a host log, with a heading for other hosts
 * than its own, as files may have been joined.
 */
static bool put_charts(struct pl_html *h, const struct pl_report *r,
                       size_t tape)
{
    const struct pl_host *host = NULL;
    bool any = false;

    for (uint32_t i = 0; i < r->charts.num_charts; i++) {
        const struct pl_chart *c = &r->charts.charts[i];

        if (r->tapes[c->host->rank] != tape)
            continue;
        if (c->host != host && (any || tape == PL_NO_TAPE)) {
            pl_html_put(h, "<h2>");
            pl_html_string(h, c->host->name);
            pl_html_put(h, "</h2>\n");
        }
        host = c->host;
        put_chart(h, r, i);
        any = true;
    }
    return any;
}

/* ---- the frame ----------------------------------------------------------- */

static void put_host(struct pl_html *h, const struct pl_report *r, size_t tape)
{
    const char *name = r->facts[tape].host;

    pl_html_string(h, name && *name ? name : "unknown host");
}

static void put_hosts(struct pl_html *h, const struct pl_report *r)
{
    for (size_t i = 0; i < r->e->tapes.num; i++) {
        pl_html_put(h, i ? ", " : "");
        put_host(h, r, i);
    }
}

static void put_head(struct pl_html *h, const struct pl_report *r)
{
    pl_page_open_head(h);
    put_hosts(h, r);
    pl_html_put(h, ", ");
    pl_report_put_time(h, r, r->first_ns);
    pl_page_close_head(h);
}

static void put_header(struct pl_html *h, const struct pl_report *r)
{
    char text[PL_DURATION_TEXT];

    pl_html_put(h, "<header>\n<h1>");
    put_hosts(h, r);
    pl_html_put(h, "</h1>\n<p>");
    pl_report_put_time(h, r, r->first_ns);
    pl_html_put(h, " to ");
    pl_report_put_time(h, r, r->last_ns);
    pl_html_put(h, " (");
    pl_html_string(h, pl_zone_name());
    pl_html_format(
        h, "), %s, %" PRIu64 " rows</p>\n",
        pl_duration_text((uint64_t)r->last_ns - (uint64_t)r->first_ns, text),
        r->e->rows);
    for (size_t i = 0; i < r->e->plan->paths.num; i++) {
        pl_html_put(h, i ? ", <code>" : "<p>Chosen: <code>");
        pl_html_string(h, r->e->plan->paths.texts[i]);
        pl_html_put(h, "</code>");
    }
    if (r->e->plan->paths.num)
        pl_html_put(h, "</p>\n");
    else if (r->charts.chosen)
        pl_html_put(h, "<p>None of the counters that a report shows has a "
                       "value here, so there is a chart of each that has "
                       "one.</p>\n");
    pl_html_put(h, "</header>\n");
}

static void put_tape(struct pl_html *h, const struct pl_report *r, size_t tape)
{
    if (r->e->tapes.num > 1) {
        pl_html_put(h, "<h2>");
        put_host(h, r, tape);
        pl_html_put(h, "</h2>\n");
    }
    pl_html_put(h, "<section class=\"summary\" aria-label=\"Summary\">\n");
    pl_report_put_facts(h, r, tape);
    pl_html_put(h, "</section>\n");
    if (!put_charts(h, r, tape))
        pl_html_put(h, r->e->plan->paths.num
                           ? "<p>Nothing of what -c chose has a value here."
                             "</p>\n"
                           : "<p>Nothing that could be drawn has a value "
                             "here.</p>\n");
}

static void put_footer(struct pl_html *h, const struct pl_report *r)
{
    if (r->charts.left_out)
        pl_html_format(h,
                       "<p>%" PRIu64 " series have no chart, as there are too "
                       "many; choose fewer with -c.</p>\n",
                       r->charts.left_out);
}

void pl_report_put_page(struct pl_html *h, const struct pl_report *r)
{
    put_head(h, r);
    put_header(h, r);
    pl_page_open_main(h);
    for (size_t i = 0; i < r->e->tapes.num; i++)
        put_tape(h, r, i);
    put_charts(h, r, PL_NO_TAPE);
    put_footer(h, r);
    pl_page_close_main(h, "");
    pl_report_put_data(h, r);
    pl_page_close(h);
}
