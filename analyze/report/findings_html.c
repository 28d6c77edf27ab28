/* Writes findings into a report. */
#include "analyze/report/findings_html.h"

#include "analyze/diagnose/findings_text.h"
#include "format/base/time_text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FINDINGS_MOST = 10, FINDINGS_OPEN = 3, EVIDENCE_MOST = 3 };

/* ---- finding ------------------------------------------------------------- */

/* What a query within the report's needs. */
struct finding {
    struct pl_query *outer;
    enum pl_status (*use)(void *ctx, struct pl_diagnosis *d);
    void *ctx;
    const struct pl_rules *rules;
};

static enum pl_status find(struct pl_query *e, void *ctx)
{
    struct finding *f = ctx;
    struct pl_diagnosis d = { .levels.rules = f->rules };
    enum pl_status s = pl_diagnose(e, &d);

    if (s == PL_OK || s == PL_END)
        s = f->use(f->ctx, s ? NULL : &d);
    else
        f->outer->code = e->code;
    pl_diagnosis_release(&d);
    return s;
}

static enum pl_status run(struct finding *f, struct pl_diagnose_plan *p)
{
    struct pl_counter_path_list paths = { 0 };
    enum pl_status s = pl_diagnose_choose(&p->rules, &paths);

    p->query.replay.choice = (struct pl_series_filter){
        .paths = &paths, .matched = calloc(paths.num + 1, sizeof(bool))
    };
    if (!s && !p->query.replay.choice.matched)
        s = PL_NOMEM;
    if (!s)
        s = pl_query_within(f->outer, &p->query, find, f);
    free(p->query.replay.choice.matched);
    pl_counter_path_list_release(&paths);
    return s;
}

enum pl_status pl_findings_for(struct pl_query *e,
                               enum pl_status (*use)(void *ctx,
                                                     struct pl_diagnosis *d),
                               void *ctx)
{
    struct pl_diagnose_plan p = { .query = { .command = e->plan->command,
                                             .layout = &pl_layout_diagnose,
                                             .replay = e->plan->replay },
                                  .most = FINDINGS_MOST,
                                  .within_window = true };
    struct finding f = { e, use, ctx, &p.rules };
    char why[PL_RULE_WHY];
    size_t line;
    enum pl_status s = pl_rules_add(&p.rules, pl_built_in_rules, &line, why);

    if (!s)
        s = run(&f, &p);
    pl_rules_release(&p.rules);
    return s;
}

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
    int64_t begin = pl_episode_begin(d, e), end = pl_episode_end(d, e);
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
