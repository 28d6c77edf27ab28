/*                                             analyze/moment/moment_text.h
 * A page of plain text: the tables of a moment, aligned, 80 characters wide
 * where names are not longer.
 */
#ifndef PL_ANALYZE_MOMENT_MOMENT_TEXT_H
#define PL_ANALYZE_MOMENT_MOMENT_TEXT_H

#include "analyze/moment/moment.h"
#include "format/base/buf.h"

#include <stddef.h>

/* Append the page; 'lines': as long as that, with the busiest processes. */
void pl_moment_put_text(struct pl_buf *out, const struct pl_moment *m,
                        size_t processes, size_t lines);

#endif
