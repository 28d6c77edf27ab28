/*                                           analyze/diagnose/findings_json.h
 * Findings for programs: JSON with all digits and times in UTC.
 */
#ifndef PL_ANALYZE_DIAGNOSE_FINDINGS_JSON_H
#define PL_ANALYZE_DIAGNOSE_FINDINGS_JSON_H

#include "analyze/diagnose/diagnose.h"
#include "analyze/output/output_file.h"

/* PL_IO, PL_NOMEM. */
enum pl_status pl_findings_print_json(struct pl_output_file *out,
                                      const struct pl_diagnosis *d);

#endif
