/* The hosts of a report, the most unlike the others first. */
#include "analyze/report/page.h"

#include "analyze/output/readable.h"

enum { MOST_HOSTS = 10 }; /* shown */

/* One series of a host, with its figure and that of all. */
static void put_reason(struct pl_html *h, const struct pl_host_reason *r)
{
    const struct pl_group *g = r->group;
    const char *counter = g->object->counters[r->slot].name;
    enum pl_figure_unit unit = pl_unit_of_counter(counter);
    char text[PL_READABLE_TEXT];

    pl_html_format(h, "<td class=\"n\">%s</td>",
                   pl_readable(r->value, unit, text));
    pl_html_format(h, "<td class=\"n\">%s</td><td>",
                   pl_readable(r->median, unit, text));
    pl_html_string(h, g->object->name);
    if (g->instance) {
        pl_html_put(h, "(");
        pl_html_string(h, g->instance);
        pl_html_put(h, ")");
    }
    pl_html_put(h, " \\ ");
    pl_html_string(h, counter);
    pl_html_format(h, ", %s</td>", pl_host_statistic_names[r->statistic]);
}

static void put_host(struct pl_html *h, const struct pl_compared_host *c)
{
    pl_html_put(h, "<tr><td>");
    pl_html_string(h, c->host->name);
    pl_html_format(h, "</td><td class=\"n\">%.1f</td>", pl_host_unlikeness(c));
    if (c->num_reasons)
        put_reason(h, &c->reasons[0]);
    pl_html_put(h, "</tr>\n");
}

void pl_report_put_unlike(struct pl_html *h, const struct pl_report *r)
{
    const struct pl_hosts *all = &r->compared;
    size_t num = all->num < MOST_HOSTS ? all->num : MOST_HOSTS;

    if (!all->compared)
        return;
    pl_html_format(h,
                   "<section class=\"hosts\">\n<h2>%zu hosts</h2>\n<p>Compared "
                   "by %zu series: how far the most unusual figure of each is "
                   "from the median of all, in spreads; %g or more is unlike "
                   "the others.%s</p>\n",
                   all->num, all->compared, PL_HOST_UNUSUAL,
                   num < all->num
                       ? " Shown are those that are most unlike the others."
                       : "");
    pl_html_put(h,
                "<div class=\"scroll\"><table class=\"marks\"><thead><tr>"
                "<th scope=\"col\">Host</th>"
                "<th scope=\"col\" class=\"n\">Unlike</th>"
                "<th scope=\"col\" class=\"n\">Here</th>"
                "<th scope=\"col\" class=\"n\">Median</th>"
                "<th scope=\"col\">Most unusual</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < num; i++)
        put_host(h, &all->hosts[i]);
    pl_html_put(h, "</tbody></table></div>\n</section>\n");
}
