/*                                           analyze/diagnose/findings_text.h
 * Findings for people: a paragraph for each.
 */
#ifndef PL_ANALYZE_DIAGNOSE_FINDINGS_TEXT_H
#define PL_ANALYZE_DIAGNOSE_FINDINGS_TEXT_H

#include "analyze/diagnose/diagnose.h"
#include "format/base/buf.h"

void pl_findings_put_text(struct pl_buf *out, const struct pl_diagnosis *d);

/* ---- parts of it, without line ends -------------------------------------- */

/* When an episode ends, in nanoseconds; when it was, and how long it took. */
int64_t pl_episode_end(const struct pl_diagnosis *d,
                       const struct pl_episode *e);
void pl_episode_put_time(struct pl_buf *out, const struct pl_diagnosis *d,
                         const struct pl_episode *e);

/* The counter, its value and what is usual. */
void pl_episode_put_evidence(struct pl_buf *out, const struct pl_diagnosis *d,
                             const struct pl_episode *e);

/* "python3:123", "cc1 (312 processes)" */
void pl_culprit_put_name(struct pl_buf *out, const struct pl_culprit *c);

/* A process, what it did, and its command line. */
void pl_culprit_put_text(struct pl_buf *out, const struct pl_rule *r,
                         const struct pl_culprit *c);

#endif
