/*                                           analyze/diagnose/findings_text.h
 * Findings for people: a paragraph for each.
 */
#ifndef PL_ANALYZE_DIAGNOSE_FINDINGS_TEXT_H
#define PL_ANALYZE_DIAGNOSE_FINDINGS_TEXT_H

#include "analyze/diagnose/diagnose.h"
#include "format/base/buf.h"

void pl_findings_put_text(struct pl_buf *out, const struct pl_diagnosis *d);

#endif
