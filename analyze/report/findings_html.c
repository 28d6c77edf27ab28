/* Writes findings into a report. */
#include "analyze/report/findings_html.h"

#include "analyze/diagnose/findings_text.h"
#include "format/time/time_text.h"

#include <inttypes.h>

enum { FINDINGS_OPEN = 3, EVIDENCE_MOST = 3 };

/* ---- the list ------------------------------------------------------------ */

/* What 'put' writes is safe for display; markup in it is escaped here. */
static void put_buffer(struct pl_html *h, struct pl_buf *text)
{
    if (text->oom && !h->status)
        h->status = PL_NOMEM;
    pl_html_text(h, (struct pl_text){ (const char *)text->p, text->len });
    pl_buf_clear(text);
}

static void put_instant(struct pl_html *h, int64_t ns)
{
    pl_html_format(h, "%" PRId64 ".%03" PRId64, ns / PL_NS_PER_SEC,
                   ns % PL_NS_PER_SEC / PL_NS_PER_MS);
}

/* A link to the time of an episode, with as much around it. */
static void put_time(struct pl_html *h, const struct pl_diagnosis *d,
                     const struct pl_episode *e, struct pl_buf *text)
{
    int64_t begin = pl_episode_begin(e), end = pl_episode_end(d, e);
    int64_t around = end > begin ? (end - begin) / 2 : 0;

    around += 5 * PL_NS_PER_SEC;
    if (begin < 0 || end > INT64_MAX - around || begin < around) {
        pl_episode_put_time(text, d, e);
        put_buffer(h, text);
        return;
    }
    pl_html_put(h, "<a href=\"#from=");
    put_instant(h, begin - around);
    pl_html_put(h, "&amp;to=");
    put_instant(h, end + around);
    pl_html_put(h, "\">");
    pl_episode_put_time(text, d, e);
    put_buffer(h, text);
    pl_html_put(h, "</a>");
}

static void put_culprits(struct pl_html *h, const struct pl_shown_finding *f,
                         struct pl_buf *text)
{
    for (size_t i = 0; i < f->culprits.num; i++) {
        pl_html_put(h, "<li class=\"culprit\">");
        pl_culprit_put_text(text, f->finding->head->series->rule,
                            &f->culprits.list[i]);
        put_buffer(h, text);
        pl_html_put(h, "</li>\n");
    }
}

static void put_evidence(struct pl_html *h, const struct pl_diagnosis *d,
                         const struct pl_finding *f, struct pl_buf *text)
{
    size_t num = f->num_others < EVIDENCE_MOST ? f->num_others : EVIDENCE_MOST;

    for (size_t i = 0; i <= num; i++) {
        pl_html_put(h, "<li>");
        pl_episode_put_evidence(text, d, i ? f->others[i - 1] : f->head);
        put_buffer(h, text);
        pl_html_put(h, "</li>\n");
    }
}

static void put_finding(struct pl_html *h, const struct pl_diagnosis *d,
                        const struct pl_shown_finding *f, struct pl_buf *text)
{
    const struct pl_rule *r = f->finding->head->series->rule;

    pl_html_put(h, "<li><b>");
    pl_html_string(h, r->words);
    pl_html_put(h, "</b>, ");
    put_time(h, d, f->finding->head, text);
    pl_html_format(h,
                   " <span class=\"quiet\">severity %.0f of 100</span>\n<ul>\n",
                   f->finding->severity);
    put_evidence(h, d, f->finding, text);
    put_culprits(h, f, text);
    pl_html_put(h, "</ul></li>\n");
}

static void put_list(struct pl_html *h, const struct pl_diagnosis *d,
                     size_t first, size_t end)
{
    struct pl_buf text = { 0 };

    pl_html_format(h, "<ol start=\"%zu\">\n", first + 1);
    for (size_t i = first; i < end; i++)
        put_finding(h, d, &d->shown[i], &text);
    pl_html_put(h, "</ol>\n");
    pl_buf_release(&text);
}

void pl_findings_put_html(struct pl_html *h, const struct pl_diagnosis *d)
{
    size_t open = d && d->num < FINDINGS_OPEN ? d->num : FINDINGS_OPEN;

    if (!d || !d->num)
        return;
    pl_html_put(h, "<section class=\"findings\" aria-labelledby=\"findings\">\n"
                   "<h2 id=\"findings\">What was wrong</h2>\n");
    put_list(h, d, 0, open);
    if (d->num > open) {
        pl_html_format(h, "<details><summary>%zu more, less severe</summary>\n",
                       d->num - open);
        put_list(h, d, open, d->num);
        if (d->more)
            pl_html_format(h,
                           "<p class=\"quiet\">and %zu more; 'perflog diagnose "
                           "-n' shows them</p>\n",
                           d->more);
        pl_html_put(h, "</details>\n");
    }
    pl_html_put(h, "</section>\n");
}
