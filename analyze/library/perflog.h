/*                                                analyze/library/perflog.h
 * The library: logs of perflog as time series.  A log is opened, optionally
 * restricted to some counters, and then returns row after row, each a time and
 * a value per series, the same values as 'perflog export' writes:
 *
 *     struct pl_log *log;
 *     const char *path = "this.plog";
 *     int64_t time_ns;
 *     enum pl_cell cell;
 *
 *     if (pl_log_open(&log, &path, 1))
 *         ...
 *     pl_log_choose(log, "\\Processor(_Total)\\% Processor Time");
 *     while (!pl_log_next(log, &time_ns))
 *         printf("%g\n", pl_log_value(log, 0, &cell));
 *     pl_log_close(log);
 *
 * It prints nothing.  Each log may be used by a thread of its own; pl_log_open
 * and pl_status_text are for one thread at a time.  The counter calculator of
 * perflog_types.h can be used by itself.
 *
 * What is declared here and in perflog_types.h stays as it is while the
 * library's version is PERFLOG_0: members are not added to structs, enumerators
 * only at ends.
 */
#ifndef PL_ANALYZE_LIBRARY_PERFLOG_H
#define PL_ANALYZE_LIBRARY_PERFLOG_H

#ifndef PERFLOG_INSIDE /* the library itself is built with its inner headers */
#include "perflog_types.h"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pl_log;

/*
 * Open logs, files or folders of segments: those of one host are read one after
 * another, those of several side by side.  The caller closes it if PL_OK.
 * PL_END: a folder without logs, or whose logs are all empty files; PL_NOT_A_LOG,
 * PL_TRUNCATED (an empty file), PL_ZEROS (a file of zeros, as a power cut leaves
 * it), PL_UNSUPPORTED (needs a newer library), PL_IO (errno), PL_NOMEM,
 * PL_USAGE: num_paths is 0, or a path is a pipe, as logs are read twice.
 */
enum pl_status pl_log_open(struct pl_log **out, const char *const *paths,
                           size_t num_paths);
void pl_log_close(struct pl_log *log); /* NULL is fine */

/*
 * Only counters that match 'path', \Object(Instance)\Counter with wildcards, or
 * a path of an earlier call.  Must precede all other calls for the log, which
 * settle its series: PL_USAGE after these, and if 'path' is not a counter path.
 * PL_NOMEM.
 */
enum pl_status pl_log_choose(struct pl_log *log, const char *path);

/*
 * How many series there are, in the order of the wide layout.  Reads the
 * complete log on the first call: PL_IO, PL_NOMEM.
 */
enum pl_status pl_log_count(struct pl_log *log, size_t *num);

/*
 * The path of series 'i', \\HOST\Object(Instance)\Counter, in a form that
 * pl_log_choose accepts; NULL: there is no such series, or pl_log_count has not
 * been called.  Valid as long as the log.
 */
const char *pl_log_series(const struct pl_log *log, size_t i);

/*
 * Advance to the next row; *time_ns is its time, in nanoseconds since 1970 UTC.
 * PL_END after the last; PL_IO, PL_NOMEM.
 */
enum pl_status pl_log_next(struct pl_log *log, int64_t *time_ns);

/*
 * The value of series 'i' in this row; NaN if there is none, and *cell (may be
 * NULL) is the reason: pl_cell_name.
 */
double pl_log_value(const struct pl_log *log, size_t i, enum pl_cell *cell);

/*
 * How many parts of the log the rows lack so far: damaged ones, those that need
 * a newer library, and records that are missing from a file. 0: all that was read
 * is complete.
 */
uint64_t pl_log_losses(const struct pl_log *log);

#ifdef __cplusplus
}
#endif

#endif
