/* Writes the hosts and times of a report, and the gaps of its time axis. */
#include "analyze/report/page.h"

#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <string.h>

enum { MARKS_LISTED = 200, EVENTS_OPEN = 5, AXIS_WIDTH = 1000 };

/* For the style sheet, and in the order in which the script knows them. */
static const char *const mark_classes[PL_NUM_MARK_KINDS] = {
    [PL_MARK_DAMAGED] = "damaged", [PL_MARK_MISSING] = "missing",
    [PL_MARK_OFF] = "off",         [PL_MARK_STEP] = "step",
    [PL_MARK_NOTE] = "note",
};
static const char *const mark_names[PL_NUM_MARK_KINDS] = {
    [PL_MARK_DAMAGED] = "damaged",  [PL_MARK_MISSING] = "samples missing",
    [PL_MARK_OFF] = "not recorded", [PL_MARK_STEP] = "clock set",
    [PL_MARK_NOTE] = "note",
};

void pl_report_put_time(struct pl_html *h, const struct pl_report *r,
                        int64_t utc_ns)
{
    char text[PL_TIME_TEXT];

    pl_html_bytes(h, text, pl_time_text(&r->e->plan->time, utc_ns, text));
    if (!r->e->plan->time.offset)
        return;
    pl_html_put(h, " ");
    pl_html_bytes(h, text, pl_time_offset_text(utc_ns, text));
}

/* ---- facts --------------------------------------------------------------- */

static void open_fact(struct pl_html *h, const char *name)
{
    pl_html_format(h, "<div><dt>%s</dt><dd>", name);
}

static void close_fact(struct pl_html *h)
{
    pl_html_put(h, "</dd></div>\n");
}

static void put_known(struct pl_html *h, const char *text)
{
    pl_html_string(h, text && *text ? text : "unknown");
}

static void put_machine(struct pl_html *h, const struct pl_facts *f)
{
    open_fact(h, "Host");
    put_known(h, f->host);
    close_fact(h);
    open_fact(h, "Machine");
    put_known(h, f->os);
    if (f->architecture && *f->architecture) {
        pl_html_put(h, ", ");
        pl_html_string(h, f->architecture);
    }
    if (f->num_cpus)
        pl_html_format(h, ", %" PRIu32 " processor%s", f->num_cpus,
                       f->num_cpus == 1 ? "" : "s");
    close_fact(h);
}

static void put_span(struct pl_html *h, const struct pl_report *r,
                     const struct pl_facts *f)
{
    const struct pl_log_counts *t = &f->tally;
    char text[PL_DURATION_TEXT];
    int64_t first, last;

    open_fact(h, "Recorded");
    if (t->samples) {
        first = pl_row_time(t->first_utc, t->interval_ns);
        last = pl_row_time(t->last_utc, t->interval_ns);
        pl_report_put_time(h, r, first);
        pl_html_put(h, " to ");
        pl_report_put_time(h, r, last);
        pl_html_format(
            h, " (%s)",
            pl_duration_text((uint64_t)last - (uint64_t)first, text));
    } else {
        pl_html_put(h, "nothing");
    }
    close_fact(h);
    open_fact(h, "Interval");
    pl_html_put(h, t->interval_ns ? pl_duration_text(t->interval_ns, text)
                                  : "none");
    close_fact(h);
    open_fact(h, "Samples");
    pl_html_format(h, "%" PRIu64 ", %" PRIu64 " missed", t->samples,
                   pl_log_counts_missed(t));
    if (t->sessions > 1)
        pl_html_format(h, ", in %" PRIu64 " recordings", t->sessions);
    if (f->reboots)
        pl_html_format(h, " with %" PRIu64 " restart%s in between", f->reboots,
                       f->reboots == 1 ? "" : "s");
    close_fact(h);
}

static void put_whole(struct pl_html *h, const struct pl_facts *f)
{
    char text[PL_HEALTH_TEXT];

    if (pl_log_counts_exit(&f->tally) == PL_EXIT_GOOD)
        pl_html_put(h, "whole");
    else
        pl_html_format(h, "<strong>not whole</strong>: %s",
                       pl_log_counts_health(&f->tally, text));
}

static void put_health(struct pl_html *h, const struct pl_facts *f)
{
    const struct pl_log_counts *t = &f->tally;
    char text[PL_HEALTH_TEXT];

    open_fact(h, "Log");
    put_whole(h, f);
    if (t->left_out)
        pl_html_format(h, "; limits left out counters published by %s",
                       pl_log_counts_left_out(t, text));
    if (f->live)
        pl_html_put(h, "; still being recorded");
    else if (t->ended)
        pl_html_format(h, "; ended as %s", pl_end_reason_text(t->end_reason));
    else if (t->rotated)
        pl_html_put(h, "; goes on in a segment that is not here");
    else
        pl_html_put(h, "; not ended: the recorder was killed, or the machine "
                       "went down");
    close_fact(h);
}

static void put_cost(struct pl_html *h, const struct pl_facts *f)
{
    const struct pl_log_counts *t = &f->tally;
    char size[PL_SIZE_TEXT], cost[PL_COST_TEXT];

    open_fact(h, "Recorder");
    put_known(h, f->tool);
    if (f->process_path && *f->process_path) {
        pl_html_put(h, ", processes by ");
        pl_html_string(h, f->process_path);
    }
    close_fact(h);
    open_fact(h, "Cost of recording");
    pl_html_put(h, pl_size_text(f->bytes, size));
    if (t->samples)
        pl_html_format(h, ", %" PRIu64 " bytes a sample",
                       f->bytes / t->samples);
    if (pl_log_counts_cost(t, cost))
        pl_html_format(h, "; %s", cost);
    close_fact(h);
}

/* ---- the time axis ------------------------------------------------------- */

/* Position on the axis, 0 to AXIS_WIDTH. */
static double axis_position(const struct pl_report *r, int64_t ns)
{
    double from = (double)r->first_ns, to = (double)r->last_ns;
    double at = to > from ? ((double)ns - from) / (to - from) : 0;

    return (at < 0 ? 0 : at > 1 ? 1 : at) * AXIS_WIDTH;
}

/* Write a band, which is visible however short it is. */
static void put_band(struct pl_html *h, const struct pl_report *r,
                     const struct pl_chart_mark *m)
{
    enum { LEAST = 3 };
    double from = axis_position(r, m->from_ns), to = axis_position(r, m->to_ns);

    if (to - from < LEAST) {
        from = from > AXIS_WIDTH - LEAST ? AXIS_WIDTH - LEAST : from;
        to = from + LEAST;
    }
    pl_html_format(h,
                   "<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" "
                   "height=\"20\"></rect>\n",
                   mark_classes[m->kind], from, to - from);
}

static void put_bands(struct pl_html *h, const struct pl_report *r,
                      const struct pl_facts *f)
{
    pl_html_format(h,
                   "<svg class=\"axis\" viewBox=\"0 0 %d 20\" "
                   "preserveAspectRatio=\"none\" role=\"img\" "
                   "aria-label=\"Time axis with %zu marks, which the table "
                   "below lists\">\n"
                   "<rect class=\"recorded\" x=\"0\" y=\"0\" width=\"%d\" "
                   "height=\"20\"></rect>\n",
                   AXIS_WIDTH, f->num_marks, AXIS_WIDTH);
    /* The most important marks are drawn last, above the others. */
    for (int kind = PL_NUM_MARK_KINDS; kind--;)
        for (size_t i = 0; i < f->num_marks; i++)
            if ((int)f->marks[i].kind == kind)
                put_band(h, r, &f->marks[i]);
    pl_html_put(h, "</svg>\n");
}

static void put_ends(struct pl_html *h, const struct pl_report *r)
{
    pl_html_put(h, "<p class=\"ends\"><span>");
    pl_report_put_time(h, r, r->first_ns);
    pl_html_put(h, "</span><span>");
    pl_report_put_time(h, r, r->last_ns);
    pl_html_put(h, "</span></p>\n");
}

static void put_key(struct pl_html *h, const struct pl_facts *f)
{
    bool there[PL_NUM_MARK_KINDS] = { false };

    for (size_t i = 0; i < f->num_marks; i++)
        there[f->marks[i].kind] = true;
    pl_html_put(h, "<p class=\"key\"><span class=\"swatch recorded\"></span>"
                   "recorded");
    for (int kind = 0; kind < PL_NUM_MARK_KINDS; kind++)
        if (there[kind])
            pl_html_format(h, " <span class=\"swatch %s\"></span>%s",
                           mark_classes[kind], mark_names[kind]);
    pl_html_put(h, "</p>\n");
}

static void put_mark(struct pl_html *h, const struct pl_report *r,
                     const struct pl_chart_mark *m)
{
    pl_html_put(h, "<tr><td>");
    if (!m->from_unknown)
        pl_report_put_time(h, r, m->from_ns);
    pl_html_put(h, "</td><td>");
    if (m->from_unknown || m->to_ns > m->from_ns)
        pl_report_put_time(h, r, m->to_ns);
    pl_html_format(h, "</td><td><span class=\"swatch %s\"></span>",
                   mark_classes[m->kind]);
    pl_html_format(h, "%s: ", mark_names[m->kind]);
    pl_html_string(h, pl_chart_mark_text(m));
    if (m->times > 1)
        pl_html_format(h, " (%" PRIu32 " times)", m->times);
    pl_html_put(h, "</td><td class=\"n\">");
    if (m->samples)
        pl_html_format(h, "%" PRIu64, m->samples);
    pl_html_put(h, "</td></tr>\n");
}

static void put_mark_table(struct pl_html *h, const struct pl_report *r,
                           const struct pl_chart_mark *marks, size_t num,
                           const char *caption)
{
    if (!num)
        return;
    pl_html_format(h,
                   "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                   "aria-label=\"%s\"><table class=\"marks\"><caption>"
                   "%s</caption><thead><tr>"
                   "<th scope=\"col\">From</th><th scope=\"col\">To</th>"
                   "<th scope=\"col\">What</th>"
                   "<th scope=\"col\" class=\"n\">Samples</th></tr></thead>\n"
                   "<tbody>\n",
                   caption, caption);
    for (size_t i = 0; i < num; i++)
        put_mark(h, r, &marks[i]);
    pl_html_put(h, "</tbody></table></div>\n");
}

/* Events tell of no loss; many of them would hide the charts. */
static void put_events(struct pl_html *h, const struct pl_report *r,
                       const struct pl_chart_mark *marks, size_t num)
{
    if (num > EVENTS_OPEN)
        pl_html_format(h, "<details><summary>%zu events</summary>\n", num);
    put_mark_table(h, r, marks, num, "Events");
    if (num > EVENTS_OPEN)
        pl_html_put(h, "</details>\n");
}

static void put_marks(struct pl_html *h, const struct pl_report *r,
                      const struct pl_facts *f)
{
    size_t listed = f->num_marks < MARKS_LISTED ? f->num_marks : MARKS_LISTED;
    uint64_t more = f->num_marks - listed + f->marks_left_out;
    size_t losses = 0;

    while (losses < listed && f->marks[losses].kind < PL_MARK_STEP)
        losses++;
    if (!losses)
        pl_html_put(h, "<p class=\"quiet\">Nothing is missing.</p>\n");
    put_mark_table(h, r, f->marks, losses, "Gaps and damage");
    put_events(h, r, f->marks + losses, listed - losses);
    if (more)
        pl_html_format(h, "<p class=\"quiet\">and %" PRIu64 " more</p>\n",
                       more);
}

void pl_report_put_facts(struct pl_html *h, const struct pl_report *r,
                         size_t log)
{
    const struct pl_facts *f = &r->facts[log];

    pl_html_put(h, "<dl class=\"facts\">\n");
    put_machine(h, f);
    put_span(h, r, f);
    put_health(h, f);
    put_cost(h, f);
    pl_html_put(h, "</dl>\n");
    put_bands(h, r, f);
    put_ends(h, r);
    put_key(h, f);
    put_marks(h, r, f);
}

/* ---- several hosts ------------------------------------------------------- */

static void put_host_row(struct pl_html *h, const struct pl_report *r,
                         size_t log)
{
    const struct pl_facts *f = &r->facts[log];
    const struct pl_log_counts *t = &f->tally;
    char text[PL_DURATION_TEXT];

    pl_html_put(h, "<tr><th scope=\"row\">");
    pl_report_put_host(h, r, log);
    pl_html_format(h,
                   "</th><td class=\"n\">%" PRIu64
                   "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%s"
                   "</td><td>",
                   t->samples, pl_log_counts_missed(t),
                   t->interval_ns ? pl_duration_text(t->interval_ns, text)
                                  : "");
    put_whole(h, f);
    pl_html_put(h, "</td><td class=\"when\">");
    put_bands(h, r, f);
    pl_html_put(h, "</td></tr>\n");
}

static void put_host_table(struct pl_html *h, const struct pl_report *r)
{
    pl_html_put(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                   "aria-label=\"Table of hosts\"><table class=\"hosts\">"
                   "<thead><tr><th scope=\"col\">Host</th>"
                   "<th scope=\"col\" class=\"n\">Samples</th>"
                   "<th scope=\"col\" class=\"n\">Missed</th>"
                   "<th scope=\"col\" class=\"n\">Interval</th>"
                   "<th scope=\"col\">Log</th>"
                   "<th scope=\"col\">When</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < r->e->logs.num; i++)
        put_host_row(h, r, i);
    pl_html_put(h, "</tbody></table></div>\n");
}

/* What is wrong with any of them is said without opening the table. */
static void put_hosts_state(struct pl_html *h, const struct pl_report *r)
{
    uint64_t missed = 0;
    size_t damaged = 0;

    for (size_t i = 0; i < r->e->logs.num; i++) {
        missed += pl_log_counts_missed(&r->facts[i].tally);
        damaged += pl_log_counts_exit(&r->facts[i].tally) != PL_EXIT_GOOD;
    }
    pl_html_format(h, "%zu hosts: ", r->e->logs.num);
    if (damaged)
        pl_html_format(h, "<strong>%zu log%s not whole</strong>", damaged,
                       pl_plural(damaged));
    else
        pl_html_put(h, "all logs are whole");
    pl_html_format(h, ", %" PRIu64 " sample%s missed", missed,
                   pl_plural(missed));
}

void pl_report_put_hosts(struct pl_html *h, const struct pl_report *r)
{
    enum { HOSTS_OPEN = 6 };

    pl_html_format(h, "<details%s><summary>",
                   r->e->logs.num > HOSTS_OPEN ? "" : " open");
    put_hosts_state(h, r);
    pl_html_put(h, "</summary>\n");
    put_host_table(h, r);
    pl_html_put(h, "</details>\n<details><summary>Facts, gaps and events of "
                   "each host</summary>\n");
    for (size_t i = 0; i < r->e->logs.num; i++) {
        pl_html_put(h, "<h2>");
        pl_report_put_host(h, r, i);
        pl_html_put(h, "</h2>\n");
        pl_report_put_facts(h, r, i);
    }
    pl_html_put(h, "</details>\n");
}
