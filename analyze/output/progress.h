/*                                                analyze/output/progress.h
 * A line on a terminal that shows the progress of long work.  Nothing is shown
 * where standard error is no terminal, nor in the first second, nor where
 * standard output is a pipe: a pager reading the pipe has the same terminal;
 * nor with --quiet.
 */
#ifndef PL_ANALYZE_OUTPUT_PROGRESS_H
#define PL_ANALYZE_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct pl_progress {
    bool on;
    bool shown;
    const char *what;
    uint64_t total;        /* bytes; 0: unknown */
    int64_t started, next; /* steady clock */
};

void pl_progress_start(struct pl_progress *p, const char *what, uint64_t total,
                       bool quiet);
/* Cheap enough for every row: the clock is read only now and then. */
void pl_progress_at(struct pl_progress *p, uint64_t done);
void pl_progress_end(struct pl_progress *p); /* clears the line */

#endif
