/*                                               analyze/moment/text_parts.h
 * What a page of text is made of: lines of figures, wrapped where the page
 * ends, and tables.
 */
#ifndef PL_ANALYZE_MOMENT_TEXT_PARTS_H
#define PL_ANALYZE_MOMENT_TEXT_PARTS_H

#include "analyze/moment/moment_text.h"
#include "format/base/buf.h"
#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_MOMENT_LABEL = 12, /* characters of a line's label */
    PL_MOMENT_LISTED = 4, /* disks, interfaces, states on a page, at most */
    PL_MOMENT_NAME = 32,  /* columns of a name: one may have thousands */
};

void pl_moment_put(struct pl_buf *out, const char *s);
void pl_moment_put_blanks(struct pl_buf *out, size_t n);
void pl_moment_put_right(struct pl_buf *out, const char *text, size_t width);

/* A name, safe for a terminal; of a long one the beginning and "...". */
void pl_moment_put_short(struct pl_buf *out, struct pl_text name);

/* The same, and blanks up to 'width' columns. */
void pl_moment_put_name(struct pl_buf *out, const char *name, size_t width);

/* ---- lines --------------------------------------------------------------- */

struct pl_moment_line {
    struct pl_buf *out;
    const struct pl_moment_size *size;
    size_t at; /* columns so far */
    bool full; /* the rest is left out */
};

/* 'label' NULL: the line goes on with the one before.  PL_MOMENT_SECTIONS: no
 * section, so no spark line. */
void pl_moment_begin_line(struct pl_moment_line *l, struct pl_buf *out,
                          const struct pl_moment_size *size,
                          enum pl_moment_section section, const char *label);
/*
 * Two blanks before it, on a line of its own if it does not fit; on a low
 * screen it is left out.
 */
void pl_moment_put_item(struct pl_moment_line *l, const char *text);
/* An item that has a name of the log's, which is made safe for a terminal. */
void pl_moment_put_named(struct pl_moment_line *l, const char *before,
                         const char *name, const char *figure);
void pl_moment_end_line(struct pl_moment_line *l);

/* ---- tables -------------------------------------------------------------- */

/* Widths of the columns, by their titles and these rows; 0: left out. */
void pl_moment_measure(const struct pl_moment_columns *columns,
                       const struct pl_moment_row *const *rows, size_t num,
                       size_t widths[PL_MOMENT_COLUMNS]);
size_t pl_moment_name_width(const char *title,
                            const struct pl_moment_row *const *rows,
                            size_t num);
void pl_moment_put_titles(struct pl_buf *out,
                          const struct pl_moment_columns *columns,
                          const size_t widths[PL_MOMENT_COLUMNS]);
void pl_moment_put_cells(struct pl_buf *out,
                         const struct pl_moment_columns *columns,
                         const size_t widths[PL_MOMENT_COLUMNS],
                         const struct pl_moment_row *row);

#endif
