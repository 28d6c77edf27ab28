/*                                         analyze/diagnose/findings_within.h
 * Findings of the built-in rules for another layout, between its passes: the
 * most severe PL_DIAGNOSE_USUAL ones.
 */
#ifndef PL_ANALYZE_DIAGNOSE_FINDINGS_WITHIN_H
#define PL_ANALYZE_DIAGNOSE_FINDINGS_WITHIN_H

#include "analyze/diagnose/diagnose.h"

/*
 * Find all there is in the logs of 'e', within its window, and call 'use'; 'd' is valid
 * until it returns, and NULL where the logs hold nothing that a rule is about.
 * PL_NOMEM, what stopped the reading (reported if e->code is set), or what 'use'
 * returns.
 */
enum pl_status pl_findings_for(struct pl_query *e,
                               enum pl_status (*use)(void *ctx,
                                                     struct pl_diagnosis *d),
                               void *ctx);

#endif
