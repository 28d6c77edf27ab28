/*                                                analyze/library/perflog.h
 * The library: logs of perflog as time series.  A log is opened, perhaps told
 * which counters are wanted, and then gives row after row, each a time and a
 * value per series, the same that 'perflog export' writes:
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
 * perflog_types.h can be used for itself.
 *
 * What is declared here and in perflog_types.h stays as it is while the
 * library's version is PERFLOG_0: members are not added to structs,
 * enumerators only at ends.
 */
#ifndef PL_ANALYZE_LIBRARY_PERFLOG_H
#define PL_ANALYZE_LIBRARY_PERFLOG_H

#ifndef PERFLOG_INSIDE /* the library itself has these where it is made */
#include "perflog_types.h"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pl_log;

/*
 * Open logs, files or folders of segments: those of one host are read one
 * after another, those of several side by side.  To be closed if PL_OK.
 * PL_END: a folder without logs; PL_NOT_A_LOG, PL_TRUNCATED (an empty file),
 * PL_UNSUPPORTED (needs a newer library), PL_IO (errno), PL_NOMEM.
 */
enum pl_status pl_log_open(struct pl_log **out, const char *const *paths,
                           size_t num_paths);
void pl_log_close(struct pl_log *log); /* NULL is fine */

/*
 * Only counters that match 'path', \Object(Instance)\Counter with wildcards,
 * or another one chosen before.  To be called before anything else is asked
 * of the log, since its series are then settled: PL_USAGE after that, and if
 * 'path' means nothing.  PL_NOMEM.
 */
enum pl_status pl_log_choose(struct pl_log *log, const char *path);

/*
 * How many series there are, in the order of a wide sheet.  Looks through the
 * whole log when first asked: PL_IO, PL_NOMEM.
 */
enum pl_status pl_log_count(struct pl_log *log, size_t *num);

/*
 * What series 'i' is called, \\HOST\Object(Instance)\Counter, in a form that
 * pl_log_choose takes; NULL: there is none of that number, or the log has not
 * been looked through.  Lives as long as the log.
 */
const char *pl_log_series(const struct pl_log *log, size_t i);

/*
 * Go on to the next row; *time_ns is its time, in nanoseconds since 1970 UTC.
 * PL_END after the last; PL_IO, PL_NOMEM.
 */
enum pl_status pl_log_next(struct pl_log *log, int64_t *time_ns);

/*
 * The value of series 'i' in this row; NaN if there is none, and *cell (NULL
 * is fine) tells why: pl_cell_name.
 */
double pl_log_value(const struct pl_log *log, size_t i, enum pl_cell *cell);

/*
 * How many parts of the log had to be passed over so far, as they are damaged
 * or need a newer library.  0: what was read is whole.
 */
uint64_t pl_log_losses(const struct pl_log *log);

#ifdef __cplusplus
}
#endif

#endif
