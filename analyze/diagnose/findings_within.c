/* Finds within another layout. */
#include "analyze/diagnose/findings_within.h"

#include <stdlib.h>

/* What a query within the report's needs. */
struct finding {
    struct pl_query *outer;
    enum pl_status (*use)(void *ctx, struct pl_diagnosis *d);
    void *ctx;
    const struct pl_rules *rules;
};

static enum pl_status find_within(struct pl_query *e, void *ctx)
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

static enum pl_status run_query(struct finding *f, struct pl_diagnose_plan *p)
{
    struct pl_counter_path_list paths = { 0 };
    enum pl_status s = pl_diagnose_choose(&p->rules, &paths);

    p->query.replay.choice = (struct pl_series_filter){
        .paths = &paths, .matched = calloc(paths.num + 1, sizeof(bool))
    };
    if (!s && !p->query.replay.choice.matched)
        s = PL_NOMEM;
    if (!s)
        s = pl_query_within(f->outer, &p->query, find_within, f);
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
                                  .most = PL_DIAGNOSE_USUAL,
                                  .within_window = true };
    struct finding f = { e, use, ctx, &p.rules };
    char why[PL_RULE_WHY];
    size_t line;
    enum pl_status s = pl_rules_add(&p.rules, pl_built_in_rules, &line, why);

    if (!s)
        s = run_query(&f, &p);
    pl_rules_release(&p.rules);
    return s;
}
