/*                                           analyze/compare/compare_print.h
 * Output forms of a comparison: text for people, CSV and JSON.
 */
#ifndef PL_ANALYZE_COMPARE_COMPARE_PRINT_H
#define PL_ANALYZE_COMPARE_COMPARE_PRINT_H

#include "analyze/compare/compare.h"
#include "analyze/output/csv.h"
#include "analyze/output/output_file.h"
#include "analyze/output/readable.h"

#include <stdbool.h>

/* The change of the mean: "+20.0 %", "x 13", "was 0".  Returns 'out'. */
const char *pl_compared_change_text(const struct pl_compared *s,
                                    char out[PL_READABLE_TEXT]);

/*
 * Each returns PL_OK, or the first failure, PL_IO or PL_NOMEM.  Text has the
 * unusual series only, unless 'all'; CSV and JSON have all, in the same order.
 * Times are of the zone in force, in JSON UTC.
 */
enum pl_status pl_comparison_print_text(struct pl_output_file *out,
                                        const struct pl_comparison *c,
                                        bool all);
enum pl_status pl_comparison_print_csv(struct pl_csv *csv,
                                       const struct pl_comparison *c);
enum pl_status pl_comparison_print_json(struct pl_output_file *out,
                                        const struct pl_comparison *c);

#endif
