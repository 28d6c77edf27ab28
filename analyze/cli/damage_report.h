/*                                                analyze/cli/damage_report.h
 * What commands report of damage in the logs they have read, a line each.
 */
#ifndef PL_ANALYZE_CLI_DAMAGE_REPORT_H
#define PL_ANALYZE_CLI_DAMAGE_REPORT_H

#include "analyze/input/host_log.h"

#include <stdint.h>

/*
 * Ranges of so many bytes in all, of which the result has what can be read, such
 * as the good cells of a row with a bad one; and samples, as far as they can be
 * counted, of which nothing is in the result: without a range, those that refer to
 * a sample that is not there.  Nothing is reported where there are none.
 */
void pl_say_damage(const struct pl_places *where, uint64_t ranges,
                   uint64_t bytes, uint64_t samples);

/*
 * Samples that --max-block leaves out, and those that refer to them: no damage,
 * though the exit status is the same, as the result lacks them.
 */
void pl_say_too_large(const struct pl_places *where, uint64_t samples);

/* Records that are missing where nothing is damaged. */
void pl_say_holes(const struct pl_places *where, uint64_t records);

/* Samples with a malformed block, of which the result has what can be read. */
void pl_say_malformed(const struct pl_places *where, uint64_t samples);

#endif
