/*
 * A report: three passes over the logs (ranking, gaps, values), then the page.
 */
#include "analyze/report/report.h"

#include "analyze/diagnose/findings_within.h"
#include "analyze/report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum pl_status take_first(struct pl_query *e, void *ctx,
                                 const struct pl_row *row)
{
    struct pl_report *r = ctx;

    (void)e;
    return pl_charts_rank(&r->charts, row);
}

static enum pl_status take_second(struct pl_query *e, void *ctx,
                                  const struct pl_row *row)
{
    struct pl_report *r = ctx;

    (void)e;
    pl_charts_add(&r->charts, row);
    return PL_OK;
}

static enum pl_status end_second(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct pl_report *r = ctx;

    (void)e;
    pl_charts_end_time(&r->charts, time_ns);
    return PL_OK;
}

static enum pl_status read_rows(struct pl_query *e, const struct pl_rows *to)
{
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = pl_query_rows(e, to);
    pl_query_stop(e);
    return s;
}

/*
 * Clocks may be set back, so the first and last row need not have the first and
 * last time.
 */
static void find_span(struct pl_report *r)
{
    bool any = false;

    r->first_ns = r->e->first_ns;
    r->last_ns = r->e->last_ns;
    for (size_t i = 0; i < r->charts.num_axes; i++) {
        const struct pl_axis *a = &r->charts.axes[i];

        if (a->any && (!any || a->first_ns < r->first_ns))
            r->first_ns = a->first_ns;
        if (a->any && (!any || a->last_ns > r->last_ns))
            r->last_ns = a->last_ns;
        any |= a->any;
    }
}

static bool is_of(const struct pl_host_log *t, const struct pl_host *h)
{
    return t->host && h->machine_hash == t->machine_hash &&
           !strcmp(h->own_name, t->host);
}

/* Joined files have hosts for which no host log is named. */
static enum pl_status find_logs(struct pl_report *r)
{
    const struct pl_host_logs *logs = &r->e->logs;
    const struct pl_registry *registry = &r->e->registry;

    r->logs = calloc((size_t)registry->num_hosts + 1, sizeof *r->logs);
    r->hosts = calloc((size_t)registry->num_hosts + 1, sizeof *r->hosts);
    if (!r->logs || !r->hosts)
        return PL_NOMEM;
    for (const struct pl_host *h = registry->hosts; h; h = h->next) {
        size_t i = 0;

        while (i < logs->num && !is_of(&logs->logs[i], h))
            i++;
        if (i == logs->num)
            i = logs->num == 1 ? 0 : PL_NO_LOG;
        r->logs[h->rank] = i;
        r->hosts[h->rank] = h->name;
    }
    return PL_OK;
}

static enum pl_status gather_facts(struct pl_query *e, struct pl_report *r)
{
    enum pl_status s = PL_OK;

    r->facts = calloc(e->logs.num, sizeof *r->facts);
    if (!r->facts)
        return PL_NOMEM;
    pl_progress_start(&e->progress, "looking for gaps", e->total_bytes,
                      e->plan->quiet);
    for (size_t i = 0; i < e->logs.num && !s; i++) {
        struct pl_facts *f = &r->facts[i];

        f->window = e->plan->replay.window;
        f->near_ns =
            ((uint64_t)r->last_ns - (uint64_t)r->first_ns) / PL_AXIS_POINTS;
        s = pl_facts_gather(f, &e->logs.logs[i], &e->progress);
        if (s)
            e->code = pl_say_status(e->logs.logs[i].paths[0], s, NULL);
    }
    pl_progress_end(&e->progress);
    return s;
}

/*
 * No default series has a value: read again whatever the log has, as if the user
 * had selected all of it.  What was decided about names is forgotten with them.
 */
static enum pl_status read_all(struct pl_query *e, struct pl_report *r,
                               const struct pl_rows *to)
{
    static const struct pl_counter_path_list everything;
    const struct pl_charts charts = { .chosen = true,
                                      .top = r->charts.top,
                                      .way = r->charts.way };

    pl_charts_release(&r->charts);
    r->charts = charts;
    pl_query_forget_names(e);
    e->plan->replay.choice.paths = &everything;
    return read_rows(e, to);
}

static enum pl_status gather(struct pl_query *e, struct pl_report *r)
{
    const struct pl_rows first = { take_first, NULL, r };
    const struct pl_rows second = { take_second, end_second, r };
    enum pl_status s = read_rows(e, &first);

    if (!s && !r->charts.chosen && !pl_charts_any(&r->charts))
        s = read_all(e, r, &first);
    if (!s && !e->rows)
        return PL_END;
    if (!s && pl_query_say_unmatched(e))
        return PL_USAGE;
    if (s)
        return s;
    find_span(r);
    pl_query_plan_offset(e);
    s = pl_charts_choose(&r->charts);
    if (!s)
        s = find_logs(r);
    if (!s)
        s = gather_facts(e, r);
    if (!s)
        s = read_rows(e, &second);
    return s ? s : pl_charts_end(&r->charts);
}

static void say_left_out(const struct pl_query *e, const struct pl_charts *c)
{
    if (c->left_out && !e->plan->quiet)
        pl_say("report: %" PRIu64 " series have no chart, as there are too "
               "many, and the page says which; choose fewer with -c%s",
               c->left_out, c->num_axes > 1 ? ", or name fewer logs" : "");
    if (!c->num_charts && !c->left_out && !e->plan->quiet)
        pl_say("report: there is nothing to draw; choose other counters with "
               "-c, 'perflog list' shows what there is");
}

static enum pl_status put_page(void *ctx, struct pl_diagnosis *d)
{
    struct pl_report *r = ctx;
    struct pl_html html = { .output = &r->e->output };

    r->diagnosis = d;
    pl_report_put_page(&html, r);
    return pl_html_finish(&html);
}

/* Who chose counters looks for something else than findings. */
static enum pl_status write_page(struct pl_query *e, struct pl_report *r)
{
    return r->charts.chosen ? put_page(r, NULL)
                            : pl_findings_for(e, put_page, r);
}

static enum pl_status compare_hosts(struct pl_query *e, struct pl_report *r)
{
    enum pl_status s;

    if (e->logs.num < PL_HOSTS_FEWEST)
        return PL_OK;
    s = pl_hosts_gather(&r->compared, e);
    return s == PL_END ? PL_OK : s;
}

static enum pl_status run_report(struct pl_query *e)
{
    struct pl_report r = { .e = e,
                           .charts = { .chosen = e->plan->paths.num > 0,
                                       .top = (uint32_t)e->plan->top.num,
                                       .way = e->plan->top.way } };
    enum pl_status s;

    /* Each chart ranks its own lines; nothing is left out of the rows. */
    e->plan->top.num = 0;
    s = compare_hosts(e, &r);
    if (!s)
        s = gather(e, &r);
    if (!s)
        s = write_page(e, &r);
    if (!s)
        say_left_out(e, &r.charts);
    for (size_t i = 0; r.facts && i < e->logs.num; i++)
        pl_facts_release(&r.facts[i]);
    free(r.facts);
    free(r.logs);
    free(r.hosts);
    pl_charts_release(&r.charts);
    pl_hosts_release(&r.compared);
    return s;
}

const struct pl_layout pl_layout_report = {
    .name = "report",
    .numbers_only = true,
    .reads_twice = true,
    .for_people = true,
    .run = run_report,
};
