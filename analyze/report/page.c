/* Writes the frame of a report. */
#include "analyze/report/page.h"

#include "analyze/report/findings_html.h"
#include "analyze/report/page_frame.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>

void pl_report_put_host(struct pl_html *h, const struct pl_report *r,
                        size_t log)
{
    const char *name = r->facts[log].host;

    pl_html_string(h, name && *name ? name : "unknown host");
}

/* The names of a few hosts, or how many they are. */
static void put_hosts(struct pl_html *h, const struct pl_report *r)
{
    enum { FEW = 4 };

    if (r->e->logs.num > FEW) {
        pl_html_format(h, "%zu hosts", r->e->logs.num);
        return;
    }
    for (size_t i = 0; i < r->e->logs.num; i++) {
        pl_html_put(h, i ? ", " : "");
        pl_report_put_host(h, r, i);
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

static void put_summary(struct pl_html *h, const struct pl_report *r)
{
    pl_html_put(h, "<section class=\"summary\" aria-label=\"Summary\">\n");
    if (r->e->logs.num > 1)
        pl_report_put_hosts(h, r);
    else
        pl_report_put_facts(h, r, 0);
    pl_html_put(h, "</section>\n");
}

static void put_charts(struct pl_html *h, const struct pl_report *r)
{
    pl_page_toolbar(h, r->hosts, r->charts.num_axes);
    if (!pl_report_put_charts(h, r))
        pl_html_put(h, r->e->plan->paths.num
                           ? "<p>Nothing of what -c chose has a value here."
                             "</p>\n"
                           : "<p>Nothing that could be drawn has a value "
                             "here.</p>\n");
}

void pl_report_put_page(struct pl_html *h, const struct pl_report *r)
{
    char digits[64];

    snprintf(digits, sizeof digits, "Numbers in the page have %u digits. ",
             pl_report_digits(r));
    put_head(h, r);
    put_header(h, r);
    pl_page_open_main(h);
    pl_findings_put_html(h, r->diagnosis);
    pl_report_put_unlike(h, r);
    put_summary(h, r);
    put_charts(h, r);
    pl_page_close_main(h, digits);
    pl_report_put_data(h, r);
    pl_page_close(h);
}
