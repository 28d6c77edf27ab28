/*                                             analyze/moment/moment_text.h
 * A page of plain text: the tables of a moment, aligned, 80 characters wide
 * where names are not longer.
 */
#ifndef PL_ANALYZE_MOMENT_MOMENT_TEXT_H
#define PL_ANALYZE_MOMENT_MOMENT_TEXT_H

#include "analyze/moment/moment.h"
#include "format/base/buf.h"

#include <stddef.h>

/* How much a page shows. */
struct pl_moment_size {
    size_t processes;
    size_t lines;   /* of a screen, which the page fills; 0: of none */
    size_t columns; /* of a screen, which cut lines of processes; 0: of none */
};

void pl_moment_put_text(struct pl_buf *out, const struct pl_moment *m,
                        const struct pl_moment_size *size);

/* ---- parts of a page ----------------------------------------------------- */

/* The processes that were in a state (D or Z), most often first. */
void pl_moment_put_states(struct pl_buf *out, const struct pl_moment *m,
                          char state, const char *label);

/*
 * The busiest processes, with user, unit and command line where the log has
 * them.
 */
void pl_moment_put_processes(struct pl_buf *out, const struct pl_moment *m,
                             size_t most, size_t width);

#endif
