/*                                             analyze/moment/moment_text.h
 * A page of plain text: the tables of a moment, aligned, 80 characters wide
 * where names are not longer.
 */
#ifndef PL_ANALYZE_MOMENT_MOMENT_TEXT_H
#define PL_ANALYZE_MOMENT_MOMENT_TEXT_H

#include "analyze/moment/moment.h"
#include "analyze/moment/process_list.h"
#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* How much a page shows, and in which form. */
struct pl_moment_size {
    size_t processes;
    size_t lines;   /* of a screen, which the page fills; 0: of none */
    size_t columns; /* of a screen, which cut lines of processes; 0: of none */
    size_t width;   /* lines of figures are wrapped here; 0: at 80 */
    bool low;       /* instead, each is one line; and fewer devices */
    const struct pl_process_list *list; /* NULL: all, by rank */
    size_t first;                       /* process of 'list' to begin with */
    /*
     * Appends what stands between a line's label and its figures,
     * 'spark_width' characters; NULL: nothing.
     */
    void (*spark)(void *ctx, enum pl_moment_section section,
                  struct pl_buf *out);
    void *ctx;
    size_t spark_width;
};

void pl_moment_put_text(struct pl_buf *out, const struct pl_moment *m,
                        const struct pl_moment_size *size);

/* ---- parts of a page ----------------------------------------------------- */

/* The processes that were in a state (D or Z), most often first. */
void pl_moment_put_states(struct pl_buf *out, const struct pl_moment *m,
                          const struct pl_moment_size *size, char state,
                          const char *label);

/*
 * 'most' processes of a list, with user, unit and command line where the log
 * has them.
 */
void pl_moment_put_processes(struct pl_buf *out, const struct pl_moment *m,
                             const struct pl_moment_size *size,
                             const struct pl_process_list *list, size_t most);

#endif
