/*                                                analyze/diagnose/diagnose.h
 * The layouts of 'perflog diagnose': findings as text and as JSON.
 *
 * The log is read once for levels (levels.h) of what rules are about, of which
 * findings are made (findings.h); and then, of the findings shown, the time of
 * each for the processes (culprits.h).  With --from and --to findings of that
 * time are shown, but what is usual is that of the log.
 */
#ifndef PL_ANALYZE_DIAGNOSE_DIAGNOSE_H
#define PL_ANALYZE_DIAGNOSE_DIAGNOSE_H

#include "analyze/diagnose/culprits.h"
#include "analyze/diagnose/findings.h"
#include "analyze/diagnose/rules.h"
#include "analyze/hosts/hosts.h"
#include "analyze/query/query.h"

enum { PL_DIAGNOSE_USUAL = 10, PL_DIAGNOSE_MOST = 1000 }; /* findings shown */
enum { PL_DIAGNOSE_HOSTS = 10 }; /* shown, where there are several */

struct pl_diagnose_plan {
    struct pl_query_plan query; /* the first member */
    struct pl_rules rules;
    uint64_t most; /* findings shown */
    /* read no more than the window: what is usual is that of the window, too */
    bool within_window;
};

struct pl_shown_finding {
    const struct pl_finding *finding;
    struct pl_culprits culprits;
};

/* What the output forms show. */
struct pl_diagnosis {
    struct pl_levels levels;
    struct pl_findings findings;
    struct pl_hosts hosts; /* compared, if there are several */
    struct pl_shown_finding *shown;
    size_t num;
    size_t more; /* findings that are not shown */
    int64_t first_ns, last_ns;
    struct pl_time_range window; /* of the findings shown */
    uint64_t samples, in_window; /* of the latter all that findings are of */
    const struct pl_host *host;  /* NULL: there are several */
};

extern const struct pl_layout pl_layout_diagnose, pl_layout_diagnose_json;

/*
 * For other layouts: find all there is in the logs of 'e', whose plan is a
 * struct pl_diagnose_plan, into 'd', of which levels.rules is set.  It is valid
 * as long as the registry of 'e' and the rules, and must be released in any
 * case.  PL_END: there are no rows; PL_NOMEM; what stopped the reading.
 */
enum pl_status pl_diagnose(struct pl_query *e, struct pl_diagnosis *d);
void pl_diagnosis_release(struct pl_diagnosis *d);

/* The counters that rules are about.  PL_USAGE: *why is no path; PL_NOMEM. */
enum pl_status pl_diagnose_choose(const struct pl_rules *rules,
                                  struct pl_counter_path_list *list);

#endif
