/* Reads a log twice, and writes what is found. */
#include "analyze/diagnose/diagnose.h"

#include "analyze/cli/common_options.h"
#include "analyze/diagnose/findings_json.h"
#include "analyze/diagnose/findings_text.h"
#include "analyze/hosts/hosts_print.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS "Process"

/* ---- the first pass ------------------------------------------------------ */

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct pl_diagnosis *d = ctx;

    (void)e;
    if (!d->samples++) {
        d->first_ns = d->last_ns = row->time_ns;
        d->host = row->host;
    }
    d->first_ns = row->time_ns < d->first_ns ? row->time_ns : d->first_ns;
    d->last_ns = row->time_ns > d->last_ns ? row->time_ns : d->last_ns;
    if (row->host != d->host)
        d->host = NULL;
    d->in_window +=
        !(d->window.has_from && row->time_ns <= d->window.from_ns) &&
        !(d->window.has_to && row->time_ns > d->window.to_ns);
    return pl_levels_add(&d->levels, row);
}

static int64_t earliest(const struct pl_host_logs *logs)
{
    int64_t t = logs->logs[0].first_utc;

    for (size_t i = 1; i < logs->num; i++)
        t = logs->logs[i].first_utc < t ? logs->logs[i].first_utc : t;
    return t;
}

/*
 * Of several hosts one log at a time is open: a thousand of them would take two
 * hundred megabytes.
 */
static enum pl_status read_all(struct pl_query *e, struct pl_diagnosis *d)
{
    const struct pl_rows rows = { take_row, NULL, d };
    const struct pl_host_rows by_host = { take_row, NULL, d };
    enum pl_status s;

    if (e->logs.num > 1) {
        pl_slicings_align(&d->levels.slicings, earliest(&e->logs));
        return pl_query_rows_by_host(e, &by_host);
    }
    s = pl_query_begin(e);
    if (!s)
        s = pl_query_rows(e, &rows);
    pl_query_stop(e);
    return s;
}

/*
 * Processes are many, and their states can be had of some samples; the rates of
 * these have no values.
 */
static struct pl_sparse_object sparse_processes(const struct pl_rules *rules)
{
    for (size_t i = 0; i < rules->num; i++)
        if (rules->rules[i].value != PL_RULE_STATE &&
            rules->rules[i].weight > 0 &&
            pl_pattern_match(rules->rules[i].counter.object,
                             pl_text_of(PROCESS)))
            return (struct pl_sparse_object){ 0 };
    return (struct pl_sparse_object){ PROCESS, PL_RULE_SLICE };
}

/* The window is of findings; what is usual is that of the whole log. */
static enum pl_status gather(struct pl_query *e, struct pl_diagnosis *d)
{
    const struct pl_time_range window = e->plan->replay.window;
    enum pl_status s;

    d->window = window;
    if (!((const struct pl_diagnose_plan *)e->plan)->within_window)
        e->plan->replay.window = (struct pl_time_range){ 0 };
    e->plan->replay.sparse = sparse_processes(d->levels.rules);
    s = read_all(e, d);
    e->plan->replay.window = window;
    if (!s && !e->rows)
        return PL_END;
    return s ? s : pl_levels_end(&d->levels);
}

/*
 * Several hosts are compared first, over the window.  Where that has no rows,
 * the findings are those of none.
 */
static enum pl_status compare_hosts(struct pl_query *e, struct pl_diagnosis *d)
{
    enum pl_status s;

    if (e->logs.num < PL_HOSTS_FEWEST)
        return PL_OK;
    s = pl_hosts_gather(&d->hosts, e);
    return s == PL_END ? PL_OK : s;
}

static bool matches_any(const struct pl_query *e)
{
    const struct pl_series_filter *c = &e->plan->replay.choice;

    for (size_t i = 0; i < c->paths->num; i++)
        if (c->matched[i])
            return true;
    pl_say("%s: holds nothing that a rule is about; 'perflog list' shows what "
           "there is, 'perflog diagnose --print-rules' the rules",
           e->logs.logs[0].paths[0]);
    return false;
}

/* ---- the second pass ----------------------------------------------------- */

static bool is_in_window(const struct pl_query *e, const struct pl_episode *x)
{
    const struct pl_slicing *c = x->series->slicing;
    const struct pl_time_range *w = &e->plan->replay.window;

    return !(w->has_from && pl_slice_time(c, x->last + 1) <= w->from_ns) &&
           !(w->has_to && pl_slice_time(c, x->first) > w->to_ns);
}

static const struct pl_host_log *log_of(const struct pl_query *e,
                                        const struct pl_host *host)
{
    for (size_t i = 0; i < e->logs.num; i++)
        if (!strcmp(e->logs.logs[i].host, host->own_name) &&
            e->logs.logs[i].machine_hash == host->machine_hash)
            return &e->logs.logs[i];
    return &e->logs.logs[0];
}

static enum pl_status find_culprits(const struct pl_query *e,
                                    const struct pl_diagnosis *d,
                                    struct pl_shown_finding *f)
{
    const struct pl_episode *head = f->finding->head;
    const struct pl_culprit_source from = { log_of(e, head->series->host),
                                            &e->plan->replay,
                                            &d->levels.slicings };

    return pl_culprits_find(&f->culprits, &from, f->finding);
}

/* A rise that no process has to do with is none of the finding's kind. */
static bool is_shown(const struct pl_shown_finding *f)
{
    return f->finding->head->series->rule->value != PL_RULE_RISE ||
           f->finding->head->series->rule->processes != PL_RULE_GROWTH ||
           f->culprits.explain_rise;
}

static enum pl_status select_findings(struct pl_query *e,
                                      struct pl_diagnosis *d)
{
    const uint64_t most = ((struct pl_diagnose_plan *)e->plan)->most;
    enum pl_status s = PL_OK;

    d->shown = calloc(most, sizeof *d->shown);
    if (!d->shown)
        return PL_NOMEM;
    for (size_t i = 0; i < d->findings.num && !s; i++) {
        struct pl_shown_finding f = { .finding = &d->findings.findings[i] };

        if (!is_in_window(e, f.finding->head))
            continue;
        if (d->num == most) {
            d->more++;
            continue;
        }
        s = find_culprits(e, d, &f);
        if (!s && f.culprits.apart) /* what is number i now is next */
            pl_findings_split(&d->findings, i--, f.culprits.apart);
        else if (!s && is_shown(&f)) {
            d->shown[d->num++] = f;
            continue;
        }
        pl_culprits_release(&f.culprits);
    }
    return s;
}

/* ---- output -------------------------------------------------------------- */

static enum pl_status write_text(struct pl_query *e,
                                 const struct pl_diagnosis *d)
{
    struct pl_buf text = { 0 };
    enum pl_status s = PL_NOMEM;

    if (d->hosts.compared) {
        pl_hosts_put_text(&text, &d->hosts, PL_DIAGNOSE_HOSTS);
        pl_buf_u8(&text, '\n');
    }
    pl_findings_put_text(&text, d);
    if (!text.oom)
        s = pl_output_file_write(&e->output, text.p, text.len);
    pl_buf_release(&text);
    return s;
}

static enum pl_status write_json(struct pl_query *e,
                                 const struct pl_diagnosis *d)
{
    return pl_findings_print_json(&e->output, d);
}

void pl_diagnosis_release(struct pl_diagnosis *d)
{
    pl_hosts_release(&d->hosts);
    for (size_t i = 0; i < d->num; i++)
        pl_culprits_release(&d->shown[i].culprits);
    free(d->shown);
    pl_findings_release(&d->findings);
    pl_levels_release(&d->levels);
}

enum pl_status pl_diagnose(struct pl_query *e, struct pl_diagnosis *d)
{
    enum pl_status s = gather(e, d);

    if (!s)
        s = pl_findings_make(&d->findings, &d->levels);
    if (!s)
        s = select_findings(e, d);
    return !s && !d->in_window && !d->num && !d->more ? PL_END : s;
}

static enum pl_status diagnose_and_write(
    struct pl_query *e,
    enum pl_status (*write)(struct pl_query *e, const struct pl_diagnosis *d))
{
    const struct pl_diagnose_plan *p = (const struct pl_diagnose_plan *)e->plan;
    struct pl_diagnosis d = { .levels.rules = &p->rules };
    enum pl_status s = compare_hosts(e, &d);

    if (!s)
        s = pl_diagnose(e, &d);
    if (!s && !matches_any(e))
        s = PL_USAGE;
    if (!s)
        s = write(e, &d);
    pl_diagnosis_release(&d);
    return s;
}

static enum pl_status run_text(struct pl_query *e)
{
    return diagnose_and_write(e, write_text);
}

static enum pl_status run_json(struct pl_query *e)
{
    return diagnose_and_write(e, write_json);
}

#define FORM(people, function)                                                 \
    {                                                                          \
        .name = "diagnose", .reads_twice = true, .want_absent = true,          \
        .for_people = people, .run = function                                  \
    }

const struct pl_layout pl_layout_diagnose = FORM(true, run_text),
                       pl_layout_diagnose_json = FORM(false, run_json);

/* ---- counters ------------------------------------------------------------ */

static void put_between(struct pl_buf *out, const char *begin, struct pl_text t,
                        const char *end)
{
    pl_buf_string(out, begin);
    pl_buf_bytes(out, t.p, t.n);
    pl_buf_string(out, end);
}

enum pl_status pl_diagnose_choose(const struct pl_rules *rules,
                                  struct pl_counter_path_list *list)
{
    struct pl_buf path = { 0 };
    const char *why;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < rules->num && !s; i++) {
        const struct pl_counter_path *p = &rules->rules[i].counter;

        pl_buf_clear(&path);
        if (p->host.p)
            put_between(&path, "\\\\", p->host, "");
        put_between(&path, "\\", p->object, "");
        if (p->instance.p)
            put_between(&path, "(", p->instance, ")");
        put_between(&path, "\\", p->counter, "");
        pl_buf_u8(&path, '\0');
        s = path.oom
                ? PL_NOMEM
                : pl_counter_path_list_add(list, (const char *)path.p, &why);
    }
    pl_buf_release(&path);
    return s;
}
