/*                                              analyze/stats/stats_print.h
 * Output forms of statistics: a table of text, a line a series; CSV; JSON.
 */
#ifndef PL_ANALYZE_STATS_STATS_PRINT_H
#define PL_ANALYZE_STATS_STATS_PRINT_H

#include "analyze/output/csv.h"
#include "analyze/output/output_file.h"
#include "analyze/query/rows_csv.h"
#include "analyze/stats/stats.h"

/*
 * Each returns PL_OK, or the first failure, PL_IO or PL_NOMEM.  'time' is the
 * style of instants; in JSON they are always UTC.  Querying percentiles changes
 * the order of the values kept, and nothing else.  With 'identity', columns of
 * what identifies processes are the last.  Text is made for a terminal of so
 * many 'columns' (0: it is for none, and complete): a series is one line, for
 * which the figures asked for least are left out, and command lines are cut.
 */
enum pl_status pl_stats_print_text(struct pl_output_file *out,
                                   struct pl_stats *t,
                                   const struct pl_time_format *time,
                                   size_t columns);
enum pl_status pl_stats_print_csv(struct pl_csv *csv, struct pl_stats *t,
                                  const struct pl_time_format *time,
                                  bool identity);
enum pl_status pl_stats_print_json(struct pl_output_file *out,
                                   struct pl_stats *t);

#endif
